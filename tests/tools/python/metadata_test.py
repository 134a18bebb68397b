"""Tests of the Python package mmp, which must be on PYTHONPATH: metadata and signed samples.

Usage: metadata_test.py [unittest's arguments]
"""

import io
import unittest

import mmp
import numpy as np
from PIL import Image

METADATA = [("icc_profile", b"some profile"), ("exif", b"II*\0"), ("xmp", b"<x/>"),
            ("text", b"Title\0Sea"), ("text", b"Comment\0"), (200, bytes(70))]


def picture(dtype=np.uint8):
    return (np.add.outer(np.arange(20), np.arange(30)) * 3).astype(dtype)


class MetadataTest(unittest.TestCase):
    def test_comes_back(self):
        file = mmp.encode(picture(), metadata=METADATA)
        info = mmp.info(file)
        self.assertEqual(info["metadata"], METADATA)
        self.assertEqual(info["damaged_metadata"], 0)
        np.testing.assert_array_equal(mmp.decode(file), mmp.decode(mmp.encode(picture())))
        # As they are, by number, and read from the file's beginning.
        self.assertEqual(mmp.encode(picture(), metadata=info["metadata"]), file)
        numbered = [(1, b"some profile")] + METADATA[1:]
        self.assertEqual(mmp.encode(picture(), metadata=numbered), file)
        end = mmp._mmp.read_size(file[:mmp._mmp.MAX_HEADER_BYTES])[4]
        self.assertEqual(mmp._mmp.read_metadata(file[:end]), METADATA)
        with self.assertRaises(mmp.Error):
            mmp._mmp.read_metadata(file[:end - 1])

    def test_damage_leaves_the_image(self):
        file = bytearray(mmp.encode(picture(), metadata=METADATA))
        image = mmp.decode(bytes(file))
        file[file.index(b"some profile")] ^= 1
        np.testing.assert_array_equal(mmp.decode(bytes(file)), image)
        info = mmp.info(bytes(file))
        self.assertEqual((info["metadata"], info["damaged_metadata"]), (METADATA[1:], 1))

    def test_wrong_ones(self):
        cases = [
            (TypeError, "metadata must be pairs of a kind and bytes", [3]),
            (TypeError, "metadata must be pairs of a kind and bytes", [("xmp", b"", 1)]),
            (TypeError, "the bytes of metadata must be", [("xmp", "text")]),
            (TypeError, "a kind of metadata must be an integer", [(1.5, b"")]),
            (mmp.InvalidArgumentError, "no kind of metadata 'iptc'", [("iptc", b"")]),
            (mmp.InvalidArgumentError, "a kind of metadata must be 1 to 255, not 256", [(256, b"")]),
            (mmp.InvalidArgumentError, "a kind of metadata must be 1 to 255, not 0", [(0, b"")]),
            (mmp.InvalidArgumentError, "at most 256 chunks", [("text", b"")] * 257),
        ]
        for error, message, metadata in cases:
            with self.subTest(message), self.assertRaisesRegex(error, message):
                mmp.encode(picture(), metadata=metadata)


class SignedTest(unittest.TestCase):
    def test_comes_back(self):
        for dtype in np.int8, np.int16:
            info = np.iinfo(dtype)
            image = np.random.default_rng(1).integers(info.min, info.max, (20, 30), dtype,
                                                      endpoint=True)
            for view in image, image[::-1, ::2], image.astype(image.dtype.newbyteorder(">")):
                file = mmp.encode(view, lambda_=0)
                decoded = mmp.decode(file)
                self.assertEqual(decoded.dtype, dtype)
                np.testing.assert_array_equal(decoded, view)
                self.assertTrue(mmp.info(file)["signed"])
                np.testing.assert_array_equal(mmp.decode_damaged(file)[0], view)
            jobs = [(image, {"lambda_": 0})]
            self.assertEqual(mmp.encode_many(jobs), [mmp.encode(image, lambda_=0)])
        self.assertFalse(mmp.info(mmp.encode(picture()))["signed"])

    def test_is_the_unsigned_image_shifted(self):
        image = np.random.default_rng(2).integers(-3000, 3000, (20, 30), np.int16)
        shifted = (image.astype(np.int32) + 32768).astype(np.uint16)
        difference = mmp.decode(mmp.encode(image)).astype(np.int32) + 32768
        np.testing.assert_array_equal(difference, mmp.decode(mmp.encode(shifted)))

    def test_fewer_bits(self):
        image = np.array([[-2048, 0, 2047]], np.int16)
        file = mmp.encode(image, lambda_=0, depth=12)
        np.testing.assert_array_equal(mmp.decode(file), image)
        for wrong in image + 1, image - 1:
            with self.assertRaisesRegex(mmp.InvalidArgumentError, "they are -2048 to 2047"):
                mmp.encode(wrong, depth=12)


class PillowTest(unittest.TestCase):
    def saved(self, image, **options):
        file = io.BytesIO()
        image.save(file, "MMP", **options)
        return file.getvalue()

    def opened(self, data):
        return Image.open(io.BytesIO(data))

    def test_info_comes_back(self):
        exif = Image.Exif()
        exif[0x0112], exif[0x010f] = 6, "Maker"
        profile = bytes(16) + b"GRAY" + bytes(100)
        data = self.saved(Image.fromarray(picture()), exif=exif, dpi=(300, 72.5), xmp=b"<x/>",
                          icc_profile=profile, comment="\u00c4rger")
        opened = self.opened(data)
        self.assertEqual(opened.size, (30, 20))  # Pillow's users turn it
        self.assertEqual(dict(opened.getexif()), dict(exif))
        self.assertEqual(opened.info["dpi"], (300, 72.5))
        self.assertEqual((opened.info["xmp"], opened.info["icc_profile"]), (b"<x/>", profile))
        self.assertEqual(opened.info["comment"], "\u00c4rger")
        # Kept when it is saved again, unless other values are given.
        self.assertEqual(self.saved(opened), self.saved(self.opened(data)))
        again = self.opened(self.saved(opened, exif=None, dpi=None, comment="b"))
        self.assertNotIn("exif", again.info)
        self.assertNotIn("dpi", again.info)
        self.assertEqual(again.info["comment"], "b")
        self.assertEqual(again.info["icc_profile"], profile)

    def test_a_profile_of_colors_is_not_kept(self):
        image = Image.fromarray(picture())
        image.info["icc_profile"] = bytes(16) + b"RGB " + bytes(100)
        self.assertNotIn("icc_profile", self.opened(self.saved(image)).info)

    def test_nothing_costs_nothing(self):
        self.assertEqual(self.saved(Image.fromarray(picture())), mmp.encode(picture()))

    def test_signed(self):
        samples = picture(np.int32) - 90
        data = self.saved(Image.fromarray(samples), lossless=True)
        opened = self.opened(data)
        self.assertEqual(opened.mode, "I")
        np.testing.assert_array_equal(np.asarray(opened), samples)
        self.assertEqual(data, mmp.encode(samples.astype(np.int16), lambda_=0))
        with self.assertRaisesRegex(OSError, "-32768 to 32767"):
            self.saved(Image.fromarray(samples * 1000))


if __name__ == "__main__":
    unittest.main()
