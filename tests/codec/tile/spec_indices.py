"""Written from docs/format-indices.md alone, a part of spec_decoder.py: contexts of indices, classes of patterns."""

import re
import struct
from functools import cache
from math import isqrt
from pathlib import Path

from spec_container import crc32c, largest_coded
from spec_conventions import SIZES
from spec_flag_decoder import log8

KEPT = 9, 10, 11, 12, 8  # features of the patterns around


def numbers_of(file, crc):
    path = Path(__file__).parents[3] / "codec/tile" / file
    numbers = [int(n) for n in re.findall(r"-?\d+", path.read_text(encoding="ascii"))]
    assert crc32c(struct.pack(f"<{len(numbers)}h", *numbers)) == crc
    return numbers


@cache
def weights():
    """Of levels 1 to 24, by the input and the feature; of the modes, by the feature."""
    numbers = numbers_of("index_weights.inc", 0x9c808902)
    by_input, by_mode = numbers[:24 * 608], numbers[24 * 608:]
    levels = []
    for at in range(0, len(by_input), 608):
        inputs = []
        for pair in range(at, at + 608, 32):
            inputs += [by_input[pair:pair + 32:2], by_input[pair + 1:pair + 32:2]]
        levels.append(inputs)
    return levels, [by_mode[at:at + 16] for at in range(0, len(by_mode), 16)]


@cache
def classes():
    """Of levels 1 to 24: what differences of features count; of each of the 32 classes the features."""
    numbers = numbers_of("index_classes.inc", 0xffdaae37)
    rows = [numbers[at:at + 16] for at in range(0, len(numbers), 16)]
    return rows[:24], [rows[at:at + 32] for at in range(24, len(rows), 32)]


class Measure:
    """What residuals are measured by."""

    def __init__(self, header):
        self.scale = max(header.scale or largest_coded(isqrt(64 * header.threshold)), 1)
        self.factor = 2**24 // self.scale

    def mean(self, total, n):
        return min(max((total * self.factor + (1 << (15 + n))) >> (16 + n), -127), 127)

    def quarters(self, line):
        n = len(line).bit_length() - 1
        if n < 2:
            return [self.mean(line[i << n >> 2], 0) for i in range(4)]
        size = len(line) // 4
        return [self.mean(sum(line[i:i + size]), n - 2) for i in range(0, len(line), size)]

    def features(self, pattern, level):
        rows, columns = SIZES[level]
        a, b = rows.bit_length() - 1, columns.bit_length() - 1
        lines = [pattern[i:i + columns] for i in range(0, len(pattern), columns)]
        left, top = [line[0] for line in lines], lines[0]
        square = (sum(p * p for p in pattern) << 14) // (rows * columns * self.scale**2) + 1
        across = sum(abs(p - q) for line in lines for p, q in zip(line, line[1:]))
        down = sum(abs(p - q) for upper, lower in zip(lines, lines[1:]) for p, q in zip(upper, lower))
        return [*self.quarters(left), *self.quarters(top), self.mean(sum(pattern), a + b),
                self.mean(sum(map(abs, pattern)), a + b), min(log8(square) - 48, 127),
                self.mean(across, a + b), self.mean(down, a + b), self.mean(sum(map(abs, left)), a),
                self.mean(sum(map(abs, top)), b), 0 if any(pattern) else 16]


class KnownPatterns:
    """The features of the patterns of a level, and the members of its classes."""

    def __init__(self, measure, level):
        self.measure, self.level = measure, level
        self.factors, self.class_features = (of_levels[level - 1] for of_levels in classes())
        self.features, self.members = [], [[] for _ in self.class_features]

    def add_new(self, patterns):
        """Of all patterns of the level, adds those that are not known yet."""
        for index in range(len(self.features), len(patterns)):
            features = self.measure.features(patterns[index], self.level)
            self.features.append(features)
            self.members[self.class_of(features)].append(index)

    def class_of(self, features):
        distances = [sum(a * (g - h)**2 for a, g, h in zip(self.factors, features, of_class))
                     for of_class in self.class_features]
        return distances.index(min(distances))


class LeafSurroundings:
    """The residual and the features of the pattern at each pixel of a tile."""

    def __init__(self, header, rows, columns):
        self.measure = Measure(header)
        self.known = [[(0, [0] * 5)] * columns for _ in range(rows)]

    def add(self, y, x, level, pattern, features):
        rows, columns = SIZES[level]
        kept = [features[k] for k in KEPT]
        for i in range(rows):
            self.known[y + i][x:x + columns] = [(p, kept) for p in pattern[i * columns:(i + 1) * columns]]

    def side(self, pixels):
        """Quarters, mean of absolute values, means of the features."""
        n = len(pixels).bit_length() - 1
        residual = [r for r, _ in pixels]
        return (self.measure.quarters(residual), self.measure.mean(sum(map(abs, residual)), n),
                [sum(features) >> n for features in zip(*(f for _, f in pixels))])

    def context(self, y, x, level, block):
        """Of the leaf at (y, x) of a prediction block: its place, level and mode."""
        rows, columns = SIZES[level]
        v, u, block_level, mode = block
        nothing = 0, [0] * 5
        left = self.side([self.known[y + i][x - 1] if x else nothing for i in range(rows)])
        above = self.side([self.known[y - 1][x + j] if y else nothing for j in range(columns)])
        a, b = int(x > u), int(y > v)
        pixels = SIZES[block_level][0] * SIZES[block_level][1]
        inputs = [16, 16 * a, 16 * b, 2 * (pixels.bit_length() - 1), 16 if block_level == level else 0,
                  *left[0], *above[0], *(q * a for q in left[0]), *(q * b for q in above[0]),
                  left[1], above[1], left[1] * a, above[1] * b, *left[2], *above[2],
                  16 if x else 0, 16 if y else 0, 0]
        by_level, by_mode = weights()
        exact = [min(max((sum(z * w[n] for z, w in zip(inputs, by_level[level - 1])) >> 6) + by_mode[mode][n],
                         -32768), 32767) for n in range(16)]
        e = 0
        while max(map(abs, exact)) > 2**(6 + e) - 1:
            e += 1
        return [2**e * min(max((d + (2**e >> 1)) >> e, -63), 63) for d in exact]
