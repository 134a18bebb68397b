"""Written from docs/format.md alone, a part of spec_decoder.py: "Rescaling" and "Dictionary"."""

import struct
from bisect import bisect_left, insort
from functools import lru_cache
from pathlib import Path

from spec_container import MIXED_MODELS, OWN_DICTIONARY, crc32c
from spec_conventions import LEVELS, SIZES, require
from spec_models import IndexModel

# --- Rescaling ------------------------------------------------------------------------------------
# A pattern is a tuple of its values in raster order.

@lru_cache(maxsize=None)
def interpolation(source, target):
    """For each value of a longer line: two positions in the shorter one and their weights."""
    n = (target // source).bit_length() - 1
    taps = []
    for i in range(target):
        p = 2 * i + 1 - (1 << n)
        m = p >> (n + 1)
        r = p - (m << (n + 1))
        taps.append((max(m, 0), min(m + 1, source - 1), (2 << n) - r, r))
    return n, taps


def rescale_line(f, target):
    source = len(f)
    if target <= source:
        size = source // target
        n = size.bit_length() - 1
        return [(2 * sum(f[i:i + size]) + size) >> (n + 1) for i in range(0, source, size)]
    n, taps = interpolation(source, target)
    return [(f[a] * u + f[b] * v + (1 << n)) >> (n + 1) for a, b, u, v in taps]


@lru_cache(maxsize=4096)
def rescale_columns(pattern, columns, target_rows):
    """The rows of a pattern after the first of the two steps."""
    return list(zip(*(rescale_line(pattern[c::columns], target_rows) for c in range(columns))))


def rescale(pattern, source, target):
    rows, columns = SIZES[target]
    lines = rescale_columns(pattern, SIZES[source][1], rows)
    return tuple(v for line in lines for v in rescale_line(line, columns))


# --- Dictionary -----------------------------------------------------------------------------------

UNIFORM = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 22, 25,
           28, 32, 36, 40, 45, 50, 56, 63, 71, 80, 90, 102, 116, 134, 160, 200, 255]


def is_near(a, b, threshold):
    distance = 0
    for u, v in zip(a, b):
        distance += (u - v) * (u - v)
        if distance > threshold:
            return False
    return True


STANDARD_FILE = Path(__file__).parents[3] / "codec/dictionary/standard_patterns.mmd"
STANDARD_HASH = 0x9b805114


@lru_cache(maxsize=None)
def standard_dictionary():
    data = STANDARD_FILE.read_bytes()
    require(crc32c(data) == STANDARD_HASH, "the standard dictionary file is another one")
    return parse_dictionary(data)


def parse_dictionary(data):
    """Of each level the counts, that of zero first, and the patterns."""
    require(data[:4] == b"MMD\1", "not a dictionary file")
    at, levels = 4, [None]

    def take(form, size):
        nonlocal at
        at += size
        require(at <= len(data), "the dictionary file is cut off")
        return struct.unpack(form, data[at - size:at])

    for level in LEVELS[1:]:
        zero_count, n = take("<2H", 4)
        counts = [zero_count, *take(f"<{n}H", 2 * n)]
        require(min(counts) > 0 and sum(counts) <= 32768, "counts are out of range")
        size = SIZES[level][0] * SIZES[level][1]
        levels.append((counts, [take(f"{size}b", size) for _ in range(n)]))
    require(at == len(data), "bytes follow the last pattern")
    return levels


def find_dictionary(header, file):
    """The trained patterns that the header asks for; `file` is a dictionary file, or empty."""
    if not header.scale:
        return None
    if not header.tools & OWN_DICTIONARY:
        return standard_dictionary()
    require(crc32c(file) == header.dictionary_hash,
            f"the image needs the dictionary file of hash {header.dictionary_hash:08x}")
    return parse_dictionary(file)


class PatternList:
    """The patterns of one level and the model of their indices."""

    def __init__(self, level, header, dictionary, learner):
        self.size = SIZES[level][0] * SIZES[level][1]
        self.patterns = [(0,) * self.size]
        for v in UNIFORM if level else range(1, 256):
            self.patterns += [(v,) * self.size, (-v,) * self.size]
        self.model = IndexModel(bool(header.tools & MIXED_MODELS), learner)
        trained = dictionary[level] if dictionary else None
        for i in range(len(self.patterns)):
            first = 4 if not header.scale else trained[0][0] if trained and i == 0 else 2
            self.model.add(first, 4, 1)
        if trained:
            self.append_trained(*trained, header)
        self.by_sum = sorted((sum(p), p) for p in self.patterns)

    def append_trained(self, counts, patterns, header):
        room = header.capacity - len(self.patterns)
        for pattern, count in list(zip(patterns, counts[1:]))[:room]:
            self.patterns.append(tuple(min(max((v * header.scale + 32) >> 6, -255), 255)
                                       for v in pattern))
            self.model.add(count, 1, 1)

    def has_near(self, c, threshold):
        """Patterns of N values are no nearer than (difference of their sums)^2 / N."""
        total = sum(c)
        reach = int((threshold * self.size) ** 0.5) + 1
        first = bisect_left(self.by_sum, (total - reach,))
        last = bisect_left(self.by_sum, (total + reach + 1,))
        return any(is_near(c, p, threshold) for _, p in self.by_sum[first:last])

    def append(self, c):
        self.patterns.append(c)
        self.model.add(*IndexModel.LATER_COUNTS)
        insort(self.by_sum, (sum(c), c))


def insert_concatenations(dictionary, concatenations, capacity, threshold):
    for level in LEVELS[1:]:
        known = dictionary[level]
        for source, pattern in concatenations:
            if len(known.patterns) >= capacity:
                break
            c = rescale(pattern, source, level)
            if not known.has_near(c, threshold):
                known.append(c)
