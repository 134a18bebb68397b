#!/usr/bin/env python3
"""A decoder of the pixel coder's streams, written from docs/format-pixel.md alone; slow.

spec_pixel_decoder.py FILE...: each file has a line "width height depth bound effort means", a line with the stream in
hexadecimal digits, and a line with the samples that are expected. Fails if any differs.
"""

import sys
from pathlib import Path

sys.path += [str(Path(__file__).parents[1] / folder) for folder in ("base", "bitstream", "postfilter")]
from spec_jpeg import Picture
from spec_pixel_conventions import BinaryDecoder, Refused, limit, require
from spec_pixel_predictions import Rectangle
from spec_pixel_repeats import Repeats


def decode_values(decoder, depth, bound):
    first, last = decoder.number(depth), decoder.number(depth)
    lowest, highest, repeats = min(first, last), max(first, last), last < first
    require(not repeats or bound == 0, 'repeats with a bound')
    return list_values(decoder, lowest, highest, bound), repeats


def list_values(decoder, lowest, highest, bound):
    if bound != 0 or highest == lowest or not decoder.bit(32768):
        return list(range(lowest, highest + 1))
    a, b = ([[32768] * 15 for _ in range(16)] for _ in range(2))

    def adaptive(table, i):
        bit = decoder.bit(table[i])
        p = table[i] + ((65536 - table[i]) >> 4) if bit else table[i] - (table[i] >> 4)
        table[i] = limit(p, 64, 65472)
        return bit

    values, last = [lowest], 0
    while values[-1] < highest:
        m = 0
        while m < 15 and adaptive(a[last], m):
            m += 1
        gap = 1
        for i in range(m - 1, -1, -1):
            gap = 2 * gap + adaptive(b[m], i)
        last = m
        values.append(values[-1] + gap)
    require(values[-1] == highest, 'values')
    return values


def decode(stream, width, height, depth, bound, effort, means, version=6):
    decoder = BinaryDecoder(stream)
    if version >= 7 and depth == 8 and decoder.bit(32768):
        samples = Picture(decoder, width, height, bound).decode()
        decoder.check(True)
        return samples
    values, repeats = decode_values(decoder, depth, bound)
    require(not repeats or len(values) <= 256, 'too many values')
    indices = [0] * (width * height)
    if repeats:
        indices = Repeats(decoder, width, height, len(values)).decode()
    elif len(values) > 1:
        exact = bound == 0 and decoder.bit(32768)
        reach = bound // 2 if means else bound
        indices = Rectangle(decoder, width, height, len(values), reach, means, effort, exact).decode()
    decoder.check(True)
    return [values[i] for i in indices]


def main():
    failed = False
    for name in sys.argv[1:]:
        with open(name, encoding='ascii') as file:
            header, stream, samples = (file.readline() for _ in range(3))
        decoded = decode(bytes.fromhex(stream), *map(int, header.split()))
        good = decoded == list(map(int, samples.split()))
        print(name, 'agrees' if good else 'differs')
        failed = failed or not good
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
