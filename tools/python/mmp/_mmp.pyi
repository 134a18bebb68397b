from collections.abc import Callable, Iterable
from os import PathLike
from typing import Any, BinaryIO, Literal, TypedDict

from numpy import int8, int16, uint8, uint16
from numpy.typing import ArrayLike, NDArray

_Buffer = bytes | bytearray | memoryview
_Samples = NDArray[uint8] | NDArray[uint16] | NDArray[int8] | NDArray[int16]
_Metadata = Iterable[tuple[str | int, _Buffer]]  # a kind, and its bytes
_File = _Buffer | str | PathLike[str] | BinaryIO
_Progress = Callable[[float], object] | None
_Preset = Literal["thesis", "quick", "fast", "best"]
_Backend = Literal["auto", "cpu", "cuda"]
_Coder = Literal["auto", "patterns", "pixels"]
_Order = Literal["auto", "raster", "wavefront"]

__version__: str
MAX_HEADER_BYTES: int

class Error(Exception):
    code: Literal[
        "invalid_argument",
        "unsupported",
        "corrupt",
        "limit_exceeded",
        "io",
        "unavailable",
        "out_of_memory",
        "cancelled",
    ]

class InvalidArgumentError(Error, ValueError):
    code: Literal["invalid_argument"]

class OutOfMemoryError(Error, MemoryError):
    code: Literal["out_of_memory"]

class TileInfo(TypedDict):
    x: int
    y: int
    width: int
    height: int
    offset: int  # in the file
    bytes: int
    crc: int  # CRC-32C of the tile's bytes (one tile: of header, next and bytes; small: 16 bits)
    reconstruction_crc: int  # CRC-32C of the tile's decoded samples, row by row; small file: 0

class Info(TypedDict):
    format_version: int
    width: int
    height: int
    depth: int  # bits a sample
    signed: bool
    coder: Literal["patterns", "pixels"]
    max_error: int  # of "pixels": no sample is off by more
    preset: _Preset
    dictionary_size: int  # of "patterns", as all up to has_trained_patterns
    prediction_level: int
    modes: int
    redundancy_threshold: int
    tools: int  # bits as of encode
    has_trained_patterns: bool
    dictionary_hash: int | None  # of the dictionary file that is needed to decode it
    lossless: bool
    tile_width: int
    tile_height: int
    order: Literal["raster", "wavefront"]
    file_bytes: int
    header_bytes: int
    check_bits: int  # 16: a small file, whose one checksum only decoding compares; else 32
    metadata: list[tuple[str | int, bytes]]  # those undamaged: kind and bytes, as encode takes them
    damaged_metadata: int  # chunks that were left out
    preview_bytes: int  # 0: there is no preview
    damaged_preview: bool  # it cannot be decoded; the image can
    jpeg_tiles: int  # that were a JPEG file and are coded by its coefficients
    tiles: list[TileInfo]

class DamagedTile(TypedDict):
    x: int
    y: int
    width: int
    height: int
    reason: str

class Stats(TypedDict):
    lambda_: float  # that the file was encoded at; 0 if lossless or bounded
    coder: Literal["patterns", "pixels"]  # of the file
    max_error: int  # that the file was bounded to
    tries: int  # encodes of which the file is the best
    backend: _Backend  # the one used
    backend_note: str  # why not the other, if backend="auto" asked for it
    threads: int
    tiles: int
    macroblocks: int
    nodes: int
    mode_uses: list[int]  # by prediction mode, as all that are named mode
    nodes_searched: int
    mode_searches: list[int]
    mode_reused: list[int]
    modes_chosen: list[int]
    leaves_by_level: list[int]  # by level, 25, as the next two
    dictionary_size: list[int]
    index_bits_by_level: list[float]
    blocks_matched: int
    multiply_adds: int
    partition_bits: float
    residual_flag_bits: float
    mode_bits: float
    index_bits: float
    block_vector_bits: float
    filter_bits: float
    exact_block_bits: float
    pixel_bits: float
    header_bytes: int
    decode_work: int
    sum_squared_error: int
    seconds_prediction: float
    seconds_lsp: float
    seconds_matching: float
    seconds_trees: float
    seconds_costs: float
    seconds_dictionary: float
    seconds_coding: float
    seconds_device: float
    seconds_total: float

def encode(
    image: ArrayLike,
    *,
    lambda_: float = 10.0,
    max_error: int | None = None,
    depth: int | None = None,
    coder: _Coder = "auto",
    metadata: _Metadata = (),
    exact_lambda: bool = False,
    preset: _Preset = "best",
    effort: int | None = None,
    dictionary_size: int | None = None,
    prediction_level: int | None = None,
    modes: int | None = None,
    tools: int | None = None,
    dictionary_file: _Buffer = b"",
    tile: tuple[int, int] = (0, 0),
    order: _Order = "auto",
    preview: bool = False,
    threads: int = 0,
    backend: _Backend = "auto",
    time_stages: bool = False,
    progress: _Progress = None,
) -> bytes: ...
def encode_with_stats(
    image: ArrayLike,
    *,
    lambda_: float = 10.0,
    max_error: int | None = None,
    depth: int | None = None,
    coder: _Coder = "auto",
    metadata: _Metadata = (),
    exact_lambda: bool = False,
    preset: _Preset = "best",
    effort: int | None = None,
    dictionary_size: int | None = None,
    prediction_level: int | None = None,
    modes: int | None = None,
    tools: int | None = None,
    dictionary_file: _Buffer = b"",
    tile: tuple[int, int] = (0, 0),
    order: _Order = "auto",
    preview: bool = False,
    threads: int = 0,
    backend: _Backend = "auto",
    time_stages: bool = False,
    progress: _Progress = None,
) -> tuple[bytes, Stats]: ...
def encode_many(
    jobs: Iterable[tuple[ArrayLike, dict[str, Any]]],
    *,
    threads: int = 0,
    progress: _Progress = None,
) -> list[bytes | Error | TypeError]: ...
def decode(
    data: _File,
    *,
    dictionary_file: _Buffer = b"",
    threads: int = 0,
    region: tuple[int, int, int, int] | None = None,
    preview: bool = False,
    max_pixels: int = 2**28,
    max_work: int | None = None,
    max_memory: int | None = None,
    progress: _Progress = None,
) -> _Samples: ...
def decode_damaged(
    data: _File,
    *,
    dictionary_file: _Buffer = b"",
    threads: int = 0,
    region: tuple[int, int, int, int] | None = None,
    preview: bool = False,
    max_pixels: int = 2**28,
    max_work: int | None = None,
    max_memory: int | None = None,
    progress: _Progress = None,
) -> tuple[_Samples, list[DamagedTile]]: ...
def info(data: _File, *, check_bytes: bool = True) -> Info: ...
def read_size(
    beginning: _Buffer,
) -> tuple[int, int, int, bool, int]: ...  # width, height, depth, signed, metadata_end
def read_metadata(beginning: _Buffer) -> list[tuple[str | int, bytes]]: ...
def trim_cuda() -> None: ...
