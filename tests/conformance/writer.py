"""Writes files by the decoder of the specification: where that one decodes a symbol, the writer chooses and codes it.

The streams of `write_file` are thus valid whatever is chosen: at random by a seed, or as the rules of a policy say. What
`header_bytes` writes is not checked, so that files can be made that a decoder must refuse.
"""

import contextlib
import random
import sys
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parent.parent / "codec"))
import spec_decoder  # noqa: E402
import spec_exact_blocks  # noqa: E402
import spec_flag_decoder  # noqa: E402
import spec_models  # noqa: E402
import spec_jpeg  # noqa: E402
import spec_pixel_decoder  # noqa: E402
import spec_tile  # noqa: E402
from spec_conventions import SIZES  # noqa: E402
from spec_decoder import Header, crc32c, sample_bytes  # noqa: E402


# --- Headers --------------------------------------------------------------------------------------

@dataclass
class Fields:
    """What a header says; codes, not values."""
    width: int
    height: int
    kind: int | None = None  # of a small file
    version: int = 6
    preset: int = 0
    depth: int = 8
    threshold: int = 0
    max_error: int = 0
    is_pixel_coded: bool = False
    is_lossless: bool = False
    flag_6: bool = False  # wave fronts, or means
    ends: tuple = (0, 0)
    steps: tuple = ()
    parameters: tuple | None = None  # capacity, prediction level, mode mask, tools
    scale: int = 0
    dictionary: bytes = b""
    tile: tuple | None = None  # in units of 16 pixels
    metadata: bytes | None = None
    preview: bytes | None = None
    is_signed: bool = False
    keeps_zeros: bool = False  # at the end of streams
    more_flags: bool = False  # also if they say nothing
    spare_zeros: int = 0  # of varints
    tools: int = field(default=0, init=False)

    def __post_init__(self):
        of_preset = {(1, 6): 0xfd, (1, 7): 0xff7d, (2, 6): 0x7d, (2, 7): 0xff7d, (3, 7): 0xfffd}
        self.tools = self.parameters[3] if self.parameters else of_preset.get((self.preset, self.version), 0)


def varint(value, spare_zeros=0):
    digits = [value & 127]
    while value >= 128:
        value >>= 7
        digits.append(value & 127)
    digits += [0] * min(spare_zeros, 3 - len(digits))
    return bytes([d | 128 for d in digits[:-1]] + digits[-1:])


def small_header(f):
    preset = f.preset if f.depth == 8 and f.preset < 3 else 3
    bits = f.width - 1 | f.height - 1 << 11 | preset << 22
    data = b"MMP" + bytes([f.version | 16 | f.kind << 5]) + bits.to_bytes(3, "little")
    if preset == 3:
        data += bytes([f.depth - 1 | f.preset << 3])
    if f.kind < 4:
        data += bytes([f.threshold])
    return data + (bytes([f.max_error]) if f.kind == 7 else b"")


def header_bytes(f):
    """The fields before the metadata."""
    if f.kind is not None:
        return small_header(f)
    more = (f.depth - 1 | f.is_pixel_coded << 4 | (f.metadata is not None) << 5 | f.is_signed << 6 |
            (f.preview is not None) << 7)
    has_more = f.more_flags or more != 7
    flags = (f.preset | (f.parameters is not None) << 3 | (f.tile is not None) << 4 |
             f.is_lossless << 5 | f.flag_6 << 6 | has_more << 7)
    data = b"MMP" + bytes([f.version, flags, more] if has_more else [f.version, flags])
    data += b"".join(varint(n - 1, f.spare_zeros) for n in (f.width, f.height))
    if f.is_pixel_coded:
        data += varint(f.max_error, f.spare_zeros)
    else:
        if f.depth != 8:
            data += b"".join(end.to_bytes(2, "little") for end in f.ends) + bytes(f.steps)
        data += bytes([f.threshold])
        if f.parameters:
            capacity, level, mask, tools = f.parameters
            data += (capacity - 1).to_bytes(2, "little") + bytes([level]) + mask.to_bytes(4, "little")
            data += varint(tools, f.spare_zeros)
        data += bytes([f.scale]) if f.tools & 1 else b""
        data += crc32c(f.dictionary).to_bytes(4, "little") if f.tools & 2 else b""
    data += b"".join(varint(n - 1, f.spare_zeros) for n in f.tile or ())
    data += len(f.metadata).to_bytes(3, "little") if f.metadata is not None else b""
    return data + (len(f.preview).to_bytes(4, "little") if f.preview is not None else b"")


