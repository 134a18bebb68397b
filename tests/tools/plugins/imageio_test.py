"""Tests of the format for imageio, and of arrays that tifffile reads and writes. The Python package mmp must
be on PYTHONPATH.

Usage: imageio_test.py [unittest's arguments]; prints "Skipped: why" where one of both is not installed.
"""

import io
import pathlib
import sys
import tempfile
import unittest

try:
    import imageio
    import numpy as np
    import tifffile
except ImportError as error:
    print(f"Skipped: {error} (Debian: python3-imageio, python3-tifffile)")
    sys.exit(0)

import mmp
import mmp.imageio


def slope(dtype, rows=40, columns=50):
    """A slope of many levels with some noise."""
    sums = np.add.outer(np.arange(rows), np.arange(columns))
    sums += np.random.default_rng(1).integers(0, 20, sums.shape)
    return (sums * np.iinfo(dtype).max // sums.max()).astype(dtype)


class FolderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.path = self.folder / "image.mmp"


class ImageioTest(FolderTest):
    def test_lossless(self):
        for dtype in np.uint8, np.uint16:
            image = slope(dtype)
            imageio.imwrite(self.path, image, max_error=0)
            self.assertEqual(self.path.read_bytes(), mmp.encode(image, max_error=0))
            read = imageio.imread(self.path)
            self.assertEqual((read.dtype, read.meta["depth"]), (dtype, 8 * image.itemsize))
            np.testing.assert_array_equal(read, image)

    def test_options(self):
        image = slope(np.uint8)
        imageio.imwrite(self.path, image)
        self.assertEqual(self.path.read_bytes(), mmp.encode(image))
        imageio.imwrite(self.path, image >> 3, depth=5, lambda_=0)
        self.assertEqual(imageio.imread(self.path, threads=1).meta["depth"], 5)
        with self.assertRaisesRegex(TypeError, "quality"):
            imageio.imwrite(self.path, image, quality=3)
        with self.assertRaises(mmp.Error):
            imageio.imread(self.path, max_pixels=100)

    def test_any_name_and_no_file(self):
        file = imageio.imwrite(imageio.RETURN_BYTES, slope(np.uint8), "mmp", max_error=0)
        other = self.folder / "image.dat"
        other.write_bytes(file)
        for source in file, other, io.BytesIO(file):
            np.testing.assert_array_equal(imageio.imread(source), slope(np.uint8))

    def test_one_band_is_gray(self):
        imageio.imwrite(self.path, slope(np.uint8)[..., np.newaxis], max_error=0)
        np.testing.assert_array_equal(imageio.imread(self.path), slope(np.uint8))

    def test_reader(self):
        imageio.imwrite(self.path, slope(np.uint8), max_error=0)
        with imageio.get_reader(self.path) as reader:
            self.assertEqual(reader.format.name, "MMP")
            self.assertEqual((len(reader), reader.get_meta_data()), (1, {"depth": 8}))
            with self.assertRaises(IndexError):
                reader.get_data(1)

    def test_what_cannot_be_written_is_refused(self):
        color = np.stack([slope(np.uint8)] * 3, axis=2)
        for error, image in [(mmp.InvalidArgumentError, color),
                             (TypeError, slope(np.uint8).astype(np.float32))]:
            with self.assertRaises(error):
                imageio.imwrite(self.path, image)
            self.assertFalse(self.path.exists())
        with imageio.get_writer(self.path, mode="i") as writer:
            writer.append_data(slope(np.uint8))
            with self.assertRaisesRegex(RuntimeError, "one image"):
                writer.append_data(slope(np.uint8))

    def test_damage_is_found(self):
        imageio.imwrite(self.path, slope(np.uint8))
        self.path.write_bytes(self.path.read_bytes()[:-1])
        with self.assertRaises(mmp.Error):
            imageio.imread(self.path)


class TifffileTest(FolderTest):
    def test_lossless(self):
        for dtype in "<u1", "<u2", ">u2":
            with self.subTest(dtype):
                first, second = self.folder / "first.tif", self.folder / "second.tif"
                tifffile.imwrite(first, slope(dtype), byteorder=dtype[0])
                self.path.write_bytes(mmp.encode(tifffile.imread(first), max_error=0))
                tifffile.imwrite(second, mmp.decode(self.path.read_bytes()))
                read = tifffile.imread(second)
                self.assertEqual(read.dtype.itemsize, np.dtype(dtype).itemsize)
                np.testing.assert_array_equal(read, slope(dtype))

    def test_pages(self):
        pages = np.stack([slope(np.uint16) + i for i in range(3)])
        tifffile.imwrite(self.path, pages, photometric="minisblack")
        with tifffile.TiffFile(self.path) as tiff:
            files = mmp.encode_many([(page.asarray(), {"max_error": 0}) for page in tiff.pages])
        np.testing.assert_array_equal(np.stack([mmp.decode(file) for file in files]), pages)


if __name__ == "__main__":
    unittest.main()
