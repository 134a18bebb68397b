"""What the tests of the Python package share."""

import pathlib

import numpy as np
from PIL import Image

PROJECT = pathlib.Path(__file__).resolve().parents[3]
IMAGES = PROJECT / "testimages"
PACKAGE = PROJECT / "tools/python"

# Seconds after which something that should have happened never will.
PATIENCE = 120


def gradient(rows=40, columns=56):
    return (np.add.outer(3 * np.arange(rows), 2 * np.arange(columns)) % 256).astype(np.uint8)


def noise(rows=40, columns=56):
    return np.random.default_rng(1).integers(0, 256, (rows, columns), dtype=np.uint8)


def read_testimage(name):
    with Image.open(IMAGES / name) as image:
        return np.asarray(image)
