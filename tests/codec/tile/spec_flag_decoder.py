"""Partitions and residual flags by network, written from docs/format-flags.md alone: a part of spec_decoder.py."""

import re
import struct
from functools import lru_cache
from pathlib import Path

from spec_container import crc32c

CURVE = [22, 28, 36, 47, 60, 77, 98, 126, 162, 208, 267, 342, 439,
         562, 720, 922, 1179, 1506, 1921, 2446, 3108, 3938, 4971, 6249, 7812, 9702,
         11955, 14595, 17625, 21025, 24743, 28693, 32768, 36843, 40793, 44511, 47911, 50941, 53581,
         55834, 57724, 59287, 60565, 61598, 62428, 63090, 63615, 64030, 64357, 64614, 64816, 64974,
         65097, 65194, 65269, 65328, 65374, 65410, 65438, 65459, 65476, 65489, 65500, 65508, 65514]
GROUPS = {0: [2, 10], 1: [0, *range(11, 19)], 2: [1, *range(3, 10), *range(19, 25)],
          3: [25], 4: [26], 5: [27, 28, 29, 30]}
GROUP_OF = {mode: group for group, modes in GROUPS.items() for mode in modes}


def limit(value, low, high):
    return min(max(value, low), high)


# --- Numbers --------------------------------------------------------------------------------------

def squash(logit):
    i, f = divmod(logit + 2048, 64)
    return CURVE[i] + ((CURVE[i + 1] - CURVE[i]) * f >> 6)


@lru_cache(maxsize=None)
def stretch_middle(q):
    return max(s for s in range(-120, 121) if s == -120 or squash(16 * s - 8) <= q)


def stretch(probability):
    return stretch_middle(128 * (probability >> 7) + 64)


def log8(n):
    e = n.bit_length() - 1
    v, f = ((n << 31) >> e) >> 20 << 20, 0
    for _ in range(12):
        v, f = v * v >> 31, 2 * f
        if v >= 1 << 32:
            v, f = v >> 1, f + 1
    return 8 * (4096 * e + f) // 4096


# --- Estimates, Network ---------------------------------------------------------------------------

