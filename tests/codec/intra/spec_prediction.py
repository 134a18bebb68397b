"""Written from docs/format.md alone, a part of spec_decoder.py: "Prediction" and "Template prediction"."""

from spec_conventions import MACROBLOCK, SIZES, clip
from spec_least_squares import block_least_squares, least_squares

# --- Prediction -----------------------------------------------------------------------------------

OFFSETS = [32, 22, 14, 7, -7, -14, -22, -32, -22, -14, -7, 7, 14, 22]


def pdpc_weight(distance, slowness):
    halvings = 2 * distance >> slowness
    return 32 >> halvings if halvings < 6 else 0


class Border:
    """The surroundings of a block before it is decoded, and what they predict."""

    def __init__(self, pixels, y, x, level):
        self.pixels, self.y, self.x, self.level = pixels, y, x, level
        self.rows, self.columns = h, w = SIZES[level]
        row = pixels[y - 1]
        self.top, self.left = row[x] is not None, pixels[y][x - 1] is not None
        self.top_right = row[x + w] is not None
        self.two = pixels[y - 2][x - 2] is not None and self.top and self.left
        n = w
        while n < w + h and row[x + n] is not None:
            n += 1
        self.corner, self.above = row[x - 1], row[x:x + n]
        self.beside = [row[x - 1] for row in pixels[y:y + h]]

    def line(self, k):
        if k > 0:
            return self.above[min(k, len(self.above)) - 1]
        return self.beside[min(-k, self.rows) - 1] if k < 0 else self.corner

    def m2(self, k):
        return (self.line(k) + self.line(k + 1) + 1) >> 1

    def m3(self, k):
        return (self.line(k - 1) + 2 * self.line(k) + self.line(k + 1) + 2) >> 2

    def modes(self):
        both, right = self.top and self.left, self.top and self.top_right
        is_available = [self.top, self.left, True, both]
        if self.level < MACROBLOCK:
            is_available[3:] = [right, both, both, both, right, self.left, both]
        is_available += [False] * (10 - len(is_available)) + [both]
        if self.level < MACROBLOCK:
            is_available += [self.top] * 4 + [both] * 7 + [self.left] * 3 + [self.two]
        is_available += [False] * (26 - len(is_available)) + [self.two]
        return [mode for mode, available in enumerate(is_available) if available]

    def predict(self, mode):
        """Returns the rows of the predicted block."""
        if mode == 9:
            return least_squares(self.pixels, self.y, self.x, self.rows, self.columns)
        if mode == 25:
            return block_least_squares(self.pixels, self.y, self.x, self.rows, self.columns)
        if mode == 26:
            return match_templates(self.pixels, self.y, self.x, self.rows, self.columns)
        if mode == 2:
            return [[self.most_frequent()] * self.columns] * self.rows
        if mode == 3 and self.level == MACROBLOCK:
            return self.plane()
        return [[self.directional(mode, i, j) for j in range(self.columns)]
                for i in range(self.rows)]

    def directional(self, mode, i, j):
        if mode == 10:
            return self.planar(i, j)
        if mode > 10:
            return self.angle(mode, i, j)
        if mode == 0:
            return self.line(1 + j)
        if mode == 1:
            return self.line(-1 - i)
        if mode == 3:
            return self.m3(2 + i + j)
        if mode == 4:
            return self.m3(j - i)
        if mode == 5:
            z = 2 * j - i
            if z < 0:
                return self.m3(z + 1)
            return self.m3((z >> 1) + 1) if z & 1 else self.m2(z >> 1)
        if mode == 6:
            z = 2 * i - j
            if z < 0:
                return self.m3(-1 - z)
            return self.m3(-1 - (z >> 1)) if z & 1 else self.m2(-1 - (z >> 1))
        if mode == 7:
            return self.m3(2 + j + (i >> 1)) if i & 1 else self.m2(1 + j + (i >> 1))
        return self.m3(-2 - i - (j >> 1)) if j & 1 else self.m2(-2 - i - (j >> 1))

    def most_frequent(self):
        values = self.above[:self.columns] if self.top else []
        values = values + (self.beside if self.left else [])
        c = len(values)
        if c == 0:
            return 128
        mean = (2 * sum(values) + c) // (2 * c)
        return min(values, key=lambda v: (-values.count(v), abs(v - mean), v))

    def planar(self, i, j):
        h, w, line = self.rows, self.columns, self.line
        a, b = h.bit_length() - 1, w.bit_length() - 1
        s = max(a + b - 2, 0) >> 2
        right = line(w + 1 if self.top_right else w)
        across = (w - 1 - j) * line(-1 - i) + (j + 1) * right
        down = (h - 1 - i) * line(1 + j) + (i + 1) * line(-h)
        surface = ((across << a) + (down << b) + h * w) >> (a + b + 1)
        x, y = pdpc_weight(j, s), pdpc_weight(i, s)
        return (x * line(-1 - i) + y * line(1 + j) + (64 - x - y) * surface + 32) >> 6

    def angle(self, mode, i, j):
        o = OFFSETS[mode - 11]
        is_row_mode = mode <= 18
        side = 1 if is_row_mode else -1
        r, c, u = (i, j, self.rows) if is_row_mode else (j, i, self.columns)

        def entry(k):
            if k == 0 and not (self.top and self.left):
                k = 1
            if k < 0:
                k = -min((-k * (8192 // -o) + 128) >> 8, 33)
            return self.line(side * k)

        k, f = c + 1 + ((r + 1) * o >> 5), (r + 1) * o & 31
        weights = [-f**3 + 64 * f**2 - 1024 * f, 3 * f**3 - 160 * f**2 + 65536,
                   -3 * f**3 + 128 * f**2 + 1024 * f, f**3 - 32 * f**2]
        v = clip((sum(w * entry(k - 1 + t) for t, w in enumerate(weights)) + 32768) >> 16)
        if o > 0 and (self.left if is_row_mode else self.top):
            m = r + 1 + (((c + 1) * (8192 // o) + 128) >> 8)
            if m <= u:
                weight = pdpc_weight(c, 2)
                return ((64 - weight) * v + weight * self.line(-side * m) + 32) >> 6
        return v

    def plane(self):
        line = self.line
        a = 16 * (line(16) + line(-16))
        b = (5 * sum(k * (line(8 + k) - line(8 - k)) for k in range(1, 9)) + 32) >> 6
        c = (5 * sum(k * (line(-8 - k) - line(-8 + k)) for k in range(1, 9)) + 32) >> 6
        return [[clip((a + b * (j - 7) + c * (i - 7) + 16) >> 5) for j in range(16)]
                for i in range(16)]


# --- Template prediction --------------------------------------------------------------------------

def match_templates(pixels, y, x, h, w):
    template = [(i, j) for i in range(-2, h) for j in range(-2, w) if i < 0 or j < 0]
    n = len(template)
    end = (y // 16 + 1) * 16
    candidates = []
    for r in range(y - 24, end - h + 1):
        for c in range(x - 24, x + 8):
            if pixels[r - 2][c - 2] is not None and pixels[r + h - 1][c + w - 1] is not None:
                cost = sum((pixels[y + i][x + j] - pixels[r + i][c + j])**2 for i, j in template)
                candidates.append((cost, r, c))
    best = sorted(candidates)[:4]
    if not best:
        return [[128] * w for _ in range(h)]
    ratios = [256 * (best[0][0] + n) // (cost + n) for cost, _, _ in best]
    total = sum(r * r for r in ratios)
    q = [(r * r << 12) // total for r in ratios]
    q[0] = 4096 - sum(q[1:])
    return [[(2048 + sum(k * pixels[r + i][c + j] for k, (_, r, c) in zip(q, best))) >> 12
             for j in range(w)] for i in range(h)]