def chunk(kind, content, crc=None):
    """Of metadata."""
    head = bytes([kind]) + len(content).to_bytes(3, "little")
    crc = crc32c(head + content) if crc is None else crc
    return head + crc.to_bytes(4, "little") + content


def u32(number):
    return number.to_bytes(4, "little")


def assemble(head, tiles, metadata=b"", preview=b"", is_tiled=False, is_small=False):
    """A file of these fields, whose checksums are right. `tiles`: of each its stream and reconstruction CRC."""
    streams = b"".join(stream for stream, _ in tiles)
    if is_small:
        check = crc32c(head + u32(tiles[0][1]) + streams) & 0xffff
        return head + check.to_bytes(2, "little") + streams
    if not is_tiled:
        crc = u32(tiles[0][1])
        return head + metadata + u32(crc32c(head + crc + streams)) + crc + preview + streams
    table = b"".join(u32(len(stream)) + u32(crc32c(stream)) + u32(crc) for stream, crc in tiles)
    return head + metadata + table + u32(crc32c(head + table)) + preview + streams


# --- Encoders -------------------------------------------------------------------------------------

class Output:
    """The bytes of a range encoder; a range decoder takes as many, and up to four zeros behind them."""

    def __init__(self):
        self.low, self.range, self.shifts = 0, 0xffffffff, 0

    def narrow(self, offset, size):
        self.low += offset
        self.range = size
        while self.range < 1 << 24:
            self.low <<= 8
            self.range <<= 8
            self.shifts += 1

    def stream(self, keeps_zeros=False):
        for zero_bits in range(32, -1, -1):  # the value with the most of them
            value = (self.low + (1 << zero_bits) - 1) >> zero_bits << zero_bits
            if value < self.low + self.range:
                break
        data = value.to_bytes(self.shifts + 4, "big")
        if keeps_zeros:
            return data
        return data[:max(len(data.rstrip(b"\0")), len(data) - 4)]


NAMES = {("network", 23): "network_level", ("network", 2): "network_block",
         ("network", 3): "network_of_block", ("network_pair", 2): "network_pair", ("network_origin", 4): "network_origin", ("wiener", 7): "filter_strength",
         ("wiener", 3): "filter_block", ("corrections", 9): "correction_sets",
         ("corrections", 4): "correction_step", ("corrections", 2): "same_set",
         ("corrections", 8): "other_set", ("corrections", 10): "correction_size",
         ("lattice", 2): "jpeg_lattice", ("lattice", 13): "jpeg_pull", ("lattice", 9): "jpeg_step_size",
         ("levels", 5): "level_maps", ("levels", 10): "level_step", ("exact", 2): "exact_blocks"}


class Policy:
    """Chooses symbols: as the rule of their name says, else at random. A rule is called with the generator of random
    numbers, what may be chosen and the tile, whose `place` is (y, x, level) of the block."""

    def __init__(self, seed, **rules):
        self.rng, self.rules = random.Random(seed), rules

    def choose(self, what, options, tile):
        rule = self.rules.get(what)
        symbol = rule(self.rng, options, tile) if rule else self.rng.choice(options)
        assert symbol in options, f"{what}: {symbol} of {options}"
        return symbol


