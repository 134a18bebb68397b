"""Lets Pillow read and write .mmp files, in the modes L, I;16 and 1.

Image.open reads the header alone; the image is decoded when its pixels are asked for. Its size is
limited by Pillow's own Image.MAX_IMAGE_PIXELS. Samples of more than 8 bits are read in mode I;16 as
they are, such of 1 bit in mode 1, of 2 to 8 in mode L, scaled to 0 to 255, signed ones in mode I;
info["depth"] says how many bits they have. info also has icc_profile, exif, dpi, xmp and comment, if the file has them.

Image.save writes mode L, mode 1 with a depth of 1, and the modes I;16, I;16B and I, whose samples must
be 0 to 65535, with a depth of 16, or those of mode I -32768 to 32767, signed. It keeps the image's icc_profile (of gray),
exif, dpi, xmp and comment, or those it is given, none if that is None. It takes the options of mmp.encode, such as `depth` where samples have fewer bits, and
`lossless=True`, as for WebP, which is lambda_=0; any other raises TypeError, `quality` among them,
which has no counterpart: lambda_ says what may be lost. An image of another mode is refused;
to_gray makes one of mode L of it:

    mmp.pillow.to_gray(Image.open("photo.png")).save("photo.mmp", lambda_=20)
"""

import struct
from fractions import Fraction

import numpy as np
from PIL import Image, ImageFile

from mmp import _mmp

HEADER_BYTES = _mmp.MAX_HEADER_BYTES  # what is read of a file when it is opened

_FORMAT = "MMP"
_MODES_OF_16_BITS = {"I", "I;16", "I;16L", "I;16B", "I;16N"}  # I: as Pillow reads PNG files
_MODES_WITH_ALPHA = {"RGBA", "LA", "PA", "P"}  # P: perhaps, in its palette
_METADATA = {"comment", "dpi", "exif", "icc_profile", "xmp"}
_HOMELESS = {"pnginfo", "transparency"}  # what other formats store besides
_EXIF_PREFIX = b"Exif\0\0"
_COMMENT = b"Comment\0"
_RESOLUTION = struct.Struct("<B4I")
_INCHES = (0, 1, 2.54, 0.0254)  # in the unit of a resolution
_ADVICE_FOR_F = ("scale them to 0 to 255, then "
                 "Image.fromarray(numpy.rint(array).astype(numpy.uint8))")
# From Pillow 10.1 on, mode is a property.
_MODE_ATTRIBUTE = "_mode" if hasattr(Image.Image, "mode") else "mode"


class MmpImageFile(ImageFile.ImageFile):
    format = _FORMAT
    format_description = "Multidimensional Multiscale Parser"

    def _open(self):
        try:
            beginning = self.fp.read(HEADER_BYTES)
            *size, depth, is_signed, metadata_end = _mmp.read_size(beginning)
            if metadata_end:
                beginning += self.fp.read(max(0, metadata_end - len(beginning)))
                self.info.update(_info_of(_mmp.read_metadata(beginning)))
        except _mmp.Error as error:
            raise SyntaxError(str(error)) from error  # what Pillow expects of files it cannot open
        self._size = tuple(size)
        setattr(self, _MODE_ATTRIBUTE, _mode_of(depth, is_signed))
        self.info["depth"] = depth
        self.tile = [(_FORMAT, (0, 0) + self.size, 0, (depth, is_signed))]


class MmpDecoder(ImageFile.PyDecoder):
    _pulls_fd = True

    def decode(self, buffer):
        max_pixels = self.state.xsize * self.state.ysize  # Pillow has accepted the size
        try:
            array = _mmp.decode(self.fd.read(), max_pixels=max_pixels)
        except _mmp.OutOfMemoryError:
            raise
        except _mmp.Error as error:
            raise OSError(str(error)) from error  # what Pillow's users expect of damaged files
        self.set_as_raw(_samples_of_mode(array, *self.args).tobytes())
        return -1, 0


