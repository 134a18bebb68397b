"""Files of the coder by patterns that the writer makes, by name: what their symbols are and which rules they show."""

import random

from writer import SIZES, Fields, Samples, chunk, write_dictionary, write_file
from writer_rules import (ALL_MODES, always, anything, depth_of_cuts, in_turn, indices, least_used, moderate, mostly,
                          near_vectors, of_modes, residual_cuts, weighted)

PLAIN, TRAINED, MIXED, BY_NETWORK, BY_NEIGHBOURS, INDICES, SUBSTREAMS, REVERSED = 0, 1, 8, 64, 512, 1024, 4096, 8192


def parameters(level=4, tools=PLAIN, mask=ALL_MODES, capacity=1024):
    return capacity, level, mask, tools


def blocks(cuts=0.7, mode=None, least=0, residual=0.3, flags=0.4, **others):
    return {"partition": depth_of_cuts(cuts, residual, least), "residual_flag": residual_cuts(flags),
            "mode": mode or least_used(), "index": indices(), **others}


# --- Prediction -----------------------------------------------------------------------------------

def prediction_files():
    """All levels, modes and neighbours that are there or missing."""
    for level, sides in ((0, (33, 20)), (1, (20, 33)), (2, (34, 18)), (3, (18, 34)), (16, (48, 48)),
                         (24, (48, 48)), (25, (48, 48))):
        yield (f"levels-from-{level}", Fields(*sides, parameters=parameters(level), threshold=30, flag_6=level in (0, 3, 16)),
               blocks(0.93 if level < 4 else 0.6, vectors=near_vectors()))
    groups = {"classic": (3, 4, 5, 6, 7, 8), "down-angles": (11, 12, 13, 14), "angles": (15, 16, 17, 18, 19, 20, 21),
              "right-angles": (22, 23, 24), "edge": (0, 1, 2, 10), "pixel-least-squares": (9,),
              "block-least-squares": (25,), "templates": (26,)}
    for at, (name, modes) in enumerate(groups.items()):
        for order in (False, True):
            sides = ((50, 40), (35, 61))[(at + order) % 2]
            yield (f"modes-{name}{'-fronts' if order else ''}",
                   Fields(*sides, parameters=parameters(4 if order else 0), threshold=20, flag_6=order),
                   blocks(0.75, of_modes(*modes, 27, 28), vectors=near_vectors(), least=3))
    yield ("templates-far", Fields(64, 96, parameters=parameters(4), tile=(3, 6), threshold=255, flag_6=True),
           blocks(0.75, of_modes(26, chance=0.9), least=15, index=lambda rng, options, _: rng.randrange(40, len(options)), residual=0.1))
    for least in (1, 3):
        yield (f"templates-at-corners-{least}", Fields(48, 16, parameters=parameters(0), tile=(1, 1), threshold=255),
               blocks(0.96, of_modes(26, chance=1), least=least, index=moderate(16), residual=0))
    whole = {"partition": weighted({0: 1, 3: 2, 4: 2}), "residual_flag": residual_cuts(0.8)}
    yield ("macroblocks-whole", Fields(80, 80, parameters=parameters(24), threshold=20),
           blocks(**{**whole, "mode": of_modes(3, 10, 2, 26), "index": indices(0.2, 0.4)}))
    for name, few in (("two-grays", [0, 67, 68]), ("three-grays", [0, 0, 0, 1, 2, 67]), ("few-grays", [0, 0, 0, 5, 6, 21, 60])):
        for at, modes in enumerate(((2, 26), (9, 25), (26,))):
            yield (f"{name}-{at}", Fields(48, 48, parameters=parameters((0, 4, 8)[at]), threshold=200, flag_6=at == 1),
                   blocks(0.75, of_modes(*modes, 0, 1, 2), index=lambda rng, options, _, few=few: rng.choice(few), least=7))
    yield ("soft", Fields(64, 48, parameters=parameters(4), threshold=90, flag_6=True),
           blocks(0.6, of_modes(9, 25, 26, 10, 15, 21), index=moderate(8), vectors=near_vectors((0, 1))))
    yield ("steep", Fields(48, 48, parameters=parameters(0), threshold=90),
           blocks(0.8, of_modes(9, 25, 18, 24), index=indices(0.3, 0, 5), least=7))


