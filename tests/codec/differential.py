#!/usr/bin/env python3
"""Compares the decoder of mmp with the one written from the specification, spec_decoder.py.

  differential.py MMP [--seed N] [--files N]

Encodes small random images with random options of all kinds by the program MMP. Both decoders must
make the same samples of each file. Then damages it: bytes of the header and the checksums as they
are, and bytes of the streams behind checksums made right again, as the decoder of the specification
computes them. Both must refuse the file, or both make the same samples of it. Ends with the number of
files, or at the first difference, whose files it keeps and names.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import spec_decoder
from spec_decoder import Refused, crc32c
from spec_container import TOOL_COUNT  # in folders that spec_decoder knows
from spec_conventions import SIZES, clip

SIDES = [1, 2, 7, 15, 16, 17, 24, 31, 33, 49]
LAMBDAS = [0, 0.01, 1, 5, 10, 40, 200, 3000, 65536]
MODES = range(31)
TOOLS = range(TOOL_COUNT)
BOUNDS = [0, 0, 1, 3, 40, 255]


class Difference(Exception):
    """The decoders do not agree."""


# --- Images and options ---------------------------------------------------------------------------

def random_image(rng):
    """A PGM file whose content is one that some of the modes and tools are good at."""
    width, height = rng.choice(SIDES), rng.choice(SIDES)
    kind = rng.choice(["flat", "ramp", "noise", "stripes", "letters", "edge"])
    a, b, c = rng.randrange(256), rng.randrange(-9, 10), rng.randrange(-9, 10)
    noise = rng.choice([0, 0, 2, 20])
    glyphs = [rng.randrange(1 << 16) for _ in range(3)]

    def sample(y, x):
        if kind == "flat":
            return a
        if kind == "ramp":
            return a + (b * y + c * x) // 2
        if kind == "noise":
            return rng.randrange(256)
        if kind == "stripes":
            return a if (b * y + c * x) % 11 < 5 else 255 - a
        if kind == "letters":
            glyph = glyphs[(x // 4 + y // 4) % 3]
            return 255 * (glyph >> (y % 4 * 4 + x % 4) & 1)
        return a if b * y + c * x > 8 * b else 255 - a

    depth = rng.choice([1, 3, 4, 8, 8, 8, 9, 12, 16])
    low_bits = rng.choice([0, (1 << max(0, depth - 8)) - 1])
    is_dark = depth > 8 and rng.random() < 0.4  # but for one sample

    def deep_sample(y, x):
        clipped = clip(sample(y, x) + rng.randint(-noise, noise))
        if is_dark:
            return (1 << depth) - 1 if (y, x) == (0, 0) else clipped
        return (clipped << depth >> 8) + rng.randint(0, low_bits)

    lines = [[deep_sample(y, x) for x in range(width)] for y in range(height)]
    return spec_decoder.as_pgm(width, height, depth, lines)


def random_options(rng, image):
    largest = int(image.split(maxsplit=4)[3])
    quality = ["--lambda", str(rng.choice(LAMBDAS))]
    if rng.random() < 0.25:
        quality = ["--max-error", str(min(rng.choice(BOUNDS), largest))]
    options = ["--preset", rng.choice(["thesis", "quick", "fast", "best"]), *quality]
    if rng.random() < 0.5:
        options.append("--exact-lambda")
    if rng.random() < 0.25:
        options.append("--preview")
    if rng.random() < 0.2:
        options += ["--coder", "pixels"]
    if rng.random() < 0.3:  # all else is chosen by the encoder, maybe the coder, too
        return options
    if rng.random() < 0.3:
        options += ["--dictionary-size", str(rng.choice([69, 70, 100, 256, 1500, 65536]))]
    if rng.random() < 0.5:
        options += ["--prediction-level", rng.choice(["none", *map(str, range(4, 25))])]
    if rng.random() < 0.5:
        modes = rng.sample(MODES, rng.randint(1, len(MODES)))
        options += ["--modes", ",".join(map(str, sorted(modes)))]
    if rng.random() < 0.5:
        # 1 is chosen by --dictionary-file.
        tools = [tool for tool in TOOLS if tool != 1 and rng.random() < 0.5]
        options += ["--tools", ",".join(map(str, tools)) or "none"]
    if rng.random() < 0.8:
        options += ["--order", rng.choice(["raster", "wavefront", "wavefront"])]
    if rng.random() < 0.3:
        options += ["--tile", f"{rng.choice([16, 32, 48])}x{rng.choice([16, 32])}"]
    return options


def random_dictionary(rng):
    """The bytes of a dictionary file with a few patterns a level."""
    data = bytearray(b"MMD\1")
    for rows, columns in SIZES[1:]:
        count = rng.randrange(4)
        values = [rng.randrange(1, 400) for _ in range(count + 1)]
        data += values[0].to_bytes(2, "little") + count.to_bytes(2, "little")
        data += b"".join(value.to_bytes(2, "little") for value in values[1:])
        data += rng.randbytes(count * rows * columns)
    return bytes(data)


# --- Damage ---------------------------------------------------------------------------------------

def with_changed_byte(rng, data, first, end):
    changed = bytearray(data)
    changed[rng.randrange(first, end)] ^= rng.randrange(1, 256)
    return bytes(changed)


def tile_sizes(header):
    return [(min(header.tile_width, header.width - x), min(header.tile_height, header.height - y))
            for y in range(0, header.height, header.tile_height)
            for x in range(0, header.width, header.tile_width)]


def reconstruction_crc(header, size, stream, dictionary_file):
    """That of what the stream decodes to, or 0 if it does not."""
    try:
        dictionary = None
        if not header.is_pixel_coded:
            dictionary = spec_decoder.find_dictionary(header, dictionary_file)
        lines = spec_decoder.decode_tile(header, size, stream, dictionary)
    except Refused:
        return 0
    return crc32c(spec_decoder.sample_bytes(lines, header.depth, "little"))


def with_damaged_stream(rng, data, dictionary):
    """The file with a change to its last tile's stream, and all checksums right, if it has samples."""
    header = spec_decoder.Header(data)
    at, sizes = header.at, tile_sizes(header)
    streams = [stream for stream, _ in spec_decoder.split_streams(header, data, len(sizes))]
    stream = streams[-1]
    if stream and rng.random() < 0.8:
        streams[-1] = with_changed_byte(rng, stream, 0, len(stream))
    else:  # too long, too short
        streams[-1] = stream + rng.randbytes(2) if rng.random() < 0.5 else stream[:-1]
    crc = reconstruction_crc(header, sizes[-1], streams[-1], dictionary).to_bytes(4, "little")
    if header.is_small:
        check = crc32c(data[:at] + crc + streams[-1]) & 0xffff
        return data[:at] + check.to_bytes(2, "little") + streams[-1]
    preview = spec_decoder.preview_of(data) if header.preview_size else b""
    if not header.is_tiled:
        file_crc = crc32c(data[:at] + crc + streams[-1]).to_bytes(4, "little")
        return data[:at] + file_crc + crc + preview + streams[-1]
    entry = (len(streams[-1]).to_bytes(4, "little") + crc32c(streams[-1]).to_bytes(4, "little") +
             crc)
    head = data[:at + 12 * (len(sizes) - 1)] + entry
    return head + crc32c(head).to_bytes(4, "little") + preview + b"".join(streams)


