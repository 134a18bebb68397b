"""Files whose tiles are filtered that the writer makes, by name: every level, strength and kind of correction."""

from writer import Fields
from writer_rules import always, anything, at_first, depth_of_cuts, in_turn, indices, least_used, mostly, residual_cuts, weighted

MODES = 0x7ffffff


def textured(**others):
    return {"partition": depth_of_cuts(0.5, 0.5, 31), "residual_flag": residual_cuts(0.3), "mode": least_used(),
            "index": indices(0.6, 0), **others}


def filtered(width, height, tools, **others):
    return Fields(width, height, parameters=(100, 8, MODES, tools), threshold=60, **others)


def two_networks(width, height, tools, **others):
    return filtered(width, height, 256 + 32 + tools, version=7, **others)


def network_files():
    soft = textured(index=indices(0.9, 0, 6))
    for parity in (0, 1):
        levels = [level for level in range(1, 23) if level % 2 == parity]
        yield (f"network-small-levels-{parity}", filtered(16 * 11 - 5 * parity, 16, 32 + 128, tile=(1, 1)),
               [dict((soft, textured())[level % 4 < 2], network_level=always(level), network_block=always(1))
                for level in levels])
    for level in (1, 12, 22):
        yield (f"network-large-{level}", filtered(19, 14, 32, flag_6=level == 12),
               textured(network_level=always(level), network_block=always(1)))
    yield ("network-some-blocks", filtered(65, 40, 32 + 128), textured(network_level=always(5), network_block=in_turn(1, 0, 0)))
    yield "network-none", filtered(40, 20, 32 + 4 + 16), textured(network_level=always(0), filter_strength=always(2))
    yield ("network-then-weights", filtered(40, 33, 32 + 128 + 4 + 16),
           textured(network_level=always(3), network_block=in_turn(1, 0), filter_strength=always(3), correction_sets=always(2),
                    correction_size=weighted({5: 1, 6: 1, 0: 1}), filter_block=always(2)))
    yield ("network-without-corrections", filtered(20, 20, 32 + 128 + 4), textured(network_level=always(8), network_block=always(1)))
    for level in (1, 9, 22):
        yield (f"two-networks-{level}", two_networks(80, 40, 0, flag_6=level == 9),
               textured(network_level=always(level), network_of_block=in_turn(2, 1, 0, 2), network_pair=always(0)))
        yield (f"third-network-{level}", two_networks(80, 40, 0, flag_6=level == 1),
               textured(network_level=always(level), network_of_block=in_turn(1, 2, 2, 0), network_pair=always(1), network_origin=always(0)))
    for origin in range(4):
        yield (f"third-network-origin-{origin}", two_networks(96 + 11 * origin, 50 - 16 * (origin % 2), 4 + 16),
               textured(network_level=always(4), network_of_block=in_turn(2, 1, 2, 0, 2), network_pair=always(1), network_origin=always(origin),
                        filter_strength=always(2), correction_sets=always(1), filter_block=in_turn(2, 0)))
    yield "two-networks-none", two_networks(40, 20, 4), textured(network_level=always(0), filter_strength=always(3))
    yield ("two-networks-then-weights", two_networks(40, 33, 4 + 16),
           textured(network_level=always(6), network_of_block=in_turn(2, 0), network_pair=always(0), filter_strength=always(3), correction_sets=always(1),
                    correction_size=weighted({5: 1, 6: 1, 0: 1}), filter_block=always(2)))
    for level in (1, 9, 22):
        yield (f"two-networks-small-{level}", two_networks(80, 40, 128, flag_6=level == 9),
               textured(network_level=always(level), network_of_block=in_turn(2, 1, 0, 2)))
    for preset, name in (1, "fast"), (2, "best"):
        yield (f"two-networks-{name}", Fields(33, 30, kind=3, version=7, preset=preset, threshold=110),
               textured(network_level=always(11), network_of_block=in_turn(2, 1), network_pair=always(preset - 1), network_origin=always(2)))
    yield "network-and-depth", filtered(20, 20, 32 + 128, depth=12, ends=(4095, 7), steps=(8, 0, 1, 2, 3, 4, 5, 60)), textured(
        network_level=always(15), network_block=always(1))


