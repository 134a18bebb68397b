"""Tests of the Python package mmp, which must be on PYTHONPATH: files .mmp in Pillow.

Usage: pillow_test.py [unittest's arguments]
"""

import io
import pathlib
import tempfile
import unittest

import mmp
import numpy as np
from PIL import Image, UnidentifiedImageError

from shared import IMAGES, gradient, noise


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
            self.assertEqual(opened.get_format_mimetype(), "image/x-mmp")
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
        for samples in (gradient(), gradient().astype(np.uint16), gradient().astype(np.int32),
                        gradient() > 99):
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


if __name__ == "__main__":
    unittest.main()
