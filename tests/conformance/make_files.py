#!/usr/bin/env python3
"""Makes files as the conformance files were made, by the encoder and by writer.py: make_files.py MMP FOLDER

Writes accepted/ and refused/ into FOLDER, which must not have them yet. The files beside this script,
made by encoders of their time, stay as they are: version 6 of the format is frozen.
"""

import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

HERE = Path(__file__).parent
TESTS = HERE.parent
sys.path.insert(0, str(TESTS / "codec"))
from spec_decoder import Header, as_pgm, crc32c  # noqa: E402
from spec_jpeg import inverse  # noqa: E402
from spec_postfilter import COSINES, told_step, transform  # noqa: E402
from refused_files import refused_files  # noqa: E402
from written_files import written_files  # noqa: E402

TEST_IMAGES = TESTS.parent / "testimages"


# --- Pictures -------------------------------------------------------------------------------------

def pgm(width, height, depth, samples):
    return as_pgm(width, height, depth, [samples])


def tiff(width, height, samples):
    """Signed samples of 16 bits."""
    data = struct.pack(f"<{len(samples)}h", *samples)
    entries = [(256, 3, width), (257, 3, height), (258, 3, 16), (259, 3, 1), (262, 3, 1),
               (273, 4, 8), (277, 3, 1), (278, 3, height), (279, 4, len(data)), (339, 3, 2)]
    directory = struct.pack("<H", len(entries))
    directory += b"".join(struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in entries)
    return struct.pack("<2sHI", b"II", 42, 8 + len(data)) + data + directory + bytes(4)


def png(width, height, samples, chunks):
    """With these chunks, pairs of name and content, before the samples, which have 8 bits."""
    rows = b"".join(b"\0" + bytes(samples[at:at + width]) for at in range(0, len(samples), width))
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)), *chunks,
              (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
        for name, content in chunks)


