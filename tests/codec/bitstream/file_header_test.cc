#include "codec/bitstream/file_header.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "codec/base/parameters.h"
#include "mmp/mmp.h"

namespace mmp {
namespace {

FileHeader SmallHeader(int width, int height, Preset preset = Preset::kBest) {
  FileHeader header;
  header.width = header.tile_width = width;
  header.height = header.tile_height = height;
  header.preset = preset;
  header.parameters = PresetParameters(preset);
  return header;
}

FileHeader Trained(FileHeader header, uint8_t threshold_code) {
  header.parameters.redundancy_threshold = DecodeThreshold(threshold_code);
  header.parameters.pattern_scale = PatternScaleOf(header.parameters.redundancy_threshold);
  return header;
}

FileHeader ByPixels(FileHeader header, int max_error) {
  header.coder = Coder::kPixels;
  header.max_error = max_error;
  header.lossless = max_error == 0;
  return header;
}

FileHeader Lossless(FileHeader header) {
  header.lossless = true;
  return header;
}

FileHeader InWaveFronts(FileHeader header) {
  header.parameters.order = MacroblockOrder::kWavefront;
  return header;
}

FileHeader OfDepth(FileHeader header, int depth) {
  header.depth = depth;
  header.may_be_jpeg = false;
  if (header.coder == Coder::kPatterns) header.range.high = LargestSample(depth);
  return header;
}

std::vector<uint8_t> SmallBytes(const FileHeader& header) {
  std::vector<uint8_t> bytes;
  WriteSmallHeader(header, bytes);
  return bytes;
}

StatusCode CodeOf(const std::vector<uint8_t>& bytes) {
  ByteReader reader(bytes);
  return ReadHeader(reader).status().code();
}

// Every kind, of every preset, at the ends of all ranges: in 7 or 8 bytes, and one more of fewer
// bits a sample or of preset quick.
TEST(SmallHeaderTest, AllThatFitsComesBack) {
  for (const Preset preset : {Preset::kThesis, Preset::kQuick, Preset::kFast, Preset::kBest}) {
    for (const int side : {1, 2, 1000, kMaxSmallSide}) {
      FileHeader plain = SmallHeader(side, kMaxSmallSide + 1 - side, preset);
      std::vector<FileHeader> headers = {Lossless(plain), InWaveFronts(Lossless(plain)),
                                         ByPixels(plain, 0), ByPixels(plain, 1),
                                         ByPixels(plain, 255)};
      for (FileHeader& header : headers)  // as in all files of version 7
        header.may_be_jpeg = header.coder == Coder::kPixels && VersionOf(header) == 7;
      for (const int code : {0, 1, 0x5c, 0xff}) {
        plain.parameters.redundancy_threshold = DecodeThreshold(static_cast<uint8_t>(code));
        headers.push_back(plain);
        headers.push_back(InWaveFronts(plain));
        if (preset == Preset::kThesis) continue;  // it has no trained patterns
        headers.push_back(Trained(plain, static_cast<uint8_t>(code)));
        headers.push_back(InWaveFronts(headers.back()));
      }
      for (size_t i = 0, of_8_bits = headers.size(); i < of_8_bits; ++i) {
        for (const int depth : {1, 4, 7})
          if (headers[i].max_error <= LargestSample(depth))
            headers.push_back(OfDepth(headers[i], depth));
      }
      for (size_t i = 0; i < headers.size(); ++i) {
        SCOPED_TRACE(testing::Message() << PresetName(preset) << ", " << side << ", " << i);
        ASSERT_TRUE(FitsSmallFile(headers[i]));
        const std::vector<uint8_t> bytes = SmallBytes(headers[i]);
        EXPECT_LE(bytes.size(), headers[i].depth < 8 || preset == Preset::kQuick ? 9u : 8u);
        ByteReader reader(bytes);
        const Result<HeaderRead> read = ReadHeader(reader);
        ASSERT_TRUE(read.ok()) << read.status().message();
        EXPECT_TRUE(read->is_small);
        EXPECT_EQ(read->header, headers[i]);
        EXPECT_EQ(reader.position(), bytes.size());
      }
    }
  }
}

TEST(SmallHeaderTest, WhatDoesNotFitIsKnown) {
  const FileHeader fits = Trained(SmallHeader(512, 512), 0x5c);
  ASSERT_TRUE(FitsSmallFile(fits));
  const auto changed = [&fits](auto change) {
    FileHeader header = fits;
    change(header);
    return FitsSmallFile(header);
  };
  EXPECT_FALSE(FitsSmallFile(Trained(SmallHeader(kMaxSmallSide + 1, 1), 0x5c)));
  EXPECT_FALSE(FitsSmallFile(Trained(SmallHeader(1, kMaxSmallSide + 1), 0x5c)));
  EXPECT_FALSE(changed([](FileHeader& h) { h = OfDepth(h, 10); }));
  EXPECT_FALSE(changed([](FileHeader& h) { h.depth = 7; }));  // in the range of 8 bits
  EXPECT_TRUE(changed([](FileHeader& h) { h = OfDepth(h, 7); }));
  EXPECT_FALSE(changed([](FileHeader& h) { h.tile_width = 256; }));
  EXPECT_FALSE(changed([](FileHeader& h) { h.range.high = 254; }));
  EXPECT_FALSE(changed([](FileHeader& h) { h.lossless = true; }));  // with a threshold
  EXPECT_FALSE(changed([](FileHeader& h) { ++h.parameters.pattern_scale; }));
  EXPECT_FALSE(changed([](FileHeader& h) { ++h.parameters.dictionary_size; }));
  EXPECT_FALSE(changed([](FileHeader& h) { h.parameters.tools &= ~uint32_t{kWiener}; }));
  EXPECT_FALSE(changed([](FileHeader& h) { h.parameters.tools |= kOwnDictionary; }));
  EXPECT_FALSE(changed([](FileHeader& h) { h.parameters.modes = kAllModes; }));
}

TEST(SmallHeaderTest, ImpossibleOnesAreRefused) {
  const std::vector<uint8_t> good = SmallBytes(Trained(SmallHeader(3, 2), 0x5c));
  ASSERT_EQ(CodeOf(good), StatusCode::kOk);
  // Of few bits: the byte behind the sides has a preset that is not known, or, in version 6, 8
  // bits.
  const std::vector<uint8_t> shallow = SmallBytes(OfDepth(Trained(SmallHeader(3, 2), 0x5c), 3));
  ASSERT_EQ(CodeOf(shallow), StatusCode::kOk);
  for (const int version : {6, 7}) {
    for (int value = 0; value < 256; ++value) {
      std::vector<uint8_t> bytes = shallow;
      bytes[3] = static_cast<uint8_t>((bytes[3] & 0xf0) | version);
      bytes[7] = static_cast<uint8_t>(value);
      const bool is_known = version == 6 ? value / 8 <= 2 && value % 8 < 7 : value / 8 <= 3;
      EXPECT_EQ(CodeOf(bytes), is_known ? StatusCode::kOk : StatusCode::kUnsupported)
          << version << ", " << value;
    }
  }
  for (size_t size = 0; size < shallow.size(); ++size)
    EXPECT_EQ(CodeOf({shallow.begin(), shallow.begin() + static_cast<ptrdiff_t>(size)}),
              StatusCode::kCorrupt);
  std::vector<uint8_t> error = SmallBytes(ByPixels(SmallHeader(3, 2), 1));
  error.back() = 0;  // but not lossless
  EXPECT_EQ(CodeOf(error), StatusCode::kCorrupt);
  error = SmallBytes(OfDepth(ByPixels(SmallHeader(3, 2), 1), 3));
  error.back() = 8;  // of at most 7
  EXPECT_EQ(CodeOf(error), StatusCode::kCorrupt);
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_EQ(CodeOf({good.begin(), good.begin() + static_cast<ptrdiff_t>(size)}),
              StatusCode::kCorrupt);
}

// A file says the first version that has all it needs.
TEST(HeaderTest, TheVersionFollowsFromPresetAndTools) {
  for (const Preset preset : {Preset::kThesis, Preset::kQuick, Preset::kFast, Preset::kBest}) {
    for (const uint32_t later : {0u, uint32_t{kTwoNetworks}, uint32_t{kNeighbourModes},
                                 uint32_t{kNeighbourIndices}, uint32_t{kLevelMaps}}) {
      FileHeader header = SmallHeader(3, 2, preset);
      header.parameters.tools &= kToolsOfVersion6;
      header.parameters.tools |= later;
      std::vector<uint8_t> bytes;
      WriteHeader(header, bytes);
      EXPECT_EQ(bytes[3], later != 0 || preset == Preset::kQuick ? 7 : 6)
          << "is the specification's another, too?";
      ByteReader reader(bytes);
      const Result<HeaderRead> read = ReadHeader(reader);
      ASSERT_TRUE(read.ok()) << read.status().message();
      EXPECT_EQ(read->version, bytes[3]);
      EXPECT_EQ(read->header.parameters.tools, header.parameters.tools);
      EXPECT_EQ(read->header, header);
    }
  }
}

// Preset best is short in both versions, which have other tools.
TEST(HeaderTest, PresetBestIsThatOfItsVersion) {
  const std::vector<uint8_t> later = SmallBytes(Trained(SmallHeader(3, 2), 0x5c));
  ASSERT_EQ(later[3] & 15, 7);
  std::vector<uint8_t> earlier = later;
  earlier[3] ^= 6 ^ 7;
  ByteReader reader(earlier);
  const Result<HeaderRead> read = ReadHeader(reader);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->version, 6);
  EXPECT_EQ(read->header.parameters.tools, 0x7d);
  EXPECT_EQ(SmallBytes(read->header), earlier);
}

TEST(HeaderTest, ToolsOfLaterVersionsAreRefused) {
  FileHeader header = Trained(SmallHeader(3, 2), 0x5c);
  header.parameters.dictionary_size = 500;
  std::vector<uint8_t> bytes;
  WriteHeader(header, bytes);
  ASSERT_EQ(bytes[3], 7);
  ASSERT_EQ(CodeOf(bytes), StatusCode::kOk);
  bytes[3] = 6;
  EXPECT_EQ(CodeOf(bytes), StatusCode::kUnsupported);
}

// The version is known whatever else the byte says.
TEST(HeaderTest, VersionsAreNamed) {
  for (int version = 0; version < 16; ++version) {
    for (int rest = 0; rest < 16; ++rest) {
      std::vector<uint8_t> bytes = SmallBytes(Trained(SmallHeader(3, 2), 0x5c));
      bytes[3] = static_cast<uint8_t>(version | rest << 4);
      if (version >= kFirstFormatVersion && version <= kFormatVersion) continue;
      ByteReader reader(bytes);
      const Status status = ReadHeader(reader).status();
      EXPECT_EQ(status.code(), StatusCode::kUnsupported);
      EXPECT_NE(status.message().find("format version " + std::to_string(version) + ","),
                std::string::npos)
          << status.message();
    }
  }
}

// Only a small file has a kind.
TEST(HeaderTest, ReservedBitsAreRefused) {
  std::vector<uint8_t> bytes;
  WriteHeader(Trained(SmallHeader(3, 2), 0x5c), bytes);
  ASSERT_EQ(CodeOf(bytes), StatusCode::kOk);
  for (const uint8_t bit : {0x20, 0x40, 0x80}) {
    std::vector<uint8_t> changed = bytes;
    changed[3] |= bit;
    EXPECT_EQ(CodeOf(changed), StatusCode::kUnsupported);
  }
}

}  // namespace
}  // namespace mmp
