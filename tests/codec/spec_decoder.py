#!/usr/bin/env python3
"""A decoder written from docs/format.md alone, to check that the specification suffices.

  spec_decoder.py FILE.mmp OUT.pgm      decode a file
  spec_decoder.py --check FILE.mmp...   decode files and their previews, verify their checksums, print a
                                        line for each

Its parts, spec_*.py in the folders, have its chapters. Plain Python, no libraries; slow.
"""

import itertools
import sys
from pathlib import Path

FOLDERS = ["base", "bitstream", "dictionary", "intra", "pixel", "postfilter", "tile"]
sys.path += [str(Path(__file__).parent / folder) for folder in FOLDERS]
import spec_pixel_decoder  # noqa: E402
from spec_container import Header, crc32c, preview_of, split_streams  # noqa: E402
from spec_conventions import Refused, require  # noqa: E402
from spec_dictionary import find_dictionary  # noqa: E402
from spec_tile import Tile  # noqa: E402

MAX_PIXELS = 1 << 24  # A limit of our own, as "Requirements" permits.


def decode_tile(header, size, stream, dictionary):
    """Returns the samples of a tile, width by height, as a list for each row."""
    width, height = size
    if header.is_pixel_coded:
        try:
            samples = spec_pixel_decoder.decode(stream, width, height, header.depth,
                                                header.max_error, header.effort, header.by_means, header.version)
        except spec_pixel_decoder.Refused as reason:
            raise Refused(reason) from reason
        return [samples[at:at + width] for at in range(0, width * height, width)]
    lines = Tile(header, width, height, stream, dictionary).decode()
    if header.depth == 8:
        return lines
    span = header.high - header.low
    sizes = [8 + code % 8 << code // 8 for code in header.steps]
    below = list(itertools.accumulate((sizes[p // 32] for p in range(255)), initial=0))
    whole = below[255]
    return [[header.low + (2 * span * below[p] + whole) // (2 * whole) for p in line]
            for line in lines]


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
