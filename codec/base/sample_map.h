// What the patterns' samples of 8 bits stand for in an image of another depth.
#ifndef MMP_CODEC_BASE_SAMPLE_MAP_H_
#define MMP_CODEC_BASE_SAMPLE_MAP_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "mmp/image.h"

namespace mmp {

inline constexpr int kStepRuns = 8;
inline constexpr int kRunSteps = 256 / kStepRuns;  // the last run has one step less
inline constexpr int kMostStepCode = 127;

// The size of a step that a code stands for, in proportion to others: about 8 * 2^(code / 8).
constexpr uint64_t StepSize(int code) { return static_cast<uint64_t>(8 + code % 8) << (code / 8); }

// The image's samples are in [low, high]; coded ones are 0 for low, 255 for high. The steps between
// are in runs of kRunSteps of the same size; the last run has one less.
struct SampleRange {
  int low = 0;
  int high = 255;
  std::array<uint8_t, kStepRuns> steps{};  // codes of their sizes, each at most kMostStepCode

  // Whether all steps are alike.
  bool IsEven() const { return std::count(steps.begin(), steps.end(), steps[0]) == kStepRuns; }
  friend bool operator==(const SampleRange&, const SampleRange&) = default;
};

// Both ways between coded samples and those of the image. Normative: docs/format.md, "Depth".
class SampleMap {
 public:
  SampleMap(int depth, SampleRange range);

  // Whether coded samples are the image's.
  bool IsIdentity() const { return depth_ == 8 && range_ == SampleRange{}; }

  uint16_t Expanded(uint8_t coded) const { return expanded_[coded]; }
  // The coded sample nearest to one of the image in the range.
  uint8_t Coded(int sample) const;

  // Twice the step between the samples of coded ones about this one; at least 2.
  int TwoSteps(int coded) const;

  // A row of the image from one of `count` coded samples.
  void Expand(const uint8_t* coded, int count, uint8_t* row) const {
    if (SampleBytes(depth_) == 2) {
      uint16_t* wide = reinterpret_cast<uint16_t*>(row);
      for (int x = 0; x < count; ++x) wide[x] = expanded_[coded[x]];
    } else {
      for (int x = 0; x < count; ++x) row[x] = static_cast<uint8_t>(expanded_[coded[x]]);
    }
  }

 private:
  int depth_;
  SampleRange range_;
  std::array<uint16_t, 256> expanded_;
};

// counts[v] = how many samples are v; 2^depth of them.
std::vector<uint64_t> CountSamples(const ImageView& image);

// The least range that holds all samples.
SampleRange RangeOf(const ImageView& image);

// The mean of the squares of the steps between the coded samples that the image's samples have,
// those below 1 taken for 1: what a squared error of 1 in coded samples is in the image's.
double MeanSquaredStep(const ImageView& image, SampleRange range);

// The coded samples of an image whose samples are in the map's range.
Image CodedImage(const ImageView& image, const SampleMap& map);

// CRC-32C of a row of `width` samples, those of two bytes least significant byte first, continued
// from that of the rows before.
uint32_t RowCrc(const uint8_t* row, int width, int depth, uint32_t crc);

}  // namespace mmp

#endif  // MMP_CODEC_BASE_SAMPLE_MAP_H_
