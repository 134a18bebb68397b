"""Written from docs/format.md alone, a part of spec_decoder.py: "Least-squares prediction" and "Block least squares"."""

from spec_conventions import add_up

# --- Least-squares prediction ---------------------------------------------------------------------

DEFAULT_WEIGHTS = [10, 10, -5, 1, 0, 0]
ROUNDER = 6755399441055744.0


def neighbours(pixels, y, x):
    """The values of W, N, NW, NE, WW, NN; None if W, N or NW is not available."""
    row, above = pixels[y], pixels[y - 1]
    west, north, north_west = row[x - 1], above[x], above[x - 1]
    if west is None or north is None or north_west is None:
        return None
    others = (above[x + 1], north), (row[x - 2], west), (pixels[y - 2][x], north)
    return [west, north, north_west] + [b if a is None else a for a, b in others]


def sample_sums(pixels, positions):
    """Sums over the samples among positions: A[a][b] with a <= b row by row, then B."""
    terms = [[0] * 27]
    for y, x in positions:
        t = pixels[y][x]
        v = neighbours(pixels, y, x) if t is not None else None
        if v is not None:
            terms.append([v[a] * v[b] for a in range(6) for b in range(a, 6)] + [t * a for a in v])
    return add_up(terms)


def solve(sums, defaults, ridge):
    """From the sums over the samples to the quantised weights: steps 2 to 4."""
    n = len(defaults)
    numbers = iter(sums)
    A = [[0.0] * a + [float(next(numbers) + (16 * ridge if a == b else 0)) for b in range(a, n)]
         for a in range(n)]
    B = [float(next(numbers) + ridge * d) for d in defaults]
    inverse, w = [0.0] * n, [0.0] * n
    for r in range(n):
        for k in range(r):
            s = A[k][r] * inverse[k]
            for c in range(r, n):
                A[r][c] = A[r][c] - s * A[k][c]
            B[r] = B[r] - s * B[k]
        inverse[r] = 1.0 / A[r][r]
    for r in reversed(range(n)):
        v = B[r]
        for c in range(r + 1, n):
            v = v - A[r][c] * w[c]
        w[r] = v * inverse[r]
    return [int((max(min(v * 16384.0, 131072.0), -131072.0) + ROUNDER) - ROUNDER) for v in w]


def least_squares(pixels, y, x, h, w):
    # The samples of pixel (i, j) are those above in 13 columns, which depend on j, and those on
    # the left in up to 13 rows, which depend on i. Each column and row is summed up once.
    above = [sample_sums(pixels, [(y - 1 - i, x + j) for i in range(6)]) for j in range(-6, w + 6)]
    beside = [sample_sums(pixels, [(y + i, x - 1 - j) for j in range(6)]) for i in range(h + 6)]
    above = [add_up(above[j:j + 13]) for j in range(w)]
    beside = [add_up(beside[max(0, i - 6):i + 7]) for i in range(h)]
    touching = pixels[y - 1][x - 1:x + w + 1] + [row[x - 1] for row in pixels[y:y + h]]
    touching = [v for v in touching if v is not None]
    low, high = min(touching), max(touching)
    for i in range(h):
        for j in range(w):
            q = solve(add_up([above[j], beside[i]]), DEFAULT_WEIGHTS, 32)
            v = neighbours(pixels, y + i, x + j)
            p = (8192 + sum(a * b for a, b in zip(q, v))) >> 14
            pixels[y + i][x + j] = min(max(p, low), high)
    return [row[x:x + w] for row in pixels[y:y + h]]


# --- Block least squares --------------------------------------------------------------------------

NEIGHBOURS = [(0, -1, None), (-1, 0, None), (-1, -1, None), (-1, 1, 1), (0, -2, 0),
              (-2, 0, 1), (-1, -2, 2), (-2, -1, 2), (-2, 1, 5), (-1, 2, 3)]


def ten_neighbours(pixels, y, x):
    values = []
    for i, j, fallback in NEIGHBOURS:
        value = pixels[y + i][x + j]
        if value is None:
            if fallback is None:
                return None
            value = values[fallback]
        values.append(value)
    return values


def block_least_squares(pixels, y, x, h, w):
    bottom = min(y + h + 6, (y // 16 + 1) * 16)
    places = [(i, j) for i in range(y - 8, y) for j in range(x - 8, x + w + 8)]
    places += [(i, j) for i in range(y, bottom) for j in range(x - 8, x)]
    vectors = [[0] * 65]
    for i, j in places:
        t = pixels[i][j]
        v = ten_neighbours(pixels, i, j) if t is not None else None
        if v is not None:
            distance = max(y - i, i - y - h + 1, x - j, j - x - w + 1)
            g = 8 if distance == 1 else 4 if distance == 2 else 2 if distance <= 4 else 1
            vectors.append([g * v[a] * v[b] for a in range(10) for b in range(a, 10)] +
                           [g * t * a for a in v])
    q = solve(add_up(vectors), DEFAULT_WEIGHTS + [0] * 4, 128)
    touching = pixels[y - 1][x - 1:x + w + 1] + [row[x - 1] for row in pixels[y:y + h]]
    touching = [v for v in touching if v is not None]
    low, high = min(touching), max(touching)
    for i in range(y, y + h):
        for j in range(x, x + w):
            p = (8192 + sum(a * b for a, b in zip(q, ten_neighbours(pixels, i, j)))) >> 14
            pixels[i][j] = min(max(p, low), high)
    return [row[x:x + w] for row in pixels[y:y + h]]