class SymbolEncoder:
    """Stands in for the range decoder of a tile."""
    taken = 0

    def __init__(self, policy):
        self.policy, self.output, self.part, self.tile = policy, Output(), None, None
        self.queue, self.target_of_bits = [], None
        self.stream = b""

    def choose(self, what, options):
        return self.queue.pop(0) if self.queue else self.policy.choose(what, options, self.tile)

    def decode_symbol(self, counts, allowed):
        what = NAMES.get((self.part, len(counts)), self.part)
        symbol = self.choose(what, allowed)
        total, below = sum(counts[s] for s in allowed), sum(counts[s] for s in allowed if s < symbol)
        self.code(total, below, counts[symbol])
        return symbol

    def decode_among(self, begins):
        symbol = self.choose(self.part, range(len(begins) - 1))
        self.code(begins[-1], begins[symbol], begins[symbol + 1] - begins[symbol])
        return symbol

    def code(self, total, below, count):
        step = self.output.range // total
        self.output.narrow(step * below, step * count)

    def target(self, total):
        self.total = total
        return self.target_of_bits

    def consume(self, below, count):
        self.code(self.total, below, count)


class RandomDecoder(spec_models.RangeDecoder):
    """Decodes bytes that are random but for the first ones; `stream` are those that it has taken."""

    def __init__(self, seed, first_bytes):
        self.rng, self.first_bytes = random.Random(seed), first_bytes
        super().__init__(b"")

    def next(self):
        at = len(self.stream)
        self.stream += self.first_bytes[at:at + 1] or self.rng.randbytes(1)
        return super().next()


class WritingFlags(spec_flag_decoder.FlagDecoder):
    """Answers decisions so that the chosen flag is the one decoded."""

    def partition(self, y, x, level, context, allowed, cut):
        self.wanted = self.decoder.choose("partition", allowed)
        return super().partition(y, x, level, context, allowed, cut)

    def residual_flag(self, y, x, level, context, allowed, cut, depth):
        self.wanted = self.decoder.choose("residual_flag", allowed)
        return super().residual_flag(y, x, level, context, allowed, cut, depth)

    def decision(self, kind, level, context, features):
        ones = {0: (1, 2), 1: (2,), 2: (3, 4), 3: (4,), 4: (1, 2), 5: (2,)}
        self.decoder.target_of_bits = 0 if self.wanted in ones[kind] else 65535
        return super().decision(kind, level, context, features)


class WritingExactBits(spec_exact_blocks.Bits):
    """Numbers are those that the rule "exact_numbers" yields, a list, and then any; other bits, as probable as they
    are said to be, but for those of the rule "exact_bits"."""

    def __init__(self, decoder):
        super().__init__(decoder)
        rules = decoder.policy.rules
        self.numbers = list(rules["exact_numbers"]) if "exact_numbers" in rules else []
        self.rule, self.is_number = rules.get("exact_bits"), False

    def number(self, bits):
        wanted = self.numbers.pop(0) if self.numbers else self.decoder.policy.rng.randrange(1 << bits)
        self.queue = bits_of(wanted, bits)
        value = super().number(bits)
        assert value == wanted and not self.queue
        return value

    queue = []

    def bit(self, p):
        policy = self.decoder.policy
        if self.queue:
            bit = self.queue.pop(0)
        elif self.rule:
            bit = self.rule(policy.rng, p)
        else:
            bit = int(policy.rng.random() * 65536 < p)
        self.decoder.target_of_bits = 0 if bit else p
        return super().bit(p)


