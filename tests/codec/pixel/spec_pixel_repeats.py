"""Written from docs/format-pixel.md alone, a part of spec_pixel_decoder.py: "Repeats"."""

from spec_pixel_conventions import MASK, NEIGHBOURS, add, limit, log2, logistic, require

MORE_NEIGHBOURS = NEIGHBOURS + [(-4, -2), (4, -2), (-5, -1), (5, -1), (-2, -4), (2, -4), (-6, 0), (0, -6),
                                (-5, -2), (5, -2), (-4, -3), (4, -3), (-3, -4), (3, -4), (-1, -5), (1, -5)]


def stretch(p):
    return log2(p) - log2(1.0 - p)


class Pair:
    def __init__(self, p, count):
        self.p, self.count = p, count

    def adapt(self, bit):
        self.p = limit(self.p + (float(bit) - self.p) / (self.count + 1.5), 1.0 / 8192.0, 8191.0 / 8192.0)
        self.count = min(self.count + 1.0, 255.0)


class Match:
    def __init__(self, samples):
        self.samples, self.last, self.source, self.length, self.pairs = samples, {}, None, 0, {}

    def begin(self, position, h):
        self.position, self.h, s = position, h >> 16, self.samples
        if self.source is None:
            source = self.last.get(self.h)
            self.length = 0
            while (source is not None and self.length < 24 and source > self.length and
                   s[source - self.length - 1] == s[position - self.length - 1]):
                self.length += 1
            self.source = source if self.length else None
        self.expected = None if self.source is None else s[self.source]

    def input(self, v):
        self.pair = None
        if self.source is None or v is None:
            return 0.0
        self.right = int(self.expected == v)
        length = min(self.length, 31)
        self.pair = self.pairs.setdefault((self.right, length), Pair(1.0 - 0.5 / (float(length) + 1.5), 6.0))
        return stretch(self.pair.p) if self.right else -stretch(self.pair.p)

    def learn_decision(self, bit):
        if self.pair:
            self.pair.adapt(bit == self.right)

    def learn(self, v):
        self.last[self.h] = self.position
        if self.source is not None:
            met = self.expected == v
            self.source, self.length = (self.source + 1, self.length + 1) if met else (None, 0)


