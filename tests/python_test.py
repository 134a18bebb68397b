"""Tests of the Python package mmp, which must be on PYTHONPATH.

Usage: python_test.py [unittest's arguments]
"""

import ast
import inspect
import io
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

import mmp
import numpy as np
from PIL import Image, UnidentifiedImageError

PROJECT = pathlib.Path(__file__).resolve().parents[1]
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
        dictionary = (PACKAGE.parent.parent / "codec/standard_patterns.mmd").read_bytes()
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
        cases = [
            (TypeError, "there is no option 'quality'", {"quality": 10}),
            (TypeError, "lambda_ must be a number, not '10'", {"lambda_": "10"}),
            (TypeError, "threads must be an integer, not 1.0", {"threads": 1.0}),
            (ValueError, "threads is out of range", {"threads": 2**31}),
            (ValueError, "modes is out of range", {"modes": -1}),
            (TypeError, "preset must be a string", {"preset": 1}),
            (ValueError, "preset must be one of 'thesis', .* not 'slow'", {"preset": "slow"}),
            (TypeError, "tile must be two integers", {"tile": 64}),
            (TypeError, "dictionary_file must be bytes, not 'a.mmd'", {"dictionary_file": "a.mmd"}),
            (mmp.Error, "tools", {"tools": 2**20}),
            (TypeError, "tile must be two integers", {"tile": (64, 64, 64)}),
            (TypeError, "time_stages must be True or False", {"time_stages": 2}),
            (TypeError, "progress must be a function", {"progress": 1}),
            (mmp.Error, "lambda", {"lambda_": float("nan")}),
            (mmp.Error, "multiples of 16", {"tile": (60, 64)}),
            (mmp.Error, "dictionary size", {"dictionary_size": 3}),
        ]
        for kind, message, options in cases:
            with self.subTest(options), self.assertRaisesRegex(kind, message):
                mmp.encode(image, **options)
        for job in image, (image,), (image, 10), (image, {"threads": 1}):
            with self.assertRaises(TypeError):
                mmp.encode_many([job])

    def test_wrong_images(self):
        cases = [
            (TypeError, "uint8, not uint16", gradient().astype(np.uint16)),
            (TypeError, "uint8, not float64", gradient() / 255),
            (TypeError, "uint8, not bool", gradient() > 9),
            (TypeError, "uint8, not int8", gradient().astype(np.int8)),
            (TypeError, "uint8", None),
            (TypeError, "uint8", [[1, 2], [3]]),
            (ValueError, r"not of shape \(40, 56, 3\); make color gray first",
             np.dstack([gradient()] * 3)),
            (ValueError, "rows by columns", gradient()[0]),
            (ValueError, "1 to 65535", gradient()[:0]),
            (ValueError, "1 to 65535", np.broadcast_to(np.uint8(0), (2**32 + 1, 1))),
        ]
        for kind, message, image in cases:
            with self.subTest(message), self.assertRaisesRegex(kind, message):
                mmp.encode(image)


class DamageTest(unittest.TestCase):
    def assert_error(self, code, function, *arguments, **options):
        with self.assertRaises(mmp.Error) as caught:
            function(*arguments, **options)
        self.assertEqual(caught.exception.code, code)
        self.assertNotEqual(str(caught.exception), "")

    def test_every_byte_counts(self):
        file = mmp.encode(noise(16, 20), lambda_=50)
        for i in range(len(file)):
            for damaged in file[:i], file[:i] + bytes([file[i] ^ 0x55]) + file[i + 1:]:
                for function in mmp.decode, mmp.info:
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
        self.assert_error("corrupt", mmp.info, file[:-1])
        self.assert_error("limit_exceeded", mmp.decode, file, max_pixels=40 * 56 - 1)
        self.assert_error("limit_exceeded", mmp.decode, file, max_multiply_adds=1)
        self.assert_error("invalid_argument", mmp.encode, noise(), lambda_=-1)

    def test_not_bytes(self):
        with self.assertRaises(TypeError):
            mmp.decode("MMP")
        with self.assertRaises(BufferError):
            mmp.decode(memoryview(mmp.encode(gradient()))[::2])

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
        Image.fromarray(image).save(self.path, lambda_=0, preset="fast", quality=75)
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
        with self.assertRaisesRegex(OSError, "checksum"):
            opened.load()

    def test_other_files(self):
        for data in b"MMP", b"MMP\x7f" + bytes(99), mmp.encode(noise())[:5]:
            with self.assertRaises(UnidentifiedImageError):
                Image.open(io.BytesIO(data))
        with Image.open(IMAGES / "natural.png") as image:
            self.assertEqual(image.format, "PNG")

    def test_other_modes_are_refused(self):
        for mode in "1", "LA", "P", "RGB", "RGBA", "CMYK", "I", "I;16", "F":
            with self.subTest(mode):
                with self.assertRaisesRegex(OSError, f'{mode} as MMP; use image.convert."L".'):
                    Image.new(mode, (8, 8)).save(self.path)
                self.assertFalse(self.path.exists())

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
                 "DamagedTile": damaged[0], "Error": ["code"]}
        self.assertEqual(stubs, {name: list(keys) for name, keys in found.items()})

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
            run(sys.executable, "-m", "venv", "--system-site-packages", folder / "venv")
            python = folder / "venv/bin/python"
            run(python, "-m", "pip", "install", *offline, wheel)
            program = ("import mmp, numpy; from PIL import Image\n"
                       "image = numpy.arange(99, dtype=numpy.uint8).reshape(9, 11)\n"
                       "Image.fromarray(image).save('image.mmp', lambda_=0)\n"
                       "assert (numpy.asarray(Image.open('image.mmp')) == image).all()\n"
                       "print(mmp.__version__, mmp.__file__)")
            version, path = run(python, "-c", program).split()
            self.assertEqual(version, mmp.__version__)
            self.assertTrue(pathlib.Path(path).is_relative_to(folder / "venv"), path)


if __name__ == "__main__":
    unittest.main()
