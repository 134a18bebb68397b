"""Written from docs/format-jpeg.md alone, a part of spec_pixel_decoder.py."""

from spec_pixel_conventions import add, limit, log2, logistic
from spec_postfilter import COSINES, JPEG_ORDER, told_step

LIMITS = [4, 8, 13, 19, 32, 48, 80, 144, 272, 640]
EVEN = [[8192, 10703, 8192, 4433], [8192, 4433, -8192, -10704], [8192, -4433, -8192, 10704], [8192, -10703, 8192, -4433]]
ODD = [[11363, 9633, 6437, 2260], [9633, -2259, -11362, -6436], [6437, -11362, 2261, 9633], [2260, -6436, 9633, -11363]]


def quotient(x, y):
    return x // y if x >= 0 else -(-x // y)


def level(x):
    return sum(abs(x) >= least for least in LIMITS)


def signed(x):
    return level(x) + 10 if level(x) > 0 > x else level(x)


def at_edge(frequency):
    return 11585 if frequency == 0 else 16384


class Pair:
    def __init__(self):
        self.p, self.count = 0.5, 0.0

    def adapt(self, bit, inertia=1.5):
        self.p = limit(self.p + (float(bit) - self.p) / (self.count + inertia), 1.0 / 8192.0, 8191.0 / 8192.0)
        self.count = min(self.count + 1.0, 255.0)


