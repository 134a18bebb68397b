"""Tests of the Python package mmp, which must be on PYTHONPATH.

Usage: python_test.py [unittest's arguments]
"""

import ast
import functools
import inspect
import io
import multiprocessing
import os
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile

import mmp
import numpy as np
from PIL import Image, UnidentifiedImageError

PROJECT = pathlib.Path(__file__).resolve().parents[3]
IMAGES = PROJECT / "testimages"
GOLDEN = PROJECT / "tests/data/golden"
PACKAGE = PROJECT / "tools/python"

# Seconds after which something that should have happened never will.
PATIENCE = 120


def gradient(rows=40, columns=56):
    return (np.add.outer(3 * np.arange(rows), 2 * np.arange(columns)) % 256).astype(np.uint8)


def noise(rows=40, columns=56):
    return np.random.default_rng(1).integers(0, 256, (rows, columns), dtype=np.uint8)


def sum_squared_error(a, b):
    return int(((a.astype(int) - b.astype(int)) ** 2).sum())


def read_testimage(name):
    with Image.open(IMAGES / name) as image:
        return np.asarray(image)


class RoundTripTest(unittest.TestCase):
    def test_lambda_0_is_lossless(self):
        for image in gradient(), noise(17, 33), np.full((1, 1), 200, np.uint8):
            file = mmp.encode(image, lambda_=0)
            decoded = mmp.decode(file)
            self.assertEqual(decoded.dtype, np.uint8)
            np.testing.assert_array_equal(decoded, image)
            self.assertTrue(mmp.info(file)["lossless"])

    def test_larger_lambda_is_smaller(self):
        image = noise()
        files = [mmp.encode(image, lambda_=lambda_, preset="fast") for lambda_ in (0, 100, 1000)]
        self.assertGreater(len(files[0]), len(files[1]))
        self.assertGreater(len(files[1]), len(files[2]))

    def test_bytes_are_those_of_the_golden_file(self):
        file = mmp.encode(read_testimage("odd-33x31.png"), lambda_=0, preset="thesis",
                          tile=(16, 16))
        self.assertEqual(file, (GOLDEN / "odd-33x31-lossless.mmp").read_bytes())

    def test_any_strides(self):
        whole = noise(60, 80)
        views = {
            "rows apart": whole[5:45, 3:50],
            "every other": whole[::2, ::3],
            "backwards": whole[::-1, ::-1],
            "transposed": whole.T,
            "Fortran order": np.asfortranarray(whole),
            "one row": whole[::70],
            "one column": whole[:, 7:8],
            "one row, backwards": whole[3:4][::-1],
            "broadcast": np.broadcast_to(whole[0], (20, 80)),
        }
        for name, view in views.items():
            with self.subTest(name):
                file = mmp.encode(view, lambda_=0, preset="fast")
                np.testing.assert_array_equal(mmp.decode(file), view)

    def test_read_only_and_bytes_like(self):
        image = gradient()
        image.flags.writeable = False
        file = mmp.encode(image, lambda_=0)
        for data in bytearray(file), memoryview(file), np.frombuffer(file, np.uint8):
            np.testing.assert_array_equal(mmp.decode(data), image)

    def test_decoded_array_is_ones_own(self):
        decoded = mmp.decode(mmp.encode(gradient()))
        decoded[:] = 7
        self.assertTrue((decoded == 7).all())

    def test_many(self):
        image = noise()
        jobs = [(image, {"lambda_": 0}), (image, {"lambda_": -1}), (gradient(), {"preset": "fast"})]
        done = []
        files = mmp.encode_many(iter(jobs), threads=2, progress=done.append)
        self.assertEqual(files[0], mmp.encode(image, lambda_=0))
        self.assertIsInstance(files[1], mmp.Error)
        self.assertEqual(files[1].code, "invalid_argument")
        self.assertEqual(files[2], mmp.encode(gradient(), preset="fast"))
        self.assertGreater(len(done), 0)
        self.assertEqual(mmp.encode_many([]), [])

    def test_faults_of_one_job_are_its_own(self):
        image = gradient()
        jobs = [
            (image.astype(float), {}, TypeError, "int16, not of float64"),
            (image, {"preset": "fast"}, None, None),
            (image[0], {}, mmp.InvalidArgumentError, "rows by columns"),
            (np.ma.array(image, mask=image > 9), {}, TypeError, "mask"),
            (image, {"quality": 50}, TypeError, "no option 'quality'"),
            (image, {"preset": "slow"}, mmp.InvalidArgumentError, "'slow'"),
            (image, {"tile": (60, 64)}, mmp.InvalidArgumentError, "multiples of 16"),
            (image, {"threads": 1}, TypeError, "not of a job"),
            (image, {"lambda_": 0}, None, None),
        ]
        files = mmp.encode_many([job[:2] for job in jobs])
        for (data, options, kind, message), file in zip(jobs, files):
            with self.subTest(options):
                if kind is None:
                    self.assertEqual(file, mmp.encode(data, **options))
                    continue
                self.assertIs(type(file), kind)
                self.assertRegex(str(file), message)
                if "threads" not in options:  # the exception that encode raises
                    with self.assertRaises(kind) as caught:
                        mmp.encode(data, **options)
                    self.assertEqual(str(caught.exception), str(file))

    def test_what_stops_reading_a_job_is_no_fault_of_it(self):
        class Interrupted:
            def __array__(self, *arguments, **options):
                raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            mmp.encode_many([(gradient(), {}), (Interrupted(), {})])

    def test_worker_processes(self):
        images = [gradient(), noise()]
        encode = functools.partial(mmp.encode, lambda_=30, preset="fast", threads=1)
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            files = pool.map(encode, images)
            self.assertEqual(pool.map(mmp.encode, images[:1]), [mmp.encode(images[0])])
            np.testing.assert_array_equal(pool.map(mmp.decode, files)[1], mmp.decode(files[1]))
            with self.assertRaises(mmp.InvalidArgumentError) as caught:
                pool.map(mmp.encode, [images[0][0]])
            self.assertEqual(caught.exception.code, "invalid_argument")
        self.assertEqual(files, [encode(image) for image in images])

    def test_all_functions_can_be_pickled(self):
        for name in mmp.__all__:
            if name != "__version__":
                self.assertIs(pickle.loads(pickle.dumps(getattr(mmp, name))), getattr(mmp, name))

    def test_memory_kept_on_devices_can_be_freed(self):
        file = mmp.encode(gradient())
        self.assertIsNone(mmp.trim_cuda())
        self.assertIsNone(mmp.trim_cuda())
        self.assertEqual(mmp.encode(gradient()), file)


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
            (invalid, "preset must be one of 'thesis', .* not 'slow'", {"preset": "slow"}),
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
            (TypeError, "takes no options", mmp.info, file, {"threads": 1}),
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


