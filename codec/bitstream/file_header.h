// What a file begins with: the size of its image, and how it is coded. Normative: docs/format.md,
// "File".
#ifndef MMP_CODEC_BITSTREAM_FILE_HEADER_H_
#define MMP_CODEC_BITSTREAM_FILE_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/base/parameters.h"
#include "codec/base/sample_map.h"
#include "codec/bitstream/byte_io.h"
#include "mmp/status.h"
#include "mmp/types.h"

namespace mmp {

// Files say the first version that has all they need; these are read.
inline constexpr int kFirstFormatVersion = 6, kFormatVersion = 7;

struct FileHeader {
  int width = 0;  // pixels
  int height = 0;
  Preset preset = Preset::kBest;
  bool lossless = false;
  int depth = 8;  // bits a sample
  Coder coder = Coder::kPatterns;
  int max_error = 0;           // of a sample, by kPixels
  bool by_means = false;       // kPixels: as PixelFormat::by_means
  bool may_be_jpeg = false;    // kPixels: as PixelFormat::may_be_jpeg
  SampleRange range;           // of the samples, by kPatterns
  CodecParameters parameters;  // of kPatterns
  int tile_width = 0;          // pixels; those of the image if there is one tile
  int tile_height = 0;
  bool is_signed = false;       // the numbers that samples stand for are less by 2^(depth - 1)
  uint32_t metadata_bytes = 0;  // of the section behind the header
  uint32_t preview_bytes = 0;   // of the preview's file; 0: there is none

  bool tiled() const { return tile_width < width || tile_height < height; }

  friend bool operator==(const FileHeader&, const FileHeader&) = default;
};

// The parameters that a preset has in a version, which apply unless a file gives them explicitly.
// Redundancy threshold, scale of the trained patterns and dictionary hash are always the file's
// own.
CodecParameters PresetParameters(Preset preset, int version = kFormatVersion);

// The version that a file with this header says.
int VersionOf(const FileHeader& header);

// EncodeThreshold returns the byte that stands for the largest representable redundancy threshold
// not above `threshold`; DecodeThreshold returns the value of such a byte.
uint8_t EncodeThreshold(uint32_t threshold);
uint32_t DecodeThreshold(uint8_t code);

// The code of the scale that trained patterns have in files of this redundancy threshold which do
// not say another: half the threshold's root, in sixteenths.
uint8_t PatternScaleOf(uint32_t redundancy_threshold);

// The pixels of the largest tile, its sides rounded up to whole macroblocks: at most
// kMaxTilePixels in a file.
int64_t LargestTilePixels(const FileHeader& header);

uint64_t CountTiles(const FileHeader& header);

// Makes tile sides beyond those of the largest image these, which a file can say, and those of a
// single tile the image's.
void FitTiles(FileHeader& header);

// A preview has a pixel for each square of so many by so many of the image.
inline constexpr int kPreviewScale = 8;
constexpr int PreviewSide(int side) { return (side + kPreviewScale - 1) / kPreviewScale; }
// Its bits a sample, where the image has `depth`: means of few bits would show nothing.
constexpr int PreviewDepth(int depth) { return depth < 8 ? 8 : depth; }
inline constexpr int kMaxPreviewSide = PreviewSide(kMaxImageSide);
constexpr uint64_t PreviewPixels(const FileHeader& header) {
  return static_cast<uint64_t>(PreviewSide(header.width)) *
         static_cast<uint64_t>(PreviewSide(header.height));
}
// No preview has more: no coder here makes so many of noise.
constexpr uint64_t MostPreviewBytes(const FileHeader& header) {
  return 1024 + 4 * PreviewPixels(header);
}

// A small file says less in fewer bytes: its one tile, of at most kMaxSmallSide pixels a side and
// 8 bits a sample or fewer, is coded as the preset has it, in at most kMaxSmallStream bytes.
inline constexpr int kMaxSmallSide = 2048;       // pixels
inline constexpr size_t kMaxSmallStream = 4096;  // bytes

// Whether the header of a small file can say all that this one does.
bool FitsSmallFile(const FileHeader& header);

// Appends the header of a small file, which must fit, or of any other.
void WriteSmallHeader(const FileHeader& header, std::vector<uint8_t>& file);
void WriteHeader(const FileHeader& header, std::vector<uint8_t>& file);

struct HeaderRead {
  FileHeader header;
  int version = kFormatVersion;  // that the file says
  bool is_small = false;         // it is that of a small file
};

// Reads the header of either kind, at a file's beginning. Errors: kUnsupported (no file of mmp's,
// of another version, or of unknown features), kCorrupt.
Result<HeaderRead> ReadHeader(ByteReader& reader);

}  // namespace mmp

#endif  // MMP_CODEC_BITSTREAM_FILE_HEADER_H_