class Maker:
    """Runs the encoder in a folder of its own."""

    def __init__(self, mmp, folder, output):
        self.mmp, self.folder, self.output = mmp, Path(folder), output

    def run(self, *arguments):
        subprocess.run([self.mmp, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)

    def crop(self, name, x, y, width, height):
        """Samples of a part of a test image."""
        whole = self.folder / f"{name}.mmp"
        if not whole.exists():
            self.run("encode", TEST_IMAGES / f"{name}.png", "-o", whole, "--lambda", 0, "--effort", 1,
                     "--coder", "pixels")
        part = self.folder / "part.pgm"
        self.run("decode", whole, "-o", part, "--force", "--region", f"{x},{y},{width}x{height}")
        return list(part.read_bytes()[-width * height:])

    def train(self):
        path = self.folder / "page.pgm"
        path.write_bytes(pgm(64, 64, 8, self.crop("compound", 20, 20, 64, 64)))
        self.run("train", path, "-o", self.output / "accepted" / "own-dictionary.mmd", "--rounds", 1,
                 "--effort", 6, "--patterns", 8)

    def encode(self, name, picture, options):
        kinds = {b"P5": "pgm", b"II": "tif", b"\x89P": "png"}
        path = self.folder / f"{name}.{kinds[picture[:2]]}"
        path.write_bytes(picture)
        self.run("encode", path, "-o", self.output / "accepted" / f"{name}.mmp", "--backend", "cpu",
                 *options.split())
        return (self.output / "accepted" / f"{name}.mmp").read_bytes()


# --- Files that are accepted ----------------------------------------------------------------------

def deep(samples, width, depth):
    """Samples of 8 bits with others below, or only the highest of them."""
    if depth <= 8:
        return [sample >> (8 - depth) for sample in samples]
    low = 1 << (depth - 8)
    return [sample * low + (7 * (at % width) + 13 * (at // width)) % low
            for at, sample in enumerate(samples)]


def as_jpeg(samples, width, row, column, quality):
    """What a JPEG file makes of the samples whose blocks begin there."""
    samples = list(samples)
    for y in range(row, len(samples) // width - 7, 8):
        for x in range(column, width - 7, 8):
            block = [[samples[(y + i) * width + x + j] - 128 for j in range(8)] for i in range(8)]
            coefficients = transform(COSINES, block, 9, 14)
            steps = [[told_step(quality, (u, v), 0) for v in range(8)] for u in range(8)]
            multiples = [[step * round(c / 32 / step) for c, step in zip(*lines)] for lines in zip(coefficients, steps)]
            columns = [inverse(line, 11) for line in zip(*multiples)]
            for i, line in enumerate(inverse(line, 18) for line in zip(*columns)):
                for j, sample in enumerate(line):
                    samples[(y + i) * width + x + j] = min(max(sample + 128, 0), 255)
    return samples


def make_accepted(maker):
    def make(name, crop, options):
        return maker.encode(name, pgm(*crop[3:], 8, maker.crop(*crop)), options)

    photo, page, screen, soft = (("natural", 60, 70, 40, 36), ("compound", 30, 20, 48, 33),
                                 ("text", 8, 10, 56, 40), ("smooth", 60, 40, 33, 31))
    # Each kind of small file.
    make("small-thesis", photo, "--preset thesis --lambda 20")
    make("small-thesis-fronts", photo, "--preset thesis --lambda 60 --order wavefront")
    make("small-best", soft, "--preset best --lambda 10 --order raster --exact-lambda")
    make("small-best-fronts", photo, "--preset best --lambda 40 --order wavefront")
    make("small-fast", photo, "--preset fast --lambda 30 --order raster")
    make("small-fast-fronts", soft, "--preset fast --lambda 5 --order wavefront")
    make("exact-blocks-page", ("compound", 0, 0, 144, 120), "--preset fast --lambda 40 --exact-lambda")
    make("quick-small", photo, "--preset quick --lambda 30 --order raster")
    make("quick-small-fronts", soft, "--preset quick --lambda 5 --order wavefront")
    make("quick-tiles", page, "--preset quick --lambda 40 --tile 32x16")
    for order in ("raster", "wavefront"):
        make(f"small-lossless-patterns-{order}", page,
             f"--preset thesis --lambda 0 --order {order} --coder patterns")
    for preset in ("fast", "best"):
        make(f"small-lossless-{preset}", photo, f"--preset {preset} --lambda 0")
        make(f"small-bounded-{preset}", photo, f"--preset {preset} --max-error 3")
    make("repeats", screen, "--lambda 0")
    # Sides.
    for width, height in ((1, 1), (1, 17), (17, 1), (16, 16), (15, 33)):
        make(f"sides-{width}x{height}", ("sky", 30, 40, width, height), "--lambda 12 --preset thesis")
        make(f"sides-{width}x{height}-lossless", ("sky", 30, 40, width, height), "--lambda 0")
    make("wide", ("streets", 0, 90, 120, 3), "--preset fast --lambda 30")
    # Parameters that are given.
    least = "--prediction-level 4 --modes 2,3,4,5,6,7,8,9,10 --tools none"
    make("modes-of-the-reference", photo, f"--preset thesis --lambda 4 {least}")
    make("all-modes", ("text", 0, 0, 112, 96), "--preset best --lambda 200 --exact-lambda --modes all --prediction-level 4 "
         "--order raster")
    make("one-mode", photo, "--preset thesis --lambda 40 --modes 2 --prediction-level none")
    make("few-patterns", page, "--preset thesis --lambda 15 --dictionary-size 69")
    make("many-patterns", page, "--preset best --lambda 1 --dictionary-size 65536 --exact-lambda --tools none")
    for at, tool in enumerate(("trained-patterns", "wiener", "mixed-models", "wiener,corrections",
                               "filter-network", "flag-network", "filter-network,small-network",
                               "filter-network,wiener,corrections")):
        order = ("raster", "wavefront")[at % 2]
        make(f"tool-{tool.replace(',', '-')}", ("satellite", 20, 30, 48, 32),
             f"--preset best --lambda {(30, 70)[at // 4]} --exact-lambda --tools {tool} --order {order}")
    make("corrections", ("streets", 20, 30, 96, 64), "--preset thesis --lambda 30 --tools wiener,corrections")
    make("own-dictionary", page, f"--preset best --lambda 25 --dictionary-file {maker.output / 'accepted/own-dictionary.mmd'}")
    make("copies", screen, "--preset best --lambda 30 --exact-lambda --order wavefront")
    make("copies-raster", screen, "--preset fast --lambda 90 --exact-lambda --order raster")
    make("dear-rate", photo, "--preset best --lambda 65536")
    make("cheap-rate", ("foliage", 9, 9, 17, 18), "--preset thesis --lambda 0.01")
    # Tiles, previews, metadata.
    make("tiles", ("natural", 40, 50, 50, 40), "--preset thesis --lambda 30 --tile 16x32")
    make("tiles-fronts-preview", ("natural", 40, 50, 50, 40), "--preset fast --lambda 60 --tile 32x16 "
         "--order wavefront --preview")
    make("tiles-lossless", page, "--lambda 0 --tile 32x16")
    make("preview", photo, "--preset thesis --lambda 50 --preview")
    make_metadata(maker, maker.crop(*photo))
    for name, row, column, quality, options in (("whole", 0, 0, 70, "--lambda 0"), ("cut", 3, 6, 50, "--lambda 0"),
                                                ("lossy", 0, 1, 40, "--lambda 6 --preset fast"), ("by-patterns", 1, 0, 60, "--lambda 60 --preset fast")):
        samples = as_jpeg(maker.crop("natural", 40, 30, 104, 96), 104, row, column, quality)
        maker.encode(f"jpeg-{name}", pgm(104, 96, 8, samples), options)
    make_depths(maker)


def make_metadata(maker, samples):
    exif = struct.pack("<2sHIHHHIHHI", b"II", 42, 8, 1, 0x112, 3, 1, 6, 0, 0)  # an orientation
    chunks = [(b"pHYs", struct.pack(">IIB", 3780, 3780, 1)), (b"eXIf", exif),
              (b"tEXt", b"Comment\0a picture with words"),
              (b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0<x:xmpmeta xmlns:x='adobe:ns:meta/'/>")]
    data = maker.encode("metadata", png(40, 36, samples, chunks), "--preset thesis --lambda 50")
    header = Header(data)
    damaged = bytearray(data)
    damaged[header.end_of_fields + 9] ^= 1
    (maker.output / "accepted" / "metadata-damaged.mmp").write_bytes(damaged)
    # A chunk of a kind that nobody knows yet. The size of all is the last field before them.
    chunk = b"\xc8" + (5).to_bytes(3, "little")
    chunk += crc32c(chunk + b"later").to_bytes(4, "little") + b"later"
    size = header.at - header.end_of_fields + len(chunk)
    longer = (data[:header.end_of_fields - 3] + size.to_bytes(3, "little") +
              data[header.end_of_fields:header.at] + chunk + data[header.at:])
    (maker.output / "accepted" / "metadata-unknown.mmp").write_bytes(
        with_right_checksum(Header(longer), longer))


def make_depths(maker):
    crop = ("tomogram", 60, 50, 24, 20)
    samples = maker.crop(*crop)
    for depth in [*range(1, 8), *range(9, 17)]:
        picture = pgm(24, 20, depth, deep(samples, 24, depth))
        preset = ("best", "fast")[depth % 2]
        maker.encode(f"depth-{depth}-lossless", picture, f"--lambda 0 --preset {preset}")
        if depth in (1, 4, 7, 9, 12, 16):
            maker.encode(f"depth-{depth}-lossy", picture, "--lambda 40 --coder patterns --preset thesis")
    picture = pgm(24, 20, 12, deep(samples, 24, 12))
    maker.encode("depth-12-means", picture, "--lambda 2 --coder pixels")
    maker.encode("depth-12-bounded", picture, "--max-error 40 --preset fast")
    maker.encode("depth-12-best", picture, "--lambda 60 --coder patterns --order wavefront")
    dark = [sample // 3 for sample in samples]
    dark[100], dark[333] = 65535, 40000
    maker.encode("depth-16-steps", pgm(24, 20, 16, dark), "--lambda 0.001 --coder patterns --preset fast")
    signed = [sample * 100 - 12000 for sample in samples]
    maker.encode("signed", tiff(24, 20, signed), "--lambda 0")
    maker.encode("signed-lossy-tiles", tiff(24, 20, signed), "--lambda 5 --tile 16x16")


# --- Files that are refused -----------------------------------------------------------------------

def with_right_checksum(header, data):
    """A file of one tile, the CRC of whose bytes is made right; `header`: its own, or one as long."""
    at, preview = header.at, header.preview_size
    run = data[:header.end_of_fields] + data[at + 4:at + 8] + data[at + 8 + preview:]
    return data[:at] + crc32c(run).to_bytes(4, "little") + data[at + 4:]


def make_refused(output):
    accepted = {path.stem: path.read_bytes() for path in (output / "accepted").glob("*.mmp")}
    made = {}

    def change(name, source, position, value):
        """One byte is another, the checksum is right."""
        data = bytearray(accepted[source])
        data[position] = value
        made[name] = with_right_checksum(Header(accepted[source]), bytes(data))

    few = accepted["few-patterns"]  # a full header: flags at 4, sides at 5 and 6, threshold, capacity ...
    assert few[4] & 8 and not few[4] & 128, "not the header that is expected"
    change("magic", "few-patterns", 0, ord("m"))
    change("version-5", "few-patterns", 3, 5)
    change("version-15", "few-patterns", 3, 15)
    change("kind-of-a-full-file", "few-patterns", 3, few[3] | 32)
    change("preset-3", "few-patterns", 4, few[4] | 3)
    change("capacity-68", "few-patterns", 8, 67)
    change("prediction-level-26", "few-patterns", 10, 26)
    change("mode-mask-without-mfv", "few-patterns", 11, few[11] & ~4)
    change("mode-mask-bit-31", "few-patterns", 14, few[14] | 128)
    change("own-dictionary-without-trained", "few-patterns", 15, 2)
    change("other-parameters", "few-patterns", 11, few[11] ^ 1)  # the picture is another one
    steps = accepted["depth-16-steps"]
    at = next(k for k in range(8, 20) if steps[k:k + 8] == bytes(Header(steps).steps))
    change("steps-128", "depth-16-steps", at, 128)
    twelve = accepted["depth-12-lossy"]
    high = max(range(8, 12), key=lambda k: twelve[k] if k % 2 == 1 else -1)
    change("range-above-the-depth", "depth-12-lossy", high, 0x20)
    change("stream-byte", "few-patterns", len(few) - 1, few[-1] ^ 0x55)
    for name in ("few-patterns", "small-best", "small-lossless-best", "tiles", "depth-12-bounded"):
        data = accepted[name]
        made[f"cut-{name}"] = data[:-1]
        made[f"longer-{name}"] = data + b"\0"
        flipped = bytearray(data)
        flipped[len(data) * 3 // 4] ^= 4
        made[f"flipped-{name}"] = bytes(flipped)
    made["empty"] = b""
    made["header-alone"] = few[:Header(few).at]
    at = Header(few).at
    made["reconstruction"] = with_right_checksum(Header(few), few[:at + 4] + bytes(4) + few[at + 8:])
    tiles = bytearray(accepted["tiles"])
    tiles[Header(bytes(tiles)).at] ^= 1
    made["table"] = bytes(tiles)
    for name, data in made.items():
        assert data not in accepted.values(), f"{name} is not changed"
        (output / "refused" / f"{name}.mmp").write_bytes(data)


def write_all(folder, files):
    for name, data, dictionary in files:
        path = folder / f"{name}.mmp"
        assert not path.exists(), f"two files have the name {name}"
        path.write_bytes(data)
        if dictionary:
            path.with_suffix(".mmd").write_bytes(dictionary)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    output = Path(sys.argv[2]).absolute()
    for name in ("accepted", "refused"):
        (output / name).mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="mmp_conformance_") as folder:
        maker = Maker(sys.argv[1], folder, output)
        maker.train()
        make_accepted(maker)
    make_refused(output)
    write_all(output / "accepted", written_files())
    write_all(output / "refused", refused_files())


if __name__ == "__main__":
    main()