class DamageTest(unittest.TestCase):
    def assert_error(self, code, function, *arguments, **options):
        with self.assertRaises(mmp.Error) as caught:
            function(*arguments, **options)
        self.assertEqual(caught.exception.code, code)
        self.assertNotEqual(str(caught.exception), "")

    def test_every_byte_counts(self):
        small = mmp.encode(noise(16, 20), lambda_=50)
        file = mmp.encode(noise(16, 20), lambda_=50, dictionary_size=100)
        self.assertEqual((mmp.info(small)["check_bits"], mmp.info(file)["check_bits"]), (16, 32))
        # Of small files, and of such that look like one, decoding alone finds damage.
        for whole, functions in (small, [mmp.decode]), (file, [mmp.decode, mmp.info]):
            for i in range(len(whole)):
                for damaged in whole[:i], whole[:i] + bytes([whole[i] ^ 0x45]) + whole[i + 1:]:
                    for function in functions:
                        with self.assertRaises(mmp.Error):
                            function(damaged)

    def test_random_bytes(self):
        random = np.random.default_rng(2)
        for size in range(200):
            with self.assertRaises(mmp.Error):
                mmp.decode(b"MMP\x01" + random.bytes(size))

    def test_codes(self):
        file = mmp.encode(noise())
        self.assert_error("unsupported", mmp.decode, b"GIF89a")
        self.assert_error("corrupt", mmp.decode, file[:-1])
        self.assert_error("corrupt", mmp.info, mmp.encode(noise(), dictionary_size=100)[:-1])
        self.assert_error("limit_exceeded", mmp.decode, file, max_pixels=40 * 56 - 1)
        self.assert_error("limit_exceeded", mmp.decode, file, max_work=1)
        self.assert_error("limit_exceeded", mmp.decode, file, max_memory=1)
        self.assert_error("invalid_argument", mmp.encode, noise(), lambda_=-1)

    def test_not_bytes(self):
        cases = [
            (r"not str; pathlib.Path\(path\).read_bytes\(\)", "photo.mmp"),
            (r"not \w*Path; pathlib.Path\(path\).read_bytes\(\)", pathlib.Path("photo.mmp")),
            (r"not BytesIO; file.read\(\)", io.BytesIO()),
            ("not NoneType$", None),
            ("not list$", [1, 2]),
        ]
        for function in mmp._mmp.read_size, mmp._mmp.read_metadata:
            for message, data in cases:
                with self.subTest(message), self.assertRaisesRegex(TypeError, message):
                    function(data)
        for function in mmp.decode, mmp.decode_damaged, mmp.info:
            for data in None, [1, 2], 17:
                with self.assertRaisesRegex(TypeError, "file that can seek, not " + type(data).__name__):
                    function(data)

    def test_bytes_apart(self):
        file = mmp.encode(gradient(), lambda_=0)
        apart = memoryview(bytes(byte for pair in zip(file, file) for byte in pair))[::2]
        self.assertFalse(apart.contiguous)
        np.testing.assert_array_equal(mmp.decode(apart), gradient())
        self.assertEqual(mmp.info(apart), mmp.info(file))

    def test_the_rest_of_a_damaged_file(self):
        image = noise(32, 64)
        file = bytearray(mmp.encode(image, lambda_=0, tile=(32, 32)))
        self.assertEqual(mmp.decode_damaged(file)[1], [])
        file[-1] ^= 1
        decoded, damaged = mmp.decode_damaged(file)
        np.testing.assert_array_equal(decoded[:, :32], image[:, :32])
        self.assertTrue((decoded[:, 32:] == 128).all())
        self.assertEqual(len(damaged), 1)
        self.assertNotEqual(damaged[0].pop("reason"), "")
        self.assertEqual(damaged[0], {"x": 32, "y": 0, "width": 32, "height": 32})

    def test_errors_can_be_pickled(self):
        with self.assertRaises(mmp.Error) as caught:
            mmp.decode(b"")
        copy = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((str(copy), copy.code), (str(caught.exception), "corrupt"))
        with self.assertRaises(mmp.Error) as caught:
            mmp.encode(gradient(), lambda_=-1)
        copy = pickle.loads(pickle.dumps(caught.exception))
        self.assertIs(type(copy), mmp.InvalidArgumentError)
        self.assertEqual((str(copy), copy.code), (str(caught.exception), "invalid_argument"))

    def test_no_memory(self):
        """In a process that may have 1 GiB, as much as an image of 32767x32767 samples needs."""
        program = """
import resource, sys
import mmp, numpy as np

flat = np.zeros((16, 32), np.uint8)
options = {"coder": "patterns", "dictionary_size": 100}
file = mmp.encode(flat, **options, threads=1)
huge = file[:5] + b"\\xfe\\xff\\x01" * 2 + file[7:]  # of 32767x32767 pixels, and damaged
image = np.broadcast_to(np.uint8(0), (65535, 65535))
resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))


def check(error):
    assert type(error) is mmp.OutOfMemoryError, repr(error)
    assert isinstance(error, MemoryError) and isinstance(error, mmp.Error)
    assert error.code == "out_of_memory" and "memory" in str(error)


for call in (lambda: mmp.encode(image),
             lambda: mmp.decode_damaged(huge, max_pixels=2**32, threads=1)):
    try:
        call()
        sys.exit("there is memory")
    except MemoryError as error:
        check(error)
failed, done = mmp.encode_many([(image, {}), (flat, options)], threads=1)
check(failed)
assert done == file
"""
        subprocess.run([sys.executable, "-c", program], check=True, timeout=PATIENCE)


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
        with self.assertRaisesRegex(mmp.Error, "tile 5 is damaged"):
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