class Estimates:

    def __init__(self):
        self.slow = self.fast = 32768
        self.count = 0

    def take_in(self, bit):
        def step(p, n):
            return limit(p + ((65536 * bit - p) * (40960 // (10 * n + 16)) >> 12), 262, 65274)

        self.slow, self.fast = step(self.slow, self.count), step(self.fast, min(self.count, 18))
        self.count = min(self.count + 1, 118)


def cut_rows(numbers, length):
    return [numbers[at:at + length] for at in range(0, len(numbers), length)]


@lru_cache(maxsize=None)
def networks():
    """Of each kind H, B, V, D, A."""
    path = Path(__file__).parents[3] / "codec/tile/flag_weights.inc"
    numbers = [int(n) for n in re.findall(r"-?\d+", path.read_text(encoding="ascii"))]
    assert crc32c(struct.pack("<9174h", *numbers)) == 0xbbc9c0c6
    sizes = [16 * 64, 25 * 16, 16, 64, 25]
    result = []
    for _ in range(6):
        parts = []
        for size in sizes:
            parts.append(numbers[:size])
            numbers = numbers[size:]
        h, b, v, d, a = parts
        h = [[h[32 * (i // 2) + 2 * u + i % 2] for i in range(64)] for u in range(16)]
        result.append((h, cut_rows(b, 16), v, d, a))
    return result


def dot(weights, inputs):
    return sum(w * x for w, x in zip(weights, inputs))


def network_logit(kind, level, inputs):
    h, b, v, d, a = networks()[kind]
    units = [limit((dot(h[u], inputs) >> 4) + b[level][u], 0, 2047) for u in range(16)]
    return limit((256 * a[level] + 16 * dot(d, inputs) + dot(v, units) + 128) >> 8, -2047, 2047)


# --- Flags ----------------------------------------------------------------------------------------

class FlagDecoder:
    """Of a substream; `sizes`: rows and columns of a block of each level, as logarithms; `first`: that of the first
    substream of the tile, for the others."""

    def __init__(self, decoder, sizes, scale, first=None):
        self.decoder, self.sizes, self.scale = decoder, sizes, scale or 16
        # Of all substreams; counts: of a macroblock its prediction blocks and leaves.
        self.prediction_level, self.group, self.leaf_level, self.energy, self.counts = first.around() if first else (
            {}, {}, {}, {}, {})
        self.by_level, self.by_context = {}, {}
        self.weights = [[65536, 0, 0, 0, 0, 0] for _ in range(6)]
        self.last_level, self.last_energy = 24, 0

    def around(self):
        return self.prediction_level, self.group, self.leaf_level, self.energy, self.counts

    def pixels(self, y, x, level):
        a, b = self.sizes[level]
        return [(y + i, x + j) for i in range(1 << a) for j in range(1 << b)]

    # What has been decoded.

    def add_prediction(self, y, x, level, mode):
        self.block, self.block_group = (y, x, level), GROUP_OF[mode]
        for pixel in self.pixels(y, x, level):
            self.prediction_level[pixel], self.group[pixel] = level, GROUP_OF[mode]
        self.counts.setdefault((y // 16, x // 16), [0, 0])[0] += 1

    def add_leaf(self, y, x, level, pattern):
        norm, (a, b) = sum(v * v for v in pattern), self.sizes[level]
        energy = ((norm << 14) // ((self.scale**2) << (a + b))).bit_length()
        self.last_level, self.last_energy = level, min(energy, 15)
        for pixel in self.pixels(y, x, level):
            self.leaf_level[pixel], self.energy[pixel] = level, self.last_energy
        self.counts[y // 16, x // 16][1] += 1

    # Flags. `cut` is the flag of the block that this is half of, or None, and that of its first
    # half if this is the second, or None.

    def partition(self, y, x, level, context, allowed, cut):
        features = self.common(y, x, level)
        for pixel in (y, x - 1), (y - 1, x):
            features += [16 * (self.group.get(pixel) == g) for g in range(6)]
        flag, first = cut
        features += [16 * (flag == 1), 16 * (flag == 2), 16 * (first is not None)]
        features += [16 * (first == f) for f in range(5)]
        place = level, context, features
        answer = self.cut(0, place, 1 in allowed, 2 in allowed)
        if answer:
            return answer
        answer = self.cut(2, place, 3 in allowed, 4 in allowed)
        return answer + 2 if answer else 0

    def residual_flag(self, y, x, level, context, allowed, cut, depth):
        features = self.common(y, x, level)
        v, u, k = self.block
        flag, first = cut
        features += [4 * (y - v), 4 * (x - u)] + self.size(self.last_level, level)
        features += [16 * (flag == 1), 16 * (first is not None)]
        features += [16 * (first == f) for f in range(3)] + [4 * min(depth, 7) - 8]
        features += self.size(k, level) + [16 * (self.block_group == g) for g in range(5)]
        a, b = self.sizes[level]
        inside = [(y - 1, x + j) for j in range(1 << b) if y > v]
        inside += [(y + i, x - 1) for i in range(1 << a) if x > u]
        energy = sum(self.energy[pixel] for pixel in inside)
        features += [8 * energy // max(len(inside), 1), 16 * bool(inside), 8 * self.last_energy]
        return self.cut(4, (level, context, features), 1 in allowed, 2 in allowed)

    def cut(self, kind, place, vertical, horizontal):
        if not vertical and not horizontal or not self.decision(kind, *place):
            return 0
        if vertical and horizontal:
            return 1 + self.decision(kind + 1, *place)
        return 1 if vertical else 2

    def decision(self, kind, level, context, features):
        pairs = [self.by_level.setdefault((kind, level), Estimates()),
                 self.by_context.setdefault((kind, level, context), Estimates())]
        inputs = features + [stretch(p) for pair in pairs for p in (pair.slow, pair.fast)]
        assert len(inputs) == 64
        y = [network_logit(kind, level, inputs), *(16 * s for s in inputs[60:]), 128]
        w = self.weights[kind]
        p = limit(squash(limit(dot(w, y) >> 16, -2047, 2047)), 32, 65504)
        bit = int(self.decoder.target(65536) < p)
        self.decoder.consume(0 if bit else p, p if bit else 65536 - p)
        e = 65536 * bit - p
        w[:] = [limit(a + ((e * b + 65536) >> 17), -2**19, 2**19) for a, b in zip(w, y)]
        for pair in pairs:
            pair.take_in(bit)
        return bit

    # Features.

    def size(self, k, level):
        if k is None:
            return [0, 0]
        return [8 * (a - b) for a, b in zip(self.sizes[k], self.sizes[level])]

    def common(self, y, x, level):
        a, b = self.sizes[level]
        h, w = 1 << a, 1 << b
        corners = [(y, x - 1), (y + h - 1, x - 1), (y - 1, x), (y - 1, x + w - 1)]
        outer = [(y - 1, x + w), (y + h, x - 1)]
        features = [16 * (x > 0), 16 * (y > 0)]
        for pixel in corners:
            features += self.size(self.prediction_level.get(pixel), level)
        for pixel in outer:
            features += self.size(self.prediction_level.get(pixel), level)
            features.append(16 * (pixel in self.prediction_level))
        for pixel in corners + outer[:1]:
            features += self.size(self.leaf_level.get(pixel), level)
        left = [(y + i, x - 1) for i in range(h) if x > 0]
        above = [(y - 1, x + j) for j in range(w) if y > 0]
        features.append(8 * sum(self.energy[pixel] for pixel in left) // h)
        features.append(8 * sum(self.energy[pixel] for pixel in above) // w)
        features += self.means(left + above)
        features += [8 * (y % 16 >> 2) - 12, 8 * (x % 16 >> 2) - 12, log8(self.scale) - 56]
        row, column = y // 16, x // 16
        around = [self.counts.get(place) for place in
                  ((row, column - 1), (row - 1, column), (row - 1, column + 1))]
        for which in range(2):
            features += [log8(m[which]) - 16 if m else 0 for m in around]
        return features

    def means(self, border):
        n = len(border)
        if n == 0:
            return [0, 0, 0]
        levels = [self.prediction_level[pixel] for pixel in border]
        a = 8 * sum(self.sizes[k][0] for k in levels) // n
        b = 8 * sum(self.sizes[k][1] for k in levels) // n
        c = sum(self.leaf_level[pixel] != k for pixel, k in zip(border, levels))
        return [a + b - 16, b - a, 32 * c // n - 16]
