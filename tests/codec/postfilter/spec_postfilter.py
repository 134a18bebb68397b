"""Written from docs/format.md alone, a part of spec_decoder.py: "Network filter", "Wiener filter", "JPEG lattice" and
"Level maps"."""

import re
import struct
from functools import lru_cache
from operator import mul
from pathlib import Path

from spec_container import crc32c
from spec_conventions import add_up, clip, require

# --- Network filter -------------------------------------------------------------------------------
# A plane is a list of rows of positions, each a tuple of its values.

INPUT_FACTORS = [6889, 5793, 4871, 4096, 3444, 2896, 2435, 2048, 1722, 1448, 1218,
                 1024, 861, 724, 609, 512, 431, 362, 304, 256, 215, 181]
OUTPUT_FACTORS = [304, 362, 431, 512, 609, 724, 861, 1024, 1218, 1448, 1722,
                  2048, 2435, 2896, 3444, 4096, 4871, 5793, 6889, 8192, 9742, 11585]
NETWORKS = {"large": ("network_weights.bin", 0xc0693a34, 24, 7),
            "first deep": ("first_deep_network_weights.bin", 0xd6acac4b, 24, 12),
            "second deep": ("second_deep_network_weights.bin", 0x1c6ce613, 24, 12),
            "third deep": ("third_deep_network_weights.bin", 0xcebcedd3, 24, 12),
            "small": ("small_network_weights.bin", 0x47323411, 16, 6),
            "first small": ("first_small_network_weights.bin", 0xeadcafc8, 16, 6),
            "second small": ("second_small_network_weights.bin", 0x18ae7fca, 16, 6)}


def limit(z):
    return min(max(z, -32768), 32767)


@lru_cache(maxsize=None)
def network_layers(network):
    """Of each layer, by output: shift, bias, slope and weights."""
    name, checksum, channels, blocks = NETWORKS[network]
    data = (Path(__file__).parents[3] / "codec/postfilter" / name).read_bytes()
    require(crc32c(data[:-4]) == checksum, "the network's file is another one")
    layers, at = [], 8
    for inputs, outputs in [(8, channels)] + 2 * blocks * [(channels, channels)] + [(channels, 4)]:
        weights = 9 * inputs
        values = struct.unpack_from(f"<{outputs}B{2 * outputs}i{weights * outputs}b", data, at)
        at += (9 + weights) * outputs
        layers.append([(values[o], values[outputs + o], values[2 * outputs + o],
                        values[3 * outputs + weights * o:3 * outputs + weights * (o + 1)])
                       for o in range(outputs)])
    return layers


def convolve(layer, plane, level):
    outside = (0,) * len(plane[0][0])
    border = [outside] * (len(plane[0]) + 2)
    padded = [border] + [[outside] + row + [outside] for row in plane] + [border]
    kernels = [(shift, bias + slope * (level - 10) + (1 << (shift - 1)), weights)
               for shift, bias, slope, weights in layer]

    def at(i, j):
        values = [v for row in padded[i:i + 3] for position in row[j:j + 3] for v in position]
        return tuple(limit((start + sum(map(mul, weights, values))) >> shift)
                     for shift, start, weights in kernels)

    return [[at(i, j) for j in range(len(plane[0]))] for i in range(len(plane))]


def each_value(function, *planes):
    return [[tuple(map(function, *positions)) for positions in zip(*rows)] for rows in zip(*planes)]