class RunningTest(unittest.TestCase):
    def setUp(self):
        self.image = read_testimage("natural.png")[:128, :128]
        self.file = mmp.encode(self.image, preset="fast")

    def works(self):
        """Long calls, each taking a progress function."""
        yield lambda progress: mmp.encode(self.image, preset="fast", progress=progress)
        yield lambda progress: mmp.decode(self.file, progress=progress)
        yield lambda progress: mmp.encode_many([(self.image, {"preset": "fast"})],
                                               progress=progress)

    def test_progress(self):
        for work in self.works():
            done = []
            work(done.append)  # which returns None
            self.assertGreater(len(done), 1)
            self.assertEqual(done, sorted(done))
            self.assertTrue(0 <= done[0] and done[-1] <= 1)

    def test_cancelling(self):
        for function, data in (mmp.encode, self.image), (mmp.decode, self.file):
            for answer in False, np.False_, 0:
                with self.assertRaises(mmp.Error) as caught:
                    function(data, progress=lambda done: answer)
                self.assertEqual(caught.exception.code, "cancelled")
        files = mmp.encode_many([(self.image, {})], progress=lambda done: False)
        self.assertEqual([file.code for file in files], ["cancelled"])

    def test_exceptions_of_progress_come_through(self):
        def fail(done):
            raise KeyError("mine")

        for work in self.works():
            with self.assertRaisesRegex(KeyError, "mine"):
                work(fail)

    def test_other_threads_run(self):
        # Two calls meet: neither goes on before both have begun.
        for work in self.works():
            meeting = threading.Barrier(2, timeout=PATIENCE)
            results = []

            def run():
                first = threading.Event()

                def meet(done):
                    if not first.is_set():
                        first.set()
                        meeting.wait()

                results.append(work(meet))

            threads = [threading.Thread(target=run) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertFalse(meeting.broken)
            self.assertEqual(len(results), 2)

    def test_signals_stop_the_work(self):
        class Stop(Exception):
            pass

        handled = threading.Event()

        def handle(number, frame):
            handled.set()
            raise Stop

        previous = signal.signal(signal.SIGUSR1, handle)
        self.addCleanup(signal.signal, signal.SIGUSR1, previous)
        for work in self.works():
            handled.clear()
            in_time = []

            def interrupt(done):
                if not in_time:
                    signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1)
                    in_time.append(handled.wait(PATIENCE))  # it is handled while this call lasts

            with self.assertRaises(Stop):
                work(interrupt)
            self.assertEqual(in_time, [True])


class PillowTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "image.mmp"

    def test_save_and_open(self):
        image = gradient()
        Image.fromarray(image).save(self.path, lambda_=0, preset="fast")
        self.assertEqual(self.path.read_bytes(), mmp.encode(image, lambda_=0, preset="fast"))
        with Image.open(self.path) as opened:
            self.assertEqual((opened.format, opened.mode, opened.size), ("MMP", "L", (56, 40)))
            np.testing.assert_array_equal(np.asarray(opened), image)

    def test_streams(self):
        stream = io.BytesIO()
        Image.fromarray(gradient()).save(stream, "MMP", lambda_=0)
        np.testing.assert_array_equal(np.asarray(Image.open(stream)), gradient())

    def test_opening_reads_the_header_alone(self):
        file = mmp.encode(noise())
        opened = Image.open(io.BytesIO(file[:mmp.pillow.HEADER_BYTES]))
        self.assertEqual(opened.size, (56, 40))
        with self.assertRaisesRegex(OSError, "ends too early"):
            opened.load()

    def test_other_files(self):
        for data in b"MMP", b"MMP\x7f" + bytes(99), mmp.encode(noise())[:5]:
            with self.assertRaises(UnidentifiedImageError):
                Image.open(io.BytesIO(data))
        with Image.open(IMAGES / "natural.png") as image:
            self.assertEqual(image.format, "PNG")

    def saved(self, image, **options):
        image.save(self.path, **options)
        return self.path.read_bytes()

    def test_lossless(self):
        image = Image.fromarray(noise())
        lossless, usual = mmp.encode(noise(), lambda_=0), mmp.encode(noise())
        self.assertEqual(self.saved(image, lossless=True), lossless)
        self.assertEqual(self.saved(image, lossless=True, lambda_=0), lossless)
        self.assertEqual(self.saved(image, lossless=False), usual)
        self.assertEqual(self.saved(image, lossless=False, lambda_=10), usual)
        for options in {"lossless": True, "lambda_": 10}, {"lossless": False, "lambda_": 0}:
            with self.assertRaisesRegex(mmp.InvalidArgumentError, "contradicts lambda_="):
                image.save(self.path, **options)
        with self.assertRaisesRegex(TypeError, "lossless must be True or False, not 1"):
            image.save(self.path, lossless=1)

    def test_other_parameters_are_refused(self):
        cases = [
            ("no option 'quality'; lambda_ says what may be lost", {"quality": 50}),
            ("no option 'lamda_'; did you mean 'lambda_'?", {"lamda_": 5}),
            ("no option 'optimize'; there are lambda_, ", {"optimize": True}),
            ("no place for transparency; leave it out", {"transparency": 3}),
        ]
        for message, options in cases:
            with self.subTest(options), self.assertRaisesRegex(TypeError, message):
                Image.fromarray(gradient()).save(self.path, **options)
            self.assertFalse(self.path.exists())

    def test_one_image_a_file(self):
        image = Image.fromarray(gradient())
        self.assertEqual(self.saved(image, save_all=True), mmp.encode(gradient()))
        with self.assertRaisesRegex(OSError, "one image, not 2"):
            image.save(self.path, save_all=True, append_images=[image])

    def test_other_modes_are_refused(self):
        to_gray = r" as MMP; use mmp.pillow.to_gray\(image\)"
        advice = {
            "1": to_gray + "$",
            "RGB": to_gray + "$",
            "CMYK": to_gray + "$",
            "LA": to_gray + ", which puts what is transparent over white",
            "P": to_gray + ", which puts what is transparent over white",
            "RGBA": to_gray + ", which puts what is transparent over white",
            "F": " as MMP; scale them to 0 to 255, ",
        }
        for mode, message in advice.items():
            with self.subTest(mode):
                image = Image.new(mode, (8, 8))
                with self.assertRaisesRegex(OSError, f"cannot write mode {mode}{message}"):
                    image.save(self.path)
                self.assertFalse(self.path.exists())
                if mode != "F":  # the advice can be followed
                    mmp.pillow.to_gray(image).save(self.path)
                    self.path.unlink()
        for samples in gradient(), gradient().astype(np.uint16), gradient().astype(np.int32):
            image = Image.fromarray(samples)
            image.info["transparency"] = 7
            with self.subTest(image.mode), self.assertRaisesRegex(
                    OSError, f"mode {image.mode} with transparency" + to_gray):
                image.save(self.path)

    def test_gray_of_every_mode_is_as_the_program_makes_it(self):
        """The formulas of common/image_files/image_io.h."""
        rgba = np.random.default_rng(3).integers(0, 256, (16, 16, 4), dtype=np.uint8)
        rgba[0, :8, 3], rgba[0, 8:, 3] = 0, 255
        red, green, blue, alpha = rgba.transpose(2, 0, 1).astype(float)
        over_white = lambda gray: np.floor((gray * alpha + 255 * (255 - alpha)) / 255 + 0.5)
        luma = np.floor((299 * red + 587 * green + 114 * blue) / 1000 + 0.5)
        gray = rgba[:, :, 0]
        keyed = Image.fromarray(gray)
        keyed.info["transparency"] = int(gray[3, 3])
        palette = Image.fromarray(rgba[:, :, :3]).quantize(16)
        indices, colors = np.asarray(palette), np.array(palette.getpalette(), float).reshape(-1, 3)
        of_palette = np.floor(colors @ [299, 587, 114] / 1000 + 0.5)[indices]
        with_hole = palette.copy()
        with_hole.info["transparency"] = int(indices[5, 5])
        deep = np.random.default_rng(4).integers(0, 65536, (16, 16), dtype=np.uint16)
        deep[0, :3] = 0, 128, 65535
        of_deep = np.floor(deep.astype(float) * 255 / 65535 + 0.5)
        deep_keyed = Image.fromarray(deep.astype(np.int32))
        deep_keyed.info["transparency"] = int(deep[3, 3])
        cases = [
            (Image.fromarray(gray), gray),
            (keyed, np.where(gray == gray[3, 3], 255, gray)),
            (Image.fromarray(gray > 99), np.where(gray > 99, 255, 0)),
            (Image.fromarray(rgba[:, :, :3]), luma),
            (Image.fromarray(rgba), over_white(luma)),
            (Image.fromarray(rgba[:, :, [0, 3]], "LA"), over_white(red)),
            (palette, of_palette),
            (with_hole, np.where(indices == indices[5, 5], 255, of_palette)),
            (Image.fromarray(deep), of_deep),
            (Image.fromarray(deep.astype(">u2")), of_deep),
            (Image.fromarray(deep.astype(np.int32)), of_deep),
            (deep_keyed, np.where(deep == deep[3, 3], 255, of_deep)),
        ]
        for image, expected in cases:
            with self.subTest(image.mode, info=image.info):
                made = mmp.pillow.to_gray(image)
                self.assertEqual((made.mode, "transparency" in made.info), ("L", False))
                np.testing.assert_array_equal(np.asarray(made), expected)

    def test_gray_of_an_unknown_range_is_refused(self):
        for mode, sample in ("F", 0), ("I", 65536), ("I", -1):
            image = Image.new(mode, (8, 8), sample)
            with self.subTest(mode, sample=sample), self.assertRaisesRegex(ValueError, "scale them"):
                mmp.pillow.to_gray(image)

    def test_large_images_are_refused(self):
        file = mmp.encode(noise())
        self.addCleanup(setattr, Image, "MAX_IMAGE_PIXELS", Image.MAX_IMAGE_PIXELS)
        Image.MAX_IMAGE_PIXELS = 1000
        with self.assertRaises(Image.DecompressionBombError):
            Image.open(io.BytesIO(file))


