"""Written from docs/format.md alone, a part of spec_decoder.py: "Exact blocks"."""

from spec_pixel_conventions import BinaryDecoder, limit
from spec_pixel_repeats import Pair, Repeats


class Bits(BinaryDecoder):
    """Even and other bits, and numbers of even ones, among the symbols of a tile."""

    def __init__(self, decoder):
        self.decoder = decoder

    def bit(self, p):
        is_one = self.decoder.target(65536) < p
        self.decoder.consume(0 if is_one else p, p if is_one else 65536 - p)
        return int(is_one)

    def check(self, at_end):
        pass  # the range decoder refuses to be overrun


class ExactRepeats(Repeats):

    def __init__(self, bits, width, height, values, is_exact):
        super().__init__(bits, width, height, values, min(bits.number((values - 1).bit_length()), values - 1))
        self.is_exact = is_exact

    def decode_sample(self):
        if self.is_exact[self.y // 8][self.x // 8]:
            super().decode_sample()
        else:
            self.a.source = self.b.source = None
            self.samples.append(self.outside)


def which_blocks(bits, across, down):
    pairs = [Pair(0.5, 0.0) for _ in range(16)]
    rows = [[0] * (across + 2)]  # with a block that is not exact beyond either end
    for _ in range(down):
        rows.append([0] * (across + 2))
        above, row = rows[-2:]
        for x in range(1, across + 1):
            pair = pairs[row[x - 1] + 2 * above[x] + 4 * above[x - 1] + 8 * above[x + 1]]
            row[x] = bits.bit(limit(int(pair.p * 65536.0), 1, 65535))
            pair.adapt(row[x])
    return [row[1:-1] for row in rows[1:]]


def gray_levels(bits):
    count, levels, least = bits.number(8) + 1, [], 0
    for i in range(count):
        most = 256 - count + i
        levels.append(min(least + bits.number((most - least).bit_length()), most))
        least = levels[-1] + 1
    return levels


def exact_blocks(bits, width, height):
    """The exact samples of a tile, by (y, x)."""
    is_exact = which_blocks(bits, -(-width // 8), -(-height // 8))
    levels = gray_levels(bits)
    numbers = ExactRepeats(bits, width, height, len(levels), is_exact).decode()
    return {(y, x): levels[numbers[y * width + x]] for y in range(height) for x in range(width) if is_exact[y // 8][x // 8]}
