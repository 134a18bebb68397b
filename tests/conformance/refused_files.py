"""The files of refused/ that the writer makes: each breaks one rule, all else in it is right.

They are written by the decoder of the specification as it is without its checks, so that what lacks just the one that a
file is for accepts it: sizes, checksums and streams are as such a decoder has them.
"""

from unittest.mock import patch

import spec_pixel_conventions
import spec_pixel_repeats
from writer import (Fields, Samples, assemble, assemble_fields, chunk, crc32c, header_bytes, spec_decoder,
                    spec_pixel_decoder, u32, write_dictionary, write_file, write_tiles)
from written_pixels import longest_small_file
from writer_rules import ALL_MODES, always, depth_of_cuts, indices, residual_cuts
import spec_container  # in a folder that the writer knows
import spec_dictionary

ROUGH = {"partition": depth_of_cuts(0.4, 0.5, 31), "residual_flag": residual_cuts(0.3), "index": indices()}
FIRST = {"partition": always(0), "mode": lambda _, options, __: options[0], "index": always(0)}


def without_checks(function):
    """Calls it, the decoder of the specification accepting everything."""
    modules = spec_container, spec_dictionary, spec_decoder, spec_pixel_decoder, spec_pixel_conventions, spec_pixel_repeats
    with_patches = [patch.object(module, "require", lambda *_: None) for module in modules]
    for each in with_patches:
        each.start()
    try:
        return function()
    finally:
        for each in with_patches:
            each.stop()


def with_byte(data, at, change):
    return data[:at] + bytes([data[at] ^ change]) + data[at + 1:]


def lossless(width, height, **others):
    return Fields(width, height, is_pixel_coded=True, **{"is_lossless": True, **others})


def header_faults():
    """Fields and what the stream is made by."""
    rough, samples = ROUGH, Samples((0, 15), heat=0.5)
    yield "small-preset-3", Fields(9, 9, kind=6, preset=3, depth=7), samples
    yield "small-preset-31", Fields(9, 9, kind=6, preset=31, depth=7), samples
    yield "small-error-0", Fields(9, 9, kind=7, max_error=0), samples
    yield "small-error-above-the-depth", Fields(9, 9, kind=7, depth=4, max_error=16), samples
    yield "width-65536", lossless(65536, 1), Samples((3, 3))
    yield "height-65536", lossless(1, 65536), Samples((3, 3))
    yield "error-above-the-depth", Fields(9, 9, is_pixel_coded=True, depth=4, max_error=16), samples
    yield "lossless-with-error", lossless(9, 9, max_error=3), samples
    yield "exact-without-lossless", lossless(9, 9, is_lossless=False), samples
    yield "means-without-error", lossless(9, 9, flag_6=True), samples
    yield "end-above-the-depth", Fields(18, 9, depth=5, ends=(0, 32)), rough
    yield "first-end-above-the-depth", Fields(18, 9, depth=15, ends=(32768, 0), steps=(0,) * 8), rough
    for at in range(0, 8, 7):
        steps = [0] * 8
        steps[at] = 128
        yield f"step-{at}-of-128", Fields(18, 9, depth=9, ends=(511, 0), steps=tuple(steps)), rough
    for name, parameters in (("capacity-1", (1, 8, 4, 0)), ("capacity-68-alone", (68, 8, 7, 0)), ("level-26", (100, 26, 7, 0)),
                             ("level-255", (100, 255, 7, 0)), ("mode-31", (100, 8, ALL_MODES | 1 << 31, 0)),
                             ("tool-8", (100, 8, 7, 256)), ("tool-9", (100, 8, 7, 512)), ("tool-10", (100, 8, 7, 1024)),
                             ("tool-11", (100, 8, 7, 2048)),
                             ("tool-20", (100, 8, 7, 1 << 20)), ("tool-1-alone", (100, 8, 7, 2))):
        yield name, Fields(18, 9, parameters=parameters), rough
    yield "tool-16", Fields(18, 9, version=7, parameters=(100, 8, 7, 1 << 16)), rough
    for preset in (3, 4, 7):
        yield f"preset-{preset}-alone", lossless(9, 9, preset=preset), samples
    yield "version-7-preset-4", lossless(9, 9, version=7, preset=4), samples
    yield "version-7-small-preset-4", Fields(9, 9, kind=6, version=7, preset=4), samples
    yield "tiles-but-one", Fields(20, 18, tile=(2, 2)), rough
    yield "tiles-but-one-exactly", Fields(32, 16, tile=(2, 1)), rough
    yield "preview-of-no-bytes", Fields(18, 9, preview=b""), rough
    yield "preview-too-long", Fields(18, 9, preview=bytes(1024 + 4 * 3 * 2 + 1)), rough
    samples = Samples((0, 4), heat=0.5, outside=2)
    yield "repeats-with-bound", Fields(9, 9, is_pixel_coded=True, max_error=1), samples
    yield "repeats-of-257", lossless(9, 9, depth=9), Samples((0, 256), heat=0.5, outside=2)
    yield "repeats-outside", lossless(9, 9), Samples((0, 4), lambda x, y: x * y % 5, outside=5)
    yield "repeats-outside-most", lossless(9, 9), Samples((0, 4), lambda x, y: x * y % 5, outside=7)
    yield "values-beyond-the-greatest", lossless(9, 9), Samples((0, 4, 12), ends=(0, 9), heat=0.5, is_mapped=True)