class DocumentationTest(unittest.TestCase):
    def setUp(self):
        self.stubs = ast.parse((PACKAGE / "mmp/_mmp.pyi").read_text()).body

    def test_stubs_have_the_functions(self):
        functions = [node for node in self.stubs if isinstance(node, ast.FunctionDef)]
        self.assertEqual({f.name for f in functions},
                         {name for name, _ in inspect.getmembers(mmp._mmp, inspect.isbuiltin)})
        for function in functions:
            with self.subTest(function.name):
                found = inspect.signature(getattr(mmp._mmp, function.name))
                keywords = zip(function.args.kwonlyargs, function.args.kw_defaults)
                stub = {a.arg: inspect.Parameter.empty for a in function.args.args}
                stub |= {a.arg: eval(ast.unparse(default)) for a, default in keywords}
                self.assertEqual(stub, {p.name: p.default for p in found.parameters.values()})

    def test_stubs_have_the_keys(self):
        stubs = {node.name: [field.target.id for field in node.body]
                 for node in self.stubs if isinstance(node, ast.ClassDef)}
        file, stats = mmp.encode_with_stats(gradient(32, 32), tile=(16, 16))
        info = mmp.info(file)
        damaged = mmp.decode_damaged(file[:-1])[1]
        found = {"Info": info, "TileInfo": info["tiles"][0], "Stats": stats,
                 "DamagedTile": damaged[0]}
        found |= {name: ["code"] for name in self.errors()}
        self.assertEqual(stubs, {name: list(keys) for name, keys in found.items()})

    def errors(self):
        return dict(inspect.getmembers(mmp._mmp, inspect.isclass))

    def test_stubs_have_the_errors(self):
        bases = {node.name: [base.id for base in node.bases] for node in self.stubs
                 if isinstance(node, ast.ClassDef)}
        for name, error in self.errors().items():
            self.assertEqual(bases[name], [base.__name__ for base in error.__bases__])

    def test_stubs_have_the_codes(self):
        stub = {node.name: node for node in self.stubs if isinstance(node, ast.ClassDef)}
        codes = lambda name: {c.value for c in ast.walk(stub[name]) if isinstance(c, ast.Constant)}
        self.assertEqual(codes("Error"), set(re.findall(r'^"(\w+)" ', mmp.Error.__doc__, re.M)))
        for name, error in self.errors().items():
            if error is not mmp.Error:
                self.assertEqual(codes(name), {error.code})

    def test_stubs_have_the_constants(self):
        stubs = {node.target.id: node.annotation.id for node in self.stubs
                 if isinstance(node, ast.AnnAssign)}
        found = {name: type(value).__name__ for name, value in vars(mmp._mmp).items()
                 if isinstance(value, (int, str)) and (name.isupper() or name == "__version__")}
        self.assertEqual(stubs, found)

    def test_package_has_what_the_module_has(self):
        functions = {name for name, _ in inspect.getmembers(mmp._mmp, inspect.isbuiltin)}
        public = functions - {"read_size", "read_metadata"} | self.errors().keys() | {"__version__"}
        self.assertEqual(set(mmp.__all__), public)
        self.assertEqual(len(mmp.__all__), len(public))

    def test_docstrings(self):
        for name in mmp.__all__:
            if name != "__version__":
                self.assertGreater(len(getattr(mmp, name).__doc__), 100, name)

    def test_example_of_the_readme(self):
        examples = re.findall(r"```python\n(.*?)```", (PROJECT / "README.md").read_text(), re.DOTALL)
        self.assertEqual(len(examples), 1)
        previous = os.getcwd()
        self.addCleanup(os.chdir, previous)
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            Image.fromarray(gradient()).save("photo.png")
            exec(compile(examples[0], "README.md", "exec"), {})
            with Image.open("photo.mmp") as image:
                self.assertEqual(image.size, (56, 40))
                np.testing.assert_array_equal(np.asarray(image), gradient())
            os.chdir(previous)


