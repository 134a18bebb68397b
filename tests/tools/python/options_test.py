"""Tests of the Python package mmp, which must be on PYTHONPATH: options, their checks and batches.

Usage: options_test.py [unittest's arguments]
"""

import inspect
import pathlib
import unittest

import mmp
import numpy as np
from PIL import Image

from shared import PACKAGE, gradient, noise


def sum_squared_error(a, b):
    return int(((a.astype(int) - b.astype(int)) ** 2).sum())


class OptionsTest(unittest.TestCase):
    def test_each_reaches_the_encoder(self):
        image = noise(48, 64)
        info = mmp.info(mmp.encode(image, preset="fast", dictionary_size=100, prediction_level=15,
                                   modes=0x205, tile=(32, 16), lambda_=0))
        self.assertEqual(info["preset"], "fast")
        self.assertEqual(info["dictionary_size"], 100)
        self.assertEqual(info["prediction_level"], 15)
        self.assertEqual(info["modes"], 0x205)
        self.assertEqual((info["tile_width"], info["tile_height"]), (32, 16))
        self.assertEqual(len(info["tiles"]), 6)
        self.assertEqual((info["width"], info["height"]), (64, 48))

    def test_effort(self):
        image = noise(16, 16)
        self.assertEqual(mmp.encode(image, effort=5), mmp.encode(image, preset="fast"))
        self.assertEqual(mmp.encode(image, effort=2), mmp.encode(image, preset="quick"))
        self.assertEqual(mmp.encode(image, effort=None), mmp.encode(image, preset="best"))
        for options in {"effort": 10}, {"effort": 0}, {"effort": 1, "preset": "thesis"}:
            with self.assertRaisesRegex(mmp.InvalidArgumentError, "effort"):
                mmp.encode(image, **options)

    def test_order(self):
        image = noise(48, 64)
        for order in "raster", "wavefront":
            file = mmp.encode(image, order=order, lambda_=0)
            self.assertEqual(mmp.info(file)["order"], order)
            np.testing.assert_array_equal(mmp.decode(file), image)
        self.assertEqual(mmp.info(mmp.encode(image, preset="thesis"))["order"], "raster")
        self.assertEqual(mmp.info(mmp.encode(image))["order"], "wavefront")

    def test_tools(self):
        image = gradient(48, 64)
        best = mmp.info(mmp.encode(image, preset="best", lambda_=60))
        self.assertEqual(best["tools"] & 4, 4)
        for tools in 0, 4:
            file, stats = mmp.encode_with_stats(image, preset="best", lambda_=60, tools=tools)
            self.assertEqual(mmp.info(file)["tools"], tools)
            self.assertEqual(stats["filter_bits"] > 0, tools == 4)
        self.assertEqual(mmp.decode(file).shape, image.shape)

    def test_dictionary_file(self):
        image = gradient(48, 64)
        dictionary = (PACKAGE.parent.parent / "codec/dictionary/standard_patterns.mmd").read_bytes()
        file, stats = mmp.encode_with_stats(image, dictionary_file=dictionary, lambda_=30)
        self.assertIsNotNone(mmp.info(file)["dictionary_hash"])
        self.assertIsNone(mmp.info(mmp.encode(image))["dictionary_hash"])
        decoded = mmp.decode(file, dictionary_file=dictionary)
        self.assertEqual(stats["sum_squared_error"], sum_squared_error(decoded, image))
        with self.assertRaisesRegex(mmp.Error, "dictionary"):
            mmp.decode(file)
        with self.assertRaisesRegex(mmp.Error, "not a dictionary file"):
            mmp.encode(image, dictionary_file=b"something else")

    def test_statistics(self):
        image = gradient(33, 20)
        file, stats = mmp.encode_with_stats(image, lambda_=30, backend="cpu", threads=1,
                                            time_stages=True)
        self.assertEqual(file, mmp.encode(image, lambda_=30))
        self.assertEqual(stats["backend"], "cpu")
        self.assertEqual(stats["threads"], 1)
        self.assertEqual(stats["macroblocks"], 6)
        self.assertEqual(stats["sum_squared_error"], sum_squared_error(mmp.decode(file), image))
        self.assertEqual(len(stats["modes_chosen"]), 31)
        self.assertGreater(stats["seconds_matching"], 0)

    def test_defaults_are_those_of_the_signature(self):
        image = gradient(64, 64)
        for function, data in (mmp.encode, image), (mmp.decode, mmp.encode(image)):
            parameters = inspect.signature(function).parameters.values()
            defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
            np.testing.assert_array_equal(function(data, **defaults), function(data))

    def test_wrong_ones(self):
        image = gradient()
        invalid = mmp.InvalidArgumentError
        cases = [
            (TypeError, "no option 'quality'; lambda_ says what may be lost", {"quality": 10}),
            (TypeError, "no option 'lambda'; .* write lambda_", {"lambda": 10}),
            (TypeError, "no option 'lossless'; lambda_=0 is lossless", {"lossless": True}),
            (TypeError, "no option 'treads'; did you mean 'threads'?", {"treads": 1}),
            (TypeError, "no option 'xyz'; there are lambda_, max_error, depth, coder, ", {"xyz": 1}),
            (TypeError, "lambda_ must be a number, not '10'", {"lambda_": "10"}),
            (TypeError, "lambda_ must be a number, not 1j", {"lambda_": 1j}),
            (invalid, "lambda_ is too large", {"lambda_": 10**400}),
            (TypeError, "threads must be an integer, not 1.0", {"threads": 1.0}),
            (invalid, "threads must be 0 to 2147483647, not 2147483648", {"threads": 2**31}),
            (invalid, "threads must be 0 to .*, not -1", {"threads": -1}),
            (invalid, "modes must be 0 to .*, not -1", {"modes": -1}),
            (TypeError, "preset must be a string", {"preset": 1}),
            (invalid, "preset must be one of 'best', .* not 'slow'", {"preset": "slow"}),
            (TypeError, "order must be a string", {"order": 1}),
            (invalid, "order must be one of 'auto', 'raster', 'wavefront', not 'diagonal'",
             {"order": "diagonal"}),
            (TypeError, "tile must be two integers", {"tile": 64}),
            (TypeError, "tile must be two integers", {"tile": (64, 64, 64)}),
            (TypeError, "tile must be two integers", {"tile": "ab"}),
            (TypeError, "tile must be two integers", {"tile": (64.0, 64)}),
            (TypeError, "tile must be two integers", {"tile": np.array(64)}),
            (TypeError, "dictionary_file must be the bytes of a file, not 'a.mmd'",
             {"dictionary_file": "a.mmd"}),
            (invalid, "tools", {"tools": 2**20}),
            (invalid, "max_error is in place of lambda_; give one of them",
             {"max_error": 0, "lambda_": 10.0}),
            (TypeError, "time_stages must be True or False", {"time_stages": 2}),
            (TypeError, "progress must be a function", {"progress": 1}),
            (invalid, "lambda", {"lambda_": float("nan")}),
            (invalid, "multiples of 16", {"tile": (60, 64)}),
            (invalid, "dictionary size", {"dictionary_size": 3}),
        ]
        for kind, message, options in cases:
            with self.subTest(options), self.assertRaisesRegex(kind, message):
                mmp.encode(image, **options)

    def test_wrong_ones_of_the_other_functions(self):
        image = gradient()
        file = mmp.encode(image)
        cases = [
            (mmp.InvalidArgumentError, "threads", mmp.decode, file, {"threads": -1}),
            (mmp.InvalidArgumentError, "threads", mmp.decode_damaged, file, {"threads": -1}),
            (mmp.InvalidArgumentError, "max_pixels", mmp.decode, file, {"max_pixels": -1}),
            (TypeError, "did you mean 'max_pixels'", mmp.decode, file, {"maxpixels": 1}),
            (TypeError, "no option 'lambda'; there are", mmp.decode, file, {"lambda": 1}),
            (mmp.InvalidArgumentError, "threads", mmp.encode_many, [(image, {})], {"threads": -1}),
            (TypeError, "threads must be an integer", mmp.encode_many, [], {"threads": 1.5}),
            (TypeError, "did you mean 'progress'", mmp.encode_many, [], {"progres": None}),
            (TypeError, "no option .threads.; there are check_bytes", mmp.info, file, {"threads": 1}),
            (TypeError, "takes no options", mmp._mmp.read_size, file, {"threads": 1}),
        ]
        for kind, message, function, data, options in cases:
            with self.subTest(message), self.assertRaisesRegex(kind, message):
                function(data, **options)
        for job in image, (image,), (image, 10), [image, {}], "ab":
            with self.assertRaisesRegex(TypeError, r"which jobs\[1\] is not"):
                mmp.encode_many([(image, {}), job])
        with self.assertRaisesRegex(TypeError, "jobs are pairs"):
            mmp.encode_many(5)

    def test_wrong_numbers_of_arguments(self):
        image = gradient()
        file = mmp.encode(image)
        by_position = "takes one argument by position, "
        cases = [
            (by_position + "image; write lambda_=20$", lambda: mmp.encode(image, 20)),
            (by_position + "image; write lambda_=0.5$", lambda: mmp.encode_with_stats(image, 0.5)),
            (by_position + "image; write the options by name", lambda: mmp.encode(image, "fast")),
            (by_position + "jobs; .*threads=", lambda: mmp.encode_many([], 4)),
            (by_position + "data; .*threads=", lambda: mmp.decode(file, 4)),
            (by_position + "data; .*check_bytes=", lambda: mmp.info(file, False)),
            (r"encode\(\) needs the argument image", lambda: mmp.encode()),
            (r"decode\(\) needs the argument data", lambda: mmp.decode(threads=1)),
            ("two values of its argument image", lambda: mmp.encode(image, image=image)),
            ("takes no arguments", lambda: mmp.trim_cuda(1)),
            ("takes no options", lambda: mmp.trim_cuda(device=1)),
        ]
        for message, call in cases:
            with self.subTest(message), self.assertRaisesRegex(TypeError, message):
                call()

    def test_the_first_argument_by_name(self):
        file = mmp.encode(image=gradient())
        self.assertEqual(mmp.encode_many(jobs=[(gradient(), {})]), [file])
        self.assertEqual(mmp.info(data=file)["width"], 56)
        np.testing.assert_array_equal(mmp.decode(data=file), mmp.decode(file))

    def test_numbers_of_numpy(self):
        image = gradient(48, 64)
        file = mmp.encode(image, lambda_=np.float32(30), exact_lambda=np.True_,
                          tile=np.array([32, 16]), threads=np.int8(1))
        self.assertEqual(file, mmp.encode(image, lambda_=30, exact_lambda=True, tile=[32, 16]))

    def test_wrong_images(self):
        color = np.dstack([gradient()] * 3)
        invalid = mmp.InvalidArgumentError
        cases = [
            (TypeError, "uint8, uint16, int8 or int16, not of uint32; if they are 0 to 255, .*uint16.*; else",
             gradient().astype(np.uint32)),
            (TypeError, "int16, not of float64; scale .*rint", gradient() / 255),
            (TypeError, r"int16, not of bool; write array.astype\(numpy.uint8\) and depth=1",
             gradient() > 9),
            (TypeError, "int16, not of int64; if they are 0 to 255", [[1, 2], [3, 4]]),
            (TypeError, "uint8", None),
            (TypeError, "uint16, rows by columns, which list is not: ", [[1, 2], [3]]),
            (TypeError, "uint8", b"bytes"),
            (TypeError, "not a path; .*asarray", "photo.png"),
            (TypeError, "not a path", pathlib.Path("photo.png")),
            (TypeError, r"no mask; .*filled\(255\)", np.ma.masked_less(gradient(), 9)),
            (TypeError, "no mask", np.ma.array(gradient())),
            (invalid, r"not of shape \(40, 56, 3\); make color gray first", color),
            (invalid, r"not of shape \(40, 56, 1\); array\[:, :, 0\] is", color[:, :, :1]),
            (invalid, r"rows by columns, not of shape \(56,\)$", gradient()[0]),
            (invalid, r"rows by columns, not of shape \(\)$", np.uint8(7)),
            (invalid, "1 to 65535", gradient()[:0]),
            (invalid, "1 to 65535", gradient()[:, :0]),
            (invalid, "1 to 65535", np.broadcast_to(np.uint8(0), (65536, 1))),
            (invalid, "1 to 65535", np.broadcast_to(np.uint8(0), (2**32 + 1, 1))),
            (TypeError, r"mode L or I;16 and opaque, not of mode P; use mmp.pillow.to_gray\(image\)",
             Image.fromarray(color).convert("P")),
            (TypeError, "not of mode RGB", Image.fromarray(color)),
        ]
        for kind, message, image in cases:
            with self.subTest(message), self.assertRaisesRegex(kind, message):
                mmp.encode(image)

    def test_images_of_pillow(self):
        file = mmp.encode(gradient(), lambda_=0)
        self.assertEqual(mmp.encode(Image.fromarray(gradient()), lambda_=0), file)

    def test_kinds_of_errors(self):
        self.assertTrue(issubclass(mmp.InvalidArgumentError, (mmp.Error, ValueError)))
        for other in mmp.Error, ValueError:
            with self.assertRaises(other):
                mmp.encode(gradient(), lambda_=-1)


if __name__ == "__main__":
    unittest.main()