def wiener_files():
    for strength in range(1, 7):
        fine = textured(index=indices(0.2 + 0.13 * strength, 0, 40 - 6 * strength), partition=depth_of_cuts(0.7, 0.5, 7))
        yield (f"wiener-{strength}", filtered(40, 35, 4 + 8 * (strength % 2), flag_6=strength > 3),
               dict(fine, filter_strength=always(strength), filter_block=mostly(0.8, always(1), anything)))
    yield "wiener-none", filtered(20, 20, 4), textured(filter_strength=always(0))
    for name, sets, step, size, same in (("large", 1, 3, weighted({9: 1, 8: 1}), 0), ("small", 8, 0, weighted({1: 3, 2: 1, 0: 9}), 0.2),
                                         ("two", 2, 1, weighted({5: 1, 7: 1, 0: 9}), 0.5), ("three", 3, 2, weighted({3: 1, 4: 1, 0: 2}), 0.9),
                                         ("none", 0, 0, anything, 0), ("any", 5, 0, weighted({6: 1, 7: 1, 4: 2, 0: 2}), 0.3)):
        yield (f"corrections-{name}", filtered(66, 33, 4 + 16, flag_6=sets == 2),
               textured(filter_strength=always(1 + sets % 6), filter_block=weighted({2: 4, 1: 1, 0: 1}), correction_sets=always(sets),
                        correction_step=always(step), correction_size=size, same_set=weighted({1: same, 0: 1 - same})))
    flat = {"partition": always(0), "mode": always(2, 0), "index": weighted({0: 3, 67: 1, 68: 1}, 0.001)}
    yield "wiener-edges", filtered(64, 48, 4), dict(flat, filter_strength=always(6), filter_block=always(1))
    yield ("wiener-slopes", filtered(64, 64, 4), textured(mode=in_turn(10, 15, 21, 11, 24, 0, 1), index=weighted({0: 9, 5: 1, 9: 1, 6: 1, 12: 1}),
                                                           filter_strength=always(1), filter_block=always(1)))


def level_files():
    def mapped(kind, steps):
        return textured(level_maps=always(kind), level_step=steps)

    for kind in range(5):
        yield (f"level-maps-{kind}", filtered(66, 35, 2048, version=7, flag_6=kind == 2),
               mapped(kind, weighted({0: 6, 1: 9, 2: 4, 3: 1})))
    yield "level-maps-high", filtered(40, 20, 2048, version=7), mapped(3, weighted({0: 1, 1: 4, 2: 1, 6: 1, 9: 1}))
    yield "level-maps-low", filtered(40, 20, 2048, version=7), mapped(4, weighted({0: 6, 1: 3}))
    yield "level-maps-tiles", filtered(70, 61, 2048, version=7, tile=(3, 2)), [
        mapped(kind, weighted({0: 6, 1: 9, 2: 4})) for kind in (0, 2, 1, 4)]
    yield ("level-maps-behind-filters", filtered(65, 40, 2048 + 256 + 128 + 32 + 16 + 4, version=7),
           dict(mapped(3, weighted({0: 6, 1: 9, 2: 4})), network_level=always(6), network_of_block=in_turn(1, 0, 2),
                filter_strength=always(3), correction_sets=always(1), correction_size=weighted({5: 1, 0: 1}), filter_block=always(2)))