def filter_by_network(pixels, predicted, level, network):
    """Returns the filtered pixels."""
    m, k, layers = INPUT_FACTORS[level - 1], OUTPUT_FACTORS[level - 1], network_layers(network)

    def inputs(i, j):
        corners = [(2 * i + a, 2 * j + b) for a in (0, 1) for b in (0, 1)]
        differences = [pixels[y][x] - 128 for y, x in corners]
        differences += [predicted[y][x] - pixels[y][x] for y, x in corners]
        return tuple((d * m + 128) >> 8 for d in differences)

    def rectify(plane):
        return each_value(lambda v: max(v, 0), plane)

    rows, columns = len(pixels) // 2, len(pixels[0]) // 2
    plane = [[inputs(i, j) for j in range(columns)] for i in range(rows)]
    h = rectify(convolve(layers[0], plane, level))
    for b in range(len(layers) // 2 - 1):
        t = rectify(convolve(layers[1 + 2 * b], h, level))
        h = each_value(lambda u, v: limit(u + v), h, convolve(layers[2 + 2 * b], t, level))
    r = convolve(layers[-1], h, level)
    return [[clip(p + ((r[y // 2][x // 2][y % 2 * 2 + x % 2] * k + (1 << 13)) >> 14))
             for x, p in enumerate(row)] for y, row in enumerate(pixels)]


# --- Wiener filter --------------------------------------------------------------------------------

LIMITS = [2, 3, 6, 10, 17, 32]
BOUNDS = [3, 6, 12, 20, 32, 55, 100]
TAPS = [(0, 1), (0, 2), (0, 3), (1, -2), (1, -1), (1, 0), (1, 1), (1, 2), (2, -1), (2, 0), (2, 1),
        (3, 0)]


@lru_cache(maxsize=None)
def wiener_weights():
    path = Path(__file__).parents[3] / "codec/postfilter/wiener_weights.inc"
    with open(path, encoding="ascii") as file:
        numbers = [int(n) for n in re.findall(r"-?\d+", file.read())]
    assert crc32c(struct.pack("<5760h", *numbers)) == 0x56787942
    return [[numbers[24 * (40 * s + c):24 * (40 * s + c + 1)] for c in range(40)] for s in range(6)]


class Wiener:

    def __init__(self, plane, strength, is_after_network):
        self.plane, self.limit = plane, LIMITS[strength - 1]
        self.weights = [[0] * 24] * 40 if is_after_network else wiener_weights()[strength - 1]
        self.gradients = lru_cache(maxsize=None)(self.gradients)

    def at(self, y, x):
        row = self.plane[min(max(y, 0), len(self.plane) - 1)]
        return row[min(max(x, 0), len(row) - 1)]

    def gradients(self, y, x):
        at, twice = self.at, 2 * self.at(y, x)
        return [abs(twice - at(y - a, x - b) - at(y + a, x + b))
                for a, b in ((1, 0), (0, 1), (1, 1), (1, -1))]

    def texture(self, y, x):
        """The class of a pixel and the taps as they are turned there."""
        v, h, d, e = add_up([self.gradients(y + i, x + j)
                             for i in range(-2, 3) for j in range(-2, 3)])
        straight = max(v, h) * min(d, e) > max(d, e) * min(v, h)
        pair = (v, h) if straight else (d, e)
        most, least = max(pair), min(pair)
        grade = 2 if 2 * most > 9 * least else 1 if most > 2 * least else 0
        direction = grade + (2 if straight else 0) if grade else 0
        taps = TAPS
        if grade and straight and v > h:
            taps = [(b, a) for a, b in TAPS]
        if grade and not straight and d > e:
            taps = [(a, -b) for a, b in TAPS]
        return 5 * sum(v + h >= bound * self.limit for bound in BOUNDS) + direction, taps

    def filtered(self, y, x, corrections):
        at, p, limit = self.at, self.at(y, x), self.limit
        which, taps = self.texture(y, x)
        pairs = [(at(y + a, x + b) - p, at(y - a, x - b) - p) for a, b in taps]
        terms = [q + r for q, r in pairs]
        terms += [sum(min(max(z, -limit), limit) for z in pair) for pair in pairs]
        weights = self.weights[which]
        if corrections:
            weights = [w + c for w, c in zip(weights, corrections[which])]
        return clip(p + ((128 + sum(w * t for w, t in zip(weights, terms))) >> 8))


# --- JPEG lattice ---------------------------------------------------------------------------------
# A place in a block is (u, v), the vertical frequency and the horizontal one.

JPEG_ORDER = sorted(((u, v) for u in range(8) for v in range(8)),
                    key=lambda place: (sum(place), place[(sum(place) + 1) % 2]))
JPEG_STEPS = [[16, 11, 10, 16, 24, 40, 51, 61], [12, 12, 14, 19, 26, 58, 60, 55], [14, 13, 16, 24, 40, 57, 69, 56],
              [14, 17, 22, 29, 51, 87, 80, 62], [18, 22, 37, 56, 68, 109, 103, 77], [24, 35, 55, 64, 81, 104, 113, 92],
              [49, 64, 78, 87, 103, 121, 120, 101], [72, 92, 95, 98, 112, 100, 103, 99]]
QUARTER = [5793, 8035, 7568, 6811, 5793, 4551, 3135, 1598, 0]
PULLS = [[0, 2, 4, 5, 6, 7, 8, 8, 8, 7, 7, 6, 5, 4, 3, 1, 0],
         [0, 4, 7, 10, 12, 13, 14, 15, 14, 14, 13, 11, 9, 7, 5, 3, 0],
         [0, 7, 12, 17, 21, 24, 26, 27, 27, 26, 24, 21, 18, 14, 10, 5, 0],
         [0, 10, 19, 27, 34, 40, 44, 46, 47, 46, 43, 39, 33, 26, 18, 9, 0],
         [0, 13, 26, 37, 48, 57, 65, 70, 73, 74, 72, 66, 58, 46, 33, 17, 0],
         [0, 15, 30, 45, 58, 71, 83, 93, 100, 105, 106, 102, 92, 76, 55, 29, 0],
         [0, 16, 32, 47, 63, 78, 93, 106, 119, 129, 135, 136, 130, 114, 85, 46, 0],
         [0, 16, 32, 48, 64, 80, 96, 111, 126, 140, 152, 161, 163, 152, 123, 70, 0],
         [0, 16, 32, 48, 64, 80, 96, 112, 128, 143, 159, 172, 182, 183, 162, 101, 0],
         [0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 190, 200, 195, 139, 0],
         [0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 207, 214, 178, 0],
         [0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 222, 211, 0]]


def told_step(quality, place, last):
    """What the step of a place is told from."""
    if quality == 0:
        return last
    quality = min(quality, 100)
    percent = 5000 // quality if quality < 50 else 200 - 2 * quality
    return min(max((JPEG_STEPS[place[0]][place[1]] * percent + 50) // 100, 1), 255)


def cosine(u, x):
    if u == 0:
        return QUARTER[0]
    angle = (2 * x + 1) * u % 32
    angle = min(angle, 32 - angle)
    return QUARTER[angle] if angle <= 8 else -QUARTER[16 - angle]


COSINES = [[cosine(u, x) for x in range(8)] for u in range(8)]
BACK = [list(column) for column in zip(*COSINES)]


def transform(matrices, block, first_shift, second_shift):
    """Of the columns, then of the rows."""
    def products(matrix, vectors, shift):
        return [[(sum(map(mul, line, vector)) + (1 << (shift - 1))) >> shift for line in matrix] for vector in vectors]
    columns = products(matrices, zip(*block), first_shift)
    return products(matrices, zip(*columns), second_shift)


def pulled(coefficient, pull, step):
    """How a coefficient changes."""
    size, unit = abs(coefficient), 32 * step
    multiple = (2 * size + unit) // (2 * unit)
    offset = size - multiple * unit
    if multiple > 0:
        pull = min(pull + 2, 12)
    at, beyond = divmod(abs(offset) * 512 // unit, 16)
    table = PULLS[pull - 1] + [0]
    change = ((table[at] * (16 - beyond) + table[at + 1] * beyond) * unit + 4096) >> 13
    return change if (offset < 0) == (coefficient >= 0) else -change


def pull_to_lattice(pixels, width, height, row, column, frequencies):
    for y in range(row, height - 7, 8):
        for x in range(column, width - 7, 8):
            block = [[p - 128 for p in line[x:x + 8]] for line in pixels[y:y + 8]]
            coefficients = transform(COSINES, block, 9, 14)
            changes = [[0] * 8 for _ in range(8)]
            for (u, v), frequency in frequencies.items():
                changes[u][v] = pulled(coefficients[u][v], *frequency)
            for line, change in zip(pixels[y:y + 8], transform(BACK, changes, 14, 19)):
                line[x:x + 8] = [clip(p + c) for p, c in zip(line[x:x + 8], change)]


# --- Level maps -----------------------------------------------------------------------------------

def map_levels(plane, kind, maps):
    """Returns the rows of what the pixels become."""
    def activity(y, x):
        neighbours = [(y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)]
        return sum(abs(plane[y][x] - plane[i][j]) for i, j in neighbours
                   if 0 <= i < len(plane) and 0 <= j < len(plane[0]))

    def is_busy(y, x):
        return kind > 1 and activity(y, x) > (8, 24, 64)[kind - 2]

    return [[maps[is_busy(y, x)][p] for x, p in enumerate(row)] for y, row in enumerate(plane)]
