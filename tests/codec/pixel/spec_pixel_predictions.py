"""Written from docs/format-pixel.md alone, a part of spec_pixel_decoder.py: "Neighbours" to "Exact contexts"."""

from spec_pixel_conventions import LEVEL, MASK, NEIGHBOURS, SHAPES, add, level, limit, log2, logistic

QUANTILES = [None, 0.0, -0.87, 0.87, -1.55, -0.38, 0.38, 1.55, -2.3, -1.17, -0.62, -0.19, 0.19, 0.62, 1.17, 2.3]


class LeastSquares:
    def __init__(self, width, order, block, decay, ridge, period, prior):
        self.k, self.block, self.decay, self.ridge, self.period, self.prior = order, block, decay, ridge, period, prior
        self.cells = [(r, c) for r in range(order) for c in range(r, order + 1)]
        self.blocks = -(-width // block)
        new = lambda: [0.0] * len(self.cells)
        self.row, self.column, self.above = ([new() for _ in range(self.blocks)] for _ in range(3))
        self.left = new()
        self.block_decay = 1.0
        for _ in range(block):
            self.block_decay = self.block_decay * decay

    def begin_row(self):
        self.left = [0.0] * len(self.cells)

    def predict(self, x, values, mean):
        self.z = [v - mean for v in values[:self.k]]
        if x % self.period == 0:
            self.solve(self.above[x // self.block])
        s = [0.0] * 4
        for i in range(self.k):
            s[i % 4] = s[i % 4] + self.w[i] * self.z[i]
        return mean + ((s[0] + s[1]) + (s[2] + s[3]))

    def learn(self, x, v, mean, q):
        z = self.z + [v - mean]
        row = self.row[x // self.block]
        for i, (r, c) in enumerate(self.cells):
            p = (z[r] * q) * z[c]
            row[i] = row[i] + p
            self.left[i] = (self.left[i] + p) * self.decay

    def end_row(self):
        size = len(self.cells)
        for b in range(self.blocks):
            self.column[b] = [(c + r) * self.decay for c, r in zip(self.column[b], self.row[b])]
            self.row[b] = [0.0] * size
        u = [0.0] * size
        for b in range(self.blocks):
            u = [a * self.block_decay + c for a, c in zip(u, self.column[b])]
            self.above[b] = list(u)
        u = [0.0] * size
        for b in reversed(range(self.blocks)):
            u = [a * self.block_decay for a in u]
            self.above[b] = [a + c for a, c in zip(self.above[b], u)]
            u = [a + c for a, c in zip(u, self.column[b])]

    def solve(self, above):
        k_ = self.k
        m = [[0.0] * (k_ + 1) for _ in range(k_)]
        for (r, c), a, b in zip(self.cells, self.left, above):
            m[r][c] = a + b
        for r in range(k_):
            m[r][r] = m[r][r] + self.ridge
        for r, prior in enumerate(self.prior):
            m[r][k_] = m[r][k_] + self.ridge * prior
        f, inverse, w = [], [], []
        for r in range(k_):
            f.append([m[k][r] * inverse[k] for k in range(r)])
            for k in range(r):
                for c in range(r, k_ + 1):
                    m[r][c] = m[r][c] - f[r][k] * m[k][c]
            inverse.append(1.0 / m[r][r] if m[r][r] > 1e-9 else 0.0)
            w.append(m[r][k_] * inverse[r])
        for r in range(k_ - 1, 0, -1):
            for k in range(r):
                w[k] = w[k] - f[r][k] * w[r]
        self.w = w


class LeastMeanSquares:
    def __init__(self):
        self.a = [0.75, 0.75, -0.5] + [0.0] * 29

    def predict(self, near, mean):
        self.z = [n - mean for n in near]
        self.p, self.g = mean, 0.0
        for a, z in zip(self.a, self.z):
            self.p = self.p + a * z
            self.g = self.g + z * z
        return self.p

    def learn(self, v):
        s = (0.003 * (v - self.p)) / (self.g * (1.0 / 32) + 1.0)
        self.a = [a + s * z for a, z in zip(self.a, self.z)]


class ExactContexts:
    def __init__(self, tables):
        self.followers = [{} for _ in range(3)]
        self.decisions = [{} for _ in range(tables)]
        self.rates = [0.5] * 192

    def begin(self, near, wide):
        self.hashes = []
        for count, seed in ((2, 1), (4, 2), (6, 3), (12, 4), (30, 5)):
            h = seed
            for n in near[:count]:
                h = add(h, int(n))
            self.hashes.append(h)
        h = 77
        for v in wide:
            h = add(h, int(v))
        self.hashes.append(h)
        self.found = []
        for table, h in zip(self.followers, (self.hashes[4], self.hashes[3], self.hashes[1])):
            entry = table.setdefault(h >> 16, [0, 0, 0])
            if entry[2] != h >> 8 & 255:
                entry[:] = [0, 0, h >> 8 & 255]
            self.found.append(entry)
        west, north = int(near[0]), int(near[1])
        source = next((i for i, entry in enumerate(self.found) if entry[1] > 0), 3)
        self.first = self.found[source][0] if source < 3 else west
        m = min(self.found[source][1], 3) if source < 3 else 0
        equal = ((near[0] == near[2]) + (near[1] == near[2]) + (near[1] == near[3]) + (near[0] == near[4]) +
                 (near[1] == near[5]))
        self.h = 2 * (4 * (4 * equal + source) + m) + (self.first == west)
        self.set = 1 + 5 * equal + (4 if source == 0 and m >= 2 else 3 - source)
        self.candidates = []
        if self.rates[self.h] > 0.3:
            self.candidates.append(self.first)
            second = west if self.first != west else north
            if second != self.first:
                self.candidates.append(second)

    def learn(self, v):
        self.rates[self.h] = self.rates[self.h] + (float(v == self.first) - self.rates[self.h]) * 0.02
        for entry in self.found:
            if entry[1] > 0 and entry[0] == v:
                entry[1] = min(entry[1] + 1, 8)
            elif entry[1] > 2:
                entry[1] //= 2
            else:
                entry[0], entry[1] = v, 1

    def inputs(self, key):
        self.used, y = [], []
        for h, table in zip(self.hashes, self.decisions):
            u = (h + key * 0x9e3779b1) & MASK
            u ^= u >> 15
            u = u * 0x85ebca6b & MASK
            u ^= u >> 13
            entry = table.setdefault(u >> 15, [32768, 0, 0])
            if entry[2] != u & 255:
                entry[:] = [32768, 0, u & 255]
            self.used.append(entry)
            p = entry[0] / 65536.0
            y.append(log2(p) - log2(1.0 - p) if entry[1] else 0.0)
        return y

    def learn_decision(self, bit):
        for entry in self.used:
            d = 3 * entry[1] + (7 if entry[1] > 2 else 4)
            change = 3 * ((65535 if bit else 0) - entry[0])
            quotient = abs(change) // d
            entry[0] = limit(entry[0] + (quotient if change >= 0 else -quotient), 32, 65503)
            entry[1] = min(entry[1] + 1, 24)


class Rectangle:
    def __init__(self, decoder, width, height, values, reach, means, effort, exact):
        self.decoder, self.width, self.height, self.v = decoder, width, height, values
        self.reach, self.means, self.effort = reach, means, effort
        self.exact = ExactContexts(1 if effort == 1 else 6) if exact else None
        prior = [0.75, 0.75, -0.5]
        if effort == 1:
            self.squares = [LeastSquares(width, 6, 2, 0.7, 0.02, 1, prior)]
            self.shapes = [1, 1]
        else:
            self.squares = [LeastSquares(width, 6, 2, 0.65, 0.02, 1, prior),
                            LeastSquares(width, 12, 4, 0.77, 0.02, 1, prior),
                            LeastSquares(width, 18, 4, 0.83, 0.02, 1, prior),
                            LeastSquares(width, 30, 8, 0.92, 0.02, 4, prior)]
            self.stack = LeastSquares(width, 7, 8, 0.9, 1.0, 1, [0.25] * 4)
            self.lms = LeastMeanSquares()
            self.shapes = [0, 1, 1, 0, 1, 1, 1, 1, 1, 0, 0, 0]
        self.all_squares = self.squares + ([self.stack] if effort == 2 else [])
        self.predictors = 3 if effort == 1 else 8
        self.samples = {}
        self.errors = {}
        self.signed = {}
        self.deviations = {}
        self.biases = [[0.0, 0.0] for _ in range(1024)]
        self.adaptive = {}
        self.refined = {}
        self.weights = {}
        self.coded = 0

    def sample(self, x, y):
        """As seen from the sample to be coded."""
        if y < 0:
            column = min(x, self.x) if self.y == 0 else min(x, self.width - 1)
            return self.samples[(column - 1, 0)] if column > 0 else float(self.v // 2)
        if x < 0:
            return self.samples[(0, y - 1)] if y > 0 else float(self.v // 2)
        return self.samples[(min(x, self.width - 1), y)]

    def error(self, x, y):
        if x < 0:
            x, y = 0, y - 1
        if y < 0:
            return [self.v / 64.0 + 0.5] * (self.predictors + 1)
        return self.errors[(min(x, self.width - 1), y)]

    def decode(self):
        rows = []
        for self.y in range(self.height):
            for squares in self.all_squares:
                squares.begin_row()
            row = []
            for self.x in range(self.width):
                row.append(self.decode_sample())
                self.coded += 1
            for squares in self.all_squares:
                squares.end_row()
            self.decoder.check(False)
            rows.extend(row)
        return rows

    def predict(self, near):
        clip = lambda p: limit(p, 0.0, float(self.v - 1))
        w, n, nw, ne = near[:4]
        self.mean = (w + n + nw + ne) * 0.25
        p = [s.predict(self.x, near, self.mean) for s in self.squares]
        if self.effort == 2:
            p.append(self.lms.predict(near, self.mean))
        p.append(min(w, n) if nw >= max(w, n) else max(w, n) if nw <= min(w, n) else w + n - nw)
        p.append((w + n) * 0.5 + (ne - nw) * 0.25)
        p = [clip(q) for q in p]
        if self.effort == 2:
            self.stack_mean = (p[0] + p[1] + p[2] + p[3]) * 0.25
            p.append(clip(self.stack.predict(self.x, p, self.stack_mean)))
        self.p = p

    def expect(self, near):
        at = lambda dx, dy: self.error(self.x + dx, self.y + dy)
        w, n, nw, ne, ww, nn, nee = (at(-1, 0), at(0, -1), at(-1, -1), at(1, -1), at(-2, 0), at(0, -2), at(2, -1))
        self.e = [((((w[k] + n[k]) * 2.0) + (nw[k] + ne[k])) + ((ww[k] + nn[k]) + nee[k])) * (1.0 / 9.0)
                  for k in range(self.predictors + 1)]
        weights = total = 0.0
        for e, p in zip(self.e, self.p):
            i = 1.0 / (e + 0.05)
            g = i * i * i
            weights = weights + g
            total = total + g * p
        self.blend = total / weights
        w, n, nw, ne, ww, nn = near[:6]
        b = self.blend
        texture = sum(1 << i for i, v in enumerate((n, w, nw, ne, nn, ww, 2.0 * n - nn, 2.0 * w - ww)) if v > b)
        self.l = level(self.e[-1])
        self.beta = 4 * texture + min(3, self.l // 10)
        self.centre = limit(b + 0.4 * self.biases[self.beta][0], 0.0, float(self.v - 1))

    def model(self, near):
        w, n, nw, ne, ww, nn = near[:6]
        gradient = abs(w - nw) + abs(n - nw) + abs(n - ne) + abs(w - ww) + abs(n - nn)
        lg = level(gradient * 0.2)
        d = [self.signed.get((self.x + dx, self.y + dy), 0.0) for dx, dy in ((-1, 0), (0, -1), (1, -1))]
        coarse = [min(level(abs(v)) // 3, 15) for v in d]
        le = 256 * coarse[0] + 16 * coarse[1] + coarse[2]
        blend = self.e[-1]
        own = lambda k: (self.p[k], level(self.e[k]), LEVEL[level(self.e[k])])
        by_gradient = (self.centre, 32 * (self.l // 2) + lg // 2, blend)
        if self.effort == 1:
            parts = [by_gradient, own(0)]
        else:
            ls = level(max(self.p[:4]) - min(self.p[:4]))
            parts = [(self.centre, self.l, LEVEL[self.l]), (self.centre, 32 * (self.l // 2) + ls // 2, blend),
                     by_gradient, (self.centre, le, blend)]
            parts += [own(k) for k in range(6)] + [own(7), ((w + n) * 0.5, lg, LEVEL[lg])]
        self.centres = [p[0] for p in parts]
        self.cells = [self.deviations.setdefault((k, p[1]), [0.0, 0.0]) for k, p in enumerate(parts)]
        self.inverse = [1.0 / max((cell[0] + p[2] * 2.0) / (cell[1] + 2.0), 0.02)
                        for cell, p in zip(self.cells, parts)]
        self.scale = 1.0 / self.inverse[0]
        self.dc = min(15, self.l // 3)
        scaled = lambda y: y * self.inverse[0]
        five = lambda y: sum(scaled(y) >= t for t in (-1.5, -0.4, 0.4, 1.5))
        seven = lambda y: 0 if scaled(y) < -4.0 else 6 if scaled(y) >= 4.0 else 1 + five(y)
        c = self.centre
        self.t = [25 * five(d[0]) + 5 * five(d[1]) + five(d[2]), self.beta]
        if self.effort == 2:
            self.t.insert(0, self.l)
            self.t.append(49 * seven(w - c) + 7 * seven(n - c) + seven(ne - c))
            self.t.append(49 * seven(self.p[0] - c) + 7 * seven(self.p[3] - c) + seven(self.p[5] - c))
            self.t.append(16 * int((c - int(c)) * 16.0) + self.dc)

    def decode_sample(self):
        near = [self.sample(self.x + dx, self.y + dy) for dx, dy in NEIGHBOURS]
        self.predict(near)
        self.expect(near)
        self.model(near)
        candidates = []
        if self.exact:
            wide = [self.sample(self.x + dx, self.y) for dx in range(-7, 0)]
            wide += [self.sample(self.x + dx, self.y - dy) for dy in range(1, 7) for dx in range(-7, 8)]
            self.exact.begin(near, wide)
            candidates = self.exact.candidates
            if candidates:
                self.t[0] = (125 if self.effort == 1 else 64) + self.exact.h
        if self.reach == 0:
            self.z, self.base, self.step = self.v, -0.5, 1.0
            value = self.decode_cell(candidates)
        else:
            step, reach = 2 * self.reach + 1, self.reach
            c = int(self.centre + 0.5)
            below, above = (c + reach) // step, (self.v - 1 - c + reach) // step
            first = c - below * step
            self.z, self.base, self.step = below + above + 1, float(first - reach) - 0.5, float(step)
            cell = self.decode_cell([])
            middle = first + cell * step
            low, high = max(middle - reach, 0), min(middle + reach, self.v - 1)
            value = limit(self.mean_of(cell), low, high) if self.means else limit(middle, 0, self.v - 1)
        if self.exact:
            self.exact.learn(value)
        self.learn(float(value))
        return value

    def learn(self, v):
        for cell, c in zip(self.cells, self.centres):
            cell[0] = cell[0] + abs(v - c)
            cell[1] = cell[1] + 1.0
            if cell[1] > 200.0:
                cell[0], cell[1] = cell[0] * 0.5, cell[1] * 0.5
        at = (self.x, self.y)
        self.samples[at] = v
        self.errors[at] = [abs(v - p) for p in self.p] + [abs(v - self.centre)]
        self.signed[at] = v - self.centre
        bias = self.biases[self.beta]
        bias[1] = min(bias[1] + 1.0, 64.0)
        bias[0] = bias[0] + ((v - self.blend) - bias[0]) / (bias[1] + 3.0)
        q = 1.0 / (self.e[-1] + 1.0)
        for squares in self.squares:
            squares.learn(self.x, v, self.mean, q)
        if self.effort == 2:
            self.stack.learn(self.x, v, self.stack_mean, q)
            self.lms.learn(v)

    def share_below(self, k, y):
        u = limit(((y - self.centres[k]) * self.inverse[k]) * 32.0 + 512.0, 0.0, 1023.999)
        i = int(u)
        below, growth = SHAPES[self.shapes[k]]
        return below[i] + (u - float(i)) * growth[i]

    def share(self, j):
        y = self.base + float(j) * self.step
        return [self.share_below(k, y) * (1.0 - 0.0001) + float(j) * (0.0001 / self.v)
                for k in range(len(self.centres))]

    def mean_of(self, cell):
        edge, eighth = self.base + float(cell) * self.step, self.step * 0.125
        shares = [self.share_below(0, edge + eighth * float(i)) for i in range(9)]
        total = moment = 0.0
        for i in range(8):
            mass = (shares[i + 1] - shares[i]) + 1e-9
            total = total + mass
            moment = moment + mass * (float(i) + 0.5)
        return int(max(edge + eighth * (moment / total), 0.0) + 0.5)

    def decode_cell(self, candidates):
        self.low, self.high = 0, self.z
        self.lower, self.upper = [0.0] * len(self.centres), [1.0] * len(self.centres)
        self.refused = []
        for i, candidate in enumerate(candidates):
            one = [b - a for a, b in zip(self.share(candidate), self.share(candidate + 1))]
            zero = [1.0 - o for o in one]
            for _, mass in self.refused:
                zero = [z - m for z, m in zip(zero, mass)]
            if self.decide(one, zero, 36 + i, 36 + i, 1):
                return candidate
            self.refused.append((candidate, one))
        node, c = 1, self.centre
        while node < 16:
            node = 2 * node + self.is_upper(self.split(c + self.scale * QUANTILES[node]), node)
        distance = self.scale * 3.5
        for k in range(10 if node in (16, 31) else 0):
            if self.high - self.low <= 1:
                break
            if node == 31:
                if not self.is_upper(max(self.low + 1, self.split(c + distance)), 16 + min(k, 3)):
                    break
            elif self.is_upper(min(self.high - 1, self.split(c - distance)), 20 + min(k, 3)):
                break
            distance = distance * 1.6
        while self.high - self.low > 1:
            n = self.high - self.low
            mid = self.low + n // 2
            label = 24 + (0 if n == 2 else 1 if n == 3 else 2 if n < 6 else 3)
            self.is_upper(mid, label + (4 if self.base + float(mid) * self.step > c else 0))
        return self.low

    def split(self, y):
        return int(limit((y - self.base) / self.step + 0.5, float(self.low), float(self.high)))

    def is_upper(self, mid, label):
        if mid <= self.low:
            return 1
        if mid >= self.high:
            return 0
        share = self.share(mid)
        one = [u - s for u, s in zip(self.upper, share)]
        zero = [s - l for s, l in zip(share, self.lower)]
        a, b = mid - self.low, self.high - mid
        for candidate, mass in self.refused:
            if self.low <= candidate < mid:
                a -= 1
                zero = [z - m for z, m in zip(zero, mass)]
            elif mid <= candidate < self.high:
                b -= 1
                one = [o - m for o, m in zip(one, mass)]
        bit = 1 if a == 0 else 0 if b == 0 else self.decide(one, zero, label, 40 * mid, 0)
        if bit:
            self.low, self.lower = mid, share
        else:
            self.high, self.upper = mid, share
        return bit

    def decide(self, one, zero, label, key, asks):
        if self.effort == 2:
            return self.decide_well(one, zero, label, key, asks)
        if not self.exact and (8 <= label < 16 or 24 <= label < 32):
            o, z = (max(m[0] * 2.0 + m[1], 1e-12) for m in (one, zero))
            return self.decoder.bit(limit(int(o / (o + z) * 65536.0), 1, 65535))
        y = [limit(log2(max(o, 1e-12)) - log2(max(z, 1e-12)), -12.0, 12.0) for o, z in zip(one, zero)]
        adaptive = [self.adaptive.setdefault((i, t, label), [0.5, 0.0]) for i, t in enumerate(self.t)]
        y += [log2(p) - log2(1.0 - p) for p, _ in adaptive]
        group = 0 if label == 1 else 1 if label < 4 else 2 if label < 16 else 3
        sets = [self.weights.setdefault(('label', label), [0.5, 0.5, 0.0, 0.0]),
                self.weights.setdefault(('class', self.dc, group), [0.0] * 4)]
        u = [(a + b) * v for a, b, v in zip(*sets, y)]
        mixed = (u[0] + u[1]) + (u[2] + u[3])
        if self.exact:
            x, w = self.exact.inputs(key), self.weights.setdefault(('seen', label), [0.3])
            mixed = mixed + w[0] * x[0]
        p = logistic(limit(mixed, -15.0, 15.0))
        bit = self.decoder.bit(limit(int(p * 65536.0), 1, 65535))
        t = float(bit)
        g = (t - p) * (0.002 + 0.02 / (1.0 + float(self.coded) * (1.0 / 512.0)))
        for weights in sets:
            for k, value in enumerate(y):
                weights[k] = weights[k] + g * value
        self.adapt(adaptive, t)
        if self.exact:
            w[0] = w[0] + g * x[0]
            self.exact.learn_decision(bit)
        return bit

    def adapt(self, adaptive, t):
        for entry in adaptive:
            entry[0] = limit(entry[0] + (t - entry[0]) / (entry[1] + 1.6), 1.0 / 4096.0, 4095.0 / 4096.0)
            entry[1] = min(entry[1] + 1.0, 250.0)

    def decide_well(self, one, zero, label, key, asks):
        y = [limit(log2(max(o, 1e-12)) - log2(max(z, 1e-12)), -12.0, 12.0) for o, z in zip(one, zero)]
        adaptive = [self.adaptive.setdefault((i, t, label), [0.5, 0.0]) for i, t in enumerate(self.t)]
        y += [log2(p) - log2(1.0 - p) for p, _ in adaptive]
        y.append(0.3)
        first_exact = len(y)
        y += self.exact.inputs(key) if self.exact else [0.0] * 6
        y += [0.0] * (-len(y) % 8)
        group = 0 if label == 1 else 1 if label < 4 else 2 if label < 16 else 3
        first = [0.0] * len(y)
        first[:len(one)] = [0.18] * len(one)
        if self.exact:
            first[first_exact:first_exact + 6] = [0.3] * 6
        sets = [self.weights.setdefault(('label', label), first),
                self.weights.setdefault(('class', self.dc, group), [0.0] * len(y)),
                self.weights.setdefault(('exact', self.exact.set if self.exact else 0, asks, group), [0.0] * len(y))]
        s = [0.0] * 8
        for i, (a, b, c) in enumerate(zip(*sets)):
            s[i % 8] = s[i % 8] + ((a + b) + c) * y[i]
        mixed = limit(((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])), -15.0, 15.0)
        p = logistic(mixed)
        v = limit(mixed, -12.0, 11.99) + 12.0
        i = int(v)
        f = v - float(i)
        refined = self.refined.setdefault((label, self.dc), [logistic(float(i - 12)) for i in range(25)])
        q = p * 0.8 + (refined[i] * (1.0 - f) + refined[i + 1] * f) * 0.2
        bit = self.decoder.bit(limit(int(q * 65536.0), 1, 65535))
        t = float(bit)
        g = (t - p) * (0.0007 + 0.006 / (1.0 + float(self.coded) * (1.0 / 512.0)))
        for weights in sets:
            for k, value in enumerate(y):
                weights[k] = weights[k] + g * value
        refined[i] = refined[i] + (t - refined[i]) * (0.02 * (1.0 - f))
        refined[i + 1] = refined[i + 1] + (t - refined[i + 1]) * (0.02 * f)
        self.adapt(adaptive, t)
        if self.exact:
            self.exact.learn_decision(bit)
        return bit
