"""Rules by which the writer chooses symbols; see Policy."""

from collections import Counter

from writer import SIZES

def weighted(weights, otherwise=0):
    """Symbols with these chances, in proportion; all others have the one of `otherwise`."""
    def rule(rng, options, _):
        chances = [weights.get(option, otherwise) for option in options]
        return rng.choices(options, chances)[0] if sum(chances) else rng.choice(options)
    return rule


def always(*symbols):
    """The first of these that may be chosen."""
    return lambda _, options, __: next(symbol for symbol in symbols if symbol in options)


def mostly(chance, rule, otherwise):
    return lambda rng, options, tile: (rule if rng.random() < chance else otherwise)(rng, options, tile)


def anything(rng, options, _):
    return rng.choice(options)


def in_turn(*symbols):
    """These, again and again, as far as they may be chosen."""
    state = [0]

    def rule(rng, options, _):
        for _ in symbols:
            symbol = symbols[state[0] % len(symbols)]
            state[0] += 1
            if symbol in options:
                return symbol
        return rng.choice(options)
    return rule


def at_first(*symbols):
    """These, one after the other, then any."""
    left = list(symbols)
    return lambda rng, options, _: left.pop(0) if left else rng.choice(options)


def least_used():
    """The one that was used least often at such a place: of its level, and with such neighbours."""
    counts = Counter()

    def rule(rng, options, tile):
        y, x, level = tile.place
        around = [tile.pixels[y - 1][x] is None, tile.pixels[y][x - 1] is None,
                  tile.pixels[y - 1][x + SIZES[level][1]] is None]
        keys = {option: [(option, level), (option, *around), option] for option in options}
        best = min(options, key=lambda option: (sum(counts[key] for key in keys[option]), rng.random()))
        counts.update(keys[best])
        return best
    return rule


def of_modes(*modes, chance=0.85):
    """Mostly these, the least used first."""
    rule = least_used()

    def chosen(rng, options, tile):
        wanted = [mode for mode in options if mode in modes]
        return rule(rng, wanted if wanted and rng.random() < chance else options, tile)
    return chosen


def depth_of_cuts(chance, residual=0.3, least=0):
    """Partitions: cut with this chance, as far as blocks have more than `least` pixels; else the residual may be cut."""
    def rule(rng, options, tile):
        rows, columns = SIZES[tile.place[2]]
        cuts = [option for option in options if option in (1, 2)]
        if cuts and rows * columns > least and rng.random() < chance:
            return rng.choice(cuts)
        others = [option for option in options if option > 2]
        return rng.choice(others) if others and rng.random() < residual else 0
    return rule


def residual_cuts(chance):
    return lambda rng, options, _: rng.choice(options[1:]) if len(options) > 1 and rng.random() < chance else 0


def indices(small=0.5, last=0.2, few=12):
    """Of patterns: with these chances one of the first few, one of the last few, else any."""
    def rule(rng, options, _):
        kind, count = rng.random(), len(options)
        if kind < small:
            return rng.randrange(min(few, count))
        return count - 1 - rng.randrange(min(few, count)) if kind < small + last else rng.randrange(count)
    return rule


def moderate(spread=24):
    """Indices of patterns that bring the mean of a block back to the middle where it leaves it."""
    def rule(rng, options, _):
        return min(rng.randrange(spread), rng.randrange(spread), len(options) - 1)
    return rule


def near_vectors(count=(0, 1, 1, 2), up=40, aside=40):
    """Vectors that mostly reach pixels of the tile; zero, known ones and such as are too long among them."""
    def rule(rng, _, tile):
        vectors = []
        for _ in range(rng.choice(count)):
            kind = rng.random()
            if kind < 0.15 and tile.vectors:
                vectors.append(rng.choice(tile.vectors))
            elif kind < 0.2:
                vectors.append((-rng.randrange(65536), rng.randrange(-65535, 65536)))
            else:
                u = -rng.choice([0, 16, rng.randrange(up + 1)])
                vectors.append((u, rng.choice([0, -16, 16, rng.randint(-aside, aside)])))
        return vectors
    return rule


ALL_MODES = (1 << 31) - 1