def mode_files():
    """Modes by their neighbours."""
    for name, mask, tools in ("", ALL_MODES, MIXED + BY_NETWORK), ("-without-copies", 0x7ffffff, MIXED), ("-classic", 0x3ff, PLAIN):
        for order in (False, True):
            yield (f"neighbour-modes{name}{'-fronts' if order else ''}",
                   Fields(70, 61, version=7, parameters=parameters(4 if order else 0, BY_NEIGHBOURS + tools, mask), threshold=20,
                          flag_6=order),
                   blocks(0.75, vectors=near_vectors(), least=3))
    yield ("neighbour-modes-tiles", Fields(70, 61, version=7, parameters=parameters(4, BY_NEIGHBOURS), tile=(2, 1), threshold=60),
           blocks(0.9, vectors=near_vectors(), least=7))
    yield ("neighbour-modes-few", Fields(64, 64, version=7, parameters=parameters(0, BY_NEIGHBOURS), threshold=255, flag_6=True),
           blocks(0.95, mostly(0.9, always(2, 3), anything), least=3))


def index_files():
    """Indices by their neighbours."""
    for name, tools, scale in ("", MIXED + TRAINED, 80), ("-untrained", MIXED + BY_NETWORK + BY_NEIGHBOURS, 0), ("-plain", PLAIN, 0):
        for order in (False, True):
            yield (f"neighbour-indices{name}{'-fronts' if order else ''}",
                   Fields(50, 61, version=7, parameters=parameters(4 if order else 0, INDICES + tools, capacity=300), threshold=20,
                          scale=scale, flag_6=order),
                   blocks(0.8, vectors=near_vectors(), least=1, residual=0.5))
    for scale in (1, 255):
        yield (f"neighbour-indices-scale-{scale}",
               Fields(48, 48, version=7, parameters=parameters(4, INDICES + TRAINED + MIXED, capacity=90), threshold=60, scale=scale),
               blocks(0.8, index=indices(0.2, 0.4)))
    yield ("neighbour-indices-tiles", Fields(70, 61, version=7, parameters=parameters(4, INDICES + MIXED), tile=(2, 1), threshold=0),
           blocks(0.9, vectors=near_vectors(), least=7))
    yield ("neighbour-indices-misled", Fields(64, 64, version=7, parameters=parameters(8, INDICES + TRAINED + MIXED), threshold=255,
                                              scale=70, flag_6=True),
           blocks(0.7, index=lambda rng, options, _: rng.randrange(len(options) // 2, len(options)), residual=0.7))


def reversed_files():
    """Predictions on both sides of middle gray, and on it: without a neighbour it is 128."""
    for name, tools, order in (("", PLAIN, False), ("-fronts", BY_NETWORK + MIXED + INDICES + SUBSTREAMS, True)):
        yield (f"reversed-residuals{name}",
               Fields(70, 61, version=7, parameters=parameters(8, REVERSED + tools, capacity=300), threshold=20, flag_6=order),
               blocks(0.8, vectors=near_vectors(), least=2))


def substream_files():
    """Models that learn front by front; in the largest pictures, substreams."""
    for name, tools, order in (("", BY_NETWORK, True), ("-mixed", BY_NETWORK + MIXED + BY_NEIGHBOURS, True),
                               ("-indices", BY_NETWORK + MIXED + BY_NEIGHBOURS + INDICES, True),
                               ("-raster", BY_NETWORK + MIXED + BY_NEIGHBOURS + INDICES, False),
                               ("-without-network", MIXED + BY_NEIGHBOURS + INDICES, True)):
        yield (f"substreams{name}",
               Fields(70, 61, version=7, parameters=parameters(4, SUBSTREAMS + tools, capacity=300), threshold=20, flag_6=order),
               blocks(0.8, vectors=near_vectors(), least=2))
    whole = {"partition": mostly(0.95, always(0), anything), "residual_flag": always(0), "mode": of_modes(0, 1, 10, 15),
             "index": moderate(30)}
    for name, sides in (("two", (1008, 512)), ("two-high", (993, 530)), ("four", (2030, 1024))):
        yield (f"substreams-{name}",
               Fields(*sides, version=7, threshold=20, flag_6=True,
                      parameters=parameters(8, SUBSTREAMS + BY_NETWORK + MIXED + BY_NEIGHBOURS + INDICES, capacity=100)),
               {**whole, "vectors": near_vectors()})


def grown(x, y):
    """Spots that are far brighter than those above them: weights above 8 fit them."""
    return {14: 15, 15: 255}.get(y, 0) if x % 3 == 1 else 12 if (x, y) in ((24, 15), (38, 15), (29, 15)) else 0


def steep_files():
    """Least squares whose weights are limited."""
    def partition(_, options, tile):
        y, __, level = tile.place
        return (4 if 4 in options else 0) if y < 16 else 1 if 1 in options and level > 13 else 2 if 2 in options and level > 8 else 0

    def flag(_, options, tile):
        y, __, level = tile.place
        rows = SIZES[level][0]
        if y + rows <= 14 or y + rows > 16:
            return 0
        return 2 if 2 in options else 1 if 1 in options else 0

    def index(_, options, tile):
        y, x, level = tile.place
        if y >= 16:
            return 0
        residual = grown(x, y) - (0 if x >= 16 else 128) if level == 0 else -255
        return (2 * residual - 1 if residual > 0 else -2 * residual) if level == 0 else 68

    for mode in (9, 25):
        yield (f"weights-limited-{mode}", Fields(48, 32, parameters=parameters(0), threshold=255),
               {"partition": partition, "residual_flag": flag, "mode": always(mode, 2), "index": index})


# --- Copies ---------------------------------------------------------------------------------------

def copy_files():
    for mask in (0x404, 0x804, 0x4000004, 0x8000004, 0x40000004):
        yield (f"mask-{mask:x}", Fields(40, 40, parameters=parameters(8, mask=mask), threshold=90),
               blocks(0.6, least=31, vectors=near_vectors((1, 2), 24, 24)))
    for order in (False, True):
        suffix = "-fronts" if order else ""
        rules = {"mode": of_modes(27, 28, 29, 30), "vectors": near_vectors((1, 2, 2))}
        yield (f"copies-many{suffix}", Fields(97, 66, parameters=parameters(4), threshold=60, flag_6=order),
               blocks(0.6, least=31, **rules))
        yield (f"copies-near{suffix}", Fields(64, 64, parameters=parameters(8, MIXED), threshold=60, flag_6=order),
               blocks(0.5, least=15, **{**rules, "vectors": near_vectors((0, 1, 2), 17, 33)}))
        yield (f"copies-one-column{suffix}", Fields(16, 96, parameters=parameters(8), flag_6=order),
               blocks(0.5, least=15, **{**rules, "vectors": near_vectors((0, 1, 2), 80, 8)}))
    yield ("copies-of-two-only", Fields(64, 48, parameters=parameters(8, mask=0x28000004)),
           blocks(0.5, least=15, **{**rules, "vectors": near_vectors((1, 2), 32, 48)}))

    def far(rng, _, tile):
        done = len(tile.used_modes)
        tile.used_modes.append(1)
        return [(0, -16 * max(done - 1, 1)), (0, -16 * done + rng.randrange(16))] if done % 64 == 60 else []

    flat = {"partition": weighted({0: 60, 1: 1, 2: 1, 3: 1}), "mode": mostly(0.9, always(27, 28, 1, 2), anything),
            "residual_flag": residual_cuts(0.3), "index": mostly(0.97, always(0), anything), "vectors": far}
    yield "longest", Fields(65535, 3, parameters=parameters(20), threshold=90), flat
    yield "longest-fronts", Fields(40000, 1, parameters=parameters(20), threshold=90, flag_6=True), flat


# --- Adaptive counts ------------------------------------------------------------------------------

def model_files():
    deep = {"residual_flag": residual_cuts(1), "mode": least_used()}
    for tools in (PLAIN, MIXED):
        name = "mixed" if tools else "plain"
        for at, index in enumerate((weighted({0: 30, 1: 3}), mostly(0.9, always(510, 68), anything),
                                    mostly(0.85, in_turn(3, 300), anything))):
            yield (f"counts-{name}-{at}",
                   Fields(48, 32, parameters=parameters(24, tools, capacity=(69, 1024, 80)[at]), threshold=(255, 40, 0)[at]),
                   {**deep, "partition": weighted({3: 1, 4: 1}),
                    "index": lambda rng, options, tile, rule=index: rule(rng, range(511), tile) % len(options)})
        yield (f"cuts-{name}", Fields(64, 64, parameters=parameters(0, tools), threshold=255, flag_6=bool(tools)),
               {"partition": mostly(0.9, in_turn(2, 1, 0), anything), "residual_flag": mostly(0.9, always(2, 1, 0), anything),
                "mode": mostly(0.8, always(2), least_used()), "index": mostly(0.9, always(0), anything)})
        yield (f"cuts-uneven-{name}", Fields(50, 50, parameters=parameters(0, tools), threshold=80),
               {"partition": weighted({0: 2, 1: 12, 2: 1, 3: 1}), "residual_flag": weighted({0: 3, 1: 1, 2: 9}),
                "mode": weighted({2: 9, 0: 1}), "index": weighted({0: 40, 1: 9, 2: 1})})


# --- Flags by network -----------------------------------------------------------------------------

def flag_files():
    for order in (False, True):
        suffix = "-fronts" if order else ""
        for scale in (0, 1, 40, 255):
            yield (f"flags-scale-{scale}{suffix}",
                   Fields(40, 52, parameters=parameters((0, 4, 8, 12)[scale % 4], 65), scale=scale, threshold=120, flag_6=order),
                   blocks(0.7, index=indices(0.3, 0.3), least=3 if order else 7, vectors=near_vectors()))
    for name, partition, flag in (("all", always(1, 2, 0), 1), ("none", mostly(0.97, always(0), always(4, 3, 0)), 0.03),
                                  ("across", mostly(0.9, in_turn(2, 1, 4, 3, 0), anything), 0.5)):
        yield (f"flags-{name}", Fields(50, 40, parameters=parameters(0 if name == "all" else 4, 72), threshold=250),
               {"partition": partition, "residual_flag": residual_cuts(flag), "mode": mostly(0.6, always(2), least_used()),
                "index": mostly(0.8, always(0), anything)})
    yield ("flags-long", Fields(160, 96, parameters=parameters(8, 72), threshold=250),
           {"partition": weighted({0: 30, 3: 1}), "residual_flag": weighted({0: 4, 1: 1}), "mode": weighted({2: 40}, 1),
            "index": weighted({0: 40, 9: 1})})


# --- Dictionary -----------------------------------------------------------------------------------

def random_dictionary(rng, most, counts, values=(-128, 127)):
    levels = {}
    for level, (rows, columns) in enumerate(SIZES[1:], 1):
        patterns = [(rng.choice(counts), [rng.randint(*values) for _ in range(rows * columns)])
                    for _ in range(rng.randint(0, most))]
        levels[level] = rng.choice(counts), patterns
    return write_dictionary(levels)


def dictionary_files():
    rng = random.Random("dictionaries")
    textured = blocks(0.4, residual=0.8, flags=0.6, index=indices(0.3, 0.5, 30))
    for capacity, threshold, order in ((69, 0, False), (70, 0, True), (75, 3, False), (72, 35, True), (512, 96, False),
                                       (65536, 0, True), (1024, 1, False), (1024, 255, True), (300, 140, True)):
        yield (f"capacity-{capacity}-threshold-{threshold}",
               Fields(36, 47, parameters=parameters(8, MIXED * (capacity % 2), capacity=capacity), threshold=threshold,
                      flag_6=order), textured)
    for name, capacity, scale, counts in (("cut", 71, 64, [1, 400]), ("large", 1024, 255, [4000, 1, 7000]),
                                          ("small", 1024, 1, [3]), ("odd", 73, 83, [32000, 1]), ("none", 1024, 0, [5]),
                                          ("half", 1024, 48, [2, 7])):
        patterns = random_dictionary(rng, 3 if counts[0] != 32000 else 0, counts)
        yield (f"dictionary-{name}",
               Fields(33, 30, parameters=parameters(4, 3 | (MIXED if capacity > 72 else 0), capacity=capacity), scale=scale,
                      threshold=30, flag_6=scale == 83, dictionary=patterns if scale else b"none"),
               blocks(0.5, least=15, index=lambda rng, options, _: rng.choice(
                   [0, rng.randrange(69), rng.randrange(69, len(options)) if len(options) > 69 else 1, len(options) - 1])))
    pairs = [(1, [n % 64 - 32, n // 64 - 32]) for n in range(4100)]
    yield ("dictionary-of-thousands",
           Fields(32, 32, parameters=parameters(24, 3, capacity=65536), scale=64, threshold=255,
                  dictionary=write_dictionary({1: (2, pairs)})),
           {"partition": always(3), "mode": always(2), "residual_flag": lambda _, options, tile:
            0 if tile.place[2] == 1 else 2 if 2 in options else 1,
            "index": lambda rng, options, _: rng.choice((4000, 4000, 4000, 70, rng.randrange(len(options)))) % len(options)})
    yield ("trained-cut", Fields(33, 30, parameters=parameters(4, 1, capacity=100), scale=60, threshold=60),
           blocks(0.5, least=15, index=indices(0.1, 0.6, 31)))
    yield "trained-preset", Fields(33, 30, kind=3, preset=2, threshold=110), blocks(0.4, least=15)


# --- Headers and ranges ---------------------------------------------------------------------------

def header_files():
    rough = blocks(0.5, least=31)
    coarse = {"partition": always(0), "index": indices(0.9), "mode": anything,
              "network_level": always(0)}
    for kind in range(6):
        sides = ((2048, 1), (1, 2048), (40, 17), (17, 40), (31, 32), (32, 31))[kind]
        yield (f"small-kind-{kind}", Fields(*sides, kind=kind, preset=(2, 1, 1, 2, 0, 1)[kind],
                                            threshold=(255, 0, 37, 200, 0, 0)[kind]), coarse if kind < 2 else rough)
    for depth in range(1, 8):
        yield (f"small-depth-{depth}", Fields(20, 18, kind=depth % 6, preset=depth % 3, depth=depth, threshold=96), rough)
    for scale_by in (0, 1, 15, 16, 31, 255):
        yield f"small-scale-{scale_by}", Fields(18, 18, kind=2, preset=1, threshold=scale_by), rough
    for depth, ends, steps in ((1, (0, 1), ()), (2, (2, 2), ()), (3, (7, 0), (0, 127) * 4), (5, (0, 31), ()),
                               (7, (100, 3), (1, 2, 3, 8, 9, 7, 6, 5)), (9, (511, 0), (127,) * 8), (10, (1000, 999), range(8)),
                               (12, (5, 4095), ()), (14, (9000, 1), (126, 0, 127, 100, 64, 63, 3, 2)),
                               (16, (65535, 0), (0, 16, 32, 48, 64, 80, 96, 112)), (16, (0, 65535), ()),
                               (16, (65535, 65534), (127, 120, 0, 0, 0, 0, 0, 0))):
        name = f"range-{depth}-{ends[0]}-{ends[1]}"
        yield (name, Fields(34, 18, depth=depth, ends=ends, steps=tuple(steps), parameters=parameters(8), threshold=40,
                            is_signed=depth % 3 == 0), rough)
    chunks = (chunk(1, b"") + chunk(250, b"?" * 9) + chunk(4, bytes(17), crc=1) + chunk(5, b"k\0t") + chunk(0, b"") + chunk(5, b"l\0t"))
    yield ("header-long-numbers", Fields(20, 18, parameters=parameters(8), tile=(1, 1), spare_zeros=2, more_flags=True,
                                         metadata=chunks), rough)
    yield ("header-spare-zero", Fields(20, 18, parameters=parameters(8), spare_zeros=1, metadata=b""), rough)
    beyond = chunk(7, b"<OME/>") + chunk(6, b"II")[:-1]
    yield "metadata-beyond", Fields(20, 18, metadata=beyond, is_lossless=True), rough
    many = b"".join(chunk(9, bytes([n])) for n in (*range(256), 0, 1))
    yield "metadata-many", Fields(20, 18, preset=1, scale=5, metadata=many), rough
    zeros = {"partition": always(0), "mode": lambda _, options, __: options[0], "index": always(0)}
    for keeps_zeros in (False, True):
        yield (f"stream-of-{'all' if keeps_zeros else 'few'}-zeros", Fields(48, 48, threshold=9, keeps_zeros=keeps_zeros), zeros)
        yield (f"small-stream-of-{'all' if keeps_zeros else 'few'}-zeros",
               Fields(48, 48, kind=0, threshold=9, keeps_zeros=keeps_zeros), zeros)
    for tools in (PLAIN, MIXED, MIXED | BY_NETWORK):
        for name, first_bytes in (("any", b""), ("above", b"\xff" * 5), ("far-above", b"\xff" * 40)):
            yield (f"stream-{name}-{tools}", Fields(30, 40, parameters=parameters(4, tools), threshold=50, flag_6=name == "any"),
                   first_bytes)
    tiles = [dict(rough, mode=of_modes(mode)) for mode in (0, 9, 25, 26, 27, 2)]
    yield "tiles-edges", Fields(33, 20, parameters=parameters(4), tile=(1, 1), flag_6=True, is_signed=True), tiles
    yield "tiles-rows", Fields(20, 33, preset=2, scale=30, tile=(4095, 1)), [tiles[1], tiles[3], tiles[0]]
    yield from preview_files(rough)


def preview_files(rough):
    preview = write_file(Fields(5, 4, kind=7, preset=1, max_error=2), Samples((0, 255), heat=0.5))
    for depth in (1, 8):
        yield (f"preview-small-depth-{depth}",
               Fields(37, 30, depth=depth, ends=(1, 0), steps=(5,) * 8, preview=preview, parameters=parameters(4),
                      metadata=chunk(3, b"x")), rough)
    preview = write_file(Fields(5, 4, depth=12, is_pixel_coded=True, is_lossless=True, is_signed=True,
                                metadata=chunk(5, b"p\0q")), Samples((0, 4095)))
    yield ("preview-deep-tiles", Fields(37, 30, depth=12, ends=(0, 4095), tile=(2, 1), preview=preview, is_signed=True), rough)
    padded = Fields(1, 1, is_pixel_coded=True, is_lossless=True, metadata=b"\1" * 1000)
    data = write_file(padded, Samples((9, 9)))
    padded.metadata = b"\1" * (1000 + 1028 - len(data))
    yield ("preview-longest", Fields(8, 8, preview=write_file(padded, Samples((9, 9)))), rough)
    yield ("preview-of-eight", Fields(9, 8, preset=1, preview=write_file(Fields(2, 1, kind=4), {})), rough)


def pattern_files():
    for files in (prediction_files, mode_files, index_files, substream_files, reversed_files, steep_files, copy_files, model_files, flag_files, dictionary_files, header_files):
        yield from files()
