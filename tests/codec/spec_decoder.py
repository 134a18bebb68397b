#!/usr/bin/env python3
"""A decoder written from docs/format.md alone, to check that the specification suffices.

  spec_decoder.py FILE.mmp OUT.pgm      decode a file
  spec_decoder.py --check FILE.mmp...   decode files and their previews, verify their checksums, print a
                                        line for each

The sections are named as in the specification. Plain Python, no libraries; slow.
"""

import math
import re
import struct
import sys
from bisect import bisect_left, bisect_right, insort
from functools import lru_cache
from itertools import accumulate
from operator import mul
from pathlib import Path

sys.path += [str(Path(__file__).parent / folder) for folder in ("pixel", "tile")]
import spec_flag_decoder  # noqa: E402
import spec_pixel_decoder  # noqa: E402

MAX_PIXELS = 1 << 24  # A limit of our own, as "Requirements" permits.


class Refused(Exception):
    """The file or one of its tiles is not valid."""


def require(condition, reason):
    if not condition:
        raise Refused(reason)


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

PRESETS = [(1024, 8, 0x3ff, 0), (512, 8, 0x7ffffc07, 93), (1024, 8, 0x7ffffc07, 125)]
TOOLS = (TRAINED_PATTERNS, OWN_DICTIONARY, WIENER, MIXED_MODELS, CORRECTIONS, NETWORK,
         FLAG_NETWORK) = 1, 2, 4, 8, 16, 32, 64


def crc32c(data):
    crc = 0xffffffff
    for b in data:
        crc ^= b
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def read_chunks(metadata):
    """The undamaged chunks, as pairs of kind and content."""
    chunks, at = [], 0
    for _ in range(256):
        kind, size = metadata[at:at + 1], int.from_bytes(metadata[at + 1:at + 4], "little")
        end = at + 8 + size
        if end > len(metadata) or kind == b"\0":
            break
        crc = int.from_bytes(metadata[at + 4:at + 8], "little")
        if crc == crc32c(metadata[at:at + 4] + metadata[at + 8:end]):
            chunks.append((kind[0], metadata[at + 8:end]))
        at = end
    return chunks


def decoded_value(code):
    e, m = divmod(code, 16)
    return (16 + m) << (e - 1) if e else m


def largest_coded(limit):
    """The largest value that has a code and is not above the limit."""
    return max(value for value in map(decoded_value, range(256)) if value <= limit)