class WritingTile(spec_tile.Tile):
    """Says which part of the syntax comes next."""

    def __init__(self, header, width, height, stream, dictionary):
        super().__init__(header, width, height, stream, dictionary)
        self.place, self.prediction, self.used_modes = None, None, []
        for decoder in self.decoders:
            decoder.tile = self

    def network_choice(self):
        self.decoder.part = "network"
        return super().network_choice()

    def network_pair(self):
        self.decoder.part = "network_pair"
        return super().network_pair()

    def network_origin(self):
        self.decoder.part = "network_origin"
        return super().network_origin()

    def wiener_choice(self, is_after_network):
        self.decoder.part = "wiener"
        return super().wiener_choice(is_after_network)

    def corrections(self, is_after_network):
        self.decoder.part = "corrections"
        sets = super().corrections(is_after_network)
        self.decoder.part = "wiener"
        return sets

    def jpeg_lattice(self):
        self.decoder.part = "lattice"
        return super().jpeg_lattice()

    def level_maps(self):
        self.decoder.part = "levels"
        return super().level_maps()

    def exact_blocks(self):
        self.decoder.part = "exact"
        return super().exact_blocks()

    def new_vectors(self):
        """The rule "vectors" yields those that are new, up to two."""
        rule = self.decoder.policy.rules.get("vectors", lambda *_: [])
        vectors = rule(self.decoder.policy.rng, None, self)
        queue = [len(vectors)]
        for u, v in vectors:
            for size in -u, abs(v):
                queue.append(size.bit_length())
                queue += [size - (1 << size.bit_length() - 1)] if size > 1 else []
            queue += [int(v < 0)] if v else []
        self.decoder.part, self.decoder.queue = "vectors", queue
        super().new_vectors()
        assert not self.decoder.queue

    def bits(self, k):
        self.decoder.target_of_bits = self.decoder.choose("bits", range(2**k))
        return super().bits(k)

    def decode_partition(self, y, x, level, allowed, cut):
        self.place, self.decoder.part = (y, x, level), "partition"
        flag = super().decode_partition(y, x, level, allowed, cut)
        self.decoder.part = "mode"
        return flag

    def residual(self, y, x, level, flag, depth):
        self.place, self.decoder.part = (y, x, level), "index"
        return super().residual(y, x, level, flag, depth)

    def leaf_by_neighbours(self, y, x, level):
        """Chooses the index; its class and its place there follow from it."""
        if level:
            known = self.known[level]
            known.add_new(self.dictionary[level].patterns)
            index = self.decoder.choose("index", range(len(known.features)))
            self.decoder.queue = next([k, members.index(index)] for k, members in enumerate(known.members)
                                      if index in members)
        return super().leaf_by_neighbours(y, x, level)

    def decode_residual_flag(self, y, x, level, cut, depth):
        self.place, self.decoder.part = (y, x, level), "residual_flag"
        return super().decode_residual_flag(y, x, level, cut, depth)


class BitEncoder(spec_pixel_decoder.BinaryDecoder):
    """Stands in for the binary decoder of a rectangle: `queue` has the bits that come first, `wanted` the next one or
    None, then each bit is chosen at random; `heat` 1: as probable as it is said to be, 0: the more probable."""

    def __init__(self, seed, queue, heat):
        self.rng, self.queue, self.heat = random.Random(seed), list(queue), heat
        self.output, self.wanted = Output(), None

    def bit(self, p):
        if self.queue:
            bit = self.queue.pop(0)
        elif self.wanted is not None:
            bit = int(self.wanted)
        elif self.rng.random() < self.heat:
            bit = int(self.rng.random() * 65536 < p)
        else:
            bit = int(p >= 32768)
        bound = self.output.range * p >> 16
        self.output.narrow(0 if bit else bound, bound if bit else self.output.range - bound)
        return bit

    def check(self, at_end):
        pass


