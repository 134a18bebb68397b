#include "codec/bitstream/container.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "codec/base/levels.h"
#include "common/crc32c.h"

namespace mmp {
namespace {

constexpr uint8_t kMagic[3] = {'M', 'M', 'P'};
constexpr uint8_t kPresetMask = 0x07;
constexpr uint8_t kExplicitParameters = 0x08;
constexpr uint8_t kTiled = 0x10;
constexpr uint8_t kLossless = 0x20;
constexpr uint8_t kWavefront = 0x40;
constexpr uint8_t kExtended = 0x80;
// Of the second byte of flags, which an extended header has.
constexpr uint8_t kDepthMask = 0x0f;
constexpr uint8_t kPixelCoder = 0x10;
constexpr uint8_t kExtendedReserved = 0xe0;
constexpr int kPresets = 3;
constexpr size_t kTableEntryBytes = 12;

#ifdef MMP_FUZZING
constexpr bool kCheckChecksums = false;
#else
constexpr bool kCheckChecksums = true;
#endif

class ByteWriter {
 public:
  explicit ByteWriter(std::vector<uint8_t>& bytes) : bytes_(bytes) {}
  void U8(uint32_t v) { bytes_.push_back(static_cast<uint8_t>(v)); }
  void U16(uint32_t v) {
    U8(v);
    U8(v >> 8);
  }
  void U32(uint32_t v) {
    U16(v);
    U16(v >> 16);
  }
  void Varint(uint32_t v) {
    for (; v >= 0x80; v >>= 7) U8(v | 0x80);
    U8(v);
  }