class WheelTest(unittest.TestCase):
    """Needs MMP_WHEEL_BUILD_DIR, a folder to build in, which may be used again."""

    def test_wheel(self):
        build = os.environ.get("MMP_WHEEL_BUILD_DIR")
        if build is None:
            self.skipTest("MMP_WHEEL_BUILD_DIR is not set")
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            # The source tree stays as it is.
            settings = folder / "settings.cfg"
            settings.write_text(f"[build]\nbuild_base={folder}\n[egg_info]\negg_base={folder}\n"
                                f"[build_ext]\nbuild_temp={build}\n")
            environment = {**os.environ, "DIST_EXTRA_CONFIG": str(settings), "PYTHONPATH": ""}

            def run(*command):
                return subprocess.run(command, check=True, env=environment, cwd=folder,
                                      stdout=subprocess.PIPE, text=True).stdout

            offline = ["--no-index", "--no-deps", "--disable-pip-version-check"]
            run(sys.executable, "-m", "pip", "wheel", *offline, "--no-build-isolation",
                "--wheel-dir", folder, PACKAGE)
            [wheel] = folder.glob("mmp-*.whl")
            self.assert_others_find_it(wheel)
            run(sys.executable, "-m", "venv", "--system-site-packages", folder / "venv")
            python = folder / "venv/bin/python"
            run(python, "-m", "pip", "install", *offline, wheel)
            program = ("import mmp, numpy; from PIL import Image\n"
                       "image = numpy.arange(99, dtype=numpy.uint8).reshape(9, 11)\n"
                       "Image.fromarray(image).save('image.mmp', lossless=True)\n"
                       "assert (numpy.asarray(Image.open('image.mmp')) == image).all()\n"
                       "print(mmp.__version__, mmp.__file__)")
            version, path = run(python, "-c", program).split()
            self.assertEqual(version, mmp.__version__)
            self.assertTrue(pathlib.Path(path).is_relative_to(folder / "venv"), path)

    def assert_others_find_it(self, wheel):
        with zipfile.ZipFile(wheel) as archive:
            entry_points = archive.read(f"mmp-{mmp.__version__}.dist-info/entry_points.txt")
            for name in "imageio", "numcodecs":
                self.assertIn(f"mmp/{name}.py", archive.namelist())
        self.assertEqual(entry_points.decode().strip(),
                         (PACKAGE / "entry_points.txt").read_text().strip())


if __name__ == "__main__":
    unittest.main()
