#!/usr/bin/env python3
"""A decoder written from docs/format.md alone, to check that the specification suffices.

  spec_decoder.py FILE.mmp OUT.pgm      decode a file
  spec_decoder.py --check FILE.mmp...   decode files, verify their checksums, print a line for each

Sections below are named as in the specification. Plain Python, no libraries; slow.
"""

import sys
from bisect import bisect_left, bisect_right, insort
from functools import lru_cache
from itertools import accumulate

MAX_PIXELS = 1 << 24  # A limit of our own, as "Requirements" permits.


class Refused(Exception):
    """The file or one of its tiles is not valid."""


# --- Conventions: levels --------------------------------------------------------------------------

SIZES = [(1, 1), (1, 2), (2, 1), (2, 2), (1, 4), (4, 1), (2, 4), (4, 2), (4, 4),
         (1, 8), (8, 1), (2, 8), (8, 2), (4, 8), (8, 4), (8, 8), (1, 16), (16, 1),
         (2, 16), (16, 2), (4, 16), (16, 4), (8, 16), (16, 8), (16, 16)]
LEVELS = range(len(SIZES))
MACROBLOCK = 24
VERTICAL = [SIZES.index((r, c // 2)) if c > 1 else None for r, c in SIZES]
HORIZONTAL = [SIZES.index((r // 2, c)) if r > 1 else None for r, c in SIZES]


def clip(v):
    return min(max(v, 0), 255)


# --- File -----------------------------------------------------------------------------------------

PRESETS = [(1024, 8, 0x3ff), (512, 8, 0x3ff)]


def make_crc_table():
    table = []
    for crc in range(256):
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82f63b78 if crc & 1 else 0)
        table.append(crc)
    return table


CRC_TABLE = make_crc_table()


def crc32c(data):
    crc = 0xffffffff
    for b in data:
        crc = (crc >> 8) ^ CRC_TABLE[(crc ^ b) & 255]
    return crc ^ 0xffffffff


def require(condition, reason):
    if not condition:
        raise Refused(reason)


class Reader:
    """Takes header fields from the front of a file."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def uint(self, size):
        require(self.at + size <= len(self.data), "the header is cut off")
        self.at += size
        return int.from_bytes(self.data[self.at - size:self.at], "little")

    def varint(self):
        value = 0
        for shift in (0, 7, 14):
            b = self.uint(1)
            value |= (b & 127) << shift
            if b < 128:
                return value
        raise Refused("a varint has more than three bytes")


class Parameters:
    """What the tiles of a file have in common."""

    def __init__(self, threshold, capacity, prediction_level, mode_mask):
        require(69 <= capacity, "the capacity is out of range")
        require(prediction_level <= 25, "the prediction level is out of range")
        require(mode_mask & 4 and mode_mask < 1 << 10, "the mode mask is out of range")
        self.threshold = threshold
        self.capacity = capacity
        self.prediction_level = prediction_level
        self.mode_mask = mode_mask


def decode_file(data):
    """Returns width, height and samples (bytes in raster order); raises Refused."""
    header = Reader(data)
    require(data[:3] == b"MMP", "not an mmp file")
    header.at = 3
    require(header.uint(1) == 1, "unknown version")
    flags = header.uint(1)
    preset = flags & 7
    require(preset < len(PRESETS) and flags < 64, "unknown flags")
    width = header.varint() + 1
    height = header.varint() + 1
    require(width <= 65535 and height <= 65535, "width or height is out of range")
    code = header.uint(1)
    threshold = code & 15 if code < 16 else (16 + (code & 15)) << ((code >> 4) - 1)
    capacity, prediction_level, mode_mask = PRESETS[preset]
    if flags & 8:
        capacity = header.uint(2) + 1
        packed = header.uint(2)
        prediction_level, mode_mask = packed & 31, packed >> 5
    parameters = Parameters(threshold, capacity, prediction_level, mode_mask)
    if flags & 16:
        tile_width = 16 * (header.varint() + 1)
        tile_height = 16 * (header.varint() + 1)
        require(tile_width < width or tile_height < height, "tiled, but of one tile")
    else:
        tile_width, tile_height = width, height
    require(width * height <= MAX_PIXELS, "the image is larger than this decoder's limit")
    columns = -(-width // tile_width)
    rows = -(-height // tile_height)
    if flags & 16:
        table = [[header.uint(4) for _ in range(3)] for _ in range(columns * rows)]
        crc = crc32c(data[:header.at])
        require(header.uint(4) == crc, "the header CRC is wrong")
        start = header.at
        require(start + sum(size for size, _, _ in table) >= len(data), "bytes follow the last stream")
    else:
        file_crc, reconstruction_crc = header.uint(4), header.uint(4)
        start = header.at
        require(file_crc == crc32c(data[:start - 8] + data[start - 4:]), "the file CRC is wrong")
        table = [(len(data) - start, crc32c(data[start:]), reconstruction_crc)]
    samples = bytearray(width * height)
    for number, (size, stream_crc, reconstruction_crc) in enumerate(table):
        stream = data[start:start + size]
        start += size
        require(start <= len(data), "a stream goes beyond the end of the file")
        require(crc32c(stream) == stream_crc, "the CRC of a stream is wrong")
        x = number % columns * tile_width
        y = number // columns * tile_height
        w, h = min(tile_width, width - x), min(tile_height, height - y)
        lines = Tile(parameters, w, h, stream).decode()
        require(crc32c(b"".join(lines)) == reconstruction_crc, "the reconstruction CRC is wrong")
        for i, line in enumerate(lines):
            at = (y + i) * width + x
            samples[at:at + w] = line
    return width, height, bytes(samples)


# --- Range coder ----------------------------------------------------------------------------------

class RangeDecoder:

    def __init__(self, stream):
        self.stream = stream
        self.taken = 0
        self.range = 0xffffffff
        self.code = 0
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

def halve(counts):
    counts[:] = [(c + 1) >> 1 for c in counts]


def decode_small(decoder, counts, allowed):
    if len(allowed) == 1:
        return allowed[0]
    t = decoder.target(sum(counts[s] for s in allowed))
    below = 0
    for symbol in allowed:
        if t < below + counts[symbol]:
            break
        below += counts[symbol]
    decoder.consume(below, counts[symbol])
    counts[symbol] += 32
    if sum(counts) > 2048:
        halve(counts)
    return symbol


def decode_index(decoder, counts):
    sums = list(accumulate(counts))
    symbol = bisect_right(sums, decoder.target(sums[-1]))
    decoder.consume(sums[symbol] - counts[symbol], counts[symbol])
    counts[symbol] += 64
    if sums[-1] + 64 > max(32768, 8 * len(counts)):
        halve(counts)
    return symbol


# --- Rescaling ------------------------------------------------------------------------------------
# A pattern is a tuple of its values in raster order.

@lru_cache(maxsize=None)
def interpolation_taps(source, target):
    """For each value of a longer line: two positions in the shorter one, the second's weight."""
    n = (target // source).bit_length() - 1
    taps = []
    for i in range(target):
        p = 2 * i + 1 - (1 << n)
        m = p >> (n + 1)
        taps.append((max(m, 0), min(m + 1, source - 1), p - (m << (n + 1))))
    return n, taps


def rescale_line(f, target):
    source = len(f)
    if target == source:
        return f
    if target < source:
        size = source // target
        n = size.bit_length() - 1
        return [(2 * sum(f[i:i + size]) + size) >> (n + 1) for i in range(0, source, size)]
    n, taps = interpolation_taps(source, target)
    return [(f[a] * ((2 << n) - r) + f[b] * r + (1 << n)) >> (n + 1) for a, b, r in taps]


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


class PatternList:
    """The patterns of one level and the counts of their indices."""

    def __init__(self, level):
        rows, columns = SIZES[level]
        self.size = rows * columns
        self.patterns = [(0,) * self.size]
        for v in UNIFORM if level else range(1, 256):
            self.patterns += [(v,) * self.size, (-v,) * self.size]
        self.counts = [4] * len(self.patterns)
        self.by_sum = sorted((sum(p), p) for p in self.patterns)

    def has_near(self, c, threshold):
        """Patterns of N values are no nearer than (difference of their sums)^2 / N."""
        total = sum(c)
        reach = int((threshold * self.size) ** 0.5) + 1
        first = bisect_left(self.by_sum, (total - reach,))
        last = bisect_left(self.by_sum, (total + reach + 1,))
        return any(is_near(c, p, threshold) for _, p in self.by_sum[first:last])

    def append(self, c):
        self.patterns.append(c)
        self.counts.append(8)
        insort(self.by_sum, (sum(c), c))


def insert_concatenations(dictionary, concatenations, parameters):
    for level in LEVELS[1:]:
        known = dictionary[level]
        for source, pattern in concatenations:
            if len(known.patterns) >= parameters.capacity:
                break
            c = rescale(pattern, source, level)
            if not known.has_near(c, parameters.threshold):
                known.append(c)


# --- Tiles, Macroblock ----------------------------------------------------------------------------

class Tile:

    def __init__(self, parameters, width, height, stream):
        self.parameters = parameters
        self.width, self.height = width, height
        self.columns = -(-width // 16) * 16
        self.rows = -(-height // 16) * 16
        # None is a pixel that is not available. As no rule looks further than 8 pixels up or left
        # and 16 down or right, the 16 lines added at the bottom and the right serve positions
        # below 0 too: these count from the end in Python.
        self.pixels = [[None] * (self.columns + 16) for _ in range(self.rows + 16)]
        self.decoder = RangeDecoder(stream)
        self.prediction_flag = [[16] * 5 for _ in LEVELS]
        self.residual_flag = [[16] * 3 for _ in LEVELS]
        self.mode = [[16] * 10 for _ in LEVELS]
        self.dictionary = [PatternList(level) for level in LEVELS]

    def decode(self):
        """Returns the rows of the tile."""
        for y in range(0, self.rows, 16):
            for x in range(0, self.columns, 16):
                self.concatenations = []
                self.prediction_node(y, x, MACROBLOCK)
                insert_concatenations(self.dictionary, self.concatenations, self.parameters)
        require(self.decoder.taken >= len(self.decoder.stream), "the stream has unread bytes")
        return [bytes(row[:self.width]) for row in self.pixels[:self.height]]

    def prediction_node(self, y, x, level):
        rows, columns = SIZES[level]
        v, h, p = VERTICAL[level], HORIZONTAL[level], self.parameters.prediction_level
        allowed = [0]
        if v is not None and v >= p:
            allowed.append(1)
        if h is not None and h >= p:
            allowed.append(2)
        if v is not None:
            allowed.append(3)
        if h is not None:
            allowed.append(4)
        flag = decode_small(self.decoder, self.prediction_flag[level], allowed)
        if flag == 1:
            self.prediction_node(y, x, v)
            self.prediction_node(y, x + columns // 2, v)
        elif flag == 2:
            self.prediction_node(y, x, h)
            self.prediction_node(y + rows // 2, x, h)
        else:
            border = Border(self.pixels, y, x, level)
            modes = [m for m in border.modes() if self.parameters.mode_mask >> m & 1]
            mode = decode_small(self.decoder, self.mode[level], modes)
            prediction = border.predict(mode)
            residual = self.residual(level, 0 if flag == 0 else flag - 2)
            for i in range(rows):
                self.pixels[y + i][x:x + columns] = [
                    clip(prediction[i][j] + residual[i * columns + j]) for j in range(columns)]

    def residual(self, level, flag):
        if flag == 0:
            known = self.dictionary[level]
            return known.patterns[decode_index(self.decoder, known.counts)]
        half = VERTICAL[level] if flag == 1 else HORIZONTAL[level]
        a = self.residual(half, self.decode_residual_flag(half))
        b = self.residual(half, self.decode_residual_flag(half))
        if flag == 1:
            n = SIZES[half][1]
            pattern = tuple(v for i in range(0, len(a), n) for v in a[i:i + n] + b[i:i + n])
        else:
            pattern = a + b
        self.concatenations.append((level, pattern))
        return pattern

    def decode_residual_flag(self, level):
        allowed = [0]
        if VERTICAL[level] is not None:
            allowed.append(1)
        if HORIZONTAL[level] is not None:
            allowed.append(2)
        return decode_small(self.decoder, self.residual_flag[level], allowed)


# --- Prediction -----------------------------------------------------------------------------------

class Border:
    """The surroundings of a block before it is decoded, and what they predict."""

    def __init__(self, pixels, y, x, level):
        self.pixels, self.y, self.x, self.level = pixels, y, x, level
        self.rows, self.columns = h, w = SIZES[level]
        above = pixels[y - 1]
        self.top = above[x] is not None
        self.left = pixels[y][x - 1] is not None
        self.top_right = above[x + w] is not None
        self.corner = above[x - 1]
        n = w
        while n < w + h and above[x + n] is not None:
            n += 1
        self.above = above[x:x + n]
        self.beside = [row[x - 1] for row in pixels[y:y + h]]

    def modes(self):
        both = self.top and self.left
        if self.level == MACROBLOCK:
            available = [self.top, self.left, True, both]
        else:
            available = [self.top, self.left, True, self.top and self.top_right, both, both, both,
                         self.top and self.top_right, self.left, both]
        return [mode for mode, is_available in enumerate(available) if is_available]

    def line(self, k):
        if k == 0:
            return self.corner
        return self.above[min(k, len(self.above)) - 1] if k > 0 else self.beside[
            min(-k, self.rows) - 1]

    def m2(self, k):
        return (self.line(k) + self.line(k + 1) + 1) >> 1

    def m3(self, k):
        return (self.line(k - 1) + 2 * self.line(k) + self.line(k + 1) + 2) >> 2

    def predict(self, mode):
        """Returns the rows of the predicted block."""
        if mode == 9:
            return least_squares(self.pixels, self.y, self.x, self.rows, self.columns)
        if mode == 2:
            value = self.most_frequent()
            rule = lambda i, j: value
        elif mode == 3 and self.level == MACROBLOCK:
            rule = self.plane()
        else:
            rule = {0: lambda i, j: self.line(1 + j),
                    1: lambda i, j: self.line(-1 - i),
                    3: lambda i, j: self.m3(2 + i + j),
                    4: lambda i, j: self.m3(j - i),
                    5: self.vertical_right,
                    6: self.horizontal_down,
                    7: lambda i, j: (self.m3(2 + j + (i >> 1)) if i & 1 else
                                     self.m2(1 + j + (i >> 1))),
                    8: lambda i, j: (self.m3(-2 - i - (j >> 1)) if j & 1 else
                                     self.m2(-2 - i - (j >> 1)))}[mode]
        return [[rule(i, j) for j in range(self.columns)] for i in range(self.rows)]

    def vertical_right(self, i, j):
        z = 2 * j - i
        if z < 0:
            return self.m3(z + 1)
        return self.m3((z >> 1) + 1) if z & 1 else self.m2(z >> 1)

    def horizontal_down(self, i, j):
        z = 2 * i - j
        if z < 0:
            return self.m3(-1 - z)
        return self.m3(-1 - (z >> 1)) if z & 1 else self.m2(-1 - (z >> 1))

    def most_frequent(self):
        values = self.above[:self.columns] if self.top else []
        values = values + (self.beside if self.left else [])
        if not values:
            return 128
        c = len(values)
        mean = (2 * sum(values) + c) // (2 * c)
        return min(set(values), key=lambda v: (-values.count(v), abs(v - mean), v))

    def plane(self):
        line = self.line
        a = 16 * (line(16) + line(-16))
        b = (5 * sum(k * (line(8 + k) - line(8 - k)) for k in range(1, 9)) + 32) >> 6
        c = (5 * sum(k * (line(-8 - k) - line(-8 + k)) for k in range(1, 9)) + 32) >> 6
        return lambda i, j: clip((a + b * (j - 7) + c * (i - 7) + 16) >> 5)


# --- Least-squares prediction ---------------------------------------------------------------------

DEFAULT_WEIGHTS = [10, 10, -5, 1, 0, 0]
NO_SUMS = [0] * 27
ROUNDER = 6755399441055744.0


def neighbours(pixels, y, x):
    """The values of W, N, NW, NE, WW, NN; None if W, N or NW is not available."""
    row, above = pixels[y], pixels[y - 1]
    west, north, north_west = row[x - 1], above[x], above[x - 1]
    if west is None or north is None or north_west is None:
        return None
    instead = [(above[x + 1], north), (row[x - 2], west), (pixels[y - 2][x], north)]
    return [west, north, north_west] + [b if a is None else a for a, b in instead]


def add_up(vectors):
    return [sum(column) for column in zip(*vectors)] if vectors else NO_SUMS


def sample_sums(pixels, positions):
    """The sums over the samples among positions: A[a][b] for a <= b by rows, then B."""
    terms = []
    for y, x in positions:
        t = pixels[y][x]
        v = neighbours(pixels, y, x) if t is not None else None
        if v is not None:
            terms.append([v[a] * v[b] for a in range(6) for b in range(a, 6)] + [t * a for a in v])
    return add_up(terms)


def solve(sums):
    """Steps 2 (defaults), 3 and 4: the quantised weights q."""
    numbers = iter(sums)
    A = [[float(next(numbers) + (512 if a == b else 0)) if b >= a else None for b in range(6)]
         for a in range(6)]
    B = [float(next(numbers) + 32 * d) for d in DEFAULT_WEIGHTS]
    inverse = [0.0] * 6
    for r in range(6):
        for k in range(r):
            s = A[k][r] * inverse[k]
            for c in range(r, 6):
                A[r][c] = A[r][c] - s * A[k][c]
            B[r] = B[r] - s * B[k]
        inverse[r] = 1.0 / A[r][r]
    w = [0.0] * 6
    for r in reversed(range(6)):
        v = B[r]
        for c in range(r + 1, 6):
            v = v - A[r][c] * w[c]
        w[r] = v * inverse[r]
    return [int((max(min(v * 16384.0, 131072.0), -131072.0) + ROUNDER) - ROUNDER) for v in w]


def least_squares(pixels, y, x, h, w):
    # The samples above fall into columns X - 6 ... X + w + 5, those on the left into rows; pixel
    # (i, j) has those of 13 columns and of up to 13 rows.
    above = [sample_sums(pixels, [(y - 1 - i, x + j) for i in range(6)]) for j in range(-6, w + 6)]
    beside = [sample_sums(pixels, [(y + i, x - 1 - j) for j in range(6)]) for i in range(h + 6)]
    above = [add_up(above[j:j + 13]) for j in range(w)]
    beside = [add_up(beside[max(0, i - 6):i + 7]) for i in range(h)]
    touching = pixels[y - 1][x - 1:x + w] if x else pixels[y - 1][:w]
    touching = touching + [row[x - 1] for row in pixels[y:y + h]]
    if pixels[y - 1][x + w] is not None:
        touching.append(pixels[y - 1][x + w])
    low, high = min(touching), max(touching)
    for i in range(h):
        for j in range(w):
            q = solve(add_up([above[j], beside[i]]))
            v = neighbours(pixels, y + i, x + j)
            p = (8192 + sum(a * b for a, b in zip(q, v))) >> 14
            pixels[y + i][x + j] = min(max(p, low), high)
    return [row[x:x + w] for row in pixels[y:y + h]]


# --- Program --------------------------------------------------------------------------------------

def main(arguments):
    checking = arguments[:1] == ["--check"]
    files = arguments[1:] if checking else arguments[:1]
    if not files or (not checking and len(arguments) != 2):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    failed = False
    for name in files:
        try:
            with open(name, "rb") as file:
                width, height, samples = decode_file(file.read())
        except (Refused, OSError) as error:
            print(f"{name}: refused: {error}" if isinstance(error, Refused) else error,
                  file=sys.stderr)
            failed = True
            continue
        if checking:
            print(f"{name}: {width}x{height}, checksums match")
        else:
            with open(arguments[1], "wb") as file:
                file.write(b"P5\n%d %d\n255\n" % (width, height) + samples)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
