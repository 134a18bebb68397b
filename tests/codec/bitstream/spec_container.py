"""Written from docs/format.md alone, a part of spec_decoder.py: "File" and "Metadata"."""

import math

from spec_conventions import Refused, require

PRESETS = [(1024, 8, 0x3ff), (512, 8, 0x7ffffc07), (1024, 8, 0x7ffffc07), (512, 8, 0x7ffffc07)]
PRESET_TOOLS = {6: [0, 0xfd, 0x7d], 7: [0, 0xff7d, 0xff7d, 0xfffd]}
TOOL_COUNT = 16
(TRAINED_PATTERNS, OWN_DICTIONARY, WIENER, MIXED_MODELS, CORRECTIONS, NETWORK, FLAG_NETWORK, SMALL_NETWORK,
 TWO_NETWORKS, NEIGHBOUR_MODES, NEIGHBOUR_INDICES, LEVEL_MAPS, SUBSTREAMS, REVERSED_RESIDUALS,
 JPEG_LATTICE, EXACT_BLOCKS) = (1 << bit for bit in range(TOOL_COUNT))


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
        self.version = first & 15
        require(self.version in (6, 7), "unknown version")
        self.is_small, kind = bool(first & 16), first >> 5
        if self.is_small:
            self.read_small(kind)
        else:
            require(kind == 0, "unknown kind")
            self.read_full()

    def read_small(self, kind):
        bits = self.uint(3)
        preset, self.depth = bits >> 22, 8
        if preset == 3:
            preset, depth_less_1 = divmod(self.uint(1), 8)
            self.depth = depth_less_1 + 1
            require(self.depth < 8 or self.version == 7, "unknown depth")
        require(preset < len(PRESET_TOOLS[self.version]), "unknown preset")
        self.width, self.height = bits % 2048 + 1, (bits >> 11) % 2048 + 1
        self.tile_width, self.tile_height, self.is_tiled = self.width, self.height, False
        self.low, self.high, self.steps, self.by_means = 0, 2**self.depth - 1, [0] * 8, False
        self.is_pixel_coded, self.has_wave_fronts = kind >= 6, kind % 2 == 1
        if self.is_pixel_coded:
            self.max_error, self.effort = self.uint(1) if kind == 7 else 0, 1 if preset == 1 else 2
            require(kind == 6 or 0 < self.max_error < 1 << self.depth,
                    "the largest error is out of range")
            return
        self.threshold = self.coded_value() if kind < 4 else 0
        self.take_preset(preset)
        is_trained = kind in (2, 3) and self.tools & TRAINED_PATTERNS
        self.scale = largest_coded(math.isqrt(64 * self.threshold)) if is_trained else 0

    def read_full(self):
        data = self.data
        flags = self.uint(1)
        preset = flags & 7
        more_flags = self.uint(1) if flags & 128 else 7
        require(preset < len(PRESET_TOOLS[self.version]), "unknown flags")
        self.depth, self.is_pixel_coded = (more_flags & 15) + 1, bool(more_flags & 16)
        self.width, self.height = self.varint() + 1, self.varint() + 1
        require(max(self.width, self.height) <= 65535, "width or height is out of range")
        if self.is_pixel_coded:
            self.max_error, self.effort = self.varint(), 1 if preset == 1 else 2
            require(self.max_error < 1 << self.depth, "the largest error is out of range")
            self.by_means = bool(flags & 64)
            require(flags & 0x28 == (0 if self.max_error else 0x20), "flags of patterns")
            require(self.max_error > 0 or not self.by_means, "means without errors")
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

    def known_tools(self):
        return (TWO_NETWORKS if self.version == 6 else 1 << TOOL_COUNT) - 1

    def take_preset(self, preset):
        self.capacity, self.prediction_level, self.mode_mask = PRESETS[preset]
        self.tools = PRESET_TOOLS[self.version][preset]

    def preview_sides(self):
        return (self.width + 7) // 8, (self.height + 7) // 8

    def read_parameters(self, flags, preset):
        self.low, self.high, self.steps = 0, 255, [0] * 8
        if self.depth != 8:
            self.low, self.high = self.uint(2), self.uint(2)
            if self.low > self.high:
                self.low, self.high = self.high, self.low
                self.steps = [self.uint(1) for _ in range(8)]
            require(self.high < 1 << self.depth, "the range of samples is impossible")
            require(max(self.steps) <= 127, "the steps of samples are impossible")
        self.threshold = self.coded_value()
        self.take_preset(preset)
        if flags & 8:
            self.capacity = self.uint(2) + 1
            self.prediction_level, self.mode_mask = self.uint(1), self.uint(4)
            self.tools = self.varint()
        require(self.capacity >= 69, "the capacity is out of range")
        require(self.prediction_level <= 25, "the prediction level is out of range")
        require(self.mode_mask & 4 and self.mode_mask < 1 << 31, "the mode mask is out of range")
        require(self.tools & ~self.known_tools() == 0, "unknown tools")
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
    require((own.width, own.height) == header.preview_sides() and own.depth == max(8, header.depth) and
            not own.is_tiled and not own.preview_size, "the preview is none of this file")
    return preview
