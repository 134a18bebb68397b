"""The files of accepted/ that the writer makes: of each its name, its bytes and the dictionary that it needs, or none."""

from writer import write_file
from written_filters import filter_files
from written_patterns import pattern_files
from written_pixels import pixel_files


def written_files():
    for files in (pattern_files, filter_files, pixel_files):
        for name, fields, choices in files():
            yield name, write_file(fields, choices, seed=name), fields.dictionary if fields.tools & 2 and fields.scale else b""
