#!/usr/bin/env python3
"""Puts the parts of the web page that decodes into one file, which needs no other.

The page's markup has each part's name in two pairs of braces, once.
"""

import argparse
import base64
import gzip
import sys
from pathlib import Path

WEB = Path(__file__).resolve().parent
TOOLS = WEB.parent


def text_of(*paths):
    return "".join(Path(path).read_text(encoding="utf-8") for path in paths)


def script_of(*paths):
    """The text of scripts, for between <script> and </script>."""
    text = text_of(*paths)
    if "</script" in text.lower() or "<!--" in text:
        sys.exit(f"assemble.py: a script of {', '.join(map(str, paths))} ends its element")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--module", type=Path, required=True, help="Emscripten's script")
    parser.add_argument("--wasm", type=Path, required=True, help="its module")
    parser.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()

    page, inspect = WEB / "page", TOOLS / "inspect/page"
    # Equal modules give equal pages: no time in the header.
    packed = gzip.compress(arguments.wasm.read_bytes(), 9, mtime=0)
    parts = {
        "style": text_of(TOOLS / "page/base.css", inspect / "inspect.css", page / "decoder.css"),
        "viewer": text_of(inspect / "viewer.html"),
        "worker": script_of(arguments.module, page / "png.js", page / "worker.js"),
        "module": base64.b64encode(packed).decode("ascii"),
        "script": script_of(TOOLS / "page/dom.js", inspect / "viewer.js", page / "task.js", page / "picture.js",
                            page / "decoder.js"),
    }
    rest = text_of(page / "decoder.html")
    done = []
    while "{{" in rest:
        before, rest = rest.split("{{", 1)
        name, rest = rest.split("}}", 1)
        done += [before, parts.pop(name)]
    if parts:
        sys.exit(f"assemble.py: the page has no place for {', '.join(parts)}")
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text("".join(done) + rest, encoding="utf-8")


if __name__ == "__main__":
    main()
