"""Tests of the Python package mmp, which must be on PYTHONPATH: the package that pip builds.

Usage: wheel_test.py [unittest's arguments]
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

import mmp

from shared import PACKAGE


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
