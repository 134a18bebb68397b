"""Builds the extension module with the project's CMake files.

Works from a clone of the whole project: `pip install tools/python`. CMake's own environment
variables (CXX, CMAKE_GENERATOR, CMAKE_BUILD_PARALLEL_LEVEL ...) apply, and CMAKE_ARGS, options for
its configuration such as -DMMP_CUDA=OFF.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pybind11
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

PROJECT = Path(__file__).resolve().parents[2]


def project_version():
    text = (PROJECT / "CMakeLists.txt").read_text()
    return re.search(r"^project\(mmp VERSION ([\d.]+)", text, re.MULTILINE)[1]


class BuildWithCMake(build_ext):
    def build_extension(self, ext):
        build = Path(self.build_temp).resolve()
        configure = [
            "cmake", "-S", PROJECT, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DMMP_PYTHON=ON",
            "-DMMP_BUILD_TOOLS=OFF", "-DMMP_BUILD_TESTS=OFF", "-DMMP_BUILD_BENCH=OFF",
            f"-DPython_EXECUTABLE={sys.executable}", f"-Dpybind11_DIR={pybind11.get_cmake_dir()}",
        ]
        subprocess.run(configure + shlex.split(os.environ.get("CMAKE_ARGS", "")), check=True)
        environment = {"CMAKE_BUILD_PARALLEL_LEVEL": str(os.cpu_count()), **os.environ}
        subprocess.run(["cmake", "--build", build, "--target", "mmp_python"], env=environment,
                       check=True)
        module = Path(self.get_ext_fullpath(ext.name))
        module.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(build / "lib/python/mmp" / module.name, module)


setup(
    version=project_version(),
    ext_modules=[Extension("mmp._mmp", sources=[])],
    cmdclass={"build_ext": BuildWithCMake},
)
