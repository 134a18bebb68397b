#include "tools/python/reports.h"

#include <pybind11/stl.h>

#include <string>
#include <string_view>

#include "tools/python/arrays.h"

namespace py = pybind11;

namespace mmp::python {
namespace {

py::dict TileDict(const TileInfo& tile) {
  py::dict dict;
  dict["x"] = tile.x;
  dict["y"] = tile.y;
  dict["width"] = tile.width;
  dict["height"] = tile.height;
  dict["offset"] = tile.offset;
  dict["bytes"] = tile.bytes;
  dict["crc"] = tile.crc;
  dict["reconstruction_crc"] = tile.reconstruction_crc;
  return dict;
}

}  // namespace

py::list MetadataList(const Metadata& metadata) {
  py::list list;
  for (const MetadataChunk& chunk : metadata) {
    const std::string_view name = MetadataKindName(chunk.kind);
    const py::object kind = name == MetadataKindName(0) ? py::object(py::int_(chunk.kind))
                                                        : py::object(py::str(std::string(name)));
    list.append(py::make_tuple(kind, ToBytes(chunk.bytes)));
  }
  return list;
}

py::dict InfoDict(const FileInfo& info) {
  py::list tiles;
  for (const TileInfo& tile : info.tiles) tiles.append(TileDict(tile));
  py::dict dict;
  dict["format_version"] = info.format_version;
  dict["width"] = info.width;
  dict["height"] = info.height;
  dict["depth"] = info.depth;
  dict["signed"] = info.is_signed;
  dict["coder"] = CoderName(info.coder);
  dict["max_error"] = info.max_error;
  dict["preset"] = PresetName(info.preset);
  dict["dictionary_size"] = info.dictionary_size;
  dict["prediction_level"] = info.prediction_level;
  dict["modes"] = info.modes;
  dict["redundancy_threshold"] = info.redundancy_threshold;
  dict["tools"] = info.tools;
  dict["has_trained_patterns"] = info.has_trained_patterns;
  dict["dictionary_hash"] = info.dictionary_hash;
  dict["lossless"] = info.lossless;
  dict["tile_width"] = info.tile_width;
  dict["tile_height"] = info.tile_height;
  dict["order"] = OrderName(info.order);
  dict["file_bytes"] = info.file_bytes;
  dict["header_bytes"] = info.header_bytes;
  dict["check_bits"] = info.check_bits;
  dict["metadata"] = MetadataList(info.metadata);
  dict["damaged_metadata"] = info.damaged_metadata;
  dict["preview_bytes"] = info.preview_bytes;
  dict["damaged_preview"] = info.damaged_preview;
  dict["jpeg_tiles"] = info.jpeg_tiles;
  dict["tiles"] = tiles;
  return dict;
}

py::dict StatsDict(const EncodeStats& stats) {
  py::dict dict;
  dict["lambda_"] = stats.lambda;
  dict["coder"] = CoderName(stats.coder);
  dict["max_error"] = stats.max_error;
  dict["tries"] = stats.tries;
  dict["backend"] = BackendName(stats.backend);
  dict["backend_note"] = stats.backend_note;
  dict["threads"] = stats.threads;
  dict["tiles"] = stats.tiles;
  dict["macroblocks"] = stats.macroblocks;
  dict["nodes"] = stats.nodes;
  dict["mode_uses"] = stats.mode_uses;
  dict["nodes_searched"] = stats.nodes_searched;
  dict["mode_searches"] = stats.mode_searches;
  dict["mode_reused"] = stats.mode_reused;
  dict["modes_chosen"] = stats.modes_chosen;
  dict["leaves_by_level"] = stats.leaves_by_level;
  dict["dictionary_size"] = stats.dictionary_size;
  dict["index_bits_by_level"] = stats.index_bits_by_level;
  dict["blocks_matched"] = stats.blocks_matched;
  dict["multiply_adds"] = stats.multiply_adds;
  dict["partition_bits"] = stats.partition_bits;
  dict["residual_flag_bits"] = stats.residual_flag_bits;
  dict["mode_bits"] = stats.mode_bits;
  dict["index_bits"] = stats.index_bits;
  dict["block_vector_bits"] = stats.block_vector_bits;
  dict["filter_bits"] = stats.filter_bits;
  dict["exact_block_bits"] = stats.exact_block_bits;
  dict["pixel_bits"] = stats.pixel_bits;
  dict["header_bytes"] = stats.header_bytes;
  dict["decode_work"] = stats.decode_work;
  dict["sum_squared_error"] = stats.sum_squared_error;
  dict["seconds_prediction"] = stats.seconds_prediction;
  dict["seconds_lsp"] = stats.seconds_lsp;
  dict["seconds_matching"] = stats.seconds_matching;
  dict["seconds_trees"] = stats.seconds_trees;
  dict["seconds_costs"] = stats.seconds_costs;
  dict["seconds_dictionary"] = stats.seconds_dictionary;
  dict["seconds_coding"] = stats.seconds_coding;
  dict["seconds_device"] = stats.seconds_device;
  dict["seconds_total"] = stats.seconds_total;
  return dict;
}

py::list DamagedTilesList(const std::vector<DamagedTile>& tiles) {
  py::list list;
  for (const DamagedTile& tile : tiles) {
    py::dict dict;
    dict["x"] = tile.x;
    dict["y"] = tile.y;
    dict["width"] = tile.width;
    dict["height"] = tile.height;
    dict["reason"] = tile.reason;
    list.append(dict);
  }
  return list;
}

}  // namespace mmp::python