def _info_of(metadata):
    """What Pillow has in Image.info for the metadata of a file."""
    info = {}
    for kind, data in metadata:
        if kind == "exif":
            info.setdefault("exif", _EXIF_PREFIX + data)
        elif kind in ("icc_profile", "xmp"):
            info.setdefault(kind, data)
        elif kind == "resolution" and len(data) == _RESOLUTION.size:
            unit, *numbers = _RESOLUTION.unpack(data)
            if 0 < unit < len(_INCHES) and all(numbers):
                x, x_divisor, y, y_divisor = numbers
                info.setdefault("dpi", (_INCHES[unit] * x / x_divisor, _INCHES[unit] * y / y_divisor))
        elif kind == "text" and data.startswith(_COMMENT):
            info.setdefault("comment", data[len(_COMMENT):].decode("utf-8", "replace"))
    return info


def _resolution(dpi):
    x, y = (Fraction(float(value)).limit_denominator(10000) for value in dpi)
    return _RESOLUTION.pack(1, x.numerator, x.denominator, y.numerator, y.denominator)


def _metadata_of(image, given):
    """The metadata to write: those given to Image.save, taken out of them, or else the image's own."""
    values = {key: given.pop(key, image.info.get(key)) for key in _METADATA - {"icc_profile"}}
    # A profile of the image's own may be one of colors that it had.
    own_profile = image.info.get("icc_profile") or b""
    values["icc_profile"] = given.pop("icc_profile",
                                      own_profile if own_profile[16:20] == b"GRAY" else None)
    metadata = list(given.pop("metadata", ()))
    if values["icc_profile"]:
        metadata.append(("icc_profile", values["icc_profile"]))
    if values["exif"]:
        exif = values["exif"]
        exif = exif.tobytes() if isinstance(exif, Image.Exif) else bytes(exif)
        metadata.append(("exif", exif.removeprefix(_EXIF_PREFIX)))
    if values["xmp"]:
        xmp = values["xmp"]
        metadata.append(("xmp", xmp.encode() if isinstance(xmp, str) else bytes(xmp)))
    if values["dpi"] and all(float(value) > 0 for value in values["dpi"]):
        metadata.append(("resolution", _resolution(values["dpi"])))
    if values["comment"]:
        comment = values["comment"]
        metadata.append(("text", _COMMENT + (comment.encode() if isinstance(comment, str)
                                             else bytes(comment))))
    return metadata


def _mode_of(depth, is_signed):
    """The mode that a file of such samples is opened in."""
    if is_signed:
        return "I"
    return "1" if depth == 1 else "L" if depth <= 8 else "I;16"


