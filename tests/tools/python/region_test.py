"""Tests of the Python package mmp, which must be on PYTHONPATH: regions, previews and
files that are not in memory.

Usage: region_test.py [unittest's arguments]
"""

import io
import pathlib
import tempfile
import unittest

import mmp
import numpy as np

from shared import noise, read_testimage


class StrictFile(io.BytesIO):
    """A file that says how much of it is read, and ends at `end`."""

    def __init__(self, data, end=None):
        super().__init__(data)
        self.end = len(data) if end is None else end
        self.count = 0

    def read(self, size=-1):
        if self.tell() + size > self.end:
            raise EOFError("behind the end")
        data = super().read(min(size, 77))  # a part, as raw files may give
        self.count += len(data)
        return data


class RegionTest(unittest.TestCase):
    def setUp(self):
        self.image = noise(64, 96)
        self.file = mmp.encode(self.image, max_error=0, tile=(32, 32))
        self.tiles = mmp.info(self.file)["tiles"]
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "a.mmp"
        self.path.write_bytes(self.file)

    def test_every_kind_of_file(self):
        with self.path.open("rb") as file:
            for data in self.file, memoryview(self.file), self.path, str(self.path), file:
                for region in (0, 0, 96, 64), (30, 5, 10, 40), [95, 63, 1, 1], None:
                    x, y, width, height = region or (0, 0, 96, 64)
                    part = mmp.decode(data, region=region)
                    self.assertTrue(part.flags.c_contiguous)
                    np.testing.assert_array_equal(part, self.image[y:y + height, x:x + width])

    def test_only_its_tiles_are_read(self):
        file = StrictFile(self.file, end=self.tiles[2]["offset"])
        part = mmp.decode(file, region=(3, 4, 50, 20))
        np.testing.assert_array_equal(part, self.image[4:24, 3:53])
        self.assertLess(file.count, self.tiles[2]["offset"] + 64 + 200)
        with self.assertRaisesRegex(EOFError, "behind the end"):
            mmp.decode(file, region=(64, 0, 1, 1))

    def test_damage_is_that_of_the_region(self):
        damaged = bytearray(self.file)
        damaged[self.tiles[4]["offset"]] ^= 1  # at (32, 32)
        np.testing.assert_array_equal(mmp.decode(damaged, region=(0, 0, 96, 32)), self.image[:32])
        part, tiles = mmp.decode_damaged(io.BytesIO(damaged), region=(40, 30, 40, 20))
        expected = self.image[30:50, 40:80].copy()
        expected[2:, :24] = 128
        np.testing.assert_array_equal(part, expected)
        self.assertEqual([(tile["x"], tile["y"]) for tile in tiles], [(32, 32)])

    def test_previews(self):
        image = read_testimage("natural.png")[:128, :100]
        file = mmp.encode(image, lambda_=100, preset="fast", preview=True)
        size = mmp.info(file)["preview_bytes"]
        read = StrictFile(file, end=mmp.info(file)["header_bytes"] + size)
        preview = mmp.decode(read, preview=True)
        self.assertEqual(preview.shape, (16, 13))
        self.assertLess(abs(preview.mean() - image.mean()), 4)
        with self.assertRaisesRegex(mmp.Error, "no preview") as caught:
            mmp.decode(self.file, preview=True)
        self.assertEqual(caught.exception.code, "unsupported")
        self.assertEqual(mmp.info(self.file)["preview_bytes"], 0)

    def test_what_a_file_says_without_having_it_in_memory(self):
        expected = mmp.info(self.file)
        with self.path.open("rb") as file:
            for data in self.path, str(self.path), file:
                self.assertEqual(mmp.info(data), expected)
        end = expected["header_bytes"]
        beginning = StrictFile(self.file, end=end)
        self.assertEqual(mmp.info(beginning, check_bytes=False), expected)
        self.assertLessEqual(beginning.count, end + 64)
        with self.assertRaisesRegex(EOFError, "behind the end"):
            mmp.info(beginning)
        with self.assertRaisesRegex(TypeError, "check_bytes must be True or False"):
            mmp.info(self.file, check_bytes=1)
        damaged = bytearray(self.file)
        damaged[-1] ^= 1
        with self.assertRaisesRegex(mmp.Error, r"tile index 5 \(of 6 tiles\) is damaged"):
            mmp.info(io.BytesIO(damaged))
        self.assertEqual(mmp.info(damaged, check_bytes=False), expected)

    def test_wrong_regions(self):
        for region in (0, 0, 97, 1), (-1, 0, 5, 5), (0, 0, 0, 5), (96, 0, 1, 1):
            with self.assertRaisesRegex(mmp.InvalidArgumentError, "not inside the image"):
                mmp.decode(self.file, region=region)
        for region in (1, 2, 3), 5, "1234", (0.0, 0, 1, 1):
            with self.assertRaisesRegex(TypeError, "region must be four integers"):
                mmp.decode(self.file, region=region)

    def test_files_that_cannot_be_read(self):
        with self.assertRaises(FileNotFoundError):
            mmp.decode(self.path.parent / "none.mmp")
        with self.assertRaises(IsADirectoryError):
            mmp.decode(self.path.parent)
        with self.path.open(encoding="latin-1") as text, self.assertRaisesRegex(TypeError, "rb"):
            mmp.decode(text)
        short = io.BytesIO(self.file)
        short.tell = lambda: len(self.file) + 1
        with self.assertRaises(mmp.Error):
            mmp.decode(short)
        closed = self.path.open("rb")
        closed.close()
        with self.assertRaises(ValueError):
            mmp.decode(closed)


if __name__ == "__main__":
    unittest.main()