class WritingRectangle(spec_pixel_decoder.Rectangle):
    """Codes the samples of `picture`, a function of x and y, as far as the bound lets it; where that is None, any."""
    picture = None

    def decide(self, one, zero, label, key, asks):
        sample = self.picture(self.x, self.y)
        wanted = None
        if sample is not None:
            cell = min(max(int((sample - self.base) // self.step), 0), self.z - 1)
            wanted = self.exact.candidates[label - 36] == cell if asks else cell >= key // 40
        self.decoder.wanted = wanted
        return super().decide(one, zero, label, key, asks)


class WritingRepeats(spec_pixel_decoder.Repeats):
    """As WritingRectangle."""
    picture = None

    def decide(self, kind, key, v):
        sample = self.picture(self.x, self.y)
        self.decoder.wanted = None
        if sample is not None:
            bits = key >> 8
            self.decoder.wanted = sample == v if kind < 2 else sample >= (bits >> 4) << ((bits & 15) - 1)
        return super().decide(kind, key, v)


class WritingPicture(spec_jpeg.Picture):
    """Codes these multiples where they are not None."""
    multiples = None

    def decide(self, block, d):
        multiple = self.multiples(block.row, block.column, block.place)
        self.decoder.wanted = None
        if multiple is not None:
            rest = multiple - block.expected
            self.decoder.wanted = (rest == 0, rest < 0)[d] if d < 2 else abs(rest) >= d
            if d == 17 and abs(rest) >= 18:
                size = (abs(rest) - 17).bit_length() - 1
                self.rest_bits = [1] * size + [0] + bits_of(abs(rest) - 17 - 2**size, size)
        bit = super().decide(block, d)
        self.decoder.wanted = None
        return bit

    def rest(self):
        self.decoder.queue, self.rest_bits = self.rest_bits, []
        return super().rest()

    rest_bits = []


# --- Files ----------------------------------------------------------------------------------------

def bits_of(value, count):
    return [value >> i & 1 for i in range(count - 1, -1, -1)]


@dataclass
class Samples:
    """What a stream of the pixel coder begins with, and how the samples go on. `values`: all of them if some are left
    out, else the least and the greatest."""
    values: tuple
    picture: object = lambda x, y: None  # of indices
    heat: float = 1.0
    is_mapped: bool = False
    has_exact: bool = False
    outside: int | None = None  # given: coded by repeats
    ends: tuple | None = None  # if they are not the first and the last value

    def first_bits(self, depth, bound):
        ends = list(self.ends or (self.values[0], self.values[-1]))
        if self.outside is not None:
            ends.reverse()
        bits = bits_of(ends[0], depth) + bits_of(ends[1], depth)
        count = len(self.values) if self.is_mapped else abs(ends[1] - ends[0]) + 1
        if bound == 0 and count > 1:
            bits += [int(self.is_mapped)]
        if self.is_mapped:
            for a, b in zip(self.values, self.values[1:]):
                m = (b - a).bit_length() - 1
                bits += [1] * m + [0] * (m < 15) + bits_of(b - a, m)
        if self.outside is not None:
            return bits + bits_of(self.outside, (count - 1).bit_length())
        return bits + ([int(self.has_exact)] if bound == 0 and count > 1 else [])


@dataclass
class Coefficients:
    """Where the blocks of JPEG begin, and the quality; whether steps are told; how all else goes on, see BitEncoder."""
    row: int
    column: int
    quality: int
    heat: float
    are_told: bool = True
    multiples: object = lambda row, column, place: None  # of a block and a place in it; None: any

    def first_bits(self, depth, bound):
        return bits_of(self.row, 3) + bits_of(self.column, 3) + bits_of(self.quality, 7) + ([1] * 64 if self.are_told else [])


@contextlib.contextmanager
def coding_symbols(policy, encoders):
    """While it lasts, the decoder of tiles codes what the policy chooses, by encoders that are added: one for each
    substream."""
    def add_encoder(_):
        encoders.append(SymbolEncoder(policy))
        return encoders[-1]

    with (patch.object(spec_tile, "RangeDecoder", add_encoder),
          patch.object(spec_tile, "split_substreams", lambda _, count: [b""] * count),
          patch.object(spec_decoder, "Tile", WritingTile),
          patch.object(spec_exact_blocks, "Bits", WritingExactBits),
          patch.object(spec_flag_decoder, "FlagDecoder", WritingFlags),
          patch.object(spec_models, "decode_symbol", SymbolEncoder.decode_symbol),
          patch.object(spec_models, "decode_among", SymbolEncoder.decode_among)):
        yield


@contextlib.contextmanager
def coding_bits(encoder, choice):
    picture = getattr(choice, "picture", None)
    jpeg = type("Picture", (WritingPicture,), {"multiples": staticmethod(getattr(choice, "multiples", None))})
    rectangle = type("Rectangle", (WritingRectangle,), {"picture": staticmethod(picture)})
    repeats = type("Repeats", (WritingRepeats,), {"picture": staticmethod(picture)})
    with (patch.object(spec_pixel_decoder, "BinaryDecoder", lambda _: encoder),
          patch.object(spec_pixel_decoder, "Picture", jpeg),
          patch.object(spec_pixel_decoder, "Rectangle", rectangle),
          patch.object(spec_pixel_decoder, "Repeats", repeats)):
        yield


def write_tile(header, size, choice, seed, dictionary, keeps_zeros=False):
    """The stream and the rows of samples. `choice`: rules of a policy, Samples, or the first bytes of a random stream."""
    if isinstance(choice, bytes):
        decoder = RandomDecoder(seed, choice)
        with patch.object(spec_tile, "RangeDecoder", lambda _: decoder):
            lines = spec_decoder.decode_tile(header, size, b"", dictionary)
        return decoder.stream, lines
    encoders = []
    if header.is_pixel_coded:
        bits = choice.first_bits(header.depth, header.max_error)
        if header.version >= 7 and header.depth == 8:
            bits.insert(0, int(isinstance(choice, Coefficients)))
        encoder = BitEncoder(seed, bits, choice.heat)
        encoders.append(encoder)
        coding = coding_bits(encoder, choice)
    else:
        coding = coding_symbols(Policy(seed, **choice), encoders)
    with coding:
        lines = spec_decoder.decode_tile(header, size, b"", dictionary)
    streams = [encoder.output.stream(keeps_zeros) for encoder in encoders]
    return b"".join(u32(len(stream)) for stream in streams[:-1]) + b"".join(streams), lines


def tile_sizes(header):
    return [(min(header.tile_width, header.width - x), min(header.tile_height, header.height - y))
            for y in range(0, header.height, header.tile_height)
            for x in range(0, header.width, header.tile_width)]


def write_tiles(fields, choices, seed=1):
    """Of each tile the stream and the reconstruction CRC."""
    header = Header(header_bytes(fields) + (fields.metadata or b""))
    sizes = tile_sizes(header)
    if not isinstance(choices, list):
        choices = [choices] * len(sizes)
    dictionary = None if header.is_pixel_coded else spec_decoder.find_dictionary(header, fields.dictionary)
    tiles = []
    for number, (size, choice) in enumerate(zip(sizes, choices, strict=True)):
        stream, lines = write_tile(header, size, choice, f"{seed} {number}", dictionary, fields.keeps_zeros)
        tiles.append((stream, crc32c(sample_bytes(lines, header.depth, "little"))))
    return tiles


def assemble_fields(fields, tiles):
    return assemble(header_bytes(fields), tiles, fields.metadata or b"", fields.preview or b"", fields.tile is not None,
                    fields.kind is not None)


def write_file(fields, choices, seed=1):
    """`choices`: those of each tile, or of all."""
    return assemble_fields(fields, write_tiles(fields, choices, seed))


def write_dictionary(levels):
    """A dictionary file; `levels`: of a level the zero count and pairs of count and pattern, else none."""
    data = b"MMD\1"
    for level in range(1, len(SIZES)):
        zero_count, patterns = levels.get(level, (1, []))
        data += zero_count.to_bytes(2, "little") + len(patterns).to_bytes(2, "little")
        data += b"".join(count.to_bytes(2, "little") for count, _ in patterns)
        data += b"".join(v.to_bytes(1, "little", signed=True) for _, pattern in patterns for v in pattern)
    return data
