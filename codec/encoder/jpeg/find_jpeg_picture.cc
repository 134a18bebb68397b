#include "codec/encoder/jpeg/find_jpeg_picture.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <vector>

#include "codec/base/cosine_transform.h"
#include "codec/encoder/jpeg/jpeg_steps.h"

namespace mmp {
namespace {

// The samples of a block that are in the image, less 128; the others are those nearest to them.
struct BlockSamples {
  CosineBlock samples;
  std::array<bool, kCosinePixels> is_inside;
  bool is_whole;
};

BlockSamples SamplesOf(const ImageView& image, int top, int left) {
  BlockSamples block;
  block.is_whole = top >= 0 && left >= 0 && top + kCosineSide <= image.height &&
                   left + kCosineSide <= image.width;
  for (int i = 0; i < kCosinePixels; ++i) {
    const int y = top + i / kCosineSide, x = left + i % kCosineSide;
    const int row = std::clamp(y, 0, image.height - 1), column = std::clamp(x, 0, image.width - 1);
    block.samples[i] = image.Row(row)[column] - 128;
    block.is_inside[i] = row == y && column == x;
  }
  return block;
}

// Steps in JPEG's order from the whole blocks of the picture, of at most 16384.
void FindSteps(const ImageView& image, JpegPicture& picture) {
  constexpr size_t kMostBlocks = 16384;
  std::vector<std::array<int16_t, kCosinePixels>> blocks;
  const size_t count = picture.blocks.size(), looked_at = std::min(count, kMostBlocks);
  for (size_t i = 0; i < looked_at; ++i) {
    const size_t at = i * count / looked_at;
    const int top = picture.top() + static_cast<int>(at / picture.across) * kCosineSide;
    const int left = picture.left() + static_cast<int>(at % picture.across) * kCosineSide;
    const BlockSamples block = SamplesOf(image, top, left);
    if (!block.is_whole) continue;
    const CosineBlock coefficients = ForwardCosines(block.samples);
    std::ranges::transform(coefficients, blocks.emplace_back().begin(), InShort);
  }
  std::array<int, kCosinePixels> found;  // in JPEG's order
  std::array<std::vector<int16_t>, kCosinePixels> coefficients;
  for (int i = 0; i < kCosinePixels; ++i) {
    for (const auto& block : blocks) coefficients[i].push_back(block[kJpegOrder[i]]);
    found[i] = FindJpegStep(coefficients[i]);
  }
  int most = -1;  // that are told from a quality
  for (int quality = kBestJpegQuality; quality > 0; --quality) {
    int told = 0;
    for (int i = 0; i < kCosinePixels; ++i)
      told += found[i] > 0 && found[i] == ToldJpegStep(quality, i, 0);
    if (told > most) most = told, picture.quality = quality;
  }
  // What is not known is told, and what was found among few, if they are multiples of that, too.
  for (int i = 0; i < kCosinePixels; ++i) {
    const int told = ToldJpegStep(picture.quality, i, 0);
    const bool is_told =
        found[i] == 0 || (2 * told > found[i] && CountOffStep(coefficients[i], told) <=
                                                     CountOffStep(coefficients[i], found[i]));
    picture.steps[kJpegOrder[i]] = static_cast<uint8_t>(is_told ? told : found[i]);
  }
}

// The multiples of a block. What is limited to black or white, or not known, may be any sample
// beyond; so these are taken from what the multiples decode to, and all is done again.
void FindMultiples(const BlockSamples& given, const JpegSteps& steps, JpegMultiples& best) {
  constexpr int kMostRounds = 16;
  CosineBlock samples = given.samples;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int round = 0; round < kMostRounds; ++round) {
    const CosineBlock coefficients = ForwardCosines(samples);
    JpegMultiples multiples;
    for (int i = 0; i < kCosinePixels; ++i) {
      const int unit = steps[i] << kCosineFraction, size = std::abs(coefficients[i]);
      const int multiple = std::min((2 * size + unit) / (2 * unit), kMostJpegMultiple);
      multiples[i] = static_cast<int16_t>(coefficients[i] < 0 ? -multiple : multiple);
    }
    const JpegBlock decoded = DecodeJpegBlock(multiples, steps);
    int64_t error = 0;
    for (int i = 0; i < kCosinePixels; ++i) {
      const int sample = given.samples[i] + 128;
      if (!given.is_inside[i]) {
        samples[i] = std::clamp(decoded[i] - 128, -255, 255);
        continue;
      }
      const int difference = sample - std::clamp(decoded[i], 0, 255);
      error += int64_t{difference} * difference;
      const bool is_beyond = (sample == 0 && decoded[i] < 0) || (sample == 255 && decoded[i] > 255);
      samples[i] = is_beyond ? std::clamp(decoded[i] - 128, -255, 255) : given.samples[i];
    }
    if (error < least) least = error, best = multiples;
    if (error == 0) return;
  }
}

}  // namespace

JpegPicture FindJpegPicture(const ImageView& image, JpegGrid grid) {
  JpegPicture picture(image.width, image.height, grid);
  FindSteps(image, picture);
  for (size_t i = 0; i < picture.blocks.size(); ++i) {
    const int top = picture.top() + static_cast<int>(i / picture.across) * kCosineSide;
    const int left = picture.left() + static_cast<int>(i % picture.across) * kCosineSide;
    FindMultiples(SamplesOf(image, top, left), picture.steps, picture.blocks[i]);
  }
  return picture;
}

JpegErrors ErrorsOf(const JpegPicture& picture, const ImageView& image) {
  std::array<int64_t, 3> counts{};
  int64_t samples = 0;
  for (size_t i = 0; i < picture.blocks.size(); ++i) {
    const int top = picture.top() + static_cast<int>(i / picture.across) * kCosineSide;
    const int left = picture.left() + static_cast<int>(i % picture.across) * kCosineSide;
    const BlockSamples block = SamplesOf(image, top, left);
    if (!block.is_whole) continue;
    const JpegBlock decoded = DecodeJpegBlock(picture.blocks[i], picture.steps);
    for (int k = 0; k < kCosinePixels; ++k) {
      const int error = std::abs(block.samples[k] + 128 - std::clamp(decoded[k], 0, 255));
      for (int limit = 0; limit < 3; ++limit) counts[limit] += error > limit;
    }
    samples += kCosinePixels;
  }
  JpegErrors errors = {};
  for (int limit = 0; limit < 3; ++limit)
    errors.share[limit] =
        samples > 0 ? static_cast<double>(counts[limit]) / static_cast<double>(samples) : 1.0;
  return errors;
}

}  // namespace mmp