def dictionary_faults():
    levels = {level: (300, [(7, [9, -9])]) for level in (1, 2)}
    good = write_dictionary(levels)
    levels[24] = 32768, [(1, [5] * 256)]
    faults = {"magic": b"MMD\2" + good[4:], "longer": good + b"\0", "sum": write_dictionary(levels),
              "zero-count": good[:4] + b"\0\0" + good[6:], "count": good[:8] + b"\0\0" + good[10:]}
    for name, dictionary in faults.items():
        fields = Fields(18, 9, parameters=(100, 8, 7, 3), scale=64, dictionary=dictionary)
        yield f"dictionary-{name}", without_checks(lambda fields=fields: write_file(fields, FIRST)), dictionary
    fields = Fields(18, 9, parameters=(100, 8, 7, 3), scale=64, dictionary=good)
    tiles = write_tiles(fields, ROUGH)
    yield "dictionary-missing", assemble_fields(fields, tiles), b""
    fields.dictionary = good + b"?"
    yield "dictionary-another", assemble_fields(fields, tiles), good


def stream_faults():
    """Streams that end too late or too early, by one byte."""
    kinds = (("patterns", Fields(48, 48, keeps_zeros=True), FIRST),
             ("tiles", Fields(96, 48, tile=(3, 3), keeps_zeros=True), FIRST),
             ("small", Fields(48, 48, kind=0, keeps_zeros=True), FIRST),
             ("pixels", lossless(9, 9, depth=16, keeps_zeros=True), Samples((65535, 65535))),
             ("small-pixels", Fields(9, 9, kind=6, keeps_zeros=True), Samples((255, 255))))
    for name, fields, choices in kinds:
        tiles = write_tiles(fields, choices)
        stream, crc = tiles[-1]
        assert len(stream) > 5 and not any(stream), "not a stream of zeros"
        yield f"overrun-{name}", assemble_fields(fields, [*tiles[:-1], (stream[:-5], crc)])
        yield f"unread-{name}", assemble_fields(fields, [*tiles[:-1], (stream + b"\0", crc)])


def substream_faults():
    """Substreams that are longer than the stream, or end too early."""
    fields = Fields(1008, 512, version=7, parameters=(100, 8, 7, 4096 + 64), flag_6=True)
    whole = {"partition": always(0), "residual_flag": always(0), "mode": always(2), "index": always(0)}
    (stream, crc), = write_tiles(fields, whole)
    size = int.from_bytes(stream[:4], "little")
    for name, changed in (("longer", u32(len(stream) - 3) + stream[4:]), ("longest", u32(2**32 - 1) + stream[4:]),
                          ("without-sizes", stream[:3]), ("shifted", u32(size + 1) + stream[4:]),
                          ("first-overrun", u32(0) + stream[4 + size:]), ("last-overrun", stream[:4 + size])):
        yield f"substreams-{name}", assemble_fields(fields, [(changed, crc)])


def long_streams():
    """A stream of 4096 bytes and one of the zeros that it goes on with."""
    fields, samples = longest_small_file()
    stream, crc = write_tiles(fields, samples)[0]
    yield "small-stream-too-long", assemble(header_bytes(fields), [(stream + b"\0", crc)], is_small=True)


