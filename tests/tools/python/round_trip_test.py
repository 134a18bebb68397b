"""Tests of the Python package mmp, which must be on PYTHONPATH: what is encoded is decoded.

Usage: round_trip_test.py [unittest's arguments]
"""

import functools
import multiprocessing
import pickle
import unittest

import mmp
import numpy as np

from shared import PROJECT, gradient, noise, read_testimage

GOLDEN = PROJECT / "tests/data/golden"


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


if __name__ == "__main__":
    unittest.main()
