"""Written from docs/format.md alone, a part of spec_decoder.py: "Range coder" and "Models"."""

import re
from bisect import bisect_right
from functools import cache
from itertools import accumulate
from math import isqrt
from pathlib import Path

from spec_container import crc32c
from spec_conventions import require

# --- Range coder ----------------------------------------------------------------------------------

class RangeDecoder:

    def __init__(self, stream):
        self.stream, self.taken = stream, 0
        self.range, self.code = 0xffffffff, 0
        for _ in range(4):
            self.code = self.code << 8 | self.next()

    def next(self):
        n = len(self.stream)
        require(self.taken < n + 4, "the stream is overrun")
        self.taken += 1
        return self.stream[self.taken - 1] if self.taken <= n else 0

    def target(self, total):
        self.step = self.range // total
        return min(self.code // self.step, total - 1)

    def consume(self, below, count):
        self.code -= self.step * below
        self.range = self.step * count
        while self.range < 1 << 24:
            self.code = (self.code << 8 | self.next()) & 0xffffffff
            self.range <<= 8


# --- Models ---------------------------------------------------------------------------------------

def decode_among(decoder, begins):
    """Finds and consumes one of some intervals, given where each begins and, last, where the last one ends."""
    position = bisect_right(begins, decoder.target(begins[-1])) - 1
    decoder.consume(begins[position], begins[position + 1] - begins[position])
    return position


def decode_symbol(decoder, counts, allowed):
    """Finds and consumes a symbol; allowed is in ascending order."""
    return allowed[decode_among(decoder, list(accumulate((counts[s] for s in allowed), initial=0)))]


def update(counts, symbol, increment, limit):
    counts[symbol] += increment
    if sum(counts) > limit:
        counts[:] = [(c + 1) >> 1 for c in counts]


def decode_small(decoder, counts, allowed):
    if len(allowed) == 1:
        return allowed[0]
    symbol = decode_symbol(decoder, counts, allowed)
    update(counts, symbol, 32, 2048)
    return symbol


class Mixer:
    """Mixes two estimates; the weight is that of the second."""

    def __init__(self, weight, shift):
        self.weight, self.shift = weight, shift

    def decode(self, decoder, estimates, allowed):
        parts = []
        for weight, values in zip((65536 - self.weight, self.weight), estimates):
            factor = (weight << self.shift) // sum(values[s] for s in allowed)
            parts.append([factor * value for value in values])
        frequencies = [1 + ((a + b) >> self.shift) for a, b in zip(*parts)]
        symbol = decode_symbol(decoder, frequencies, allowed)
        a, b = parts[0][symbol], parts[1][symbol]
        self.weight = 256 + 65024 * b // (a + b)
        return symbol


class PartitionModel:

    def __init__(self, is_mixed):
        self.counts = [16] * 5
        self.contexts = [[8] * 5 for _ in range(16)] if is_mixed else None
        self.mixer = Mixer(32768, 12)

    def decode(self, decoder, context, allowed):
        if not self.contexts or len(allowed) == 1:
            return decode_small(decoder, self.counts, allowed)
        tables = self.counts, self.contexts[context]
        symbol = self.mixer.decode(decoder, tables, allowed)
        for counts in tables:
            update(counts, symbol, 32, 2048)
        return symbol


class Learner:
    """Has models learn symbols at once, or at the end of a front."""

    def __init__(self, learns_by_fronts):
        self.learns_by_fronts, self.later = learns_by_fronts, []

    def learn(self, step):
        self.later.append(step)
        if not self.learns_by_fronts:
            self.end_front()

    def end_front(self):
        for step in self.later:
            step()
        self.later = []


def power(count):
    """The largest r with r^4 <= 65536 count^3."""
    return isqrt(isqrt(65536 * count**3))


class ModeModel:

    def __init__(self, modes, has_neighbours, learner):
        self.counts, self.has_neighbours, self.learner = [16] * modes, has_neighbours, learner
        self.mixers = [Mixer(49152, 24) for _ in range(8)]

    def decode(self, decoder, substream, left, above, allowed):
        """left, above: the modes of the neighbours, 31 where there are none."""
        if len(allowed) == 1:
            return allowed[0]
        symbol = self.read(decoder, substream, left, above, allowed)
        self.learner.learn(lambda: update(self.counts, symbol, 32, 2048))
        return symbol

    def read(self, decoder, substream, left, above, allowed):
        if not self.has_neighbours:
            return decode_symbol(decoder, self.counts, allowed)
        by_left, by_above = (table[mode] for table, mode in zip(neighbour_weights(), (left, above)))
        known = [c * u * v for c, u, v in zip(self.counts, by_left, by_above)]
        powers = [power(c) * u * v for c, u, v in zip(self.counts, by_left, by_above)]
        return self.mixers[substream].decode(decoder, (known, powers), allowed)


@cache
def neighbour_weights():
    """Of the mode left, and of that above: by it and by the mode."""
    path = Path(__file__).parents[3] / "codec/tile/mode_weights.inc"
    numbers = [int(n) for n in re.findall(r"\d+", path.read_text(encoding="ascii"))]
    assert crc32c(bytes(numbers)) == 0xdce96e5e
    rows = [numbers[i:i + 31] for i in range(0, len(numbers), 31)]
    return rows[:32], rows[32:]


class IndexModel:
    INCREMENTS = 64, 64, 512
    LATER_COUNTS = 8, 2, 1

    def __init__(self, is_mixed, learner):
        self.counts = [[] for _ in range(3 if is_mixed else 1)]
        self.weights = [57344, 4096, 4096]
        self.weights_by_neighbours = [49152] * 8  # of substreams
        self.learner = learner

    def add(self, *counts):
        """Adds a symbol, given its count in each estimator."""
        for known, count in zip(self.counts, counts):
            known.append(count)

    def decode(self, decoder):
        if len(self.counts) == 1:
            symbol = decode_symbol(decoder, self.counts[0], range(len(self.counts[0])))
        else:
            below = accumulate(self.mix(self.counts), initial=0)
            symbol = decode_among(decoder, [s + (b >> 11) for s, b in enumerate(below)])
        self.learner.learn(lambda: self.adapt(symbol))
        return symbol

    def decode_by_neighbours(self, decoder, substream, known, context):
        """known: the patterns, as KnownPatterns has them."""
        members = known.members[self.decode_class(decoder, substream, known, context)]
        weighed = [weighed_count(count, 13, context, known.features[s])
                   for s, count in zip(members, self.estimates([s] for s in members))]
        factor = 2**40 // sum(weighed)
        below = accumulate(weighed, initial=0)
        symbol = members[decode_among(decoder, [i + (factor * t >> 21) for i, t in enumerate(below)])]
        self.learner.learn(lambda: self.adapt(symbol))
        return symbol

    def decode_class(self, decoder, substream, known, context):
        counted = self.estimates(known.members)
        weighed = [weighed_count(count, 12, context, features) if count else 0
                   for count, features in zip(counted, known.class_features)]
        q = self.weights_by_neighbours[substream]
        f, h = ((65536 - q) << 24) // sum(counted), (q << 24) // sum(weighed)
        sizes = accumulate(map(len, known.members), initial=0)
        below = accumulate((f * b + h * t for b, t in zip(counted, weighed)), initial=0)
        k = decode_among(decoder, [size + (b >> 21) for size, b in zip(sizes, below)])
        part = h * weighed[k]
        self.weights_by_neighbours[substream] = 256 + 65024 * part // (f * counted[k] + part)
        return k

    def estimates(self, groups):
        """How frequent each group of symbols is, as the counts have it."""
        groups = list(groups)
        sums = [[sum(counts[s] for s in group) for group in groups] for counts in self.counts]
        if len(sums) == 1:
            return sums[0]
        return [len(group) + (mixed >> 11) for group, mixed in zip(groups, self.mix(sums))]

    def factors(self):
        return [(w << 14) // sum(c) for w, c in zip(self.weights, self.counts)]

    def mix(self, counts):
        """counts: of the same symbols, or sums of them, in each estimator."""
        a, b, c = self.factors()
        return (a * u + b * v + c * w for u, v, w in zip(*counts))

    def adapt(self, symbol):
        if len(self.counts) > 1:
            parts = [f * counts[symbol] for f, counts in zip(self.factors(), self.counts)]
            self.weights = [170 + 65026 * part // sum(parts) for part in parts]
        for counts, increment in zip(self.counts, self.INCREMENTS):
            update(counts, symbol, increment, max(32768, 8 * len(counts)))


def weighed_count(count, sixteenths, context, features):
    exponent = count.bit_length() - 1
    logarithm = 256 * exponent + ((count << 8 >> exponent) & 255)
    product = sum(c * g for c, g in zip(context, features))
    e = (sixteenths * logarithm >> 4) + min(max(product >> 4, -1024), 1024) + 1024
    return (256 + (e & 255) << (e >> 8)) >> 8
