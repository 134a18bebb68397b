"""mmp, a codec for grayscale images of 1 to 16 bits a sample.

    file = mmp.encode(array, lambda_=10)  # array: uint8 or uint16, rows by columns
    array = mmp.decode(file)

    file = mmp.encode(array, max_error=0)  # lossless; 2: no sample is off by more than 2
    file = mmp.encode(array, depth=12)  # samples of 0 to 4095

What goes wrong raises

    TypeError                 an argument of the wrong type, or one that there is not
    mmp.Error                 all else that is refused or cannot be done; its `code` says which
      InvalidArgumentError    a value that an argument cannot have; a ValueError, too
      OutOfMemoryError        a MemoryError, too

and a callback's own exceptions come through. Functions and errors can be pickled, for
multiprocessing: pool.map(functools.partial(mmp.encode, lambda_=20), arrays).

Where Pillow is installed, it reads and writes .mmp files once this package is imported (mmp.pillow).
"""

import importlib.util

from mmp._mmp import (
    Error,
    InvalidArgumentError,
    OutOfMemoryError,
    __version__,
    decode,
    decode_damaged,
    encode,
    encode_many,
    encode_with_stats,
    info,
    trim_cuda,
)

__all__ = [
    "Error",
    "InvalidArgumentError",
    "OutOfMemoryError",
    "__version__",
    "decode",
    "decode_damaged",
    "encode",
    "encode_many",
    "encode_with_stats",
    "info",
    "trim_cuda",
]

if importlib.util.find_spec("PIL"):
    from mmp import pillow as pillow
