// The decoder as the worker of the web page calls it (page/worker.js). What comes of a call is told
// while it runs: by Module.onText(kind, text), kind "info", "damage" or "failure", the first and
// second with JSON, "syntax" with that of InspectJson; Module.onProgress(part); and
// Module.onPicture(picture).
#include <emscripten.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/image_files/rgb_image.h"
#include "common/out_of_memory.h"
#include "mmp/image.h"
#include "mmp/mmp.h"
#include "mmp/status.h"
#include "tools/inspect/decoded_syntax.h"
#include "tools/inspect/dictionary_sheet.h"
#include "tools/inspect/inspect_json.h"
#include "tools/inspect/layers.h"
#include "tools/text/info_json.h"
#include "tools/text/json.h"
#include "tools/web/page_limits.h"

// clang-format off
EM_JS(void, TellText, (const char* kind, const char* text, size_t size), {
  Module["onText"](UTF8ToString(kind), new TextDecoder().decode(HEAPU8.slice(text, text + size)));
});

EM_JS(void, TellProgress, (double part), { Module["onProgress"](part); });

// A copy of the samples, of one byte, or two if they have more than 8 bits, row after row. They are
// greater by `offset` than what they stand for.
EM_JS(void, TellPicture, (const char* name, int width, int height, int depth, int offset,
                          int channels, int scale, const uint8_t* bytes, size_t size), {
  const samples = HEAPU8.slice(bytes, bytes + size);
  Module["onPicture"]({
    name: UTF8ToString(name), width, height, depth, offset, channels, scale,
    samples: depth > 8 ? new Uint16Array(samples.buffer) : samples,
  });
});
// clang-format on

namespace mmp {
namespace {

void Tell(const char* kind, std::string_view text) { TellText(kind, text.data(), text.size()); }

void Tell(const std::string& name, const ImageView& image, int scale, bool is_signed = false) {
  const int offset = is_signed ? 1 << (image.depth - 1) : 0;
  TellPicture(name.c_str(), image.width, image.height, image.depth, offset, 1, scale, image.data,
              image.stride * image.height);
}

void Tell(const std::string& name, const RgbImage& image, int scale) {
  TellPicture(name.c_str(), image.width(), image.height(), 8, 0, 3, scale,
              reinterpret_cast<const uint8_t*>(image.Row(0)),
              sizeof(Rgb) * image.width() * image.height());
}

// What a file says of itself: the fields of `mmp info --json`, whether it needs a dictionary file,
// and for which kind of coder or depth its blocks cannot be seen.
std::string InfoJson(const FileInfo& info) {
  JsonWriter json(JsonLayout::kCompact);
  json.BeginObject();
  WriteInfoFields(info, json);
  json.Field("needs_dictionary", info.dictionary_hash.has_value())
      .Field("has_blocks", info.coder == Coder::kPatterns && info.depth == 8)
      .Field("most_inspected_pixels", kMaxInspectedPixels);
  json.Key("tiles").BeginArray();
  for (const TileInfo& tile : info.tiles)
    json.Numbers(std::array<uint64_t, 5>{
        static_cast<uint64_t>(tile.x), static_cast<uint64_t>(tile.y),
        static_cast<uint64_t>(tile.width), static_cast<uint64_t>(tile.height), tile.bytes});
  return json.EndArray().EndObject().text();
}

std::string DamageJson(const DecodedImage& decoded) {
  JsonWriter json(JsonLayout::kCompact);
  json.BeginObject().Field("trailing_bytes", decoded.trailing_bytes);
  json.Key("tiles").BeginArray();
  for (const DamagedTile& tile : decoded.damaged_tiles) {
    json.BeginObject()
        .Field("x", tile.x)
        .Field("y", tile.y)
        .Field("width", tile.width)
        .Field("height", tile.height)
        .Field("reason", tile.reason)
        .EndObject();
  }
  return json.EndArray().EndObject().text();
}

DecodeOptions OptionsOf(std::span<const uint8_t> dictionary, uint64_t max_pixels) {
  DecodeOptions options;
  options.threads = 1;
  options.max_pixels = max_pixels;
  options.max_memory = kMaxPageMemory;
  options.dictionary_file.assign(dictionary.begin(), dictionary.end());
  options.progress = [](double part) {
    TellProgress(part);
    return true;
  };
  return options;
}

Status DecodeAndTell(std::span<const uint8_t> file, std::span<const uint8_t> dictionary) {
  DecodeOptions options = OptionsOf(dictionary, kMaxPagePixels);
  options.keep_going = true;
  if (const Result<FileInfo> info = ReadInfo(file); info.ok()) Tell("info", InfoJson(*info));
  const Result<DecodedImage> decoded = Decode(file, options);
  if (!decoded.ok()) return decoded.status();
  Tell("damage", DamageJson(*decoded));
  Tell("Decoded", decoded->image.View(), 1, decoded->is_signed);
  return {};
}

Status InspectAndTell(std::span<const uint8_t> file, std::span<const uint8_t> dictionary,
                      const std::string& name) {
  const Result<DecodedSyntax> syntax =
      DecodeSyntax(file, OptionsOf(dictionary, kMaxInspectedPixels));
  if (!syntax.ok()) return syntax.status();
  PageFiles files;
  MMP_RETURN_IF_ERROR(ShowLayers(*syntax, [&](const Layer& layer) -> Status {
    files.layers.push_back({layer.name, layer.name, layer.scale});
    std::visit([&](const auto& picture) { Tell(layer.name, picture, layer.scale); }, layer.picture);
    return {};
  }));
  for (size_t i = 0; i < syntax->tiles.size(); ++i) {
    files.dictionaries.push_back("Dictionary " + std::to_string(i));
    Tell(files.dictionaries.back(), DictionarySheet(syntax->tiles[i]), 1);
  }
  Tell("syntax", InspectJson(*syntax, name, files));
  return {};
}

// Tells how a call failed, if it did.
template <typename Call>
void TellFailure(const Call& call) {
  const Status status = OrOutOfMemory(call);
  if (!status.ok()) Tell("failure", status.message());
}

}  // namespace
}  // namespace mmp

extern "C" {

// Decodes a file and tells its "info", if nothing is damaged, its "damage", bytes behind the last
// tile included, and the picture "Decoded", in which damaged tiles are gray.
EMSCRIPTEN_KEEPALIVE void mmp_web_decode(const uint8_t* file, size_t size,
                                         const uint8_t* dictionary, size_t dictionary_size) {
  mmp::TellFailure([&] { return mmp::DecodeAndTell({file, size}, {dictionary, dictionary_size}); });
}

// Tells the layers of a file's inspection, its tiles' dictionaries as pictures "Dictionary 0" and
// so on, then its "syntax", in which these are named.
EMSCRIPTEN_KEEPALIVE void mmp_web_inspect(const uint8_t* file, size_t size,
                                          const uint8_t* dictionary, size_t dictionary_size,
                                          const char* name) {
  mmp::TellFailure([&] {
    return mmp::InspectAndTell({file, size}, {dictionary, dictionary_size}, name);
  });
}

}  // extern "C"
