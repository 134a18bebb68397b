#!/usr/bin/env python3
"""Checks the conformance files by the decoder that was written from the specification.

  check_files.py             each file of accepted/ decodes to the picture that files.txt says, each of
                             refused/ is refused, and all that the format has occurs in what is accepted
  check_files.py --update    writes files.txt
"""

import hashlib
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "codec"))
import spec_decoder  # noqa: E402
import spec_pixel_decoder  # noqa: E402
import spec_tile  # noqa: E402
from spec_decoder import Header, Refused, crc32c  # noqa: E402

COLUMNS = "# file, width, height, depth, CRC-32C and SHA-256 of its samples, and of its preview's\n"


# --- What occurs ----------------------------------------------------------------------------------

def all_features():
    """What the format has; each is to occur in a file that is accepted."""
    features = {f"small file of kind {kind}" for kind in range(8)}
    features |= {f"depth {depth}" for depth in range(1, 17)}
    features |= {f"patterns of depth {depth}" for depth in (1, 4, 7, 8, 9, 12, 16)}
    features |= {f"preset {preset}" for preset in range(3)}
    features |= {f"mode {mode}" for mode in range(31)}
    features |= {f"prediction of level {level}" for level in range(4, 25)}
    features |= {f"pattern of level {level}" for level in range(25)}
    features |= {f"tool {tool}" for tool in range(8)}
    features |= {f"metadata of kind {kind}" for kind in (2, 3, 4, 5, 200)}
    features |= {f"{order}, {lossless}" for order in ("raster order", "wave fronts")
                 for lossless in ("lossless", "lossy")}
    features |= {f"pixel coder, effort {effort}, {what}" for effort in (1, 2)
                 for what in ("lossless", "bounded")}
    return features | {
        "small file of a depth below 8", "one tile", "tiles", "tiles in wave fronts", "preview", "signed", "steps that differ",
        "parameters given", "more flags", "a lossless picture by patterns",
        "means", "repeats", "exact contexts", "no exact contexts", "few values",
        "large network", "small network", "Wiener filter", "corrections",
        "corrections after the network", "a network that is not used", "damaged metadata"}