 private:
  std::vector<uint8_t>& bytes_;
};

// Reads zeros past the end and remembers that it did.
class ByteReader {
 public:
  explicit ByteReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  uint32_t U8() {
    if (position_ >= bytes_.size()) {
      overrun_ = true;
      return 0;
    }
    return bytes_[position_++];
  }
  uint32_t U16() {
    const uint32_t low = U8();
    return low | U8() << 8;
  }
  uint32_t U32() {
    const uint32_t low = U16();
    return low | U16() << 16;
  }
  // At most three bytes: 21 bits.
  uint32_t Varint() {
    uint32_t value = 0;
    for (int shift = 0; shift < 21; shift += 7) {
      const uint32_t byte = U8();
      value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    malformed_ = true;
    return 0;
  }
  size_t position() const { return position_; }
  bool overrun() const { return overrun_; }
  bool malformed() const { return malformed_; }

 private:
  std::span<const uint8_t> bytes_;
  size_t position_ = 0;
  bool overrun_ = false;
  bool malformed_ = false;
};

Status Corrupt(std::string message) { return {StatusCode::kCorrupt, std::move(message)}; }

Status UnknownFeatures() {
  return {StatusCode::kUnsupported, "the file uses features that are not known to this program"};
}

// The policy is in docs/format.md, "Versions".
Status OtherVersion(int version) {
  return {StatusCode::kUnsupported,
          "the file has format version " + std::to_string(version) +
              ", this program reads version " + std::to_string(kFormatVersion) + " only; " +
              (version > kFormatVersion
                   ? "use a newer program"
                   : "decode it with the program that wrote it and encode the image again")};
}

Status CheckParameters(const CodecParameters& p) {
  if (p.dictionary_size < kMinDictionarySize || p.prediction_level > kNoPredictionSplit ||
      (p.modes & 1u << kMostFrequent) == 0 || p.modes > kAllModes)
    return Corrupt("the header is damaged: its coding parameters are impossible");
  if (p.tools > kAllTools) return UnknownFeatures();
  if (p.Uses(kOwnDictionary) && !p.Uses(kTrainedPatterns))
    return Corrupt("the header is damaged: its coding parameters are impossible");
  return {};
}

// Of samples of 8 bits, by patterns: what files without the second byte of flags have.
constexpr uint32_t kPlainFlags = 8 - 1;

void ReadPatternParameters(ByteReader& reader, uint32_t flags, FileHeader& header) {
  CodecParameters& parameters = header.parameters;
  if (header.depth != 8) {
    header.range.low = static_cast<int>(reader.U16());
    header.range.high = static_cast<int>(reader.U16());
  }
  parameters.redundancy_threshold = DecodeThreshold(static_cast<uint8_t>(reader.U8()));
  if ((flags & kExplicitParameters) != 0) {
    parameters.dictionary_size = static_cast<int>(reader.U16()) + 1;
    parameters.prediction_level = static_cast<int>(reader.U8());
    parameters.modes = reader.U32();
    parameters.tools = reader.Varint();
  }
  if (parameters.Uses(kTrainedPatterns))
    parameters.pattern_scale = static_cast<uint8_t>(reader.U8());
  if (parameters.Uses(kOwnDictionary)) parameters.dictionary_hash = reader.U32();
}

Status CheckPixelCoder(uint32_t flags, const FileHeader& header) {
  if ((flags & (kExplicitParameters | kWavefront)) != 0 ||
      header.max_error > LargestSample(header.depth) || header.lossless != (header.max_error == 0))
    return Corrupt("the header is damaged: its coding parameters are impossible");
  return {};
}

Status CheckRange(const FileHeader& header) {
  if (header.range.low > header.range.high || header.range.high > LargestSample(header.depth))
    return Corrupt("the header is damaged: impossible range of samples");
  return {};
}

Result<FileHeader> ParseHeader(ByteReader& reader) {
  for (const uint8_t byte : kMagic)
    if (reader.U8() != byte)
      return reader.overrun() ? Corrupt("the file ends inside its header")
                              : Status(StatusCode::kUnsupported, "not an mmp file");
  if (const int version = static_cast<int>(reader.U8());
      version != kFormatVersion && !reader.overrun())
    return OtherVersion(version);
  FileHeader header;
  const uint32_t flags = reader.U8();
  const uint32_t more_flags = (flags & kExtended) != 0 ? reader.U8() : kPlainFlags;
  if ((flags & kPresetMask) >= kPresets || (more_flags & kExtendedReserved) != 0)
    return UnknownFeatures();
  header.preset = static_cast<Preset>(flags & kPresetMask);
  header.lossless = (flags & kLossless) != 0;
  header.parameters = PresetParameters(header.preset);
  if ((flags & kWavefront) != 0) header.parameters.order = MacroblockOrder::kWavefront;
  header.width = static_cast<int>(reader.Varint()) + 1;
  header.height = static_cast<int>(reader.Varint()) + 1;
  header.depth = static_cast<int>(more_flags & kDepthMask) + 1;
  header.coder = (more_flags & kPixelCoder) != 0 ? Coder::kPixels : Coder::kPatterns;
  if (header.coder == Coder::kPixels)
    header.max_error = static_cast<int>(reader.Varint());
  else
    ReadPatternParameters(reader, flags, header);
  header.tile_width = header.width;
  header.tile_height = header.height;
  if ((flags & kTiled) != 0) {
    header.tile_width = static_cast<int>(reader.Varint() + 1) * kMacroblockSize;
    header.tile_height = static_cast<int>(reader.Varint() + 1) * kMacroblockSize;
  }
  if (reader.overrun()) return Corrupt("the file ends inside its header");
  if (reader.malformed()) return Corrupt("the header is damaged: a number is too long");
  if (header.width > kMaxImageSide || header.height > kMaxImageSide)
    return Corrupt("the header is damaged: impossible image size");
  if (((flags & kTiled) != 0 && !header.tiled()) || LargestTilePixels(header) > kMaxTilePixels)
    return Corrupt("the header is damaged: impossible tile size");
  MMP_RETURN_IF_ERROR(header.coder == Coder::kPixels ? CheckPixelCoder(flags, header)
                                                     : CheckRange(header));
  MMP_RETURN_IF_ERROR(CheckParameters(header.parameters));
  return header;
}

int RoundUp(int side) { return (side + kMacroblockSize - 1) / kMacroblockSize * kMacroblockSize; }

// The checksum of a one-tile file: of all its bytes but the four that hold the checksum.
uint32_t OneTileCrc(std::span<const uint8_t> file, size_t crc_position) {
  return Crc32c(file.subspan(crc_position + 4), Crc32c(file.first(crc_position)));
}

void WritePatternParameters(const FileHeader& header, bool are_explicit, ByteWriter& writer) {
  const CodecParameters& parameters = header.parameters;
  if (header.depth != 8) {
    writer.U16(static_cast<uint32_t>(header.range.low));
    writer.U16(static_cast<uint32_t>(header.range.high));
  }
  writer.U8(EncodeThreshold(parameters.redundancy_threshold));
  if (are_explicit) {
    writer.U16(static_cast<uint32_t>(parameters.dictionary_size - 1));
    writer.U8(static_cast<uint32_t>(parameters.prediction_level));
    writer.U32(parameters.modes);
    writer.Varint(parameters.tools);
  }
  if (parameters.Uses(kTrainedPatterns)) writer.U8(parameters.pattern_scale);
  if (parameters.Uses(kOwnDictionary)) writer.U32(parameters.dictionary_hash);
}

}  // namespace

CodecParameters PresetParameters(Preset preset) {
  CodecParameters parameters;
  if (preset == Preset::kThesis) return parameters;
  parameters.modes = kBestModes;
  parameters.tools = kAllTools & ~kOwnDictionary;
  if (preset == Preset::kFast) parameters.dictionary_size = 512;
  return parameters;
}

uint32_t DecodeThreshold(uint8_t code) {
  const uint32_t exponent = code >> 4, mantissa = code & 15;
  return exponent == 0 ? mantissa : (16 + mantissa) << (exponent - 1);
}

uint8_t EncodeThreshold(uint32_t threshold) {
  if (threshold < 16) return static_cast<uint8_t>(threshold);
  const uint32_t exponent = static_cast<uint32_t>(std::bit_width(threshold)) - 4;
  if (exponent > 15) return 0xff;
  return static_cast<uint8_t>(exponent << 4 | ((threshold >> (exponent - 1)) & 15));
}

int64_t LargestTilePixels(const FileHeader& header) {
  return int64_t{RoundUp(std::min(header.tile_width, header.width))} *
         RoundUp(std::min(header.tile_height, header.height));
}

void FitTiles(FileHeader& header) {
  header.tile_width = std::min(header.tile_width, RoundUp(kMaxImageSide));
  header.tile_height = std::min(header.tile_height, RoundUp(kMaxImageSide));
  if (header.tiled()) return;
  header.tile_width = header.width;
  header.tile_height = header.height;
}

uint64_t CountTiles(const FileHeader& header) {
  auto count = [](int side, int tile) { return static_cast<uint64_t>((side + tile - 1) / tile); };
  return count(header.width, header.tile_width) * count(header.height, header.tile_height);
}

int64_t CountMacroblocks(const std::vector<TileInfo>& tiles) {
  auto count = [](int side) { return int64_t{RoundUp(side)} / kMacroblockSize; };
  int64_t macroblocks = 0;
  for (const TileInfo& tile : tiles) macroblocks += count(tile.width) * count(tile.height);
  return macroblocks;
}

std::vector<TileInfo> TileGrid(int width, int height, int tile_width, int tile_height) {
  std::vector<TileInfo> tiles;
  for (int y = 0; y < height; y += tile_height) {
    for (int x = 0; x < width; x += tile_width) {
      TileInfo tile;
      tile.x = x;
      tile.y = y;
      tile.width = std::min(tile_width, width - x);
      tile.height = std::min(tile_height, height - y);
      tiles.push_back(tile);
    }
  }
  return tiles;
}

std::vector<uint8_t> WriteFileBytes(const FileHeader& header,
                                    const std::vector<EncodedTile>& tiles) {
  std::vector<uint8_t> file;
  ByteWriter writer(file);
  for (const uint8_t byte : kMagic) writer.U8(byte);
  writer.U8(kFormatVersion);
  const bool is_pixel_coder = header.coder == Coder::kPixels;
  const uint32_t more_flags =
      static_cast<uint32_t>(header.depth - 1) | (is_pixel_coder ? kPixelCoder : 0);
  CodecParameters defaults = PresetParameters(header.preset);
  defaults.redundancy_threshold = header.parameters.redundancy_threshold;
  defaults.pattern_scale = header.parameters.pattern_scale;
  defaults.dictionary_hash = header.parameters.dictionary_hash;
  defaults.order = header.parameters.order;
  const bool explicit_parameters = !is_pixel_coder && header.parameters != defaults;
  writer.U8(static_cast<uint32_t>(header.preset) | (explicit_parameters ? kExplicitParameters : 0) |
            (header.tiled() ? kTiled : 0) | (header.lossless ? kLossless : 0) |
            (header.parameters.order == MacroblockOrder::kWavefront ? kWavefront : 0) |
            (more_flags != kPlainFlags ? kExtended : 0));
  if (more_flags != kPlainFlags) writer.U8(more_flags);
  writer.Varint(static_cast<uint32_t>(header.width - 1));
  writer.Varint(static_cast<uint32_t>(header.height - 1));
  if (is_pixel_coder)
    writer.Varint(static_cast<uint32_t>(header.max_error));
  else
    WritePatternParameters(header, explicit_parameters, writer);
  if (!header.tiled()) {
    const size_t crc_position = file.size();
    writer.U32(0);
    writer.U32(tiles[0].reconstruction_crc);
    file.insert(file.end(), tiles[0].bytes.begin(), tiles[0].bytes.end());
    const uint32_t crc = OneTileCrc(file, crc_position);
    for (int k = 0; k < 4; ++k) file[crc_position + k] = static_cast<uint8_t>(crc >> 8 * k);
    return file;
  }
  writer.Varint(static_cast<uint32_t>(header.tile_width / kMacroblockSize - 1));
  writer.Varint(static_cast<uint32_t>(header.tile_height / kMacroblockSize - 1));
  for (const EncodedTile& tile : tiles) {
    writer.U32(static_cast<uint32_t>(tile.bytes.size()));
    writer.U32(Crc32c(tile.bytes));
    writer.U32(tile.reconstruction_crc);
  }
  writer.U32(Crc32c(file));
  for (const EncodedTile& tile : tiles)
    file.insert(file.end(), tile.bytes.begin(), tile.bytes.end());
  return file;
}

namespace {

Status ParseOneTile(std::span<const uint8_t> file, ByteReader& reader, ParsedFile& parsed) {
  TileInfo& tile = parsed.tiles[0];
  const size_t crc_position = reader.position();
  tile.crc = reader.U32();
  tile.reconstruction_crc = reader.U32();
  if (reader.overrun()) return Corrupt("the file ends inside its header");
  tile.offset = reader.position();
  tile.bytes = file.size() - tile.offset;
  parsed.header_bytes = tile.offset;
  if (kCheckChecksums && OneTileCrc(file, crc_position) != tile.crc)
    parsed.damage[0] = "the file is damaged: its checksum does not match its bytes";
  return {};
}

Status ParseTileTable(std::span<const uint8_t> file, ByteReader& reader, ParsedFile& parsed) {
  for (TileInfo& tile : parsed.tiles) {
    tile.bytes = reader.U32();
    tile.crc = reader.U32();
    tile.reconstruction_crc = reader.U32();
  }
  const size_t table_end = reader.position();
  const uint32_t header_crc = reader.U32();
  if (reader.overrun()) return Corrupt("the file ends inside its tile table");
  if (kCheckChecksums && Crc32c(file.first(table_end)) != header_crc)
    return Corrupt("the header is damaged: its checksum does not match");
  parsed.header_bytes = reader.position();
  uint64_t offset = parsed.header_bytes;
  for (size_t i = 0; i < parsed.tiles.size(); ++i) {
    TileInfo& tile = parsed.tiles[i];
    tile.offset = offset;
    offset += tile.bytes;
    if (offset > file.size())
      parsed.damage[i] = "the file ends before the tile does";
    else if (kCheckChecksums && Crc32c(file.subspan(tile.offset, tile.bytes)) != tile.crc)
      parsed.damage[i] = "its checksum does not match its bytes";
  }
  if (offset < file.size()) return Corrupt("there are bytes behind the last tile");
  return {};
}

}  // namespace

Result<ParsedFile> ParseFile(std::span<const uint8_t> file, uint64_t max_pixels) {
  ByteReader reader(file);
  Result<FileHeader> header = ParseHeader(reader);
  if (!header.ok()) return header.status();
  ParsedFile parsed;
  parsed.header = *header;
  const FileHeader& h = parsed.header;
  if (const uint64_t pixels = static_cast<uint64_t>(h.width) * static_cast<uint64_t>(h.height);
      pixels > max_pixels)
    return Status(StatusCode::kLimitExceeded,
                  "the image has " + std::to_string(pixels) + " pixels, more than the limit of " +
                      std::to_string(max_pixels) + "; a larger max_pixels decodes it");
  if (h.tiled() && CountTiles(h) * kTableEntryBytes > file.size())
    return Corrupt("the file ends inside its tile table");
  parsed.tiles = TileGrid(h.width, h.height, h.tile_width, h.tile_height);
  parsed.damage.resize(parsed.tiles.size());
  MMP_RETURN_IF_ERROR(h.tiled() ? ParseTileTable(file, reader, parsed)
                                : ParseOneTile(file, reader, parsed));
  return parsed;
}

Status CheckStreamSize(uint64_t bytes) {
  if (bytes <= std::numeric_limits<uint32_t>::max()) return {};
  return {StatusCode::kInvalidArgument, "a tile takes " + std::to_string(bytes) +
                                            " bytes, more than a file can say; use smaller tiles"};
}

Status CheckWritten(std::span<const uint8_t> file, const FileHeader& header,
                    const std::vector<EncodedTile>& tiles) {
  const Result<ParsedFile> parsed = ParseFile(file, std::numeric_limits<uint64_t>::max());
  std::string why;
  if (!parsed.ok())
    why = parsed.status().message();
  else if (parsed->header != header || parsed->tiles.size() != tiles.size())
    why = "its header is another one";
  for (size_t i = 0; why.empty() && i < tiles.size(); ++i) {
    why = parsed->damage[i];
    if (parsed->tiles[i].bytes != tiles[i].bytes.size() ||
        parsed->tiles[i].reconstruction_crc != tiles[i].reconstruction_crc)
      why = "tile " + std::to_string(i) + " is another one";
  }
  if (why.empty()) return {};
  return Corrupt("the file that was made cannot be read, by a fault of this program: " + why);
}

Result<FileHeader> ParseFileHeader(std::span<const uint8_t> beginning) {
  ByteReader reader(beginning);
  return ParseHeader(reader);
}

}  // namespace mmp
