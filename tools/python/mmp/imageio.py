"""Lets imageio read and write .mmp files, once this module is imported.

    imageio.imwrite("scan.mmp", array, max_error=0)
    array = imageio.imread("scan.mmp")

Arrays are of uint8 or uint16, rows by columns. They are written by the options of mmp.encode and
read by those of mmp.decode, of the samples that the file has; meta["depth"] says how many bits they have.
"""

import mmp
from imageio import formats
from imageio.core import Format


class MmpFormat(Format):
    """Grayscale images of 1 to 16 bits a sample.

    Parameters for reading
    ----------------------
    Those of mmp.decode.

    Parameters for saving
    ---------------------
    Those of mmp.encode.
    """

    def _can_read(self, request):
        return request.mode[1] in self.modes + "?" and request.firstbytes[:3] == b"MMP"

    def _can_write(self, request):
        return request.mode[1] in self.modes + "?" and request.extension in self.extensions

    class Reader(Format.Reader):
        def _open(self, **options):
            self._options = options
            self._data = self.request.get_file().read()
            self._meta = {"depth": mmp.info(self._data)["depth"]}

        def _close(self):
            pass

        def _get_length(self):
            return 1

        def _get_data(self, index):
            if index != 0:
                raise IndexError(f"an MMP file has one image, there is none of index {index}")
            return mmp.decode(self._data, **self._options), self._meta

        def _get_meta_data(self, index):
            return self._meta

    class Writer(Format.Writer):
        def _open(self, **options):
            self._options = options
            self._images = 0

        def _close(self):
            pass

        def _append_data(self, im, meta):
            if self._images == 1:
                raise RuntimeError("an MMP file has one image; write others to files of their own")
            file = mmp.encode(im[..., 0] if im.ndim == 3 and im.shape[2] == 1 else im,
                              **self._options)
            self.request.get_file().write(file)
            self._images = 1

        def set_meta_data(self, meta):
            raise RuntimeError("an MMP file has no place for meta data")


formats.add_format(MmpFormat("MMP", "Multidimensional Multiscale Parser", ".mmp", "i"))
