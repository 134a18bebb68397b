"""Lets numcodecs, and so Zarr, keep chunks of arrays as .mmp files.

The codec is called "mmp" and found by an entry point where the package is installed; without, once
this module is imported.

    compressor = mmp.numcodecs.MMP()  # lossless; max_error=2: no sample is off by more than 2
    zarr.save_array("scans.zarr", array, chunks=(512, 512), compressor=compressor)
"""

import mmp
import numpy as np
from numcodecs.abc import Codec
from numcodecs.compat import ensure_contiguous_ndarray, ensure_ndarray, ndarray_copy
from numcodecs.registry import register_codec


class MMP(Codec):
    """Codes arrays of uint8 or little-endian uint16, without loss unless it is told otherwise.

    lambda_    what may be lost, as for mmp.encode
    max_error  in place of lambda_: no sample is off by more than this; 0, the default, is lossless
    depth      bits a sample, 1 to 8 of uint8, 9 to 16 of uint16; by default all that the type has
    preset     "best", "fast", "quick" or "thesis"

    An array is coded in the order in which its elements lie in memory: the last dimension there are
    the columns of an image, and the product of all others its rows, at most 65535 of either.
    """

    codec_id = "mmp"

    def __init__(self, lambda_=None, max_error=None, depth=None, preset="best"):
        if lambda_ is None and max_error is None:
            max_error = 0
        elif lambda_ is not None and max_error is not None:
            raise mmp.InvalidArgumentError("give either lambda_ or max_error, not both")
        self.lambda_ = lambda_
        self.max_error = max_error
        self.depth = depth
        self.preset = preset

    def get_config(self):
        """What arrays keep of it for good: no option that is not set, so that those which later versions
        add stand only where they are used, and older versions read all other arrays."""
        options = {name: value for name, value in vars(self).items() if value is not None}
        return {"id": self.codec_id, **options}

    def encode(self, buf):
        """The array or buffer `buf`, which must be contiguous, as a file in bytes."""
        samples = np.atleast_1d(ensure_contiguous_ndarray(buf, flatten=False))
        self._check_type(samples.dtype)
        if not samples.flags.c_contiguous:
            samples = samples.T
        options = self.get_config()
        del options["id"]
        return mmp.encode(samples.reshape(-1, samples.shape[-1]), **options)

    def _check_type(self, dtype):
        """That decode, which knows no more than the file, will make an array of this type."""
        if dtype not in (np.dtype("u1"), np.dtype("<u2")):
            raise TypeError(f"the codec mmp takes arrays of uint8 or little-endian uint16, "
                            f"not {dtype.str!r}; convert them by astype")
        if self.depth is not None and self.depth <= 8 and dtype.itemsize == 2:
            raise mmp.InvalidArgumentError(
                f"samples of {self.depth} bits are decoded as uint8; give an array of that type")

    def decode(self, buf, out=None):
        """The samples of the file in `buf`, an array of rows by columns in C order; they are
        written to `out`, too, if it is given."""
        file = memoryview(ensure_contiguous_ndarray(buf)).cast("B")
        limit = {} if out is None else {"max_pixels": ensure_ndarray(out).size}
        samples = mmp.decode(file, **limit)
        return ndarray_copy(samples.astype(samples.dtype.newbyteorder("<"), copy=False), out)


register_codec(MMP)
