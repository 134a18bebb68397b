"""Tests of the HDF5 filter, by h5py. HDF5_PLUGIN_PATH must be the folder with it.

Usage: hdf5_test.py [unittest's arguments]; prints "Skipped: why" where h5py is not installed.
"""

import pathlib
import struct
import sys
import tempfile
import unittest

try:
    import h5py
    import numpy as np
except ImportError as error:
    print(f"Skipped: {error} (Debian: python3-h5py)")
    sys.exit(0)

MMP = 377
LOSSLESS, MAX_ERROR, LAMBDA = range(3)


def slope(dtype, *shape):
    """A slope of many levels with some noise."""
    sums = sum(np.ogrid[tuple(slice(side) for side in shape)])
    sums = sums + np.random.default_rng(1).integers(0, 20, shape)
    return (sums * np.iinfo(dtype).max // sums.max()).astype(dtype)


class FilterTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "data.h5"

    def write(self, data, options=(), chunks=None, dtype=None):
        with h5py.File(self.path, "w") as file:
            file.create_dataset("data", data=data, chunks=chunks or data.shape, dtype=dtype,
                                compression=MMP, compression_opts=options)

    def read(self):
        with h5py.File(self.path, "r") as file:
            return file["data"][...]

    def numbers(self):
        with h5py.File(self.path, "r") as file:
            return file["data"].id.get_create_plist().get_filter_by_id(MMP)[1]

    def assert_lossless(self, data, **layout):
        self.write(data, **layout)
        read = self.read()
        self.assertEqual(read.dtype, layout.get("dtype", data.dtype))
        np.testing.assert_array_equal(read, data)

    def test_the_default_is_lossless(self):
        for dtype in "u1", "<u2", ">u2":
            with self.subTest(dtype):
                data = slope(dtype, 40, 50)
                self.assert_lossless(data)
                self.assertLess(self.stored(), data.nbytes)

    def stored(self):
        with h5py.File(self.path, "r") as file:
            return file["data"].id.get_storage_size()

    def test_noise(self):
        for dtype in np.uint8, np.uint16:
            most = np.iinfo(dtype).max
            data = np.random.default_rng(2).integers(0, most, (31, 33), dtype, endpoint=True)
            self.assert_lossless(data)

    def test_shapes_of_chunks(self):
        for shape, chunks in [((33,), (10,)), ((50, 70), (16, 32)), ((5, 40, 30), (1, 40, 30)),
                              ((5, 40, 30), (2, 16, 30)), ((2, 3, 20, 20), (1, 3, 20, 7)),
                              ((1, 1), (1, 1)), ((9, 1), (9, 1))]:
            with self.subTest(shape=shape, chunks=chunks):
                self.assert_lossless(slope(np.uint16, *shape), chunks=chunks)

    def test_the_file_says_what_it_has(self):
        self.write(slope(">u2", 5, 40, 30), chunks=(2, 20, 30))
        self.assertEqual(self.numbers(), (LOSSLESS, 0, 2, 2, 1, 40, 30))
        self.write(slope("u1", 40, 30), (MAX_ERROR, 3, 1), chunks=(20, 10))
        self.assertEqual(self.numbers(), (MAX_ERROR, 3, 1, 1, 0, 20, 10))

    def test_a_bound_is_kept(self):
        for dtype, bound in ("u1", 2), ("<u2", 300), (">u2", 300):
            data = slope(dtype, 40, 60)
            self.write(data, (MAX_ERROR, bound))
            errors = np.abs(self.read().astype(int) - data)
            self.assertTrue(0 < errors.max() <= bound)
            bounded = self.stored()
            self.assert_lossless(data)
            self.assertLess(bounded, self.stored())

    def test_lambda_in_thousandths(self):
        data = slope("u1", 64, 64)
        sizes = []
        for thousandths in 50, 10000, 300000:
            self.write(data, (LAMBDA, thousandths, 1))
            self.assertLess(np.abs(self.read().astype(int) - data).max(), 100)
            sizes.append(self.stored())
        self.assertEqual(sizes, sorted(set(sizes), reverse=True))

    def test_other_filters_beside_it(self):
        data = slope("u1", 40, 50)
        with h5py.File(self.path, "w") as file:
            file.create_dataset("data", data=data, chunks=(20, 50), compression=MMP,
                                fletcher32=True)
        np.testing.assert_array_equal(self.read(), data)

    def test_no_other_filter_comes_before_it(self):
        with h5py.File(self.path, "w") as file:
            with self.assertRaisesRegex(Exception, "must be a dataset's first filter"):
                file.create_dataset("data", data=slope("u2", 40, 50), chunks=(20, 50),
                                    compression=MMP, shuffle=True)

    def test_properties_of_another_dataset(self):
        """A copy of a dataset's properties is completed anew for another type and shape."""
        self.write(slope("u1", 40, 50), (MAX_ERROR, 1))
        with h5py.File(self.path, "a") as file:
            creation = file["data"].id.get_create_plist()
            creation.set_chunk((16, 20))
            dataset = h5py.h5d.create(file.id, b"other", h5py.h5t.STD_U16BE,
                                      h5py.h5s.create_simple((32, 20)), dcpl=creation)
            self.assertEqual(dataset.get_create_plist().get_filter_by_id(MMP)[1],
                             (MAX_ERROR, 1, 2, 2, 1, 16, 20))

    def test_written_chunks_may_be_files_of_the_program(self):
        data = slope("u1", 40, 50)
        self.write(data)
        with h5py.File(self.path, "a") as file:
            _, chunk = file["data"].id.read_direct_chunk((0, 0))
            self.assertEqual(chunk[:3], b"MMP")
            other = file.create_dataset("other", data.shape, "u1", chunks=data.shape,
                                        compression=MMP)
            other.id.write_direct_chunk((0, 0), chunk)
            np.testing.assert_array_equal(other[...], data)

    def test_what_cannot_be_coded_is_refused(self):
        cases = [
            ("unsigned integers of 8 or 16 bits", slope("i2", 20, 20), {}),
            ("unsigned integers of 8 or 16 bits", np.zeros((20, 20), "f4"), {}),
            ("samples have 1 or 2 bytes, not 4", slope("u4", 20, 20), {}),
            ("1 to 65535, not 20 and 65536", np.zeros((65536, 20), "u1"), {}),
            ("1 to 65535, not 70000 and 1", np.zeros(70000, "u1"), {}),
            (r"0 \(lossless\), 1 \(largest error\) or 2 \(lambda\), not 3", slope("u1", 9, 9),
             {"options": (3,)}),
            ("the second number is 0", slope("u1", 9, 9), {"options": (LOSSLESS, 1)}),
            ("error is 0 to 255, not 256", slope("u1", 9, 9), {"options": (MAX_ERROR, 256)}),
            ("error is 0 to 65535, not 65536", slope("u2", 9, 9), {"options": (MAX_ERROR, 65536)}),
            ("lambda is 0 to 65536", slope("u2", 9, 9), {"options": (LAMBDA, 65536001)}),
            ("the preset, .* not 4", slope("u2", 9, 9), {"options": (LAMBDA, 1, 4)}),
            ("at most 3 options, not 4", slope("u2", 9, 9), {"options": (LAMBDA, 1, 2, 5)}),
            ("at most 3 options, not 6", slope("u2", 9, 9), {"options": (LAMBDA, 1, 2, 2, 0, 9)}),
            ("has 8 numbers, which a later version", slope("u2", 9, 9),
             {"options": (LAMBDA, 1, 2, 2, 0, 9, 9, 5)}),
        ]
        for message, data, layout in cases:
            with self.subTest(message), self.assertRaisesRegex(Exception, message):
                self.write(data, **layout)


class DamageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "data.h5"
        self.data = slope("u1", 40, 50)
        with h5py.File(self.path, "w") as file:
            dataset = file.create_dataset("data", data=self.data, chunks=self.data.shape,
                                          compression=MMP)
            self.chunk = dataset.id.read_direct_chunk((0, 0))[1]

    def read_with(self, chunk, dtype="u1", shape=(40, 50)):
        with h5py.File(self.path, "w") as file:
            dataset = file.create_dataset("data", shape, dtype, chunks=shape, compression=MMP)
            dataset.id.write_direct_chunk((0, 0), chunk)
        with h5py.File(self.path, "r") as file:
            return file["data"][...]

    def test_any_damaged_byte_is_found(self):
        np.testing.assert_array_equal(self.read_with(self.chunk), self.data)
        for position in range(0, len(self.chunk), 7):
            damaged = bytearray(self.chunk)
            damaged[position] ^= 1 << position % 8
            with self.subTest(position), self.assertRaisesRegex(OSError, "mmp: "):
                self.read_with(bytes(damaged))

    def test_any_missing_end_is_found(self):
        for size in *range(1, 70, 3), len(self.chunk) - 1:
            with self.subTest(size), self.assertRaisesRegex(OSError, "mmp: "):
                self.read_with(self.chunk[:size])

    def test_another_image_is_refused(self):
        for shape in (50, 40), (40, 51), (1, 2000), (2000, 2000):
            with self.subTest(shape), self.assertRaisesRegex(OSError, "mmp: .*40"):
                self.read_with(self.chunk, shape=shape)

    def test_samples_of_more_bits_are_refused(self):
        with h5py.File(self.path, "w") as file:
            dataset = file.create_dataset("data", data=slope("u2", 40, 50), chunks=(40, 50),
                                          compression=MMP)
            deep = dataset.id.read_direct_chunk((0, 0))[1]
        with self.assertRaisesRegex(OSError, "mmp: .*16"):
            self.read_with(deep)

    def test_samples_of_fewer_bits_are_read_as_they_are(self):
        np.testing.assert_array_equal(self.read_with(self.chunk, "<u2"), self.data)
        np.testing.assert_array_equal(self.read_with(self.chunk, ">u2"), self.data)

    def test_numbers_that_cannot_be(self):
        good = (LOSSLESS, 0, 2, 1, 0, 40, 50)
        for position, number in (3, 0), (3, 4), (4, 2), (5, 0), (6, 65536), (6, 2**32 - 1):
            numbers = list(good)
            numbers[position] = number
            with self.subTest(numbers), self.assertRaisesRegex(OSError, "mmp: "):
                self.read_with_numbers(good, numbers)

    def test_numbers_of_more_than_a_chunk_can_have(self):
        with self.assertRaisesRegex(OSError, "mmp: .*4 GiB"):
            self.read_with_numbers((LOSSLESS, 0, 2, 1, 0, 40, 50),
                                   (LOSSLESS, 0, 2, 2, 0, 65535, 65535))

    def test_options_of_later_versions_are_decoded_but_never_encoded_by(self):
        good = (LOSSLESS, 0, 2, 1, 0, 40, 50)
        for later in (9, 9, 9, *good[3:]), (*good, 5):
            with self.subTest(later):
                np.testing.assert_array_equal(self.read_with_numbers(good, later), self.data)
                with h5py.File(self.path, "a") as file:
                    file["data"][...] = 255 - self.data
                    file.flush()
                    # As h5py calls the filter optional, HDF5 keeps what it refuses as it is.
                    left_out, chunk = file["data"].id.read_direct_chunk((0, 0))
                    self.assertEqual((left_out, chunk), (1, (255 - self.data).tobytes()))

    def read_with_numbers(self, before, after):
        """Puts other numbers into the file itself, where HDF5 does not check them."""
        self.read_with(self.chunk)
        data = self.path.read_bytes()
        for stored, others in zip(self.in_file(before), self.in_file(after), strict=True):
            self.assertEqual(data.count(stored), 1)
            data = data.replace(stored, others)
        self.path.write_bytes(data)
        with h5py.File(self.path, "r") as file:
            return file["data"][...]

    def in_file(self, numbers):
        """How many there are, before the filter's name, and they: an odd number of them with a zero."""
        padded = (*numbers, 0) if len(numbers) % 2 else numbers
        return struct.pack("<H", len(numbers)) + b"mmp", np.array(padded, "<u4").tobytes()


if __name__ == "__main__":
    unittest.main()
