"""Written from docs/format-pixel.md alone, a part of spec_pixel_decoder.py: "Binary coder", "Tables" and
what its other chapters share."""

import struct

MASK = 0xffffffff


class Refused(Exception):
    pass


def require(condition, reason):
    if not condition:
        raise Refused(reason)


class BinaryDecoder:
    def __init__(self, stream):
        self.stream, self.position, self.range, self.code = stream, 0, MASK, 0
        for _ in range(4):
            self.code = self.code << 8 | self.next()

    def next(self):
        self.position += 1
        return self.stream[self.position - 1] if self.position <= len(self.stream) else 0

    def bit(self, p):
        bound = self.range * p >> 16
        if self.code < bound:
            bit, self.range = 1, bound
        else:
            bit = 0
            self.code -= bound
            self.range -= bound
        while self.range < 1 << 24:
            self.range = self.range << 8 & MASK
            self.code = (self.code << 8 | self.next()) & MASK
        return bit

    def number(self, bits):
        value = 0
        for _ in range(bits):
            value = 2 * value + self.bit(32768)
        return value

    def check(self, at_end):
        require(self.position <= len(self.stream) + 4, 'overrun')
        require(not at_end or self.position >= len(self.stream), 'unread bytes')


def limit(x, low, high):
    return min(max(x, low), high)


def make_log2():
    table = []
    for i in range(1024):
        v, l = (2049 + 2 * i) << 20, 0
        for _ in range(24):
            v = v * v >> 31
            l *= 2
            if v >= 1 << 32:
                v >>= 1
                l += 1
        table.append(l / 2.0**24)
    return table


def powers(first, factor, count):
    table = [first]
    while len(table) < count:
        table.append(table[-1] * factor)
    return table


def make_distribution(d, r, a):
    c, g, total = [], [], 0.0
    for i in range(1024):
        total_of_step = 0.0
        for j in range(16):
            t = ((i - 512) * 16 + j + 0.5) / 512
            b = 1.0 / (1.0 + (t * t) * ((a * a) / d))
            density = b
            for _ in range(r - 1):
                density = density * b
            total_of_step = total_of_step + density
        c.append(total)
        g.append(total_of_step)
        total = total + total_of_step
    return [x / total for x in c], [x / total for x in g]


LOG2 = make_log2()
HALF = powers(1.0, 0.9993233275026507, 1024)
LEVEL = powers(0.03507693900966791, 1.2599210498948732, 64)
SHAPES = [make_distribution(3.0, 2, 1.1026577908435842), make_distribution(7.0, 4, 0.8983133852752907)]
NEIGHBOURS = [(-1, 0), (0, -1), (-1, -1), (1, -1), (-2, 0), (0, -2), (-1, -2), (1, -2), (-2, -1), (2, -1),
              (-2, -2), (2, -2), (-3, 0), (0, -3), (-3, -1), (3, -1), (-1, -3), (1, -3), (-3, -2), (3, -2),
              (-2, -3), (2, -3), (-4, 0), (0, -4), (-4, -1), (4, -1), (-1, -4), (1, -4), (-3, -3), (3, -3),
              (-5, 0), (0, -5)]


def log2(x):
    bits = struct.unpack('>Q', struct.pack('>d', x))[0]
    return float((bits >> 52) - 1023) + LOG2[bits >> 42 & 1023]


def logistic(x):
    k = int((x + 32.0) * 1024.0)
    return 1.0 / (1.0 + HALF[k & 1023] * 2.0**(32 - (k >> 10)))


def level(x):
    return min(63, int(max(0.0, (log2(x + 0.03125) + 5.0) * 3.0)))


def add(h, v):
    h = (h ^ v) * 0x2c1b3c6d & MASK
    return h ^ h >> 15
