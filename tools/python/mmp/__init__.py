"""mmp, a codec for 8-bit grayscale images.

    file = mmp.encode(array, lambda_=10)  # array: uint8, rows by columns
    array = mmp.decode(file)

Where Pillow is installed, it reads and writes .mmp files once this package is imported (mmp.pillow).
"""

import importlib.util

from mmp._mmp import (
    Error,
    __version__,
    decode,
    decode_damaged,
    encode,
    encode_many,
    encode_with_stats,
    info,
)

__all__ = [
    "Error",
    "__version__",
    "decode",
    "decode_damaged",
    "encode",
    "encode_many",
    "encode_with_stats",
    "info",
]

if importlib.util.find_spec("PIL"):
    from mmp import pillow as pillow