def damaged_files(rng, data, dictionary):
    header = spec_decoder.Header(data)
    header_end = header.at + (2 if header.is_small else 8)
    yield with_changed_byte(rng, data, 0, header_end)
    yield with_changed_byte(rng, data, 0, len(data))
    yield data[:rng.randrange(len(data))]
    yield data + b"\0"
    for _ in range(2):
        yield with_damaged_stream(rng, data, dictionary)


# --- Comparison -----------------------------------------------------------------------------------

class Comparison:
    """Both decoders, in a folder for files."""

    def __init__(self, mmp, folder):
        self.mmp, self.folder = mmp, Path(folder)
        self.counts = {"valid": 0, "both decode": 0, "both refuse": 0}

    def run_mmp(self, *arguments):
        return subprocess.run([self.mmp, *arguments], capture_output=True, text=True, check=False)

    def dictionary_arguments(self):
        path = self.folder / "dictionary.mmd"
        return ["--dictionary-file", str(path)] if path.exists() else []

    def encode(self, options):
        path = self.folder / "file.mmp"
        run = self.run_mmp("encode", str(self.folder / "image.pgm"), "-o", str(path), "--force",
                           *options, *self.dictionary_arguments())
        if run.returncode != 0:
            raise Difference(f"mmp encode {' '.join(options)}: {run.stderr}")
        return path.read_bytes()

    def by_mmp(self, data, *options):
        """The PGM file, or None and why the file is refused."""
        (self.folder / "file.mmp").write_bytes(data)
        decoded = self.folder / "decoded.pgm"
        run = self.run_mmp("decode", str(self.folder / "file.mmp"), "-o", str(decoded), "--force",
                           *options, *self.dictionary_arguments())
        if run.returncode == 0:
            return decoded.read_bytes(), None
        # Ended by a signal, or without a word, it did not refuse the file.
        if run.returncode < 0 or not run.stderr.strip():
            raise Difference(f"mmp decode ended with {run.returncode}: {run.stderr}")
        return None, run.stderr.strip()

    @staticmethod
    def by_specification(data, dictionary):
        try:
            image = spec_decoder.decode_file(data, dictionary)
        except Refused as reason:
            return None, str(reason)
        return spec_decoder.as_pgm(*image), None

    def compare(self, data, dictionary):
        """Returns the decoded image, or None if both refuse the file."""
        image, why = self.by_mmp(data)
        expected, expected_why = self.by_specification(data, dictionary)
        if image != expected:
            raise Difference(f"mmp: {why or 'decodes'}; the specification: "
                             f"{expected_why or 'decodes'}")
        return image

    def run_once(self, rng):
        dictionary = random_dictionary(rng) if rng.random() < 0.25 else b""
        path = self.folder / "dictionary.mmd"
        path.unlink(missing_ok=True)
        if dictionary:
            path.write_bytes(dictionary)
        image = random_image(rng)
        options = random_options(rng, image)
        (self.folder / "image.pgm").write_bytes(image)
        data = self.encode(options)
        decoded = self.compare(data, dictionary)
        if decoded is None or len(decoded) != len(image):
            raise Difference(f"the file of {' '.join(options)} is refused")
        if options[3] == "0" and decoded != image:
            raise Difference(f"the file of {' '.join(options)} is not lossless")
        if "--preview" in options:
            preview, why = self.by_mmp(data, "--preview")
            if preview != self.by_specification(spec_decoder.preview_of(data), b"")[0]:
                raise Difference(f"the preview: {why or 'is another picture'}")
        self.counts["valid"] += 1
        for damaged in damaged_files(rng, data, dictionary):
            is_decoded = self.compare(damaged, dictionary) is not None
            self.counts["both decode" if is_decoded else "both refuse"] += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("mmp", help="the program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", type=int, default=30, help="valid ones")
    arguments = parser.parse_args()
    folder = tempfile.TemporaryDirectory(prefix="mmp_differential_")
    comparison = Comparison(arguments.mmp, folder.name)
    start = time.monotonic()
    for number in range(arguments.files):
        seed = arguments.seed * 1000003 + number
        try:
            comparison.run_once(random.Random(seed))
        except Difference as difference:
            kept = tempfile.mkdtemp(prefix="mmp_difference_")
            for path in Path(folder.name).iterdir():
                (Path(kept) / path.name).write_bytes(path.read_bytes())
            print(f"file {number} of seed {arguments.seed}: {difference}\nits files: {kept}")
            return 1
    counts = ", ".join(f"{count} {what}" for what, count in comparison.counts.items())
    print(f"{counts}; {time.monotonic() - start:.0f} s")
    # Damage that both decode is what compares the decoders off the encoder's paths.
    return 0 if comparison.counts["both decode"] > 0 and comparison.counts["both refuse"] > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
