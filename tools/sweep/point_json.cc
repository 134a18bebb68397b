#include "tools/sweep/point_json.h"

#include <cstdint>
#include <limits>
#include <string>

namespace mmp {
namespace {

// What every point has, what some have, and texts that may be empty. One table for both ways.
struct KnownField {
  const char* key;
  double RdPoint::*value;
};
constexpr KnownField kKnown[] = {
    {"parameter", &RdPoint::parameter},
    {"bits_per_pixel", &RdPoint::bits_per_pixel},
};

struct OptionalField {
  const char* key;
  std::optional<double> RdPoint::*value;
};
constexpr OptionalField kOptional[] = {
    {"ssim", &RdPoint::ssim},
    {"ms_ssim", &RdPoint::ms_ssim},
    {"encode_seconds", &RdPoint::encode_seconds},
    {"decode_seconds", &RdPoint::decode_seconds},
};

struct TextField {
  const char* key;
  std::string RdPoint::*value;
};
constexpr TextField kTexts[] = {
    {"bitstream", &RdPoint::bitstream_path},
    {"decoded", &RdPoint::decoded_path},
    {"command", &RdPoint::command},
};

}  // namespace

void WritePoint(const RdPoint& point, JsonWriter& json) {
  for (const KnownField& field : kKnown) json.Field(field.key, point.*field.value);
  json.Field("bytes", point.bytes).Field("psnr", point.psnr);
  for (const OptionalField& field : kOptional)
    if (point.*field.value) json.Field(field.key, *(point.*field.value));
  if (!point.bits.empty()) {
    json.Key("bits").BeginObject();
    for (const auto& [element, bits] : point.bits) json.Field(element, bits);
    json.EndObject();
  }
  for (const TextField& field : kTexts)
    if (!(point.*field.value).empty()) json.Field(field.key, point.*field.value);
}

std::optional<RdPoint> ReadPoint(const Json& json) {
  RdPoint point;
  for (const KnownField& field : kKnown) {
    if (json[field.key].type != Json::Type::kNumber) return std::nullopt;
    point.*field.value = json[field.key].number;
  }
  const std::optional<uint64_t> bytes = WholeNumber(json["bytes"]);
  if (!bytes || !json.fields.contains("psnr")) return std::nullopt;
  point.bytes = *bytes;
  const Json& psnr = json["psnr"];
  point.psnr =
      psnr.type == Json::Type::kNumber ? psnr.number : std::numeric_limits<double>::infinity();
  for (const OptionalField& field : kOptional) {
    const Json& value = json[field.key];
    if (value.type == Json::Type::kNumber) point.*field.value = value.number;
  }
  for (const auto& [element, bits] : json["bits"].fields) point.bits[element] = bits.number;
  for (const TextField& field : kTexts) point.*field.value = json[field.key].text;
  return point;
}

}  // namespace mmp