def _samples_of_mode(array, depth, is_signed):
    """The decoded samples as Pillow has them in that mode."""
    if is_signed:
        return array.astype(np.int32)
    if depth > 8:
        return array.astype("<u2", copy=False)
    if depth == 1:
        return np.packbits(array, axis=1)
    if depth == 8:
        return array
    most = 2**depth - 1
    return ((array.astype(np.uint32) * 255 + most // 2) // most).astype(np.uint8)


def to_gray(image: Image.Image) -> Image.Image:
    """The image in mode L, made gray as the program mmp does by --depth8: the same samples.

    Samples of 1 and 16 bits are scaled to 8, color becomes the luma of BT.601, what is
    transparent is put over white, each rounded to nearest. image.convert("L") clips 16 bits, and
    shows the colors below what is transparent, mostly black. A tag of orientation is left to
    ImageOps.exif_transpose, as everywhere in Pillow. Raises InvalidArgumentError where the range of
    the samples is not known: mode F, and mode I outside 0 to 65535.
    """
    image.load()  # which may change the mode
    if image.mode == "L" and "transparency" not in image.info:
        return image
    if image.mode == "F":
        raise _mmp.InvalidArgumentError("mode F has samples of no known range; " + _ADVICE_FOR_F)
    if image.mode in _MODES_OF_16_BITS:
        return Image.fromarray(_gray_of_16_bits(image))
    return Image.fromarray(_gray_of_8_bits(image))


def _gray_of_16_bits(image):
    samples = np.asarray(image)
    if samples.min(initial=0) < 0 or samples.max(initial=0) > 65535:
        raise _mmp.InvalidArgumentError("samples of mode I must be 0 to 65535; scale them")
    gray = ((samples.astype(np.uint32) * 255 + 32767) // 65535).astype(np.uint8)
    if "transparency" in image.info:
        gray[samples == image.info["transparency"]] = 255
    return gray


def _gray_of_8_bits(image):
    if image.mode in ("La", "RGBa"):  # samples multiplied by alpha
        image = image.convert({"La": "LA", "RGBa": "RGBA"}[image.mode])
    has_alpha = image.mode in _MODES_WITH_ALPHA or "transparency" in image.info
    bands = image.convert("RGBA" if has_alpha else "RGB").split()
    red, green, blue = (np.asarray(band, np.uint32) for band in bands[:3])
    gray = (299 * red + 587 * green + 114 * blue + 500) // 1000
    if has_alpha:
        alpha = np.asarray(bands[3], np.uint32)
        gray = (gray * alpha + 255 * (255 - alpha) + 127) // 255
    return gray.astype(np.uint8)


def _advice(image):
    """What to do with an image that cannot be written as it is."""
    if image.mode == "F":
        return _ADVICE_FOR_F
    advice = "use mmp.pillow.to_gray(image)"
    if image.mode in _MODES_OF_16_BITS:
        return advice + ", which scales samples to 8 bits and puts what is transparent over white"
    if image.mode in _MODES_WITH_ALPHA | {"La", "RGBa"} or "transparency" in image.info:
        return advice + ", which puts what is transparent over white"
    return advice


def _encode_options(given):
    """The options of mmp.encode for what Image.save was given; mmp.encode refuses what is none."""
    options = dict(given)
    homeless = sorted(_HOMELESS & options.keys())
    if homeless:
        raise TypeError(f"an MMP file has no place for {', '.join(homeless)}; leave it out")
    lossless = options.pop("lossless", None)
    if lossless is None:
        return options
    if not isinstance(lossless, (bool, np.bool_)):
        raise TypeError(f"lossless must be True or False, not {lossless!r}")
    for name in "lambda_", "max_error":
        if options.get(name) is not None and bool(lossless) != (options[name] == 0):
            raise _mmp.InvalidArgumentError(
                f"lossless={lossless} contradicts {name}={options[name]!r}; give one of them")
    if lossless and options.get("max_error") is None:
        options["lambda_"] = 0
    return options


def _accept(prefix):
    return prefix[:3] == b"MMP"


def _samples_to_write(image):
    is_gray = image.mode in ("1", "L") or image.mode in _MODES_OF_16_BITS
    if not is_gray or "transparency" in image.info:
        kind = f"mode {image.mode}" + (" with transparency" if is_gray else "")
        raise OSError(f"cannot write {kind} as MMP; {_advice(image)}")
    samples = np.asarray(image)
    if image.mode == "1":
        return samples.astype(np.uint8)
    if image.mode != "I":
        return samples
    least, most = samples.min(initial=0), samples.max(initial=0)
    if -32768 <= least < 0 and most <= 32767:
        return samples.astype(np.int16)
    if least < 0 or most > 65535:
        raise OSError("cannot write mode I as MMP: its samples must be 0 to 65535, or -32768 to "
                      "32767; scale them")
    return samples.astype(np.uint16)


def _save(image, fp, filename):
    samples = _samples_to_write(image)
    given = dict(image.encoderinfo)
    metadata = _metadata_of(image, given)
    if image.mode == "1":
        given.setdefault("depth", 1)
    fp.write(_mmp.encode(samples, metadata=metadata, **_encode_options(given)))


def _save_all(image, fp, filename):
    images = getattr(image, "n_frames", 1) + len(image.encoderinfo.pop("append_images", []))
    if images > 1:
        raise OSError(f"an MMP file has one image, not {images}; leave save_all out to write one")
    _save(image, fp, filename)


Image.register_open(_FORMAT, MmpImageFile, _accept)
Image.register_decoder(_FORMAT, MmpDecoder)
Image.register_save(_FORMAT, _save)
Image.register_save_all(_FORMAT, _save_all)
Image.register_extension(_FORMAT, ".mmp")
Image.register_mime(_FORMAT, "image/x-mmp")
