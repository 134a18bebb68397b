"""Written from docs/format.md alone, a part of spec_decoder.py: what all chapters share."""


class Refused(Exception):
    """The file or one of its tiles is not valid."""


def require(condition, reason):
    if not condition:
        raise Refused(reason)


# --- Conventions: levels --------------------------------------------------------------------------

SIZES = [(1, 1), (1, 2), (2, 1), (2, 2), (1, 4), (4, 1), (2, 4), (4, 2), (4, 4),
         (1, 8), (8, 1), (2, 8), (8, 2), (4, 8), (8, 4), (8, 8), (1, 16), (16, 1),
         (2, 16), (16, 2), (4, 16), (16, 4), (8, 16), (16, 8), (16, 16)]
LEVELS = range(len(SIZES))
MACROBLOCK = 24
VERTICAL = [SIZES.index((r, c // 2)) if c > 1 else None for r, c in SIZES]
HORIZONTAL = [SIZES.index((r // 2, c)) if r > 1 else None for r, c in SIZES]


def clip(v):
    return min(max(v, 0), 255)


def add_up(vectors):
    return [sum(column) for column in zip(*vectors)]
