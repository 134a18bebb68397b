"""Tests of the Python package mmp, which must be on PYTHONPATH: samples of 1 to 16 bits, bounds on
their error, and the coders.

Usage: depth_test.py [unittest's arguments]
"""

import io
import pathlib
import tempfile
import unittest

import mmp
import numpy as np
from PIL import Image


def noise(depth, rows=20, columns=28):
    """Samples of so many bits, the least and the greatest among them."""
    dtype = np.uint8 if depth <= 8 else np.uint16
    image = np.random.default_rng(depth).integers(0, 2**depth, (rows, columns), dtype=dtype)
    image[0, :2] = 0, 2**depth - 1
    return image


def slope(depth, rows=32, columns=48):
    """A slope of many levels with some noise."""
    sums = np.add.outer(np.arange(rows), np.arange(columns))
    sums += np.random.default_rng(1).integers(0, 20, sums.shape)
    return (sums * (2**depth - 1) // sums.max()).astype(np.uint8 if depth <= 8 else np.uint16)


class ArrayTest(unittest.TestCase):
    def assert_lossless(self, image, expected, **options):
        file = mmp.encode(image, lambda_=0, **options)
        decoded = mmp.decode(file)
        self.assertEqual(decoded.dtype, expected.dtype)
        np.testing.assert_array_equal(decoded, expected)
        return file

    def test_every_depth(self):
        for depth in range(1, 17):
            with self.subTest(depth):
                image = noise(depth)
                file = self.assert_lossless(image, image, depth=depth)
                info = mmp.info(file)
                self.assertEqual((info["depth"], info["lossless"]), (depth, True))
                self.assertEqual(mmp._mmp.read_size(file[:mmp._mmp.MAX_HEADER_BYTES]),
                                 (28, 20, depth, False, 0))

    def test_the_default_is_that_of_the_type(self):
        self.assertEqual(mmp.info(mmp.encode(noise(5)))["depth"], 8)
        self.assertEqual(mmp.info(mmp.encode(noise(12)))["depth"], 16)
        self.assertEqual(mmp.encode(noise(8), depth=8), mmp.encode(noise(8)))

    def test_few_bits_in_two_bytes(self):
        for depth in 1, 7, 8:
            image = noise(depth)
            file = self.assert_lossless(image.astype(np.uint16), image, depth=depth)
            self.assertEqual(file, mmp.encode(image, lambda_=0, depth=depth))

    def test_any_strides_and_byte_order(self):
        whole = noise(16, 60, 80)
        at_odd_address = np.frombuffer(b"x" + whole.tobytes(), np.uint16, offset=1)
        records = np.zeros((60, 80), [("before", np.uint8), ("sample", np.uint16)])
        records["sample"] = whole
        views = {
            "rows apart": whole[5:45, 3:50],
            "every other": whole[::2, ::3],
            "backwards": whole[::-1, ::-1],
            "transposed": whole.T,
            "one row": whole[::70],
            "one column": whole[:, 7:8],
            "broadcast": np.broadcast_to(whole[0], (20, 80)),
            "the other byte order": whole.astype(whole.dtype.newbyteorder()),
            "big-endian, few of them": whole.astype(">u2")[3:20, ::2],
            "at an odd address": at_odd_address.reshape(whole.shape),
            "fields of records": records["sample"],
            "low bytes": whole.view(np.uint8)[:, ::2],
        }
        for name, view in views.items():
            with self.subTest(name):
                self.assert_lossless(view, view.astype(view.dtype.newbyteorder("=")))

    def test_many(self):
        images = [noise(12), noise(4), noise(8)]
        options = [{"lambda_": 0, "depth": 12}, {"max_error": 0, "depth": 4}, {"depth": 9}]
        *files, error = mmp.encode_many(list(zip(images, options)))
        for image, options, file in zip(images, options, files):
            self.assertEqual(file, mmp.encode(image, **options))
            np.testing.assert_array_equal(mmp.decode(file), image)
        self.assertIsInstance(error, mmp.InvalidArgumentError)

    def test_damaged_tiles_are_of_the_gray_in_the_middle(self):
        image = noise(12, 32, 64)
        file = bytearray(mmp.encode(image, lambda_=0, depth=12, tile=(32, 32)))
        file[-1] ^= 1
        decoded, damaged = mmp.decode_damaged(file)
        self.assertEqual((decoded.dtype, len(damaged)), (np.uint16, 1))
        np.testing.assert_array_equal(decoded[:, :32], image[:, :32])
        self.assertTrue((decoded[:, 32:] == 2048).all())

    def test_decoded_array_is_ones_own(self):
        decoded = mmp.decode(mmp.encode(noise(16)))
        decoded[:] = 40000
        self.assertTrue((decoded == 40000).all())

    def test_wrong_ones(self):
        invalid = mmp.InvalidArgumentError
        cases = [
            (invalid, "1 to 8 for an array of uint8, not 9; .*uint16", noise(8), {"depth": 9}),
            (invalid, "1 to 8 for an array of uint8, not 17$", noise(8), {"depth": 17}),
            (invalid, "1 to 8 for an array of uint8, not 0$", noise(8), {"depth": 0}),
            (invalid, "1 to 16 for an array of uint16, not 17$", noise(16), {"depth": 17}),
            (invalid, "1 to 16 for an array of uint16, not -1$", noise(16), {"depth": -1}),
            (invalid, "depth must be", noise(16), {"depth": 2**40}),
            (TypeError, "depth must be an integer, not '8'", noise(8), {"depth": "8"}),
            (TypeError, "depth must be an integer, not 8.0", noise(8), {"depth": 8.0}),
            (invalid, "a sample is 255, more than its 7 bits", noise(8), {"depth": 7}),
            (invalid, "a sample is 4095, more than its 11 bits", noise(12), {"depth": 11}),
            (invalid, "a sample is 4095, more than its 8 bits", noise(12), {"depth": 8}),
            (invalid, "1 to 65535 rows", noise(12)[:0], {"depth": 8}),
            (invalid, "rows by columns, not of shape", noise(12)[0], {"depth": 8}),
        ]
        for kind, message, image, options in cases:
            with self.subTest(message), self.assertRaisesRegex(kind, message):
                mmp.encode(image, **options)


class BoundTest(unittest.TestCase):
    def test_no_sample_is_off_by_more(self):
        for depth, bound in (8, 1), (8, 5), (12, 40), (16, 500), (5, 2):
            with self.subTest(depth=depth, bound=bound):
                image = slope(depth)
                file, stats = mmp.encode_with_stats(image, depth=depth, max_error=bound)
                errors = np.abs(mmp.decode(file).astype(int) - image)
                self.assertTrue(0 < errors.max() <= bound)
                self.assertEqual(stats["sum_squared_error"], (errors**2).sum())
                for said in stats, mmp.info(file):
                    self.assertEqual((said["coder"], said["max_error"]), ("pixels", bound))
                self.assertFalse(mmp.info(file)["lossless"])
                self.assertLess(len(file), len(mmp.encode(image, depth=depth, lambda_=0)))

    def test_a_bound_of_0_is_lossless(self):
        for depth in 8, 16:
            file = mmp.encode(slope(depth), max_error=0)
            np.testing.assert_array_equal(mmp.decode(file), slope(depth))
            self.assertTrue(mmp.info(file)["lossless"])

    def test_coders(self):
        for depth in 8, 12:
            for coder in "patterns", "pixels":
                with self.subTest(coder, depth=depth):
                    file, stats = mmp.encode_with_stats(slope(depth), depth=depth, coder=coder)
                    self.assertEqual(stats["coder"], coder)
                    self.assertEqual(mmp.info(file)["coder"], coder)
                    self.assertEqual(stats["nodes"] > 0, coder == "patterns")

    def test_wrong_ones(self):
        invalid = mmp.InvalidArgumentError
        cases = [
            (invalid, "between 0 and 255 for samples of 8 bits", noise(8), {"max_error": 256}),
            (invalid, "between 0 and 15 for samples of 4 bits", noise(4),
             {"max_error": 16, "depth": 4}),
            (invalid, "between 0 and 65535", noise(16), {"max_error": -1}),
            (TypeError, "max_error must be an integer, not 1.5", noise(8), {"max_error": 1.5}),
            (invalid, "patterns cannot keep to a bound", noise(8),
             {"max_error": 1, "coder": "patterns"}),
            (invalid, "coder must be one of 'auto', 'patterns', 'pixels', not 'pixel'", noise(8),
             {"coder": "pixel"}),
            (TypeError, "coder must be a string", noise(8), {"coder": 2}),
            (TypeError, "did you mean 'max_error'", noise(8), {"max_err": 1}),
        ]
        for kind, message, image, options in cases:
            with self.subTest(message), self.assertRaisesRegex(kind, message):
                mmp.encode(image, **options)


class PillowTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "image.mmp"

    def opened(self, file):
        with Image.open(io.BytesIO(file)) as image:
            image.load()
            return image

    def test_deep_files_are_opened_in_a_mode_of_16_bits(self):
        for depth in 9, 12, 16:
            image = self.opened(mmp.encode(noise(depth), lambda_=0, depth=depth))
            self.assertEqual((image.mode, image.size, image.info["depth"]),
                             ("I;16", (28, 20), depth))
            np.testing.assert_array_equal(np.asarray(image), noise(depth))

    def test_samples_of_few_bits_are_scaled(self):
        for depth in 2, 3, 7, 8:
            image = self.opened(mmp.encode(noise(depth), lambda_=0, depth=depth))
            self.assertEqual((image.mode, image.info["depth"]), ("L", depth))
            scaled = np.floor(noise(depth) * (255 / (2**depth - 1)) + 0.5)
            np.testing.assert_array_equal(np.asarray(image), scaled)

    def test_mode_1_is_of_1_bit(self):
        samples = noise(1, 20, 29)
        file = mmp.encode(samples, lambda_=0, depth=1)
        image = self.opened(file)
        self.assertEqual((image.mode, image.size, image.info["depth"]), ("1", (29, 20), 1))
        np.testing.assert_array_equal(np.asarray(image), samples)
        for image in image, Image.fromarray(samples == 1):
            image.save(self.path, lossless=True)
            self.assertEqual(self.path.read_bytes(), file)
        image.save(self.path, max_error=0, depth=8)
        self.assertEqual(mmp.info(self.path)["depth"], 8)

    def test_the_preview_of_few_bits_has_eight(self):
        samples = np.repeat(np.repeat([[0, 1], [1, 0]], 8, 0), 12, 1).astype(np.uint8)
        file = mmp.encode(samples, lambda_=0, depth=1, preview=True)
        self.assertEqual(mmp.info(file)["depth"], 1)
        preview = mmp.decode(file, preview=True)
        self.assertEqual((preview.dtype, preview.shape), (np.uint8, (2, 3)))
        expected = np.array([[0, 128, 255], [255, 128, 0]])
        self.assertLess(np.abs(preview.astype(int) - expected).max(), 60)

    def test_modes_of_16_bits_are_written(self):
        samples = noise(16)
        file = mmp.encode(samples, lambda_=0)
        for dtype, mode in ("<u2", "I;16"), (">u2", "I;16B"), (np.int32, "I"):
            with self.subTest(mode):
                image = Image.fromarray(samples.astype(dtype))
                self.assertEqual(image.mode, mode)
                image.save(self.path, lossless=True)
                self.assertEqual(self.path.read_bytes(), file)
                with Image.open(self.path) as image:
                    np.testing.assert_array_equal(np.asarray(image), samples)

    def test_depth_and_max_error_are_options(self):
        image = Image.fromarray(slope(12))
        image.save(self.path, depth=12, max_error=30)
        self.assertEqual(self.path.read_bytes(), mmp.encode(slope(12), depth=12, max_error=30))
        image.save(self.path, max_error=0, lossless=True)
        for options in {"lossless": True, "max_error": 2}, {"lossless": False, "max_error": 0}:
            with self.assertRaisesRegex(mmp.InvalidArgumentError, "contradicts max_error="):
                image.save(self.path, **options)

    def test_samples_out_of_range_are_refused(self):
        for sample in -32769, 65536:
            with self.assertRaisesRegex(OSError, "must be 0 to 65535, or -32768 to 32767; scale"):
                Image.new("I", (8, 8), sample).save(self.path)
            self.assertFalse(self.path.exists())

    def test_images_of_pillow_are_arrays(self):
        for samples in noise(16), noise(16).astype(">u2"):
            self.assertEqual(mmp.encode(Image.fromarray(samples)), mmp.encode(noise(16)))
        with self.assertRaisesRegex(TypeError, "mode L or I;16 and opaque, not of mode I;"):
            mmp.encode(Image.fromarray(noise(16).astype(np.int32)))

    def test_deep_images_become_gray_of_8_bits(self):
        image = self.opened(mmp.encode(noise(16), lambda_=0))
        gray = mmp.pillow.to_gray(image)
        np.testing.assert_array_equal(np.asarray(gray), np.floor(noise(16) * (255 / 65535) + 0.5))


if __name__ == "__main__":
    unittest.main()
