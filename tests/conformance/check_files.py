#!/usr/bin/env python3
"""Checks the conformance files by the decoder that was written from the specification.

  check_files.py          each file of accepted/ decodes to the picture that files.txt says, each of
                          refused/ is refused, all that the format has occurs in what is accepted,
                          and none has changed since it was added
  check_files.py --few    the same of every fifth file, whatever occurs in them
  check_files.py --add    adds those that are new to files.txt and frozen.sha256
"""

import hashlib
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "codec"))
import spec_decoder  # noqa: E402
import spec_exact_blocks  # noqa: E402
import spec_models  # noqa: E402
import spec_jpeg  # noqa: E402
import spec_pixel_decoder  # noqa: E402
import spec_prediction  # noqa: E402
import spec_tile  # noqa: E402
from spec_container import TOOL_COUNT  # noqa: E402
from spec_decoder import Header, Refused, crc32c  # noqa: E402

COLUMNS = "# file, width, height, depth, CRC-32C and SHA-256 of its samples, and of its preview's\n"


# --- What occurs ----------------------------------------------------------------------------------

def all_features():
    """What the format has; each is to occur in a file that is accepted."""
    features = {f"small file of kind {kind}" for kind in range(8)}
    features |= {f"depth {depth}" for depth in range(1, 17)}
    features |= {f"patterns of depth {depth}" for depth in (1, 4, 7, 8, 9, 12, 16)}
    features |= {f"preset {preset}" for preset in range(4)}
    features |= {f"mode {mode}" for mode in range(31)}
    features |= {f"mode {mode} {side}" for mode in range(32) for side in ("left", "above")}
    features |= {f"prediction of level {level}" for level in range(25)}
    features |= {f"mode {mode} without its {side}" for side, modes in (("left", range(11, 15)), ("top", range(22, 25)))
                 for mode in modes}
    features |= {f"context {context} of partitions" for context in range(16)}
    features |= {f"network filter of level {level}" for level in range(1, 23)}
    features |= {f"third network from row {row} and column {column} on" for row in (0, 1) for column in (0, 1)}
    features |= {f"Wiener filter of strength {strength}" for strength in range(7)}
    features |= {f"{count} sets of corrections" for count in (0, 1, 2, 3, 5, 8)}
    features |= {f"halved counts of {models}" for models in ("cuts", "modes", "indices")}
    features |= {f"{count} vectors" for count in range(5)}
    features |= {f"matches: {count}" for count in range(5)}
    features |= {f"effort {effort}, {what}" for effort in (1, 2) for what in ("exact contexts", "means", "one cell")}
    features |= {f"repeats of {count} values" for count in (2, 3, 256)}
    features |= {f"pattern of level {level}" for level in range(25)}
    features |= {f"index by neighbours, level {level}" for level in range(25)}
    features |= {f"lattice from {axis} {start} on" for axis in ("row", "column") for start in range(8)}
    features |= {f"pull {pull}" for pull in range(1, 13)}
    features |= {f"JPEG's coefficients, bound {bound}" for bound in (0, 1)}
    features |= {f"JPEG's coefficients from {place} the first {line} on" for place in ("before", "") for line in ("row", "column")}
    features |= {f"a coefficient of size {size}, {which}" for size in (0, 1, "any", 17, 18) for which in ("first", "other")}
    features |= {f"{what} of level {level}" for what in ("magnitudes around", "near", "others") for level in range(11)}
    features |= {f"level maps of kind {kind}" for kind in range(5)}
    features |= {f"tool {tool}" for tool in range(TOOL_COUNT)}
    features |= {f"{count} substreams" for count in (1, 2, 4)}
    features |= {f"version {version}" for version in (6, 7)}
    features |= {f"metadata of kind {kind}" for kind in (2, 3, 4, 5, 200)}
    features |= {f"{order}, {lossless}" for order in ("raster order", "wave fronts")
                 for lossless in ("lossless", "lossy")}
    features |= {f"pixel coder, effort {effort}, {what}" for effort in (1, 2)
                 for what in ("lossless", "bounded")}
    return features | {
        "small file of a depth below 8", "one tile", "tiles", "tiles in wave fronts", "preview", "signed", "steps that differ",
        "parameters given", "more flags", "a lossless picture by patterns",
        "means", "repeats", "exact contexts", "no exact contexts", "few values",
        "large network", "first deep network", "second deep network", "third deep network", "small network", "first small network", "second small network", "Wiener filter", "corrections",
        "corrections after the network", "JPEG lattice", "no JPEG lattice", "exact blocks", "no exact blocks", "exact samples of one level", "exact samples of 256 levels", "a network that is not used", "damaged metadata",
        "a vector that leads out of the tile", "a range of one sample",
        "a coded stream that goes on with zeros", "a coded stream with all its bytes"}


