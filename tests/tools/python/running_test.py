"""Tests of the Python package mmp, which must be on PYTHONPATH: threads, progress, signals and processes.

Usage: running_test.py [unittest's arguments]
"""

import signal
import threading
import unittest

import mmp
import numpy as np

from shared import PATIENCE, read_testimage


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


if __name__ == "__main__":
    unittest.main()
