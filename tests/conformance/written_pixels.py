"""Files of the pixel coder that the writer makes, by name: what their samples are and which rules they show."""

import random

from writer import Coefficients, Fields, Samples

FAST, BEST = 1, 2


def lossless(width, height, depth=8, preset=BEST, **others):
    return Fields(width, height, depth=depth, preset=preset, is_pixel_coded=True, is_lossless=True, **others)


def bounded(width, height, bound, depth=8, preset=BEST, means=False, **others):
    return Fields(width, height, depth=depth, preset=preset, is_pixel_coded=True, max_error=bound, flag_6=means, **others)


def glyphs(seed, values, noise=0.0, size=(7, 5), kinds=3):
    """A few small shapes, again and again; the generator is of the place, so that the order does not matter."""
    rng = random.Random(seed)
    width, height = size
    shapes = [[[rng.choice(values) for _ in range(width)] for _ in range(height)] for _ in range(kinds)]
    order = [rng.randrange(kinds) for _ in range(97)]

    def picture(x, y):
        if noise and random.Random(f"{seed} {x} {y}").random() < noise:
            return random.Random(f"{seed} {y} {x}").choice(values)
        return shapes[order[(x // width + 13 * (y // height)) % 97]][y % height][x % width]
    return picture


def steps(a, b, period):
    return lambda x, y: a if (x + y // 3) // period % 2 else b


def sometimes(picture, every):
    """The picture, and any samples in some rows."""
    return lambda x, y: None if y // every % 2 else picture(x, y)


def longest_small_file():
    """Noise whose stream has 4096 bytes."""
    return Fields(44, 88, kind=6, preset=1), Samples((0, 255), lambda x, y: random.Random(f"1 {x} {y}").randrange(256))


def lossless_files():
    for preset, name in ((FAST, "fast"), (BEST, "best")):
        sizes = ((24, 14), (14, 24)) if preset == FAST else ((17, 13), (13, 18))
        for has_exact in (False, True):
            exact = "-exact" if has_exact else ""
            yield (f"samples-any-{name}{exact}", lossless(*sizes[has_exact], preset=preset),
                   Samples((0, 255), heat=0.7, has_exact=has_exact))
            yield (f"samples-calm-{name}{exact}", lossless(40, 16, preset=preset),
                   Samples((3, 250), heat=0.12, has_exact=has_exact))
            yield (f"samples-shapes-{name}{exact}", lossless(42, 20, preset=preset),
                   Samples((0, 9), glyphs(name, range(10), 0.01), has_exact=has_exact))
            yield (f"samples-steps-{name}{exact}", lossless(25, 20, preset=preset, depth=16 if has_exact else 8),
                   Samples((0, 65535 if has_exact else 255), sometimes(steps(0, 255, 4), 7), 0.1, has_exact=has_exact))
            yield (f"samples-two-{name}{exact}", lossless(30, 20, depth=1, preset=preset),
                   Samples((0, 1), sometimes(steps(0, 1, 3), 8), 0.5, has_exact=has_exact))
        yield f"samples-line-{name}", lossless(90, 1, preset=preset), Samples((0, 255), heat=0.3)
        yield f"samples-column-{name}", lossless(1, 60, preset=preset, depth=10), Samples((1, 1000), heat=0.3)
        yield (f"samples-lasting-{name}", lossless(64, 26, preset=preset),
               Samples((0, 3), lambda x, y: 1 if (x, y) in ((40, 20), (9, 24)) else 0, has_exact=True))
        yield (f"samples-long-{name}", lossless(48, 30, preset=preset),
               Samples((90, 110), lambda x, y: 10 if y < 24 else None, 1))
    for depth, values in ((1, (1, 1)), (16, (0, 65535)), (16, (65535, 65535)), (16, (7, 8, 40008)), (8, (0, 1, 3, 7, 15, 31, 63, 127, 255)),
                          (12, tuple(range(0, 4096, 31))), (9, (500, 511)), (16, (0, 32767, 65534, 65535))):
        name = f"values-{depth}-{len(values)}-{values[0]}-{values[-1]}"
        is_mapped = len(values) > 2
        yield (name, lossless(19, 6, depth=depth, preset=1 + len(values) % 2),
               Samples(values, heat=0.6, is_mapped=is_mapped, has_exact=depth == 12))
    yield "stream-of-4096-bytes", *longest_small_file()
    yield "values-small", Fields(9, 9, kind=6, preset=1, depth=7), Samples((5, 77), heat=0.5, has_exact=True)
    yield "one-value-long", lossless(65535, 2, depth=11), Samples((1234, 1234))
    yield "tiles-samples", lossless(33, 20, tile=(1, 1), is_signed=True, depth=13), Samples((0, 8191), heat=0.2)


def bounded_files():
    for bound, depth, means in ((1, 8, False), (255, 8, False), (254, 8, True), (127, 8, False), (128, 8, True), (1, 8, True),
                                (2, 3, True), (1, 1, False), (65535, 16, False), (65535, 16, True), (32767, 16, False),
                                (300, 16, True), (3, 9, False), (40, 12, True), (3, 8, True), (5, 4, False)):
        for preset in (FAST, BEST) if means or bound in (1, 3, 127, 300) else (FAST if bound % 2 else BEST,):
            top = (1 << depth) - 1
            picture = sometimes(glyphs(bound, (0, top // 2, top), 0.1), 4) if bound < 300 else lambda x, y: None
            name = f"bound-{bound}-depth-{depth}{'-means' if means else ''}-{('fast', 'best')[preset - 1]}"
            yield name, bounded(20, 14, bound, depth, preset, means), Samples((0, top), picture, 0.4)
    yield "bound-small-file", Fields(17, 9, kind=7, preset=2, max_error=63, depth=6), Samples((1, 60), heat=0.8)
    yield "bound-narrow-range", bounded(17, 9, 200, 8, FAST, True), Samples((100, 103), heat=0.8)
    yield "bound-one-value", bounded(17, 9, 200, 8, BEST, True), Samples((100, 100))
    yield "bound-calm", bounded(40, 20, 4, 8, BEST, True), Samples((0, 255), heat=0.08)
    yield "bound-tiles", bounded(40, 20, 6, 10, FAST, True, tile=(2, 1)), Samples((2, 1022), heat=0.3)


def repeat_files():
    for count, size in ((2, (70, 20)), (3, (60, 18)), (4, (40, 24)), (7, (33, 20)), (17, (40, 16)), (256, (24, 16)), (129, (20, 12))):
        picture = glyphs(count, range(count), 0.01)
        yield f"repeats-{count}", lossless(*size), Samples((0, count - 1), picture, outside=count // 2)
    yield "repeats-any", lossless(24, 16), Samples((0, 5), heat=0.9, outside=5)
    yield "repeats-long", lossless(130, 20), Samples((0, 2), glyphs(5, range(3), size=(61, 5), kinds=1), outside=0)
    yield ("repeats-then-any", lossless(64, 24),
           Samples((0, 2), sometimes(glyphs(6, range(3), size=(31, 4), kinds=1), 6), 0.5, outside=1))
    yield "repeats-even", lossless(90, 16), Samples((0, 1), lambda x, y: int((x, y) in ((80, 12), (3, 14))), outside=1)
    yield "repeats-line", lossless(200, 1), Samples((0, 4), glyphs(8, range(5), size=(23, 1), kinds=1), outside=3)
    yield "repeats-column", lossless(1, 90), Samples((0, 3), glyphs(9, range(4), size=(1, 13), kinds=2), outside=3)
    yield "repeats-mapped", lossless(40, 16, depth=16), Samples((2, 300, 40000, 65535), glyphs(3, range(4), 0.02), is_mapped=True, outside=2)
    yield "repeats-one-value", lossless(12, 3), Samples((9, 10), glyphs(1, range(2)), outside=1)
    yield "repeats-two-values", Fields(41, 12, kind=6, depth=1), Samples((0, 1), glyphs(4, range(2), 0.03), outside=0)


def jpeg_files():
    for number, (size, row, column, quality, heat) in enumerate(((
            (24, 17), 0, 0, 75, 0.9), ((9, 9), 3, 5, 1, 0.8), ((1, 1), 7, 7, 90, 0.9), ((33, 8), 0, 4, 20, 1), ((8, 30), 6, 0, 49, 0.8),
            ((40, 24), 1, 2, 60, 0.5), ((16, 16), 4, 3, 0, 1), ((20, 20), 5, 1, 127, 1), ((30, 12), 2, 6, 50, 0.95))):
        yield (f"jpeg-{number}", lossless(*size, version=7, preset=1 + number % 2),
               Coefficients(row, column, quality, heat))
    for bound in (1, 2, 9):
        yield f"jpeg-bound-{bound}", bounded(25, 20, bound, version=7), Coefficients(bound % 8, 0, 70, 0.9)
    large = (0, 0, 0, 1, -1, 2, -3, 17, -18, 19, 60, -400, 2047, -2047)
    yield ("jpeg-large", lossless(33, 30, version=7),
           Coefficients(1, 6, 90, 0.5, multiples=lambda row, column, place: random.Random(f"{row} {column} {place}").choice(large)))
    yield ("jpeg-growing", lossless(48, 40, version=7),
           Coefficients(0, 0, 60, 0.5, multiples=lambda row, column, place: random.Random(f"{row} {column} {place}").randint(
               -(row + column) ** 2 // 4, (row + column) ** 2 // 4) if random.Random(f"{place} {row} {column}").random() < 0.7 else 0))
    yield "jpeg-own-steps", lossless(24, 16, version=7), Coefficients(0, 0, 75, 0.7, are_told=False)
    yield "jpeg-own-steps-from-none", lossless(24, 16, version=7), Coefficients(0, 0, 0, 0.9, are_told=False)
    yield "jpeg-small", Fields(20, 14, kind=6, version=7), Coefficients(0, 3, 80, 0.9)
    yield "jpeg-small-bounded", Fields(14, 20, kind=7, version=7, max_error=2), Coefficients(2, 0, 40, 1)
    yield ("jpeg-tiles", lossless(40, 33, version=7, tile=(2, 1)),
           [Coefficients(number, 3, 60, 0.9) if number % 2 else Samples((0, 255), heat=0.3) for number in range(6)])
    yield "version-7-samples", lossless(20, 14, version=7), Samples((0, 255), heat=0.3)
    yield "version-7-repeats", lossless(24, 16, version=7), Samples((0, 5), heat=0.9, outside=5)
    yield "version-7-depth-9", lossless(20, 14, depth=9, version=7), Samples((0, 500), heat=0.3)


def pixel_files():
    yield from lossless_files()
    yield from bounded_files()
    yield from repeat_files()
    yield from jpeg_files()
