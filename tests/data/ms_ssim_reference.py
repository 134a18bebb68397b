#!/usr/bin/python3
"""Prints the MS-SSIM of the pairs in metrics_test.cc. Needs NumPy, SciPy and Pillow.

Written from the paper (Wang, Simoncelli and Bovik 2003) with SciPy's filters, apart from mmp's code.
"""
import os
import sys

import numpy as np
from PIL import Image
from scipy import ndimage, signal

WEIGHTS = [0.0448, 0.2856, 0.3001, 0.2363, 0.1333]
C1, C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2


def window():
    g = signal.windows.gaussian(11, 1.5)
    w = np.outer(g, g)
    return w / w.sum()


def similarity(a, b):
    mean = lambda v: signal.convolve2d(v, window(), mode='valid')
    ma, mb = mean(a), mean(b)
    va, vb, cov = mean(a * a) - ma * ma, mean(b * b) - mb * mb, mean(a * b) - ma * mb
    cs = (2 * cov + C2) / (va + vb + C2)
    return cs.mean(), (cs * (2 * ma * mb + C1) / (ma * ma + mb * mb + C1)).mean()


def half(v):
    """A 2x2 mean with samples repeated beyond the edge, every second one of each side."""
    return ndimage.uniform_filter(v, 2, mode='nearest', origin=-1)[::2, ::2]


def ms_ssim(a, b):
    product = 1.0
    for scale, weight in enumerate(WEIGHTS):
        cs, all_ = similarity(a, b)
        product *= max(all_ if scale == 4 else cs, 0) ** weight
        a, b = half(a), half(b)
    return product


def distortions(a):
    y, x = np.indices(a.shape)
    yield 'coarse', np.minimum(a - a % 24 + 12, 255)
    yield 'noisy', np.clip(a + (x * 7 + y * 13) % 31 - 15, 0, 255)
    yield 'negative', 255 - a


folder = os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), '../../testimages')
for name in ('natural', 'satellite', 'smooth'):
    image = np.array(Image.open(os.path.join(folder, name + '.png'))).astype(np.int64)
    for kind, other in distortions(image):
        print(name, kind, repr(ms_ssim(image.astype(float), other.astype(float))))
    odd = image[3:182, 5:176]
    print(name, 'odd', repr(ms_ssim(odd.astype(float), list(distortions(odd))[1][1].astype(float))))
