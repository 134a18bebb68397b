"""Tests of the Python package mmp, which must be on PYTHONPATH: damaged files, and memory
that runs out.

Usage: damage_test.py [unittest's arguments]
"""

import io
import pathlib
import pickle
import subprocess
import sys
import unittest

import mmp
import numpy as np

from shared import PATIENCE, gradient, noise


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

    def test_bytes_behind_the_last_tile(self):
        image = noise(32, 64)
        file = mmp.encode(image, lambda_=0, tile=(32, 32)) + b"more"
        with self.assertRaisesRegex(mmp.Error, "behind the last tile"):
            mmp.decode(file)
        with self.assertWarnsRegex(RuntimeWarning, "behind the last tile"):
            decoded, damaged = mmp.decode_damaged(file)
        np.testing.assert_array_equal(decoded, image)
        self.assertEqual(damaged, [])
        np.testing.assert_array_equal(mmp.decode(file, region=(1, 2, 40, 9)), image[2:11, 1:41])

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


if __name__ == "__main__":
    unittest.main()
