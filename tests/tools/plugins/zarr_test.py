"""Tests of the codec for numcodecs and Zarr. The Python package mmp must be on PYTHONPATH, with what it
says of itself.

Usage: zarr_test.py [unittest's arguments]; prints "Skipped: why" where zarr is not installed.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import numcodecs
    import numpy as np
    import zarr
except ImportError as error:
    print(f"Skipped: {error} (Debian: python3-zarr)")
    sys.exit(0)

import mmp


def slope(dtype, *shape):
    """A slope of many levels with some noise."""
    sums = sum(np.ogrid[tuple(slice(side) for side in shape)])
    sums = sums + np.random.default_rng(1).integers(0, 20, shape)
    return (sums * np.iinfo(dtype).max // sums.max()).astype(dtype)


def codec(**options):
    return numcodecs.get_codec({"id": "mmp", **options})


class CodecTest(unittest.TestCase):
    def test_it_is_found_by_its_entry_point(self):
        code = ("import numcodecs, sys; assert 'mmp' not in sys.modules;"
                "print(numcodecs.get_codec({'id': 'mmp'}))")
        output = subprocess.check_output([sys.executable, "-c", code], text=True)
        self.assertEqual(output, "MMP(depth=None, lambda_=None, max_error=0, preset='best')\n")

    def test_configuration(self):
        for options in {}, {"lambda_": 20}, {"max_error": 2, "preset": "fast"}, {"depth": 12}:
            with self.subTest(options):
                made = codec(**options)
                config = json.loads(json.dumps(made.get_config()))
                self.assertEqual(numcodecs.get_codec(config), made)
                # Arrays keep it: with what is not set, versions before an option could not read them.
                lossy = {} if "lambda_" in options else {"max_error": 0}
                self.assertEqual(config, {"id": "mmp", "preset": "best", **lossy, **options})
        with self.assertRaises(TypeError):
            codec(quality=3)
        with self.assertRaisesRegex(mmp.InvalidArgumentError, "either lambda_ or max_error"):
            codec(lambda_=10, max_error=0)

    def test_files_are_those_of_the_package(self):
        image = slope("u1", 40, 50)
        self.assertEqual(codec().encode(image), mmp.encode(image, max_error=0))
        self.assertEqual(codec(lambda_=50, preset="fast").encode(image),
                         mmp.encode(image, lambda_=50, preset="fast"))
        deep = slope("<u2", 40, 50) >> 4
        self.assertEqual(codec(depth=12).encode(deep), mmp.encode(deep, max_error=0, depth=12))

    def test_every_shape(self):
        for shape in (), (33,), (20, 30), (1, 20, 30), (3, 20, 30), (2, 3, 4, 5):
            data = slope("<u2", *shape)
            for order in "CF":
                with self.subTest(shape=shape, order=order):
                    ordered = np.asarray(data, order=order)
                    out = np.empty_like(ordered)
                    decoded = codec().decode(codec().encode(ordered), out)
                    np.testing.assert_array_equal(out, data)
                    flat = np.asarray(decoded).reshape(-1, order="A")
                    np.testing.assert_array_equal(flat, ordered.reshape(-1, order="A"))

    def test_buffers(self):
        image = slope("u1", 40, 50)
        file = codec().encode(image)
        for buffer in file, bytearray(file), memoryview(file), np.frombuffer(file, "u1"):
            np.testing.assert_array_equal(codec().decode(buffer), image)
        out = bytearray(image.nbytes)
        codec().decode(file, out)
        self.assertEqual(bytes(out), image.tobytes())
        row = codec().encode(b"0123")
        np.testing.assert_array_equal(mmp.decode(row), [[48, 49, 50, 51]])

    def test_what_cannot_be_coded_is_refused(self):
        for dtype in "i1", "i2", ">u2", "u4", "f4", "?", "M8[s]":
            with self.subTest(dtype), self.assertRaisesRegex(TypeError, "uint8 or little-endian"):
                codec().encode(np.zeros((8, 8), dtype))
        with self.assertRaisesRegex(ValueError, "decoded as uint8"):
            codec(depth=8).encode(np.zeros((8, 8), "<u2"))
        with self.assertRaisesRegex(ValueError, "contiguous"):
            codec().encode(slope("u1", 40, 50)[:, ::2])
        with self.assertRaisesRegex(mmp.InvalidArgumentError, "65535"):
            codec().encode(np.zeros((2, 40000, 1), "u1"))

    def test_what_does_not_fit_is_refused(self):
        file = codec().encode(slope("u1", 40, 50))
        with self.assertRaises(mmp.Error) as raised:
            codec().decode(file, np.empty((40, 49), "u1"))
        self.assertEqual(raised.exception.code, "limit_exceeded")
        for shape, dtype in ((40, 51), "u1"), ((40, 50), "u2"):
            with self.assertRaises(ValueError):
                codec().decode(file, np.empty(shape, dtype))
        with self.assertRaises(mmp.Error):
            codec().decode(file[:-1])


class ZarrTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "data.zarr"

    def saved(self, data, chunks, options=None, order="C"):
        array = zarr.open(str(self.path), "w", shape=data.shape, dtype=data.dtype, chunks=chunks,
                          order=order, compressor=codec(**(options or {})))
        array[...] = data
        return zarr.open(str(self.path), "r")

    def test_lossless(self):
        cases = [("u1", (100, 120), (64, 50)), ("<u2", (100, 120), (64, 50)),
                 ("u1", (64, 100), (64, 100)), ("<u2", (3, 50, 40), (1, 32, 40))]
        for dtype, shape, chunks in cases:
            data = slope(dtype, *shape)
            for order in "CF":
                with self.subTest(dtype=dtype, chunks=chunks, order=order):
                    array = self.saved(data, chunks, order=order)
                    self.assertEqual(array.dtype, data.dtype)
                    np.testing.assert_array_equal(array[...], data)
                    np.testing.assert_array_equal(array[..., 3:21], data[..., 3:21])
                    self.assertLess(array.nbytes_stored, data.nbytes)

    def test_a_bound_is_kept(self):
        for dtype, bound in ("u1", 3), ("<u2", 500):
            data = slope(dtype, 100, 120)
            lossless = self.saved(data, (64, 50)).nbytes_stored
            array = self.saved(data, (64, 50), {"max_error": bound})
            errors = np.abs(array[...].astype(int) - data)
            self.assertTrue(0 < errors.max() <= bound)
            self.assertLess(array.nbytes_stored, lossless)

    def test_a_chunk_is_a_file_of_the_program(self):
        data = slope("u1", 64, 50)
        self.saved(data, (64, 50))
        np.testing.assert_array_equal(mmp.decode((self.path / "0.0").read_bytes()), data)

    def test_after_another_filter(self):
        data = slope("u1", 64, 50)
        array = zarr.array(data, chunks=(64, 50), compressor=codec(),
                           filters=[numcodecs.Delta("u1")])
        np.testing.assert_array_equal(array[...], data)

    def test_damage_is_found(self):
        array = self.saved(slope("u1", 64, 50), (64, 50))
        chunk = self.path / "0.0"
        chunk.write_bytes(chunk.read_bytes()[:-1])
        with self.assertRaises(mmp.Error):
            array[...]


if __name__ == "__main__":
    unittest.main()