def lattice_files():
    def on_lattice(row, column, quality, **others):
        return textured(**{"jpeg_lattice": always(1), "bits": at_first(row, column, quality), "jpeg_step_size": weighted({0: 8, 1: 2, 2: 1}),
                           "jpeg_pull": weighted({0: 5, 1: 1, 12: 1, 4: 1}), **others})

    def lattice(width, height, tools=0, **others):
        return filtered(width, height, 16384 + tools, version=7, **others)

    yield "jpeg-lattice-none", lattice(40, 20), textured(jpeg_lattice=always(0))
    for name, quality in (("own", 0), ("1", 1), ("20", 20), ("49", 49), ("50", 50), ("75", 75), ("92", 92), ("100", 100), ("127", 127)):
        row, column = (quality * 3 + 1) % 8, quality * 5 % 8
        yield f"jpeg-lattice-{name}", lattice(66, 35, flag_6=quality == 50), on_lattice(row, column, quality)
    for pull in range(13):
        yield (f"jpeg-lattice-pull-{pull}", lattice(48, 32), on_lattice(0, 0, 70 - pull, jpeg_pull=at_first(pull, *[0] * 63)))
    yield "jpeg-lattice-steps", lattice(40, 40), on_lattice(2, 1, 60, jpeg_step_size=anything, jpeg_pull=anything)
    yield "jpeg-lattice-own-steps", lattice(40, 40), on_lattice(3, 6, 0, jpeg_step_size=anything, jpeg_pull=anything)
    for width, height, row, column in ((15, 40, 0, 7), (15, 40, 0, 0), (40, 14, 7, 0), (7, 7, 0, 0), (8, 8, 0, 0), (9, 8, 0, 1)):
        yield f"jpeg-lattice-{width}x{height}-{row}-{column}", lattice(width, height), on_lattice(row, column, 40)
    yield "jpeg-lattice-tiles", lattice(70, 61, tile=(3, 2)), [
        on_lattice(row, 3, 30, jpeg_lattice=always(row > 0)) for row in (0, 2, 1, 4)]
    yield ("jpeg-lattice-among-filters", lattice(65, 40, 2048 + 256 + 128 + 32 + 16 + 4),
           on_lattice(4, 5, 50, network_level=always(6), network_of_block=in_turn(1, 0, 2), filter_strength=always(3), correction_sets=always(1),
                      correction_size=weighted({0: 1}), filter_block=always(2), level_maps=always(3), level_step=weighted({0: 6, 1: 9, 2: 4})))


def exact_files():
    def exact(width, height, tools=0, **others):
        return filtered(width, height, 32768 + tools, version=7, **others)

    def blocks(*numbers, bits=None, **others):
        return textured(**{"exact_blocks": always(1), "exact_numbers": numbers, **({"exact_bits": bits} if bits else {}), **others})

    def likely(rng, p):  # which makes blocks alike their neighbours, and repeats
        return int((p >= 32768) ^ (rng.random() < 0.06))

    yield "exact-blocks-none", exact(40, 20), textured(exact_blocks=always(0))
    for count, numbers in (1, [0, 200]), (2, [1, 20, 200, 1]), (3, [2, 0, 100, 90, 0]), (16, [15, *[9] * 16, 7]):
        yield f"exact-blocks-{count}", exact(50, 37, flag_6=count == 2), blocks(*numbers, bits=likely)
    yield "exact-blocks-256", exact(24, 24), blocks(255, *[0] * 256, 3)
    yield "exact-blocks-any", exact(40, 40), blocks()
    yield "exact-blocks-all", exact(34, 20), blocks(2, 5, 60, 70, 1, bits=lambda _, p: int(p < 65000))
    yield "exact-blocks-limited-levels", exact(30, 20), blocks(130, 127, *[0] * 130, 255)
    yield "exact-blocks-limited-background", exact(40, 20), blocks(4, 10, 10, 10, 10, 10, 7, bits=likely)
    for width, height in (7, 7), (8, 8), (9, 8), (16, 33), (1, 20), (20, 1):
        yield f"exact-blocks-{width}x{height}", exact(width, height), blocks(1, 20, 200, 0, bits=likely)
    yield "exact-blocks-tiles", exact(70, 61, tile=(3, 2)), [blocks(1, 20, 200, 0, bits=likely, exact_blocks=always(row > 0)) for row in (0, 2, 1, 4)]
    yield ("exact-blocks-over-filters", exact(65, 40, 16384 + 2048 + 256 + 128 + 32 + 16 + 4),
           blocks(1, 20, 200, 1, bits=likely, network_level=always(6), network_of_block=in_turn(1, 0, 2), filter_strength=always(3),
                  correction_sets=always(1), correction_size=weighted({0: 1}), filter_block=always(2), jpeg_lattice=always(0),
                  level_maps=always(3), level_step=weighted({0: 6, 1: 9, 2: 4})))
    yield "exact-blocks-and-depth", exact(20, 20, depth=12, ends=(4095, 7), steps=(8, 0, 1, 2, 3, 4, 5, 60)), blocks(1, 20, 200, 1, bits=likely)


def filter_files():
    yield from network_files()
    yield from wiener_files()
    yield from lattice_files()
    yield from level_files()
    yield from exact_files()