def checksum_faults():
    fields = Fields(33, 18, tile=(1, 1), threshold=9, keeps_zeros=True)
    head, tiles = header_bytes(fields), write_tiles(fields, ROUGH)
    good = assemble_fields(fields, tiles)
    table_end = len(head) + 12 * len(tiles)
    yield "header-crc", with_byte(good, table_end, 1)
    for number in (0, len(tiles) - 1):
        stream, crc = tiles[number]
        yield (f"reconstruction-crc-of-tile-{number}",
               assemble(head, tiles[:number] + [(stream, crc ^ 1 << 31)] + tiles[number + 1:], is_tiled=True))
        at = len(head) + 12 * number + 4
        table = with_byte(good, at, 128)[len(head):table_end]
        yield f"stream-crc-of-tile-{number}", head + table + u32(crc32c(head + table)) + good[table_end + 4:]
    at = len(head) + 12 * (len(tiles) - 1)
    cut = tiles[-1][0][:-1]
    table = good[len(head):at] + u32(len(cut) + 1) + u32(crc32c(cut)) + u32(tiles[-1][1])
    yield "stream-beyond-the-end", head + table + u32(crc32c(head + table)) + good[table_end + 4:-1]
    yield "bytes-behind-the-last-stream", good + b"\0"
    for name, fields, choices in (("patterns", Fields(18, 9), ROUGH), ("pixels", lossless(9, 9), Samples((0, 9), heat=0.3))):
        head, tiles = header_bytes(fields), write_tiles(fields, choices)
        good = assemble_fields(fields, tiles)
        yield f"file-crc-{name}", with_byte(good, len(head), 1)
        yield f"file-crc-{name}-last-bit", with_byte(good, len(head) + 3, 128)
        yield f"reconstruction-crc-{name}", assemble(head, [(tiles[0][0], tiles[0][1] ^ 1)])
    fields = Fields(18, 9, kind=2, preset=2, threshold=50)
    good = write_file(fields, ROUGH)
    for at in (0, 1):
        yield f"small-check-{at}", with_byte(good, len(header_bytes(fields)) + at, 64 >> 5 * at)


def byte_faults():
    """Headers that Fields do not have."""
    fields = lossless(20, 9)
    head, tiles = header_bytes(fields), write_tiles(fields, Samples((0, 9), heat=0.3))
    width = head.index(b"\x13\x08")
    for name, digits in (("three", b"\x93\x80\x80"), ("four", b"\x93\x80\x80\0")):
        yield f"number-of-{name}-bytes", assemble(head[:width] + digits + head[width + 1:], tiles)
    for version in (0, 8, 14):
        yield f"version-{version}", assemble(head[:3] + bytes([version]) + head[4:], tiles)
    for bit in (5, 6, 7):
        yield f"bit-{bit}-of-a-full-file", assemble(with_byte(head, 3, 1 << bit), tiles)
    yield "flag-3-of-the-pixel-coder", assemble(with_byte(head, 4, 8), tiles)
    for at in range(3):
        yield f"magic-{at}", assemble(with_byte(head, at, 32), tiles)
    fields = Fields(9, 9, kind=6, depth=7)
    head, tiles = header_bytes(fields), write_tiles(fields, Samples((0, 9), heat=0.3))
    yield "small-depth-8", assemble(with_byte(head, 7, 1), tiles, is_small=True)
    fields = Fields(18, 9, metadata=chunk(5, b"a\0b"))
    good = write_file(fields, ROUGH)
    size = len(header_bytes(fields)) - 3
    yield "metadata-beyond-the-file", good[:size] + (len(good) - size - 2).to_bytes(3, "little") + good[size + 3:]
    for end in range(3, len(header_bytes(fields))):
        yield f"header-of-{end}-bytes", good[:end]
    fields = Fields(18, 9, preview=write_file(Fields(3, 2, kind=0), FIRST))
    head, (stream, crc) = header_bytes(fields), write_tiles(fields, ROUGH)[0]
    run = head + u32(crc)
    yield "ends-within-the-preview", head + u32(crc32c(run)) + u32(crc) + fields.preview[:-1]


def refused_files():
    for name, fields, choices in header_faults():
        yield name, without_checks(lambda fields=fields, choices=choices: write_file(fields, choices, seed=4)), b""
    for files in (stream_faults, substream_faults, long_streams, checksum_faults, byte_faults):
        for name, data in files():
            yield name, data, b""
    yield from dictionary_faults()
