#include "codec/bitstream/file_header.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "codec/base/failures.h"
#include "codec/base/levels.h"

namespace mmp {
namespace {

constexpr uint8_t kMagic[3] = {'M', 'M', 'P'};
// Of the byte behind the magic.
constexpr uint32_t kVersionMask = 0x0f;
constexpr uint32_t kSmall = 0x10;
constexpr int kKindShift = 5;
// Of the flags.
constexpr uint32_t kPresetMask = 0x07;
constexpr uint32_t kExplicitParameters = 0x08;
constexpr uint32_t kTiled = 0x10;
constexpr uint32_t kLossless = 0x20;
constexpr uint32_t kWavefront = 0x40;      // of patterns
constexpr uint32_t kByMeans = kWavefront;  // of the pixel coder
constexpr uint32_t kExtended = 0x80;
// Of the second byte of flags, which an extended header has.
constexpr uint32_t kDepthMask = 0x0f;
constexpr uint32_t kPixelCoder = 0x10;
constexpr uint32_t kMetadata = 0x20;
constexpr uint32_t kSigned = 0x40;
constexpr uint32_t kPreview = 0x80;
// Of samples of 8 bits, by patterns: what files without the second byte of flags have.
constexpr uint32_t kPlainFlags = 8 - 1;
// Of the sides of a small file's image.
constexpr int kSideBits = 11;
static_assert(1 << kSideBits == kMaxSmallSide);
// In place of a small file's preset: a byte follows that has depth and preset.
constexpr uint32_t kPresetFollows = 3;
constexpr int kSmallDepthBits = 3;

// How a small file is coded. Patterns: bit 0 says that the order is wave fronts.
enum SmallKind : uint32_t {
  kPlainPatterns = 0,
  kTrainedPatternsToo = 2,  // from trained patterns, at the scale of PatternScaleOf
  kLosslessPatterns = 4,    // of redundancy threshold 0
  kLosslessPixels = 6,
  kBoundedPixels = 7,
};

Status UnknownFeatures() {
  return {StatusCode::kUnsupported, "the file uses features that are not known to this program"};
}

// The policy is in docs/format.md, "Versions".
Status OtherVersion(int version) {
  return {StatusCode::kUnsupported,
          "the file has format version " + std::to_string(version) +
              ", this program reads versions " + std::to_string(kFirstFormatVersion) + " to " +
              std::to_string(kFormatVersion) + "; " +
              (version > kFormatVersion
                   ? "use a newer program"
                   : "decode it with the program that wrote it and encode the image again")};
}

// The tools that a version has.
uint32_t ToolsOf(int version) { return version == 6 ? kToolsOfVersion6 : kAllTools; }

// The presets that a version has.
uint32_t PresetsOf(int version) { return version == 6 ? 3 : 4; }

// Those of the preset, with what is always the file's own.
CodecParameters ImplicitParameters(const FileHeader& header) {
  CodecParameters parameters = PresetParameters(header.preset, VersionOf(header));
  parameters.redundancy_threshold = header.parameters.redundancy_threshold;
  parameters.pattern_scale = header.parameters.pattern_scale;
  parameters.dictionary_hash = header.parameters.dictionary_hash;
  parameters.order = header.parameters.order;
  return parameters;
}

// Checks

Status CheckParameters(const CodecParameters& p, int version) {
  if (p.dictionary_size < kMinDictionarySize || p.prediction_level > kNoPredictionSplit ||
      (p.modes & 1u << kMostFrequent) == 0 || p.modes > kAllModes)
    return Corrupt("the header is damaged: its coding parameters are impossible");
  if ((p.tools & ~ToolsOf(version)) != 0) return UnknownFeatures();
  if (p.Uses(kOwnDictionary) && !p.Uses(kTrainedPatterns))
    return Corrupt("the header is damaged: its coding parameters are impossible");
  return {};
}

// Of the pixel coder.
bool MayBeJpeg(int version, const FileHeader& header) { return version >= 7 && header.depth == 8; }

Status CheckPixelCoder(uint32_t flags, const FileHeader& header) {
  if ((flags & kExplicitParameters) != 0 || header.max_error > LargestSample(header.depth) ||
      header.lossless != (header.max_error == 0) || (header.lossless && header.by_means))
    return Corrupt("the header is damaged: its coding parameters are impossible");
  return {};
}

Status CheckRange(const FileHeader& header) {
  const SampleRange& range = header.range;
  if (range.high > LargestSample(header.depth) ||
      *std::max_element(range.steps.begin(), range.steps.end()) > kMostStepCode)
    return Corrupt("the header is damaged: impossible range of samples");
  return {};
}

Status CheckReadable(const ByteReader& reader) {
  if (reader.overrun()) return Corrupt("the file ends inside its header");
  if (reader.malformed()) return Corrupt("the header is damaged: a number is too long");
  return {};
}

// Small files

// Of a file that fits.
uint32_t SmallKindOf(const FileHeader& header) {
  if (header.coder == Coder::kPixels) return header.lossless ? kLosslessPixels : kBoundedPixels;
  const uint32_t order = header.parameters.order == MacroblockOrder::kWavefront ? 1 : 0;
  if (header.lossless) return kLosslessPatterns | order;
  return (header.parameters.pattern_scale > 0 ? kTrainedPatternsToo : kPlainPatterns) | order;
}

// The range of the samples that patterns code in a small file: all that the depth has.
SampleRange WholeRange(int depth) { return {.low = 0, .high = LargestSample(depth)}; }

bool FitsSmallPatterns(const FileHeader& header) {
  const CodecParameters& p = header.parameters;
  if (p != ImplicitParameters(header) || header.range != WholeRange(header.depth)) return false;
  if (header.lossless) return p.redundancy_threshold == 0 && p.pattern_scale == 0;
  return p.pattern_scale == 0 ||
         (p.Uses(kTrainedPatterns) && p.pattern_scale == PatternScaleOf(p.redundancy_threshold));
}

void ReadSmallPatterns(uint32_t kind, ByteReader& reader, FileHeader& header) {
  CodecParameters& parameters = header.parameters;
  if ((kind & 1) != 0) parameters.order = MacroblockOrder::kWavefront;
  header.lossless = (kind & kLosslessPatterns) != 0;
  if (header.lossless) return;
  parameters.redundancy_threshold = DecodeThreshold(static_cast<uint8_t>(reader.U8()));
  if ((kind & kTrainedPatternsToo) != 0 && parameters.Uses(kTrainedPatterns))
    parameters.pattern_scale = PatternScaleOf(parameters.redundancy_threshold);
}

Result<FileHeader> ReadSmallHeader(int version, uint32_t kind, ByteReader& reader) {
  FileHeader header;
  const uint32_t bits = reader.U24();
  uint32_t preset = bits >> 2 * kSideBits;
  if (preset == kPresetFollows) {
    const uint32_t depth_and_preset = reader.U8();
    preset = depth_and_preset >> kSmallDepthBits;
    header.depth = static_cast<int>(depth_and_preset % (1 << kSmallDepthBits)) + 1;
    if (header.depth == 8 && version == 6) return UnknownFeatures();
  }
  if (preset >= PresetsOf(version)) return UnknownFeatures();
  header.preset = static_cast<Preset>(preset);
  header.parameters = PresetParameters(header.preset, version);
  header.width = header.tile_width = static_cast<int>(bits % kMaxSmallSide) + 1;
  header.height = header.tile_height = static_cast<int>((bits >> kSideBits) % kMaxSmallSide) + 1;
  if (kind < kLosslessPixels) {
    header.range = WholeRange(header.depth);
    ReadSmallPatterns(kind, reader, header);
  } else {
    header.coder = Coder::kPixels;
    header.lossless = kind == kLosslessPixels;
    header.may_be_jpeg = MayBeJpeg(version, header);
    if (kind == kBoundedPixels) header.max_error = static_cast<int>(reader.U8());
    MMP_RETURN_IF_ERROR(CheckPixelCoder(0, header));
  }
  MMP_RETURN_IF_ERROR(CheckReadable(reader));
  return header;
}

// All others

void ReadPatternParameters(ByteReader& reader, uint32_t flags, FileHeader& header) {
  CodecParameters& parameters = header.parameters;
  if ((flags & kWavefront) != 0) parameters.order = MacroblockOrder::kWavefront;
  if (header.depth != 8) {
    SampleRange& range = header.range;
    range.low = static_cast<int>(reader.U16());
    range.high = static_cast<int>(reader.U16());
    if (range.low > range.high) {
      std::swap(range.low, range.high);
      for (uint8_t& code : range.steps) code = static_cast<uint8_t>(reader.U8());
    }
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

Result<FileHeader> ReadFullHeader(int version, ByteReader& reader) {
  FileHeader header;
  const uint32_t flags = reader.U8();
  const uint32_t more_flags = (flags & kExtended) != 0 ? reader.U8() : kPlainFlags;
  if ((flags & kPresetMask) >= PresetsOf(version)) return UnknownFeatures();
  header.preset = static_cast<Preset>(flags & kPresetMask);
  header.lossless = (flags & kLossless) != 0;
  header.parameters = PresetParameters(header.preset, version);
  header.width = static_cast<int>(reader.Varint()) + 1;
  header.height = static_cast<int>(reader.Varint()) + 1;
  header.depth = static_cast<int>(more_flags & kDepthMask) + 1;
  header.coder = (more_flags & kPixelCoder) != 0 ? Coder::kPixels : Coder::kPatterns;
  header.is_signed = (more_flags & kSigned) != 0;
  if (header.coder == Coder::kPixels) {
    header.may_be_jpeg = MayBeJpeg(version, header);
    header.max_error = static_cast<int>(reader.Varint());
    header.by_means = (flags & kByMeans) != 0;
  } else {
    ReadPatternParameters(reader, flags, header);
  }
  header.tile_width = header.width;
  header.tile_height = header.height;
  if ((flags & kTiled) != 0) {
    header.tile_width = static_cast<int>(reader.Varint() + 1) * kMacroblockSize;
    header.tile_height = static_cast<int>(reader.Varint() + 1) * kMacroblockSize;
  }
  if ((more_flags & kMetadata) != 0) header.metadata_bytes = reader.U24();
  if ((more_flags & kPreview) != 0) header.preview_bytes = reader.U32();
  MMP_RETURN_IF_ERROR(CheckReadable(reader));
  if ((more_flags & kPreview) != 0 &&
      (header.preview_bytes == 0 || header.preview_bytes > MostPreviewBytes(header)))
    return Corrupt("the header is damaged: impossible size of a preview");
  if (header.width > kMaxImageSide || header.height > kMaxImageSide)
    return Corrupt("the header is damaged: impossible image size");
  if (((flags & kTiled) != 0 && !header.tiled()) || LargestTilePixels(header) > kMaxTilePixels)
    return Corrupt("the header is damaged: impossible tile size");
  MMP_RETURN_IF_ERROR(header.coder == Coder::kPixels ? CheckPixelCoder(flags, header)
                                                     : CheckRange(header));
  MMP_RETURN_IF_ERROR(CheckParameters(header.parameters, version));
  return header;
}

void WritePatternParameters(const FileHeader& header, bool are_explicit, ByteWriter& writer) {
  const CodecParameters& parameters = header.parameters;
  if (header.depth != 8) {
    // The larger one first says that there are codes of steps.
    const SampleRange& range = header.range;
    const bool has_steps = !range.IsEven() && range.low < range.high;
    writer.U16(static_cast<uint32_t>(has_steps ? range.high : range.low));
    writer.U16(static_cast<uint32_t>(has_steps ? range.low : range.high));
    for (int k = 0; has_steps && k < kStepRuns; ++k) writer.U8(range.steps[k]);
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

CodecParameters PresetParameters(Preset preset, int version) {
  CodecParameters parameters;
  if (preset == Preset::kThesis) return parameters;
  parameters.modes = kBestModes;
  parameters.tools = kPresetTools & ToolsOf(version);
  if (preset == Preset::kBest) return parameters;
  parameters.dictionary_size = 512;
  if (preset == Preset::kQuick || version == 6) parameters.tools |= kSmallNetwork;
  return parameters;
}

int VersionOf(const FileHeader& header) {
  const bool is_first = !header.may_be_jpeg &&
                        static_cast<uint32_t>(header.preset) < PresetsOf(6) &&
                        (header.parameters.tools & ~ToolsOf(6)) == 0;
  return is_first ? 6 : 7;
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

uint8_t PatternScaleOf(uint32_t redundancy_threshold) {
  const uint64_t square = uint64_t{64} * redundancy_threshold;
  uint32_t root = 0;
  while (uint64_t{root + 1} * (root + 1) <= square) ++root;
  return EncodeThreshold(root);
}

int64_t LargestTilePixels(const FileHeader& header) {
  return int64_t{PaddedToMacroblocks(std::min(header.tile_width, header.width))} *
         PaddedToMacroblocks(std::min(header.tile_height, header.height));
}

uint64_t CountTiles(const FileHeader& header) {
  auto count = [](int side, int tile) { return static_cast<uint64_t>((side + tile - 1) / tile); };
  return count(header.width, header.tile_width) * count(header.height, header.tile_height);
}

void FitTiles(FileHeader& header) {
  header.tile_width = std::min(header.tile_width, PaddedToMacroblocks(kMaxImageSide));
  header.tile_height = std::min(header.tile_height, PaddedToMacroblocks(kMaxImageSide));
  if (header.tiled()) return;
  header.tile_width = header.width;
  header.tile_height = header.height;
}

bool FitsSmallFile(const FileHeader& header) {
  if (header.depth > 8 || header.is_signed || header.metadata_bytes > 0 ||
      header.preview_bytes > 0 || header.tiled() || header.width > kMaxSmallSide ||
      header.height > kMaxSmallSide)
    return false;
  return header.coder == Coder::kPixels ? !header.by_means : FitsSmallPatterns(header);
}

void WriteSmallHeader(const FileHeader& header, std::vector<uint8_t>& file) {
  ByteWriter writer(file);
  for (const uint8_t byte : kMagic) writer.U8(byte);
  const uint32_t kind = SmallKindOf(header);
  writer.U8(static_cast<uint32_t>(VersionOf(header)) | kSmall | kind << kKindShift);
  const auto preset = static_cast<uint32_t>(header.preset);
  const bool follows = header.depth < 8 || preset >= kPresetFollows;
  writer.U24(static_cast<uint32_t>(header.width - 1) |
             static_cast<uint32_t>(header.height - 1) << kSideBits |
             (follows ? kPresetFollows : preset) << 2 * kSideBits);
  if (follows) writer.U8(static_cast<uint32_t>(header.depth - 1) | preset << kSmallDepthBits);
  if (kind < kLosslessPatterns)
    writer.U8(EncodeThreshold(header.parameters.redundancy_threshold));
  else if (kind == kBoundedPixels)
    writer.U8(static_cast<uint32_t>(header.max_error));
}

void WriteHeader(const FileHeader& header, std::vector<uint8_t>& file) {
  ByteWriter writer(file);
  for (const uint8_t byte : kMagic) writer.U8(byte);
  writer.U8(static_cast<uint32_t>(VersionOf(header)));
  const bool is_pixel_coder = header.coder == Coder::kPixels;
  const uint32_t more_flags =
      static_cast<uint32_t>(header.depth - 1) | (is_pixel_coder ? kPixelCoder : 0) |
      (header.metadata_bytes > 0 ? kMetadata : 0) | (header.is_signed ? kSigned : 0) |
      (header.preview_bytes > 0 ? kPreview : 0);
  const bool are_explicit = !is_pixel_coder && header.parameters != ImplicitParameters(header);
  writer.U8(static_cast<uint32_t>(header.preset) | (are_explicit ? kExplicitParameters : 0) |
            (header.tiled() ? kTiled : 0) | (header.lossless ? kLossless : 0) |
            (header.parameters.order == MacroblockOrder::kWavefront ? kWavefront : 0) |
            (header.by_means ? kByMeans : 0) | (more_flags != kPlainFlags ? kExtended : 0));
  if (more_flags != kPlainFlags) writer.U8(more_flags);
  writer.Varint(static_cast<uint32_t>(header.width - 1));
  writer.Varint(static_cast<uint32_t>(header.height - 1));
  if (is_pixel_coder)
    writer.Varint(static_cast<uint32_t>(header.max_error));
  else
    WritePatternParameters(header, are_explicit, writer);
  if (header.tiled()) {
    writer.Varint(static_cast<uint32_t>(header.tile_width / kMacroblockSize - 1));
    writer.Varint(static_cast<uint32_t>(header.tile_height / kMacroblockSize - 1));
  }
  if (header.metadata_bytes > 0) writer.U24(header.metadata_bytes);
  if (header.preview_bytes > 0) writer.U32(header.preview_bytes);
}

Result<HeaderRead> ReadHeader(ByteReader& reader) {
  for (const uint8_t byte : kMagic)
    if (reader.U8() != byte)
      return reader.overrun() ? Corrupt("the file ends inside its header")
                              : Status(StatusCode::kUnsupported, "not an mmp file");
  const uint32_t first = reader.U8();
  if (reader.overrun()) return Corrupt("the file ends inside its header");
  const int version = static_cast<int>(first & kVersionMask);
  if (version < kFirstFormatVersion || version > kFormatVersion) return OtherVersion(version);
  const bool is_small = (first & kSmall) != 0;
  const uint32_t kind = first >> kKindShift;
  if (!is_small && kind != 0) return UnknownFeatures();
  Result<FileHeader> header =
      is_small ? ReadSmallHeader(version, kind, reader) : ReadFullHeader(version, reader);
  if (!header.ok()) return header.status();
  return HeaderRead{*std::move(header), version, is_small};
}

}  // namespace mmp
