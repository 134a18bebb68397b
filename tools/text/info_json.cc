#include "tools/text/info_json.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "tools/command_line/name_lists.h"
#include "tools/command_line/terminal.h"

namespace mmp {

double BitsPerPixel(const FileInfo& info) {
  return 8.0 * info.file_bytes / (static_cast<double>(info.width) * info.height);
}

std::string PredictionLevelText(int level) {
  return level == kNoPredictionSplit ? "none" : std::to_string(level);
}

std::string TrainedText(const FileInfo& info) {
  if (!info.has_trained_patterns) return "none";
  return info.dictionary_hash ? Format("%08x", *info.dictionary_hash) : "standard";
}

namespace {

// A list of the names whose bits are set.
void WriteNames(std::string_view key, std::span<const std::string_view> names, uint32_t mask,
                JsonWriter& json) {
  json.Key(key).BeginArray();
  for (size_t i = 0; i < names.size(); ++i)
    if ((mask >> i & 1) != 0) json.Value(names[i]);
  json.EndArray();
}

void WritePatternFields(const FileInfo& info, JsonWriter& json) {
  json.Field("dictionary_size", info.dictionary_size)
      .Field("redundancy_threshold", info.redundancy_threshold)
      .Key("prediction_level");
  if (info.prediction_level == kNoPredictionSplit)
    json.Null();
  else
    json.Value(info.prediction_level);
  WriteNames("modes", kModeNames, info.modes, json);
  WriteNames("tools", kToolNames, info.tools, json);
  json.Field("trained_patterns", TrainedText(info));
}

}  // namespace

void WriteInfoFields(const FileInfo& info, JsonWriter& json) {
  json.Field("format_version", info.format_version)
      .Field("width", info.width)
      .Field("height", info.height)
      .Field("depth", info.depth)
      .Field("signed", info.is_signed)
      .Field("bytes", info.file_bytes)
      .Field("header_bytes", info.header_bytes)
      .Field("check_bits", info.check_bits)
      .Field("preview_bytes", info.preview_bytes)
      .Field("damaged_preview", info.damaged_preview)
      .Field("bits_per_pixel", BitsPerPixel(info))
      .Field("lossless", info.lossless)
      .Field("coder", CoderName(info.coder))
      .Field("jpeg_tiles", info.jpeg_tiles)
      .Field("max_error", info.max_error)
      .Field("preset", PresetName(info.preset));
  if (info.coder == Coder::kPatterns) WritePatternFields(info, json);
  json.Field("tile_width", info.tile_width)
      .Field("tile_height", info.tile_height)
      .Field("order", OrderName(info.order));
}

}  // namespace mmp
