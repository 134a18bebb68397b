"""Uses the codec of Zarr, the filter of HDF5 and the format of imageio as they are installed."""

import h5py
import imageio
import mmp
import mmp.imageio
import numcodecs
import numpy as np
import zarr

image = (np.add.outer(np.arange(50), np.arange(60)) * 500).astype("<u2")

codec = numcodecs.get_codec({"id": "mmp"})
zarr.save_array("image.zarr", image, chunks=(32, 32), compressor=codec)
assert (zarr.load("image.zarr") == image).all()

with h5py.File("image.h5", "w") as file:
    file.create_dataset("image", data=image, chunks=image.shape, compression=377)
with h5py.File("image.h5") as file:
    assert (file["image"][...] == image).all()

imageio.imwrite("image.mmp", image, max_error=0)
assert (imageio.imread("image.mmp") == image).all()
print("mmp", mmp.__version__, "is known to Zarr, HDF5 and imageio")
