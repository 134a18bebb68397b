#include "common/image_files/metadata/collect_metadata.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/image_files/image_parsers.h"
#include "common/image_files/metadata/tiff_block.h"
#include "common/image_files/metadata/tiff_tags.h"

namespace mmp {
namespace {

std::span<const uint8_t> BytesOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// Whether the bytes can be UTF-8.
bool IsUtf8(std::string_view text) {
  int following = 0;
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if (following > 0) {
      if ((byte & 0xc0) != 0x80) return false;
      --following;
    } else if (byte >= 0x80) {
      if (byte < 0xc2 || byte > 0xf4) return false;
      following = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    }
  }
  return following == 0;
}

std::string Utf8OfLatin1(std::string_view text) {
  std::string utf8;
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte < 0x80) {
      utf8.push_back(c);
    } else {
      utf8.push_back(static_cast<char>(0xc0 | byte >> 6));
      utf8.push_back(static_cast<char>(0x80 | (byte & 0x3f)));
    }
  }
  return utf8;
}

// Without zeros at the end, which end text in TIFF files.
std::string_view TextOf(const TiffField& field) {
  std::string_view text(reinterpret_cast<const char*>(field.bytes.data()), field.bytes.size());
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  return text;
}

bool IsOmeXml(std::string_view text) {
  return text.starts_with("<?xml") && text.find("<OME") != std::string_view::npos;
}

// The value of tiff:Orientation, as attribute or element, is a digit, which becomes 1.
void ResetXmpOrientation(std::vector<uint8_t>& packet) {
  for (const std::string_view before :
       {"tiff:Orientation=\"", "tiff:Orientation='", "<tiff:Orientation>"}) {
    const auto found = std::search(packet.begin(), packet.end(), before.begin(), before.end());
    if (packet.end() - found <= static_cast<ptrdiff_t>(before.size())) continue;
    uint8_t& digit = *(found + static_cast<ptrdiff_t>(before.size()));
    if (digit >= '1' && digit <= '8') digit = '1';
  }
}

}  // namespace

void MetadataCollector::Add(MetadataKind kind, std::span<const uint8_t> bytes) {
  if (!bytes.empty()) chunks_.push_back({static_cast<uint8_t>(kind), {bytes.begin(), bytes.end()}});
}

void MetadataCollector::AddColorProfile(std::span<const uint8_t> profile) {
  constexpr size_t kSpaceAt = 16;
  constexpr std::string_view kGray = "GRAY";
  if (profile.size() >= kSpaceAt + kGray.size() &&
      std::ranges::equal(profile.subspan(kSpaceAt, kGray.size()), BytesOf(kGray)))
    Add(MetadataKind::kIccProfile, profile);
  else
    left_out_profile_ = true;
}

void MetadataCollector::AddExif(std::span<const uint8_t> block) {
  Add(MetadataKind::kExif, block);
  if (!block.empty()) TurnExif(chunks_.back().bytes);
}

void MetadataCollector::AddXmp(std::span<const uint8_t> packet) {
  Add(MetadataKind::kXmp, packet);
  if (!packet.empty()) ResetXmpOrientation(chunks_.back().bytes);
}

void MetadataCollector::AddResolution(const Resolution& resolution) {
  MetadataChunk chunk = resolution.ToChunk();
  Resolution read;
  if (Resolution::FromBytes(chunk.bytes, read)) chunks_.push_back(std::move(chunk));
}

void MetadataCollector::AddText(std::string_view keyword, std::string_view text) {
  if (text.empty()) return;
  if (IsOmeXml(text)) return Add(MetadataKind::kOmeXml, BytesOf(text));
  std::string whole(keyword);
  whole.push_back('\0');
  whole += IsUtf8(text) ? std::string(text) : Utf8OfLatin1(text);
  Add(MetadataKind::kText, BytesOf(whole));
}

void MetadataCollector::AddTiffFields(std::span<const uint8_t> file) {
  TiffBlock block = ReadTiffBlock(file);
  const auto find = [&block](uint16_t tag) { return FindField(block.image, tag); };
  if (const TiffField* profile = find(kTiffColorProfile)) AddColorProfile(profile->bytes);
  if (const TiffField* packet = find(kTiffXmp)) AddXmp(packet->bytes);
  if (const TiffField* text = find(kTiffDescription)) AddText(kDescription, TextOf(*text));
  const TiffField* const x = find(kTiffXResolution);
  const TiffField* const y = find(kTiffYResolution);
  const TiffField* const unit = find(kTiffResolutionUnit);
  if (x != nullptr && y != nullptr) {
    const uint32_t number = unit != nullptr ? unit->Number() : kTiffInch;
    if (number >= kTiffNoUnit && number <= kTiffCentimetre)
      AddResolution({static_cast<Resolution::Unit>(number - kTiffNoUnit), x->Number(0),
                     x->Number(1), y->Number(0), y->Number(1)});
  }
  TiffBlock geo;
  for (const TiffField& field : block.image)
    if (IsGeoTag(field.tag)) geo.image.push_back(field);
  std::erase_if(block.image, [](const TiffField& field) { return !IsExifTag(field.tag); });
  if (!geo.image.empty()) Add(MetadataKind::kGeoTiff, WriteTiffBlock(std::move(geo)));
  if (!block.image.empty() || !block.exif.empty() || !block.gps.empty())
    AddExif(WriteTiffBlock(std::move(block)));
}

Metadata MetadataCollector::Take(std::string& notice) {
  if (std::exchange(left_out_profile_, false))
    AddNotice(notice, "left out its color profile, which is not one of gray");
  Metadata kept;
  size_t bytes = 0, left_out = 0;
  for (MetadataChunk& chunk : chunks_) {
    const size_t more = kMetadataChunkHeaderBytes + chunk.bytes.size();
    if (kept.size() == kMaxMetadataChunks || more > kMaxMetadataBytes - bytes) {
      ++left_out;
      continue;
    }
    bytes += more;
    kept.push_back(std::move(chunk));
  }
  chunks_.clear();
  if (left_out > 0)
    AddNotice(notice, "left out metadata, which are too many or too long (" +
                          std::to_string(left_out) + ")");
  return kept;
}

}  // namespace mmp