class Header:
    """The fields up to the checksums; `at` is the position after them."""

    def __init__(self, data):
        self.data, self.at, self.preview_size = data, 3, 0
        require(data[:3] == b"MMP", "not an mmp file")
        first = self.uint(1)
        require(first & 15 == 6, "unknown version")
        self.is_small, kind = bool(first & 16), first >> 5
        if self.is_small:
            self.read_small(kind)
        else:
            require(kind == 0, "unknown kind")
            self.read_full()

    def read_small(self, kind):
        bits = self.uint(3)
        preset = bits >> 22
        require(preset < len(PRESETS), "unknown preset")
        self.width, self.height = bits % 2048 + 1, (bits >> 11) % 2048 + 1
        self.tile_width, self.tile_height, self.is_tiled = self.width, self.height, False
        self.depth, self.low, self.high = 8, 0, 255
        self.is_pixel_coded, self.has_wave_fronts = kind >= 6, kind % 2 == 1
        if self.is_pixel_coded:
            self.max_error, self.effort = self.uint(1) if kind == 7 else 0, 1 if preset == 1 else 2
            require(kind == 6 or self.max_error > 0, "the largest error is out of range")
            return
        self.threshold = self.coded_value() if kind < 4 else 0
        (self.capacity, self.prediction_level, self.mode_mask,
         self.tools) = PRESETS[preset]
        is_trained = kind in (2, 3) and self.tools & TRAINED_PATTERNS
        self.scale = largest_coded(math.isqrt(64 * self.threshold)) if is_trained else 0

    def read_full(self):
        data = self.data
        flags = self.uint(1)
        preset = flags & 7
        more_flags = self.uint(1) if flags & 128 else 7
        require(preset < len(PRESETS), "unknown flags")
        self.depth, self.is_pixel_coded = (more_flags & 15) + 1, bool(more_flags & 16)
        self.width, self.height = self.varint() + 1, self.varint() + 1
        require(max(self.width, self.height) <= 65535, "width or height is out of range")
        if self.is_pixel_coded:
            self.max_error, self.effort = self.varint(), 1 if preset == 1 else 2
            require(self.max_error < 1 << self.depth, "the largest error is out of range")
            require(flags & 0x68 == (0 if self.max_error else 0x20), "flags of patterns")
        else:
            self.read_parameters(flags, preset)
        self.is_tiled = bool(flags & 16)
        self.has_wave_fronts = bool(flags & 64)
        self.tile_width, self.tile_height = self.width, self.height
        if self.is_tiled:
            self.tile_width = 16 * (self.varint() + 1)
            self.tile_height = 16 * (self.varint() + 1)
            require(self.tile_width < self.width or self.tile_height < self.height,
                    "tiled, but of one tile")
        metadata_size = self.uint(3) if more_flags & 32 else 0
        self.is_signed = bool(more_flags & 64)
        if more_flags & 128:
            self.preview_size = self.uint(4)
            most = 1024 + 4 * math.prod(self.preview_sides())
            require(0 < self.preview_size <= most, "the preview's size is out of range")
        self.end_of_fields = self.at
        require(self.at + metadata_size <= len(data), "the metadata are cut off")
        self.at += metadata_size
        self.metadata = read_chunks(data[self.end_of_fields:self.at])
        sides = (min(self.tile_width, self.width), min(self.tile_height, self.height))
        require(math.prod((side + 15) // 16 * 16 for side in sides) <= 1 << 30,
                "a tile is too large")

    def preview_sides(self):
        return (self.width + 7) // 8, (self.height + 7) // 8

    def read_parameters(self, flags, preset):
        self.low, self.high = 0, 255
        if self.depth != 8:
            self.low, self.high = self.uint(2), self.uint(2)
            require(self.low <= self.high < 1 << self.depth, "the range of samples is impossible")
        self.threshold = self.coded_value()
        (self.capacity, self.prediction_level, self.mode_mask,
         self.tools) = PRESETS[preset]
        if flags & 8:
            self.capacity = self.uint(2) + 1
            self.prediction_level, self.mode_mask = self.uint(1), self.uint(4)
            self.tools = self.varint()
        require(self.capacity >= 69, "the capacity is out of range")
        require(self.prediction_level <= 25, "the prediction level is out of range")
        require(self.mode_mask & 4 and self.mode_mask < 1 << 31, "the mode mask is out of range")
        require(self.tools & ~sum(TOOLS) == 0, "unknown tools")
        self.scale = self.coded_value() if self.tools & TRAINED_PATTERNS else 0
        if self.tools & OWN_DICTIONARY:
            require(self.tools & TRAINED_PATTERNS, "a dictionary, but no trained patterns")
            self.dictionary_hash = self.uint(4)

    def uint(self, size):
        require(self.at + size <= len(self.data), "the header is cut off")
        self.at += size
        return int.from_bytes(self.data[self.at - size:self.at], "little")

    def coded_value(self):
        return decoded_value(self.uint(1))

    def varint(self):
        value = 0
        for shift in (0, 7, 14):
            b = self.uint(1)
            value |= (b & 127) << shift
            if b < 128:
                return value
        raise Refused("a varint has more than three bytes")


def split_streams(header, data, tiles):
    """Returns each tile's stream and reconstruction CRC, the other checksums being right."""
    if header.is_small:
        require(len(data) - header.at - 2 <= 4096, "the stream is too long")
        require(len(data) - header.at >= 2, "the header is cut off")
        return [(data[header.at + 2:], None)]
    if not header.is_tiled:
        file_crc, reconstruction_crc = header.uint(4), header.uint(4)
        start = header.at + header.preview_size
        require(start <= len(data), "the file ends within the preview")
        run = data[:header.end_of_fields] + data[header.at - 4:header.at] + data[start:]
        require(file_crc == crc32c(run), "the file CRC is wrong")
        return [(data[start:], reconstruction_crc)]
    table_start = header.at
    table = [(header.uint(4), header.uint(4), header.uint(4)) for _ in range(tiles)]
    crc = crc32c(data[:header.end_of_fields] + data[table_start:header.at])
    require(header.uint(4) == crc, "the header CRC is wrong")
    streams = []
    start = header.at + header.preview_size
    for size, stream_crc, reconstruction_crc in table:
        stream = data[start:start + size]
        start += size
        require(start <= len(data), "a stream goes beyond the end of the file")
        require(crc32c(stream) == stream_crc, "the CRC of a stream is wrong")
        streams.append((stream, reconstruction_crc))
    require(start == len(data), "bytes follow the last stream")
    return streams


def preview_of(data):
    """The file of the preview, of a file that has one; raises Refused if it cannot be one."""
    header = Header(data)
    tiles = math.prod((-(-header.height // header.tile_height), -(-header.width // header.tile_width)))
    start = header.at + (12 * tiles + 4 if header.is_tiled else 8)
    preview = data[start:start + header.preview_size]
    require(len(preview) == header.preview_size, "the file ends within the preview")
    own = Header(preview)
    require((own.width, own.height) == header.preview_sides() and own.depth == header.depth and
            not own.is_tiled and not own.preview_size, "the preview is none of this file")
    return preview


def decode_tile(header, size, stream, dictionary):
    """Returns the samples of a tile, width by height, as a list for each row."""
    width, height = size
    if header.is_pixel_coded:
        try:
            samples = spec_pixel_decoder.decode(stream, width, height, header.depth,
                                                header.max_error, header.effort)
        except spec_pixel_decoder.Refused as reason:
            raise Refused(reason) from reason
        return [samples[at:at + width] for at in range(0, width * height, width)]
    lines = Tile(header, width, height, stream, dictionary).decode()
    if header.depth == 8:
        return lines
    span = header.high - header.low
    return [[header.low + (2 * span * p + 255) // 510 for p in line] for line in lines]


def sample_bytes(lines, depth, order):
    """The bytes of rows of samples, two a sample above 8 bits."""
    size = 1 if depth <= 8 else 2
    return b"".join(sample.to_bytes(size, order) for line in lines for sample in line)


def as_pgm(width, height, depth, lines):
    return (b"P5\n%d %d\n%d\n" % (width, height, (1 << depth) - 1) +
            sample_bytes(lines, depth, "big"))


def decode_file(data, dictionary_file=b""):
    """Returns width, height, depth and samples (a list for each row); raises Refused."""
    header = Header(data)
    width, height = header.width, header.height
    require(width * height <= MAX_PIXELS, "the image is larger than this decoder's limit")
    corners = [(y, x) for y in range(0, height, header.tile_height)
               for x in range(0, width, header.tile_width)]
    streams = split_streams(header, data, len(corners))
    dictionary = None if header.is_pixel_coded else find_dictionary(header, dictionary_file)
    samples = [[0] * width for _ in range(height)]
    for (y, x), (stream, reconstruction_crc) in zip(corners, streams):
        w, h = min(header.tile_width, width - x), min(header.tile_height, height - y)
        lines = decode_tile(header, (w, h), stream, dictionary)
        crc = crc32c(sample_bytes(lines, header.depth, "little"))
        if header.is_small:
            run = data[:header.at] + crc.to_bytes(4, "little") + stream
            require(crc32c(run) & 0xffff == header.uint(2), "the check is wrong")
        else:
            require(crc == reconstruction_crc, "the reconstruction CRC is wrong")
        for i, line in enumerate(lines):
            samples[y + i][x:x + w] = line
    return width, height, header.depth, samples


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

def decode_symbol(decoder, counts, allowed):
    """Finds and consumes a symbol; allowed is in ascending order."""
    sums = list(accumulate(counts[s] for s in allowed))
    position = bisect_right(sums, decoder.target(sums[-1]))
    symbol = allowed[position]
    decoder.consume(sums[position] - counts[symbol], counts[symbol])
    return symbol


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


class PartitionModel:

    def __init__(self, is_mixed):
        self.counts = [16] * 5
        self.contexts = [[8] * 5 for _ in range(16)] if is_mixed else None
        self.weight = 32768

    def decode(self, decoder, context, allowed):
        if not self.contexts or len(allowed) == 1:
            return decode_small(decoder, self.counts, allowed)
        tables = self.counts, self.contexts[context]
        parts = []
        for weight, counts in zip((65536 - self.weight, self.weight), tables):
            factor = (weight << 12) // sum(counts[s] for s in allowed)
            parts.append([factor * c for c in counts])
        frequencies = [1 + ((a + b) >> 12) for a, b in zip(*parts)]
        symbol = decode_symbol(decoder, frequencies, allowed)
        a, b = parts[0][symbol], parts[1][symbol]
        self.weight = 256 + 65024 * b // (a + b)
        for counts in tables:
            update(counts, symbol, 32, 2048)
        return symbol


class IndexModel:
    INCREMENTS = 64, 64, 512
    LATER_COUNTS = 8, 2, 1

    def __init__(self, is_mixed):
        self.counts = [[] for _ in range(3 if is_mixed else 1)]
        self.weights = [57344, 4096, 4096]

    def add(self, *counts):
        """Adds a symbol, given its count in each estimator."""
        for known, count in zip(self.counts, counts):
            known.append(count)

    def decode(self, decoder):
        if len(self.counts) == 1:
            symbol = decode_symbol(decoder, self.counts[0], range(len(self.counts[0])))
        else:
            symbol = self.decode_mixed(decoder)
        for counts, increment in zip(self.counts, self.INCREMENTS):
            update(counts, symbol, increment, max(32768, 8 * len(counts)))
        return symbol

    def decode_mixed(self, decoder):
        factors = [(w << 14) // sum(c) for w, c in zip(self.weights, self.counts)]
        a, b, c = factors
        frequencies = [1 + ((a * u + b * v + c * w) >> 11) for u, v, w in zip(*self.counts)]
        symbol = decode_symbol(decoder, frequencies, range(len(frequencies)))
        parts = [f * counts[symbol] for f, counts in zip(factors, self.counts)]
        self.weights = [170 + 65026 * part // sum(parts) for part in parts]
        return symbol


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


STANDARD_FILE = Path(__file__).parents[2] / "codec/dictionary/standard_patterns.mmd"
STANDARD_HASH = 0x25f5c5c8


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

    def __init__(self, level, header, dictionary):
        self.size = SIZES[level][0] * SIZES[level][1]
        self.patterns = [(0,) * self.size]
        for v in UNIFORM if level else range(1, 256):
            self.patterns += [(v,) * self.size, (-v,) * self.size]
        self.model = IndexModel(bool(header.tools & MIXED_MODELS))
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


# --- Tiles, Macroblock ----------------------------------------------------------------------------

def list_fronts(rows, columns, has_wave_fronts):
    """The fronts of a tile of so many macroblocks, each a list of (row, column)."""
    places = [(r, c) for r in range(rows) for c in range(columns)]
    if not has_wave_fronts:
        return [[place] for place in places]
    fronts = {}
    for r, c in places:
        fronts.setdefault(c + 2 * r, []).append((r, c))
    return [fronts[t] for t in sorted(fronts)]


class Tile:

    def __init__(self, header, width, height, stream, dictionary):
        self.header, self.width, self.height = header, width, height
        # None is a pixel that is not available. As no rule looks further than 26 pixels in any
        # direction, the 32 lines added at the bottom and the right serve positions
        # below 0 too: these count from the end in Python. Nor does a rule look as far as another
        # macroblock of the same front, which is why its pixels may be here at once. Copies do: they go
        # by the fronts of macroblocks.
        self.rows, self.columns = -(-height // 16) * 16, -(-width // 16) * 16
        self.pixels = [[None] * (self.columns + 32) for _ in range(self.rows + 32)]
        self.predicted = [[None] * self.columns for _ in range(self.rows)]
        self.fronts = list_fronts(self.rows // 16, self.columns // 16, header.has_wave_fronts)
        self.front_of = {place: t for t, front in enumerate(self.fronts) for place in front}
        self.decoder = RangeDecoder(stream)
        self.partition = [PartitionModel(bool(header.tools & MIXED_MODELS))
                                for _ in LEVELS]
        self.flags = None
        if header.tools & FLAG_NETWORK:
            logarithms = [(r.bit_length() - 1, c.bit_length() - 1) for r, c in SIZES]
            self.flags = spec_flag_decoder.FlagDecoder(self.decoder, logarithms, header.scale)
        self.leaf_sizes = [[None] * self.columns for _ in range(self.rows)]
        self.residual_flag = [[16] * 3 for _ in LEVELS]
        mask = header.mode_mask
        modes = 31 if mask >> 27 else 27 if mask >> 10 else 10
        self.mode = [[16] * modes for _ in LEVELS]
        self.vectors, self.block_vector_count, self.block_vector_class = [], [16] * 3, ([16] * 17, [16] * 17)
        self.filter_strength, self.filter_block = [16] * 7, [16] * 3
        self.dictionary = [PatternList(level, header, dictionary) for level in LEVELS]

    def decode(self):
        """Returns the rows of the tile."""
        for front in self.fronts:
            self.concatenations, self.copied = [], set()
            if self.header.mode_mask >> 27:
                self.new_vectors()
            for row, column in front:
                self.prediction_node(16 * row, 16 * column, MACROBLOCK, (None, None))
            insert_concatenations(self.dictionary, self.concatenations, self.header.capacity,
                                  self.header.threshold)
            self.vectors.sort(key=lambda vector: vector not in self.copied)
        level = self.filter_by_network() if self.header.tools & NETWORK else 0
        if self.header.tools & WIENER and (level == 0 or self.header.tools & CORRECTIONS):
            self.filter(level > 0)
        require(self.decoder.taken >= len(self.decoder.stream), "the stream has unread bytes")
        return [bytes(row[:self.width]) for row in self.pixels[:self.height]]

    def blocks(self):
        """The pixels of each block of 32x32, a block after another."""
        for y in range(0, self.rows, 32):
            for x in range(0, self.columns, 32):
                yield [(i, j) for i in range(y, min(y + 32, self.rows))
                       for j in range(x, min(x + 32, self.columns))]

    def filter_by_network(self):
        """Returns the level."""
        level = decode_small(self.decoder, [16] * 23, list(range(23)))
        if level == 0:
            return 0
        network_block = [16] * 2
        chosen = [pixel for block in self.blocks()
                  if decode_small(self.decoder, network_block, [0, 1]) for pixel in block]
        if chosen:
            plane = [row[:self.columns] for row in self.pixels[:self.rows]]
            filtered = filter_by_network(plane, self.predicted, level)
            for i, j in chosen:
                self.pixels[i][j] = filtered[i][j]
        return level

    def filter(self, is_after_network):
        strength = decode_small(self.decoder, self.filter_strength, list(range(7)))
        if strength == 0:
            return
        plane = [row[:self.columns] for row in self.pixels[:self.rows]]
        wiener = Wiener(plane, strength, is_after_network)
        corrections = self.corrections(is_after_network) if self.header.tools & CORRECTIONS else None
        kinds = [0, 2] if is_after_network else [0, 1, 2] if corrections else [0, 1]
        for block in self.blocks():
            kind = decode_small(self.decoder, self.filter_block, kinds)
            if kind == 0:
                continue
            for i, j in block:
                self.pixels[i][j] = wiener.filtered(i, j, corrections if kind == 2 else None)

    def corrections(self, is_after_network):
        """What is added to the weights, by class and term; None if nothing is."""
        decoder = self.decoder
        count = decode_small(decoder, [16] * 9, list(range(1 if is_after_network else 0, 9)))
        if count == 0:
            return None
        step = decode_small(decoder, [16] * 4, list(range(4)))
        same_set, other_set = [16] * 2, [16] * 8
        sizes = [[40, 36, 36, 28, 12, 4, 1, 1, 1, 1] for _ in range(2)]
        set_of = [0] * 40
        for d in range(5):
            for a in range(8):
                which, others = 5 * a + d, list(range(count))
                if count > 1 and which > 0:
                    set_of[which] = set_of[which - 5 if a else d - 1]
                    if decode_small(decoder, same_set, [0, 1]):
                        continue
                    others.remove(set_of[which])
                set_of[which] = decode_small(decoder, other_set, others)
        sets = [[self.correction(sizes[term // 12]) << step for term in range(24)]
                for _ in range(count)]
        return [sets[s] for s in set_of]

    def correction(self, model):
        size = decode_small(self.decoder, model, list(range(10)))
        if size == 0:
            return 0
        value = 1 << (size - 1) | (self.bits(size - 1) if size > 1 else 0)
        return -value if self.bits(1) else value

    def new_vectors(self):
        for _ in range(decode_small(self.decoder, self.block_vector_count, [0, 1, 2])):
            vector = -self.component(0), self.component(1)
            if vector in self.vectors:
                self.vectors.remove(vector)
            self.vectors = [vector] + self.vectors[:3]

    def component(self, axis):
        b = decode_small(self.decoder, self.block_vector_class[axis], list(range(17)))
        if b == 0:
            return 0
        s = 2**(b - 1) + (self.bits(b - 1) if b > 1 else 0)
        return -s if axis == 1 and self.bits(1) else s

    def bits(self, k):
        t = self.decoder.target(2**k)
        self.decoder.consume(t, 1)
        return t

    def block_copy_modes(self, y, x, h, w):
        """Of the block at (y, x), the source of each mode that is available."""
        sources = {}
        own_front = self.front_of[y // 16, x // 16]
        for k, (u, v) in enumerate(self.vectors):
            top, left, bottom, right = y + u, x + v, y + u + h - 1, x + v + w - 1
            if top >= 0 and left >= 0 and bottom < self.rows and right < self.columns:
                touched = [self.front_of[r, c] for r in range(top // 16, bottom // 16 + 1)
                           for c in range(left // 16, right // 16 + 1)]
                if max(touched) < own_front:
                    sources[27 + k] = top, left
        return sources

    def decode_partition(self, y, x, level, allowed, cut):
        context = self.leaf_context(y, x, level)
        if self.flags and len(allowed) > 1:
            return self.flags.partition(y, x, level, context, allowed, cut)
        return self.partition[level].decode(self.decoder, context, allowed)

    def prediction_node(self, y, x, level, cut):
        """Returns the partition. `cut`: as FlagDecoder has it."""
        rows, columns = SIZES[level]
        v, h = VERTICAL[level], HORIZONTAL[level]
        least = self.header.prediction_level
        is_allowed = [True, v is not None and v >= least, h is not None and h >= least,
                      v is not None, h is not None]
        flag = self.decode_partition(y, x, level, [f for f in range(5) if is_allowed[f]], cut)
        if flag == 1:
            first = self.prediction_node(y, x, v, (flag, None))
            self.prediction_node(y, x + columns // 2, v, (flag, first))
        elif flag == 2:
            first = self.prediction_node(y, x, h, (flag, None))
            self.prediction_node(y + rows // 2, x, h, (flag, first))
        else:
            border = Border(self.pixels, y, x, level)
            copies = self.block_copy_modes(y, x, rows, columns)
            modes = [m for m in border.modes() + list(copies) if self.header.mode_mask >> m & 1]
            mode = decode_small(self.decoder, self.mode[level], modes)
            if mode in copies:
                self.copied.add(self.vectors[mode - 27])
                top, left = copies[mode]
                prediction = [row[left:left + columns] for row in self.pixels[top:top + rows]]
            else:
                prediction = border.predict(mode)
            if self.flags:
                self.flags.add_prediction(y, x, level, mode)
            residual = self.residual(y, x, level, flag - 2 if flag else 0, 0)
            for i in range(rows):
                self.predicted[y + i][x:x + columns] = prediction[i]
                self.pixels[y + i][x:x + columns] = [
                    clip(prediction[i][j] + residual[i * columns + j]) for j in range(columns)]
        return flag

    def leaf_context(self, y, x, level):
        def compare(position, axis):
            neighbour, own = self.leaf_sizes[position[0]][position[1]][axis], SIZES[level][axis]
            return (neighbour >= own) + (neighbour > own)

        return 4 * (compare((y, x - 1), 0) if x else 3) + (compare((y - 1, x), 1) if y else 3)

    def residual(self, y, x, level, flag, depth):
        """A block that so many cuts of the residual made."""
        if flag == 0:
            rows, columns = SIZES[level]
            for line in self.leaf_sizes[y:y + rows]:
                line[x:x + columns] = [SIZES[level]] * columns
            known = self.dictionary[level]
            pattern = known.patterns[known.model.decode(self.decoder)]
            if self.flags:
                self.flags.add_leaf(y, x, level, pattern)
            return pattern
        half = VERTICAL[level] if flag == 1 else HORIZONTAL[level]
        second = (y, x + SIZES[half][1]) if flag == 1 else (y + SIZES[half][0], x)
        first = self.decode_residual_flag(y, x, half, (flag, None), depth + 1)
        a = self.residual(y, x, half, first, depth + 1)
        last = self.decode_residual_flag(*second, half, (flag, first), depth + 1)
        b = self.residual(*second, half, last, depth + 1)
        pattern = a + b
        if flag == 1:
            n = SIZES[half][1]
            pattern = tuple(v for i in range(0, len(a), n) for v in a[i:i + n] + b[i:i + n])
        self.concatenations.append((level, pattern))
        return pattern

    def decode_residual_flag(self, y, x, level, cut, depth):
        is_allowed = [True, VERTICAL[level] is not None, HORIZONTAL[level] is not None]
        allowed = [f for f in range(3) if is_allowed[f]]
        if self.flags and len(allowed) > 1:
            context = self.leaf_context(y, x, level)
            return self.flags.residual_flag(y, x, level, context, allowed, cut, depth)
        return decode_small(self.decoder, self.residual_flag[level], allowed)


# --- Prediction -----------------------------------------------------------------------------------

OFFSETS = [32, 22, 14, 7, -7, -14, -22, -32, -22, -14, -7, 7, 14, 22]


def pdpc_weight(distance, slowness):
    halvings = 2 * distance >> slowness
    return 32 >> halvings if halvings < 6 else 0


class Border:
    """The surroundings of a block before it is decoded, and what they predict."""

    def __init__(self, pixels, y, x, level):
        self.pixels, self.y, self.x, self.level = pixels, y, x, level
        self.rows, self.columns = h, w = SIZES[level]
        row = pixels[y - 1]
        self.top, self.left = row[x] is not None, pixels[y][x - 1] is not None
        self.top_right = row[x + w] is not None
        self.two = pixels[y - 2][x - 2] is not None and self.top and self.left
        n = w
        while n < w + h and row[x + n] is not None:
            n += 1
        self.corner, self.above = row[x - 1], row[x:x + n]
        self.beside = [row[x - 1] for row in pixels[y:y + h]]

    def line(self, k):
        if k > 0:
            return self.above[min(k, len(self.above)) - 1]
        return self.beside[min(-k, self.rows) - 1] if k < 0 else self.corner

    def m2(self, k):
        return (self.line(k) + self.line(k + 1) + 1) >> 1

    def m3(self, k):
        return (self.line(k - 1) + 2 * self.line(k) + self.line(k + 1) + 2) >> 2

    def modes(self):
        both, right = self.top and self.left, self.top and self.top_right
        is_available = [self.top, self.left, True, both]
        if self.level < MACROBLOCK:
            is_available[3:] = [right, both, both, both, right, self.left, both]
        is_available += [False] * (10 - len(is_available)) + [both]
        if self.level < MACROBLOCK:
            is_available += [self.top] * 4 + [both] * 7 + [self.left] * 3 + [self.two]
        is_available += [False] * (26 - len(is_available)) + [self.two]
        return [mode for mode, available in enumerate(is_available) if available]

    def predict(self, mode):
        """Returns the rows of the predicted block."""
        if mode == 9:
            return least_squares(self.pixels, self.y, self.x, self.rows, self.columns)
        if mode == 25:
            return block_least_squares(self.pixels, self.y, self.x, self.rows, self.columns)
        if mode == 26:
            return match_templates(self.pixels, self.y, self.x, self.rows, self.columns)
        if mode == 2:
            return [[self.most_frequent()] * self.columns] * self.rows
        if mode == 3 and self.level == MACROBLOCK:
            return self.plane()
        return [[self.directional(mode, i, j) for j in range(self.columns)]
                for i in range(self.rows)]

    def directional(self, mode, i, j):
        if mode == 10:
            return self.planar(i, j)
        if mode > 10:
            return self.angle(mode, i, j)
        if mode == 0:
            return self.line(1 + j)
        if mode == 1:
            return self.line(-1 - i)
        if mode == 3:
            return self.m3(2 + i + j)
        if mode == 4:
            return self.m3(j - i)
        if mode == 5:
            z = 2 * j - i
            if z < 0:
                return self.m3(z + 1)
            return self.m3((z >> 1) + 1) if z & 1 else self.m2(z >> 1)
        if mode == 6:
            z = 2 * i - j
            if z < 0:
                return self.m3(-1 - z)
            return self.m3(-1 - (z >> 1)) if z & 1 else self.m2(-1 - (z >> 1))
        if mode == 7:
            return self.m3(2 + j + (i >> 1)) if i & 1 else self.m2(1 + j + (i >> 1))
        return self.m3(-2 - i - (j >> 1)) if j & 1 else self.m2(-2 - i - (j >> 1))

    def most_frequent(self):
        values = self.above[:self.columns] if self.top else []
        values = values + (self.beside if self.left else [])
        c = len(values)
        if c == 0:
            return 128
        mean = (2 * sum(values) + c) // (2 * c)
        return min(values, key=lambda v: (-values.count(v), abs(v - mean), v))

    def planar(self, i, j):
        h, w, line = self.rows, self.columns, self.line
        a, b = h.bit_length() - 1, w.bit_length() - 1
        s = max(a + b - 2, 0) >> 2
        right = line(w + 1 if self.top_right else w)
        across = (w - 1 - j) * line(-1 - i) + (j + 1) * right
        down = (h - 1 - i) * line(1 + j) + (i + 1) * line(-h)
        surface = ((across << a) + (down << b) + h * w) >> (a + b + 1)
        x, y = pdpc_weight(j, s), pdpc_weight(i, s)
        return (x * line(-1 - i) + y * line(1 + j) + (64 - x - y) * surface + 32) >> 6

    def angle(self, mode, i, j):
        o = OFFSETS[mode - 11]
        is_row_mode = mode <= 18
        side = 1 if is_row_mode else -1
        r, c, u = (i, j, self.rows) if is_row_mode else (j, i, self.columns)

        def entry(k):
            if k == 0 and not (self.top and self.left):
                k = 1
            if k < 0:
                k = -min((-k * (8192 // -o) + 128) >> 8, 33)
            return self.line(side * k)

        k, f = c + 1 + ((r + 1) * o >> 5), (r + 1) * o & 31
        weights = [-f**3 + 64 * f**2 - 1024 * f, 3 * f**3 - 160 * f**2 + 65536,
                   -3 * f**3 + 128 * f**2 + 1024 * f, f**3 - 32 * f**2]
        v = clip((sum(w * entry(k - 1 + t) for t, w in enumerate(weights)) + 32768) >> 16)
        if o > 0 and (self.left if is_row_mode else self.top):
            m = r + 1 + (((c + 1) * (8192 // o) + 128) >> 8)
            if m <= u:
                weight = pdpc_weight(c, 2)
                return ((64 - weight) * v + weight * self.line(-side * m) + 32) >> 6
        return v

    def plane(self):
        line = self.line
        a = 16 * (line(16) + line(-16))
        b = (5 * sum(k * (line(8 + k) - line(8 - k)) for k in range(1, 9)) + 32) >> 6
        c = (5 * sum(k * (line(-8 - k) - line(-8 + k)) for k in range(1, 9)) + 32) >> 6
        return [[clip((a + b * (j - 7) + c * (i - 7) + 16) >> 5) for j in range(16)]
                for i in range(16)]


# --- Least-squares prediction ---------------------------------------------------------------------

DEFAULT_WEIGHTS = [10, 10, -5, 1, 0, 0]
ROUNDER = 6755399441055744.0


def neighbours(pixels, y, x):
    """The values of W, N, NW, NE, WW, NN; None if W, N or NW is not available."""
    row, above = pixels[y], pixels[y - 1]
    west, north, north_west = row[x - 1], above[x], above[x - 1]
    if west is None or north is None or north_west is None:
        return None
    others = (above[x + 1], north), (row[x - 2], west), (pixels[y - 2][x], north)
    return [west, north, north_west] + [b if a is None else a for a, b in others]


def add_up(vectors):
    return [sum(column) for column in zip(*vectors)]


def sample_sums(pixels, positions):
    """Sums over the samples among positions: A[a][b] with a <= b row by row, then B."""
    terms = [[0] * 27]
    for y, x in positions:
        t = pixels[y][x]
        v = neighbours(pixels, y, x) if t is not None else None
        if v is not None:
            terms.append([v[a] * v[b] for a in range(6) for b in range(a, 6)] + [t * a for a in v])
    return add_up(terms)


def solve(sums, defaults, ridge):
    """From the sums over the samples to the quantised weights: steps 2 to 4."""
    n = len(defaults)
    numbers = iter(sums)
    A = [[0.0] * a + [float(next(numbers) + (16 * ridge if a == b else 0)) for b in range(a, n)]
         for a in range(n)]
    B = [float(next(numbers) + ridge * d) for d in defaults]
    inverse, w = [0.0] * n, [0.0] * n
    for r in range(n):
        for k in range(r):
            s = A[k][r] * inverse[k]
            for c in range(r, n):
                A[r][c] = A[r][c] - s * A[k][c]
            B[r] = B[r] - s * B[k]
        inverse[r] = 1.0 / A[r][r]
    for r in reversed(range(n)):
        v = B[r]
        for c in range(r + 1, n):
            v = v - A[r][c] * w[c]
        w[r] = v * inverse[r]
    return [int((max(min(v * 16384.0, 131072.0), -131072.0) + ROUNDER) - ROUNDER) for v in w]


def least_squares(pixels, y, x, h, w):
    # The samples of pixel (i, j) are those above in 13 columns, which depend on j, and those on
    # the left in up to 13 rows, which depend on i. Each column and row is summed up once.
    above = [sample_sums(pixels, [(y - 1 - i, x + j) for i in range(6)]) for j in range(-6, w + 6)]
    beside = [sample_sums(pixels, [(y + i, x - 1 - j) for j in range(6)]) for i in range(h + 6)]
    above = [add_up(above[j:j + 13]) for j in range(w)]
    beside = [add_up(beside[max(0, i - 6):i + 7]) for i in range(h)]
    touching = pixels[y - 1][x - 1:x + w + 1] + [row[x - 1] for row in pixels[y:y + h]]
    touching = [v for v in touching if v is not None]
    low, high = min(touching), max(touching)
    for i in range(h):
        for j in range(w):
            q = solve(add_up([above[j], beside[i]]), DEFAULT_WEIGHTS, 32)
            v = neighbours(pixels, y + i, x + j)
            p = (8192 + sum(a * b for a, b in zip(q, v))) >> 14
            pixels[y + i][x + j] = min(max(p, low), high)
    return [row[x:x + w] for row in pixels[y:y + h]]


# --- Block least squares --------------------------------------------------------------------------

NEIGHBOURS = [(0, -1, None), (-1, 0, None), (-1, -1, None), (-1, 1, 1), (0, -2, 0),
              (-2, 0, 1), (-1, -2, 2), (-2, -1, 2), (-2, 1, 5), (-1, 2, 3)]


def ten_neighbours(pixels, y, x):
    values = []
    for i, j, fallback in NEIGHBOURS:
        value = pixels[y + i][x + j]
        if value is None:
            if fallback is None:
                return None
            value = values[fallback]
        values.append(value)
    return values


def block_least_squares(pixels, y, x, h, w):
    bottom = min(y + h + 6, (y // 16 + 1) * 16)
    places = [(i, j) for i in range(y - 8, y) for j in range(x - 8, x + w + 8)]
    places += [(i, j) for i in range(y, bottom) for j in range(x - 8, x)]
    vectors = [[0] * 65]
    for i, j in places:
        t = pixels[i][j]
        v = ten_neighbours(pixels, i, j) if t is not None else None
        if v is not None:
            distance = max(y - i, i - y - h + 1, x - j, j - x - w + 1)
            g = 8 if distance == 1 else 4 if distance == 2 else 2 if distance <= 4 else 1
            vectors.append([g * v[a] * v[b] for a in range(10) for b in range(a, 10)] +
                           [g * t * a for a in v])
    q = solve(add_up(vectors), DEFAULT_WEIGHTS + [0] * 4, 128)
    touching = pixels[y - 1][x - 1:x + w + 1] + [row[x - 1] for row in pixels[y:y + h]]
    touching = [v for v in touching if v is not None]
    low, high = min(touching), max(touching)
    for i in range(y, y + h):
        for j in range(x, x + w):
            p = (8192 + sum(a * b for a, b in zip(q, ten_neighbours(pixels, i, j)))) >> 14
            pixels[i][j] = min(max(p, low), high)
    return [row[x:x + w] for row in pixels[y:y + h]]


# --- Template prediction --------------------------------------------------------------------------

def match_templates(pixels, y, x, h, w):
    template = [(i, j) for i in range(-2, h) for j in range(-2, w) if i < 0 or j < 0]
    n = len(template)
    end = (y // 16 + 1) * 16
    candidates = []
    for r in range(y - 24, end - h + 1):
        for c in range(x - 24, x + 8):
            if pixels[r - 2][c - 2] is not None and pixels[r + h - 1][c + w - 1] is not None:
                cost = sum((pixels[y + i][x + j] - pixels[r + i][c + j])**2 for i, j in template)
                candidates.append((cost, r, c))
    best = sorted(candidates)[:4]
    if not best:
        return [[128] * w for _ in range(h)]
    ratios = [256 * (best[0][0] + n) // (cost + n) for cost, _, _ in best]
    total = sum(r * r for r in ratios)
    q = [(r * r << 12) // total for r in ratios]
    q[0] = 4096 - sum(q[1:])
    return [[(2048 + sum(k * pixels[r + i][c + j] for k, (_, r, c) in zip(q, best))) >> 12
             for j in range(w)] for i in range(h)]


# --- Network filter -------------------------------------------------------------------------------
# A plane is a list of rows of positions, each a tuple of its values.

INPUT_FACTORS = [6889, 5793, 4871, 4096, 3444, 2896, 2435, 2048, 1722, 1448, 1218,
                 1024, 861, 724, 609, 512, 431, 362, 304, 256, 215, 181]
OUTPUT_FACTORS = [304, 362, 431, 512, 609, 724, 861, 1024, 1218, 1448, 1722,
                  2048, 2435, 2896, 3444, 4096, 4871, 5793, 6889, 8192, 9742, 11585]
LAYER_SIZES = [(8, 24)] + 14 * [(24, 24)] + [(24, 4)]
NETWORK_FILE = Path(__file__).parents[2] / "codec/postfilter/network_weights.bin"
NETWORK_HASH = 0xc0693a34


def limit(z):
    return min(max(z, -32768), 32767)


@lru_cache(maxsize=None)
def network_layers():
    """Of each layer, by output: shift, bias, slope and weights."""
    data = NETWORK_FILE.read_bytes()
    require(crc32c(data[:-4]) == NETWORK_HASH, "the network's file is another one")
    layers, at = [], 8
    for inputs, outputs in LAYER_SIZES:
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


def filter_by_network(pixels, predicted, level):
    """Returns the filtered pixels."""
    m, k, layers = INPUT_FACTORS[level - 1], OUTPUT_FACTORS[level - 1], network_layers()

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
    for b in range(7):
        t = rectify(convolve(layers[1 + 2 * b], h, level))
        h = each_value(lambda u, v: limit(u + v), h, convolve(layers[2 + 2 * b], t, level))
    r = convolve(layers[15], h, level)
    return [[clip(p + ((r[y // 2][x // 2][y % 2 * 2 + x % 2] * k + (1 << 13)) >> 14))
             for x, p in enumerate(row)] for y, row in enumerate(pixels)]


# --- Wiener filter --------------------------------------------------------------------------------

LIMITS = [2, 3, 6, 10, 17, 32]
BOUNDS = [3, 6, 12, 20, 32, 55, 100]
TAPS = [(0, 1), (0, 2), (0, 3), (1, -2), (1, -1), (1, 0), (1, 1), (1, 2), (2, -1), (2, 0), (2, 1),
        (3, 0)]


@lru_cache(maxsize=None)
def wiener_weights():
    path = Path(__file__).parents[2] / "codec/postfilter/wiener_weights.inc"
    with open(path, encoding="ascii") as file:
        numbers = [int(n) for n in re.findall(r"-?\d+", file.read())]
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


# --- Program --------------------------------------------------------------------------------------

def main(arguments):
    is_check = arguments[:1] == ["--check"]
    if len(arguments) < 2 or (not is_check and len(arguments) > 2):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    failures = 0
    for name in arguments[1:] if is_check else arguments[:1]:
        try:
            with open(name, "rb") as file:
                data = file.read()
            image = decode_file(data)
            if is_check and Header(data).preview_size:
                decode_file(preview_of(data))
        except (OSError, Refused) as error:
            print(f"{name}: {error}", file=sys.stdout if is_check else sys.stderr)
            failures += 1
            continue
        if is_check:
            print(f"{name}: {image[0]}x{image[1]}, checksums match")
        else:
            with open(arguments[1], "wb") as file:
                file.write(as_pgm(*image))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