class Block:
    """The surroundings of a block's coefficients."""

    def __init__(self, picture, row, column):
        self.picture, self.row, self.column = picture, row, column
        self.above = picture.blocks.get((row - 1, column))
        self.left = picture.blocks.get((row, column - 1))
        self.above_left = picture.blocks.get((row - 1, column - 1))
        self.above_right = picture.blocks.get((row - 1, column + 1))
        self.known = {}
        self.a, self.b = [0] * 8, [0] * 8
        y, x, d = 8 * row, 8 * column, picture.decoded
        if self.above:
            edge = [3 * d[y - 1][x + i] - d[y - 2][x + i] for i in range(8)]
            self.a = [sum(c * e for c, e in zip(line, edge)) for line in COSINES]
        if self.left:
            edge = [3 * d[y + i][x - 1] - d[y + i][x - 2] for i in range(8)]
            self.b = [sum(c * e for c, e in zip(line, edge)) for line in COSINES]

    def begin(self, order, u, v):
        step = self.picture.steps[u, v]
        self.place, self.order = (u, v), order
        self.by_above = quotient(16 * self.a[v], at_edge(u) * step) if self.above else 0
        self.by_left = quotient(16 * self.b[u], at_edge(v) * step) if self.left else 0
        if not self.left:
            self.both = self.by_above
        elif not self.above or v == 0 < u:
            self.both = self.by_left
        elif u == 0 < v:
            self.both = self.by_above
        else:
            self.both = quotient(self.by_above + self.by_left, 2)
        m = self.magnitude
        weights = sum(weight for weight, block in ((2, self.above), (2, self.left), (1, self.above and self.left),
                                                   (1, self.above and self.above_right)) if block)
        around = (2 * m(self.above, u, v) + 2 * m(self.left, u, v) + m(self.above_left, u, v) +
                  m(self.above_right, u, v))
        self.around = level(quotient(16 * around, weights)) if weights else 0

        def own(i, j):
            return m(self.known, u + i, v + j)
        self.near = level(10 * (own(1, 0) + own(0, 1)) + 7 * own(1, 1) + 5 * (own(2, 0) + own(0, 2)) +
                          3 * (own(3, 0) + own(0, 3)))
        places = [(u, v), (u, v + 1), (u + 1, v), (u + 1, v + 1), (u - 1, v), (u, v - 1)]
        self.other = level(5 * sum(m(self.above, *place) + m(self.left, *place) for place in places if place != (0, 0)))
        self.nonzero = sum(k != 0 for k in self.known.values())
        self.kind = (u == 0) + 2 * (v == 0)
        self.expected = 0
        if u == v == 0:
            self.expected = limit(quotient(self.both + (-8 if self.both < 0 else 8), 16), -2047, 2047)
            self.difference = level(quotient((self.by_above - self.by_left) * step, 16))
            self.activity = level(sum(abs(k * self.picture.steps[place]) // 4 for place, k in self.known.items()))

    @staticmethod
    def magnitude(block, u, v):
        return abs(block.get((u, v), 0)) if block else 0

    def set(self, k):
        u, v = self.place
        self.known[u, v] = k
        self.a[v] -= at_edge(u) * k * self.picture.steps[u, v]
        self.b[u] -= at_edge(v) * k * self.picture.steps[u, v]

    def lists(self, d):
        u, v = self.place
        a, b, both, nonzero = self.by_above, self.by_left, self.both, self.nonzero
        if u == v == 0:
            rest = 16 * self.expected
            known = bool(self.above) + 2 * bool(self.left)
            return [[self.difference], [self.activity], [self.difference, self.activity], [min(nonzero, 40)],
                    [signed(4 * (both - rest))], [known, self.difference], [signed(b - a)],
                    [min(nonzero, 15), self.difference], [signed(a - rest), signed(b - rest)]]
        place = 8 * u + v
        above = self.above[u, v] if self.above else 0
        left = self.left[u, v] if self.left else 0
        by_above, by_left = signed(quotient(3 * a, 2)), signed(quotient(3 * b, 2))
        if d == 1:
            sign_above, sign_left = ((k > 0) + 2 * (k < 0) for k in (above, left))
            return [[place, by_above], [place, by_left], [place, signed(2 * both)], [place, sign_above, sign_left],
                    [signed(2 * both), self.kind], [place, signed(8 * (above + left))], [by_above, by_left],
                    [self.kind, signed(4 * both)], [place]]
        return [[place, by_above], [place, by_left], [place, min(nonzero, 40)], [place, self.other, self.near],
                [place, limit(above, -3, 3) + 3, limit(left, -3, 3) + 3],
                [11 * self.around + self.other, self.near, min(u + v, 7)], [place],
                [place, self.near, signed(quotient(3 * both, 2))], [min(nonzero, 30), self.other, self.order // 4]]


class Picture:
    def __init__(self, decoder, width, height, bound):
        self.decoder, self.width, self.height, self.bound = decoder, width, height, bound
        row, column, quality = decoder.number(3), decoder.number(3), decoder.number(7)
        self.top, self.left = (start - 8 if start else 0 for start in (row, column))
        self.steps, step, same = {}, 16, Pair()
        for place in JPEG_ORDER:
            told = told_step(quality, place, step)
            is_told = decoder.bit(int(same.p * 65536.0))
            same.adapt(is_told)
            step = told if is_told else min(1 + decoder.number(8), 255)
            self.steps[place] = step
        self.down, self.across = -((self.top - height) // 8), -((self.left - width) // 8)
        self.blocks, self.tables = {}, [{} for _ in range(9)]
        self.decoded = [[0] * (8 * self.across) for _ in range(8 * self.down)]
        self.weights, self.curves, self.decisions = {}, {}, 0

    def decode(self):
        """The samples, row by row."""
        for row in range(self.down):
            for column in range(self.across):
                self.block(row, column)
            self.decoder.check(False)
        return self.errors()

    def block(self, row, column):
        block = Block(self, row, column)
        for order in range(63, -1, -1):
            block.begin(order, *JPEG_ORDER[order])
            block.set(self.coefficient(block))
        self.blocks[row, column] = block.known
        values = [[block.known[u, v] * self.steps[u, v] for v in range(8)] for u in range(8)]
        columns = [inverse(line, 11) for line in zip(*values)]
        for y, line in enumerate(inverse(line, 18) for line in zip(*columns)):
            for x, value in enumerate(line):
                self.decoded[8 * row + y][8 * column + x] = limit(value + 128, 0, 255) - 128

    def coefficient(self, block):
        if self.decide(block, 0):
            return block.expected
        negative, n = self.decide(block, 1), 1
        while n < 18 and self.decide(block, 1 + n):
            n += 1
        if n == 18:
            n += self.rest()
        return limit(block.expected + (-n if negative else n), -2047, 2047)

    def rest(self):
        i = 0
        while i < 15 and self.decoder.bit(32768):
            i += 1
        return 2**i + self.decoder.number(i) - 1

    def decide(self, block, d):
        first = block.place == (0, 0)
        pairs, inputs = [], []
        for table, numbers in zip(self.tables, block.lists(d)):
            h = add(1 if first else 2, d)
            for number in numbers:
                h = add(h, number)
            pairs.append(table.setdefault(h >> 16, Pair()))
            p = pairs[-1].p
            inputs.append(log2(p) - log2(1.0 - p) if pairs[-1].count else 0.0)
        inputs.append(0.3)
        u, v = block.place
        if d == 0:
            third = 0, block.around, block.near
        elif d == 1:
            third = 1, block.kind, signed(quotient(3 * block.both, 2))
        else:
            third = 2, min(d - 2, 7), block.around, block.near
        first_weights = self.weights.setdefault(("first", min(d, 15), first), [0.2] * 9 + [0.0])
        sets = [first_weights, *(self.weights.setdefault(key, [0.0] * 10)
                                 for key in (("second", min(d, 2), u, v), ("third", *third)))]
        mixed = 0.0
        for y, f, g, h in zip(inputs, *sets):
            mixed += ((f + g) + h) * y
        mixed = limit(mixed, -15.0, 15.0)
        p = logistic(mixed)
        key = (min(d, 2), block.kind) if d < 2 else (2, block.kind, min(d - 2, 3))
        r = self.curves.setdefault(key, [logistic(i - 16.0) for i in range(33)])
        at = mixed + 16.0
        i = int(at)
        f = at - i
        q = p * 0.6 + (r[i] * (1.0 - f) + r[i + 1] * f) * 0.4
        bit = self.decoder.bit(limit(int(q * 65536.0), 1, 65535))
        t = float(bit)
        g = (t - p) * (0.001 + 0.012 / (1.0 + self.decisions * 0.0005))
        self.decisions += 1
        for weights in sets:
            for k, y in enumerate(inputs):
                weights[k] += g * y
        r[i] += (t - r[i]) * (0.02 * (1.0 - f))
        r[i + 1] += (t - r[i + 1]) * (0.02 * f)
        for pair in pairs:
            pair.adapt(bit, 1.9)
        return bit

    def errors(self):
        has_errors = self.decoder.bit(32768)
        zero, size = [Pair() for _ in range(18)], [Pair() for _ in range(16)]
        above, samples = [0] * self.width, []

        def error(pair):
            bit = self.decoder.bit(int(pair.p * 65536.0))
            pair.adapt(bit)
            return bit

        def is_whole(at, begin, length):
            start = begin + (at - begin) // 8 * 8
            return start >= 0 and start + 8 <= length

        for y in range(self.height):
            row = []
            for x in range(self.width):
                n = 0
                if has_errors:
                    z = 3 * min(abs(row[-1]) if row else 0, 2) + min(abs(above[x]), 2)
                    if not (is_whole(y, self.top, self.height) and is_whole(x, self.left, self.width)):
                        z += 9
                    if not error(zero[z]):
                        negative, n = self.decoder.bit(32768), 1
                        while n <= 15 and error(size[n]):
                            n += 1
                        if n == 16:
                            n += self.rest()
                        n = limit(-n if negative else n, -255, 255)
                row.append(n)
                decoded = self.decoded[y - self.top][x - self.left] + 128
                samples.append(limit(decoded + n * (2 * self.bound + 1), 0, 255))
            above = row
        return samples


def inverse(values, shift):
    sums = [[sum(c * f for c, f in zip(line, values[first::2])) for line in matrix]
            for matrix, first in ((EVEN, 0), (ODD, 1))]
    half = 1 << (shift - 1)
    front = [(even + odd + half) >> shift for even, odd in zip(*sums)]
    back = [(even - odd + half) >> shift for even, odd in zip(*sums)]
    return front + back[::-1]