class Features:
    """What occurred, by looking on as the decoder of the specification works."""

    def __init__(self):
        self.seen = set()
        self.watch_tiles()
        self.watch_models()
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

        def mode_decoded(mode, model, _, __, left, above, *___):
            seen.add(f"mode {mode}")
            if model.has_neighbours:
                seen.update({f"mode {left} left", f"mode {above} above"})

        def predicted(_, border, mode):
            seen.update({f"mode {mode}", f"prediction of level {border.level}"})
            for side, is_there in (("left", border.left), ("top", border.top)):
                if not is_there:
                    seen.add(f"mode {mode} without its {side}")

        def vectors_added(_, owner):
            seen.add(f"{len(owner.vectors)} vectors")

        def copies_found(sources, owner, *_):
            if len(sources) < len(owner.vectors):
                seen.add("a vector that leads out of the tile")

        def residual_decoded(_, __, ___, ____, level, flag, *_____):
            if flag == 0:
                seen.add(f"pattern of level {level}")

        def network_chosen(choice, owner):
            seen.add(f"network filter of level {choice[0]}")
            if not choice[0]:
                seen.add("a network that is not used")
            used = [name for number, name in enumerate(choice[2], 1) if number in choice[1]]
            seen.update(f"{name} network" for name in used)
            if "third deep" in used:
                seen.add(f"third network from row {choice[3][0]} and column {choice[3][1]} on")

        def strength_chosen(choice, *_):
            seen.add(f"Wiener filter of strength {choice[0]}")

        def lattice_chosen(lattice, _):
            seen.add("JPEG lattice" if lattice else "no JPEG lattice")
            if lattice:
                seen.update(f"lattice from {axis} {start} on" for axis, start in zip(("row", "column"), lattice))
                seen.update(f"pull {pull}" for pull, _ in lattice[2].values())

        def levels_listed(levels, _):
            if len(levels) in (1, 256):
                seen.add(f"exact samples of {'one level' if len(levels) == 1 else '256 levels'}")

        def corrected(sets, _, is_after_network):
            seen.add(f"{len({id(each) for each in sets or []})} sets of corrections")
            if sets:
                seen.add("corrections after the network" if is_after_network else "corrections")

        self.after(spec_models.ModeModel, "decode", mode_decoded)
        self.after(tile, "leaf_by_neighbours", lambda _, __, y, x, level: seen.add(f"index by neighbours, level {level}"))
        self.after(spec_tile.Border, "predict", predicted)
        self.after(tile, "residual", residual_decoded)
        self.after(tile, "new_vectors", vectors_added)
        self.after(tile, "block_copy_modes", copies_found)
        self.after(tile, "network_choice", network_chosen)
        self.after(tile, "wiener_choice", strength_chosen)
        self.after(tile, "jpeg_lattice", lattice_chosen)
        self.after(tile, "level_maps", lambda maps, _: seen.add(f"level maps of kind {maps[0]}"))
        self.after(tile, "corrections", corrected)
        self.after(tile, "exact_blocks", lambda samples, _: seen.add("exact blocks" if samples else "no exact blocks"))
        self.after(spec_exact_blocks, "gray_levels", levels_listed)
        self.after(spec_tile, "split_substreams", lambda _, __, count: seen.add(f"{count} substreams"))
        self.after(spec_tile.Wiener, "filtered", lambda *_: seen.add("Wiener filter"))

    def watch_models(self):
        seen, update = self.seen, spec_models.update

        def updated(counts, symbol, increment, limit):
            before = sum(counts)
            update(counts, symbol, increment, limit)
            if sum(counts) < before:
                names = {3: "cuts", 5: "cuts", 10: "modes", 27: "modes", 31: "modes"}
                seen.add(f"halved counts of {names.get(len(counts), 'indices')}")

        def context_found(context, *_):
            seen.add(f"context {context} of partitions")

        def stream_ended(_, owner):
            ends = {4: "a coded stream that goes on with zeros", 0: "a coded stream with all its bytes"}
            seen.add(ends.get(owner.decoder.taken - len(owner.decoder.stream)))

        def matched(_, pixels, y, x, h, w):
            places = [(r, c) for r in range(y - 24, y // 16 * 16 + 17 - h) for c in range(x - 24, x + 8)
                      if pixels[r - 2][c - 2] is not None and pixels[r + h - 1][c + w - 1] is not None]
            seen.add(f"matches: {min(len(places), 4)}")

        spec_models.update = updated
        self.after(spec_tile.Tile, "leaf_context", context_found)
        self.after(spec_tile.Tile, "decode", stream_ended)
        self.after(spec_prediction, "match_templates", matched)

    def watch_pixels(self):
        seen = self.seen

        def begun(_, owner, *__):
            seen.add("exact contexts" if owner.exact else "no exact contexts")
            if owner.exact:
                seen.add(f"effort {owner.effort}, exact contexts")

        def cell_decoded(_, owner, *__):
            seen.update({f"effort {owner.effort}, means"} if owner.means else set())
            seen.update({f"effort {owner.effort}, one cell"} if owner.z == 1 else set())

        def repeats_begun(_, owner, *__):
            seen.update({"repeats", f"repeats of {owner.v} values"})

        def listed(values, _, lowest, highest, __):
            if len(values) <= highest - lowest:
                seen.add("few values")

        def picture_decoded(_, owner):
            seen.add(f"JPEG's coefficients, bound {min(owner.bound, 1)}")
            seen.add(f"JPEG's coefficients from {'before' if owner.top < 0 else ''} the first row on")
            seen.add(f"JPEG's coefficients from {'before' if owner.left < 0 else ''} the first column on")

        def coefficient_decoded(k, _, block):
            size = min(abs(k - block.expected), 18)
            seen.add(f"a coefficient of size {size if size in (0, 1, 17, 18) else 'any'}, {'first' if block.place == (0, 0) else 'other'}")

        def block_begun(_, block, *__):
            if block.place != (0, 0):
                seen.update({f"magnitudes around of level {block.around}", f"near of level {block.near}", f"others of level {block.other}"})

        self.after(spec_jpeg.Picture, "errors", picture_decoded)
        self.after(spec_jpeg.Picture, "coefficient", coefficient_decoded)
        self.after(spec_jpeg.Block, "begin", block_begun)
        self.after(spec_pixel_decoder.Rectangle, "__init__", begun)
        self.after(spec_pixel_decoder, "list_values", listed)
        self.after(spec_pixel_decoder.Rectangle, "decode_cell", cell_decoded)
        self.after(spec_pixel_decoder.Repeats, "__init__", repeats_begun)

    def note_header(self, data):
        header = Header(data)
        seen = {f"depth {header.depth}", f"version {header.version}"}
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
            seen |= {f"tool {tool}" for tool in range(TOOL_COUNT) if header.tools >> tool & 1}
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
            if header.low == header.high:
                seen.add("a range of one sample")
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


def changed_files(adds):
    """What differs from frozen.sha256, to which new files are added if `adds`."""
    listing = HERE / "frozen.sha256"
    frozen = dict(reversed(line.split("  ")) for line in listing.read_text(encoding="ascii").splitlines())
    present = {str(path.relative_to(HERE)): hashlib.sha256(path.read_bytes()).hexdigest()
               for folder in ("accepted", "refused") for path in (HERE / folder).iterdir()}
    if adds:
        frozen |= {name: digest for name, digest in present.items() if name not in frozen}
        listing.write_text("".join(f"{digest}  {name}\n" for name, digest in sorted(frozen.items())),
                           encoding="ascii")
    return [f"{name} is not as it was frozen" for name in sorted(frozen.keys() | present.keys())
            if frozen.get(name) != present.get(name)]


def main():
    if sys.argv[1:] not in ([], ["--few"], ["--add"]):
        sys.exit(__doc__.strip())
    adds, is_few = (sys.argv[1:] == [option] for option in ("--add", "--few"))
    features = Features()
    accepted, refused = (sorted((HERE / folder).glob("*.mmp"))[::5 if is_few else 1]
                         for folder in ("accepted", "refused"))
    faults = changed_files(adds)
    lines = [describe(path, features) + "\n" for path in accepted]
    if adds and not faults:
        (HERE / "files.txt").write_text(COLUMNS + "".join(lines), encoding="ascii")
    with (HERE / "files.txt").open(encoding="ascii") as listing:
        listed = list(listing)
    # Of all files, none is listed that is not there.
    if is_few:
        faults += [f"files.txt says otherwise than: {line.strip()}" for line in lines if line not in listed]
    elif listed != [COLUMNS, *lines]:
        faults.append("files.txt differs")
    faults += [f"{path.name} is not refused" for path in refused if not is_refused(path)]
    if not is_few:
        faults += [f"no file has: {feature}" for feature in sorted(all_features() - features.seen)]
    print("\n".join(faults) or f"{len(accepted)} files decode as they must, {len(refused)} are refused")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