class Features:
    """What occurred, by looking on as the decoder of the specification works."""

    def __init__(self):
        self.seen = set()
        self.watch_tiles()
        self.watch_pixels()

    def after(self, owner, name, note):
        """After a call of owner.name, note(result, arguments...) is called."""
        function = getattr(owner, name)

        def watched(*arguments):
            result = function(*arguments)
            note(result, *arguments)
            return result

        setattr(owner, name, watched)

    def watch_tiles(self):
        seen, tile = self.seen, spec_tile.Tile

        def small_decoded(value, _, counts, *__):
            if len(counts) == 31:  # as only the models of modes have
                seen.add(f"mode {value}")

        def predicted(_, border, mode):
            seen.update({f"mode {mode}", f"prediction of level {border.level}"})

        def residual_decoded(_, __, ___, ____, level, flag, *_____):
            if flag == 0:
                seen.add(f"pattern of level {level}")

        def network_chosen(choice, owner):
            used = "small" if owner.header.tools & spec_tile.SMALL_NETWORK else "large"
            seen.add(f"{used} network" if choice[0] else "a network that is not used")

        def corrected(sets, _, is_after_network):
            if sets:
                seen.add("corrections after the network" if is_after_network else "corrections")

        self.after(spec_tile, "decode_small", small_decoded)
        self.after(spec_tile.Border, "predict", predicted)
        self.after(tile, "residual", residual_decoded)
        self.after(tile, "network_choice", network_chosen)
        self.after(tile, "corrections", corrected)
        self.after(spec_tile.Wiener, "filtered", lambda *_: seen.add("Wiener filter"))

    def watch_pixels(self):
        seen = self.seen

        def begun(_, owner, *__):
            seen.add("exact contexts" if owner.exact else "no exact contexts")

        def listed(values, _, lowest, highest, __):
            if len(values) <= highest - lowest:
                seen.add("few values")

        self.after(spec_pixel_decoder.Rectangle, "__init__", begun)
        self.after(spec_pixel_decoder, "list_values", listed)
        self.after(spec_pixel_decoder.Repeats, "__init__", lambda *_: seen.add("repeats"))

    def note_header(self, data):
        header = Header(data)
        seen = {f"depth {header.depth}"}
        flags = 0
        if header.is_small:
            seen.add(f"small file of kind {data[3] >> 5}")
            preset = int.from_bytes(data[4:7], "little") >> 22
            seen.add(f"preset {preset if preset < 3 else data[7] >> 3}")
            seen |= {"small file of a depth below 8"} if preset == 3 else set()
            is_lossless = data[3] >> 5 in (4, 5, 6)
        else:
            flags = data[4]
            seen.add(f"preset {flags & 7}")
            is_lossless = bool(flags & 32)
            self.note_full(header, flags, seen)
        kind = "lossless" if is_lossless else "lossy"
        if header.is_pixel_coded:
            seen.add(f"pixel coder, effort {header.effort}, {'bounded' if header.max_error else kind}")
            if header.by_means:
                seen.add("means")
        else:
            order = "wave fronts" if header.has_wave_fronts else "raster order"
            seen |= {f"{order}, {kind}", f"patterns of depth {header.depth}"}
            seen |= {f"tool {tool}" for tool in range(8) if header.tools >> tool & 1}
            if is_lossless:
                seen.add("a lossless picture by patterns")
        self.seen |= seen

    @staticmethod
    def note_full(header, flags, seen):
        seen.add("tiles" if header.is_tiled else "one tile")
        seen |= {f"metadata of kind {kind}" for kind, _ in header.metadata}
        if sum(8 + len(content) for _, content in header.metadata) < header.at - header.end_of_fields:
            seen.add("damaged metadata")
        for is_so, what in ((flags & 128, "more flags"), (flags & 8, "parameters given"),
                            (header.preview_size, "preview"), (header.is_signed, "signed")):
            if is_so:
                seen.add(what)
        if not header.is_pixel_coded:
            if header.is_tiled and header.has_wave_fronts:
                seen.add("tiles in wave fronts")
            if len(set(header.steps)) > 1:
                seen.add("steps that differ")


# --- Files ----------------------------------------------------------------------------------------

def hashes(image):
    """CRC-32C and SHA-256 of the samples, row by row, a byte each or two, the lower one first."""
    samples = spec_decoder.sample_bytes(image[3], image[2], "little")
    return f"{crc32c(samples):08x} {hashlib.sha256(samples).hexdigest()}"


def dictionary_of(path):
    """The dictionary file beside a file, if there is one."""
    path = path.with_suffix(".mmd")
    return path.read_bytes() if path.exists() else b""


def describe(path, features):
    """The line of files.txt."""
    data = path.read_bytes()
    image = spec_decoder.decode_file(data, dictionary_of(path))
    features.note_header(data)
    line = f"{path.name} {image[0]} {image[1]} {image[2]} {hashes(image)}"
    if Header(data).preview_size:
        line += " " + hashes(spec_decoder.decode_file(spec_decoder.preview_of(data)))
    return line


def is_refused(path):
    try:
        spec_decoder.decode_file(path.read_bytes(), dictionary_of(path))
    except Refused:
        return True
    return False


def main():
    is_update = sys.argv[1:] == ["--update"]
    if sys.argv[1:] and not is_update:
        sys.exit(__doc__.strip())
    features = Features()
    accepted = sorted((HERE / "accepted").glob("*.mmp"))
    text = COLUMNS + "".join(describe(path, features) + "\n" for path in accepted)
    if is_update:
        (HERE / "files.txt").write_text(text, encoding="ascii")
    faults = [] if (HERE / "files.txt").read_text(encoding="ascii") == text else ["files.txt differs"]
    faults += [f"{path.name} is not refused" for path in sorted((HERE / "refused").glob("*.mmp"))
               if not is_refused(path)]
    faults += [f"no file has: {feature}" for feature in sorted(all_features() - features.seen)]
    print("\n".join(faults) or f"{len(accepted)} files decode as they must")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
