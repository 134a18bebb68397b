#include "codec/tile/mode_model.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "codec/base/parameters.h"
#include "codec/bitstream/range_coder.h"
#include "tests/support/pictures.h"

namespace mmp {
namespace {

TEST(ModeMapTest, HasTheModesLeftAndAbove) {
  ModeMap map(32, 32);
  EXPECT_EQ(map.Of(0, 0).left, ModeNeighbours::kNone);
  EXPECT_EQ(map.Of(0, 0).above, ModeNeighbours::kNone);
  map.Add(0, 0, kMacroblockLevel, 5);
  EXPECT_EQ(map.Of(0, 16).left, 5);
  EXPECT_EQ(map.Of(0, 16).above, ModeNeighbours::kNone);
  map.Add(0, 16, kMacroblockLevel, 7);
  EXPECT_EQ(map.Of(16, 8).above, 5);
  EXPECT_EQ(map.Of(16, 16).above, 7);
  EXPECT_EQ(map.Of(16, 16).left, ModeNeighbours::kNone);
  map.Restart(16, 16);
  EXPECT_EQ(map.Of(0, 0).left, ModeNeighbours::kNone);
  EXPECT_EQ(map.Of(0, 0).above, ModeNeighbours::kNone);
}

struct CodedMode {
  int mode;
  ModeNeighbours neighbours;
  uint32_t allowed;
};

// Modes that are often that of the left neighbour.
std::vector<CodedMode> RandomModes(int count) {
  Random random(5);
  std::vector<CodedMode> modes;
  for (int k = 0; k < count; ++k) {
    CodedMode coded{};
    coded.allowed = 0x7fffffff & (random.Bits() | 0x405);
    const auto any = [&] {
      int mode = random.Below(kPredictionModes);
      while ((coded.allowed >> mode & 1) == 0) mode = random.Below(kPredictionModes);
      return mode;
    };
    coded.neighbours = {static_cast<uint8_t>(random.Below(kPredictionModes + 1)),
                        static_cast<uint8_t>(random.Below(kPredictionModes + 1))};
    const bool is_left = coded.neighbours.left < kPredictionModes && random.Below(4) > 0 &&
                         (coded.allowed >> coded.neighbours.left & 1) != 0;
    coded.mode = is_left ? coded.neighbours.left : any();
    modes.push_back(coded);
  }
  return modes;
}

TEST(ModeModelTest, DecodesWhatItEncodes) {
  for (const bool has_neighbours : {false, true}) {
    const std::vector<CodedMode> modes = RandomModes(5000);
    RangeEncoder encoder;
    ModeModel writer(kPredictionModes, has_neighbours);
    ModeModel::Mixer writer_mixer;
    for (const CodedMode& coded : modes) {
      encoder.Encode(writer.Encode(writer_mixer, coded.mode, coded.neighbours, coded.allowed));
      writer.Count(coded.mode);
    }
    const std::vector<uint8_t> stream = encoder.Finish();
    RangeDecoder decoder(stream);
    ModeModel reader(kPredictionModes, has_neighbours);
    ModeModel::Mixer reader_mixer;
    for (const CodedMode& coded : modes) {
      ASSERT_EQ(reader.Decode(decoder, reader_mixer, coded.neighbours, coded.allowed), coded.mode);
      reader.Count(coded.mode);
    }
  }
}

}  // namespace
}  // namespace mmp
