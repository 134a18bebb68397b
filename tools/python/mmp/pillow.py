"""Lets Pillow read and write .mmp files, in mode L.

Image.open reads the header alone; the image is decoded when its pixels are asked for. Its size is
limited by Pillow's own Image.MAX_IMAGE_PIXELS. Image.save takes the options of mmp.encode:

    Image.open("photo.png").convert("L").save("photo.mmp", lambda_=20)
"""

import inspect

from PIL import Image, ImageFile

from mmp import _mmp

HEADER_BYTES = _mmp.MAX_HEADER_BYTES  # what is read of a file when it is opened

_FORMAT = "MMP"
_ENCODE_OPTIONS = inspect.signature(_mmp.encode).parameters.keys() - {"image"}
# From Pillow 10.1 on, mode is a property.
_MODE_ATTRIBUTE = "_mode" if hasattr(Image.Image, "mode") else "mode"


class MmpImageFile(ImageFile.ImageFile):
    format = _FORMAT
    format_description = "Multidimensional Multiscale Parser"

    def _open(self):
        try:
            self._size = _mmp.read_size(self.fp.read(HEADER_BYTES))
        except _mmp.Error as error:
            raise SyntaxError(str(error)) from error  # what Pillow expects of files it cannot open
        setattr(self, _MODE_ATTRIBUTE, "L")
        self.tile = [(_FORMAT, (0, 0) + self.size, 0, None)]


class MmpDecoder(ImageFile.PyDecoder):
    _pulls_fd = True

    def decode(self, buffer):
        max_pixels = self.state.xsize * self.state.ysize  # Pillow has accepted the size
        try:
            array = _mmp.decode(self.fd.read(), max_pixels=max_pixels)
        except _mmp.Error as error:
            raise OSError(str(error)) from error  # what Pillow's users expect of damaged files
        self.set_as_raw(array.tobytes())
        return -1, 0


def _accept(prefix):
    return prefix[:3] == b"MMP"


def _save(image, fp, filename):
    if image.mode != "L":
        raise OSError(f'cannot write mode {image.mode} as MMP; use image.convert("L")')
    options = {name: image.encoderinfo[name] for name in _ENCODE_OPTIONS & image.encoderinfo.keys()}
    fp.write(_mmp.encode(image, **options))


Image.register_open(_FORMAT, MmpImageFile, _accept)
Image.register_decoder(_FORMAT, MmpDecoder)
Image.register_save(_FORMAT, _save)
Image.register_extension(_FORMAT, ".mmp")