class Repeats:
    def __init__(self, decoder, width, height, values, outside=None):
        self.decoder, self.width, self.height, self.v = decoder, width, height, values
        self.bits = (values - 1).bit_length()
        self.outside = decoder.number(self.bits) if outside is None else outside
        require(self.outside < values, 'outside')
        self.samples, self.decisions = [], 0
        self.histories, self.pairs = ([{} for _ in range(16)] for _ in range(2))
        self.a, self.b = Match(self.samples), Match(self.samples)
        self.weights, self.refined = {}, {}
        self.before, g = [], 0.4 - 0.03
        for _ in range(16):
            self.before.append(0.03 + g)
            g = g * 0.5

    def decode(self):
        for self.y in range(self.height):
            for self.x in range(self.width):
                self.decode_sample()
            self.decoder.check(False)
        return self.samples

    def at(self, dx, dy):
        x, y = self.x + dx, self.y + dy
        return self.samples[y * self.width + x] if y >= 0 and 0 <= x < self.width else self.outside

    def hashed(self, seed, samples):
        for sample in samples:
            seed = add(seed, sample)
        return seed

    def left(self, n, seed):
        return self.hashed(seed, (self.at(-i, 0) for i in range(1, n + 1)))

    def box(self, l, m, r, seed):
        columns = (self.hashed(9, (self.at(dx, -dy) for dy in range(1, r + 1))) for dx in range(-l, m + 1))
        return self.hashed(self.left(l, seed), columns)

    def decode_sample(self):
        w, n, nw, ne, ww, nn = (self.at(*offset) for offset in NEIGHBOURS[:6])
        near = [self.at(*offset) for offset in MORE_NEIGHBOURS]
        self.hashes = [self.hashed(1, near[:size]) for size in (2, 4, 6, 9, 12, 16, 22, 30, 38, 48)]
        self.hashes += [self.box(7, 7, 6, 2), self.box(3, 3, 9, 3), self.box(10, 10, 3, 4),
                        add(self.box(1, 0, 9, 5), ne), add(self.left(14, 6), n), self.hashed(7, (self.x, n, w, nn))]
        position = len(self.samples)
        self.a.begin(position, self.hashes[10])
        self.b.begin(position, self.box(4, 5, 3, 8))
        self.e = (w == n) + 2 * (n == nw) + 4 * (n == ne) + 8 * (w == ww) + 16 * (n == nn)
        candidates = list(dict.fromkeys([w, n, ne, nw, ww, nn]))[:min(2, self.v - 1)]
        value = self.decode_value(candidates)
        self.a.learn(value)
        self.b.learn(value)
        self.samples.append(value)

    def decode_value(self, candidates):
        for i, v in enumerate(candidates):
            if self.decide(i, v, v):
                return v
        if len(candidates) == self.v - 1:
            return next(v for v in range(self.v) if v not in candidates)
        s = 0
        for i in range(self.bits - 1, -1, -1):
            u = s + (1 << i)
            if u < self.v and self.decide(2, 256 * (16 * (u >> i) + i + 1), None):
                s = u
        return s

    def look_up(self, key):
        """The entry and the pair of each table; of an empty entry no pair."""
        for i, h in enumerate(self.hashes):
            u = (h + key * 0x9e3779b1) & MASK
            u ^= u >> 15
            u = u * 0x85ebca6b & MASK
            u ^= u >> 13
            entry = self.histories[i].setdefault(u >> 16, [0, 0, 0])
            if entry[2] != u & 255:
                entry[:] = [0, 0, u & 255]
            zeros, ones, d = entry[0], entry[1], self.before[i]
            first = Pair((float(ones) + d) / (float(zeros + ones) + 2.0 * d), 4.0)
            yield entry, self.pairs[i].setdefault((zeros, ones), first) if zeros + ones else None

    def decide(self, kind, key, v):
        found = list(self.look_up(key))
        y = [stretch(pair.p) if pair else 0.0 for _, pair in found] + [self.a.input(v), self.b.input(v), 0.3]
        known = sum(pair is not None for _, pair in found[4:10])
        m = 0
        if kind < 2 and self.a.source is not None:
            c = 1 if self.a.length < 16 else 2 if self.a.length < 32 else 3
            m = c if self.a.expected == v else 3 + c
        sets = [self.weights.setdefault(('kind', kind), [0.18] * 18 + [0.0]),
                self.weights.setdefault((known, m, kind), [0.0] * 19),
                self.weights.setdefault((self.e, kind), [0.0] * 19)]
        mixed = 0.0
        for (a, b, c), value in zip(zip(*sets), y):
            mixed = mixed + ((a + b) + c) * value
        mixed = limit(mixed, -15.0, 15.0)
        p = logistic(mixed)
        i = int(mixed + 16.0)
        f = mixed + 16.0 - float(i)
        r = self.refined.setdefault((self.e, kind, min(m, 1) + (m > 3)), [logistic(float(i - 16)) for i in range(33)])
        q = p * 0.8 + (r[i] * (1.0 - f) + r[i + 1] * f) * 0.2
        bit = self.decoder.bit(limit(int(q * 65536.0), 1, 65535))
        t = float(bit)
        g = (t - p) * (0.001 + 0.006 / (1.0 + float(self.decisions) * 0.0002))
        self.decisions += 1
        for weights in sets:
            for k, value in enumerate(y):
                weights[k] = weights[k] + g * value
        r[i] = r[i] + (t - r[i]) * (0.02 * (1.0 - f))
        r[i + 1] = r[i + 1] + (t - r[i + 1]) * (0.02 * f)
        for entry, pair in found:
            if pair:
                pair.adapt(bit)
            entry[bit] = min(entry[bit] + 1, 30)
            if entry[1 - bit] > 2:
                entry[1 - bit] = entry[1 - bit] // 2 + 1
        self.a.learn_decision(bit)
        self.b.learn_decision(bit)
        return bit
