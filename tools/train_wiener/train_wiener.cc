// Trains the weights of the Wiener filter: mmp_train_wiener OUT.inc IMAGE...
// Each image is coded without the filter at each strength's multiplier; the weights of a class are
// those that bring its pixels nearest to the originals, in least squares.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "codec/base/parameters.h"
#include "codec/postfilter/wiener_filter.h"
#include "common/file_io.h"
#include "common/image_files/image_io.h"
#include "mmp/mmp.h"

namespace mmp {
namespace {

constexpr double kRidge = 50;
constexpr int kWeightLimit = 511;

// The normal equations of a class: sums over its pixels.
struct Equations {
  double matrix[kWienerTerms][kWienerTerms] = {};
  double right[kWienerTerms] = {};

  void Add(const int16_t* terms, int error) {
    for (int a = 0; a < kWienerTerms; ++a) {
      for (int b = 0; b < kWienerTerms; ++b) matrix[a][b] += terms[a] * terms[b];
      right[a] += terms[a] * error;
    }
  }

  // The weights, by Gaussian elimination.
  std::vector<int> Solve() const {
    Equations e = *this;
    std::vector<double> weights(kWienerTerms);
    for (int r = 0; r < kWienerTerms; ++r) {
      e.matrix[r][r] += kRidge;
      for (int below = r + 1; below < kWienerTerms; ++below) {
        const double factor = e.matrix[below][r] / e.matrix[r][r];
        for (int c = r; c < kWienerTerms; ++c) e.matrix[below][c] -= factor * e.matrix[r][c];
        e.right[below] -= factor * e.right[r];
      }
    }
    std::vector<int> quantised(kWienerTerms);
    for (int r = kWienerTerms - 1; r >= 0; --r) {
      double value = e.right[r];
      for (int c = r + 1; c < kWienerTerms; ++c) value -= e.matrix[r][c] * weights[c];
      weights[r] = value / e.matrix[r][r];
      quantised[r] =
          std::clamp(static_cast<int>(std::lround(weights[r] * (1 << kWienerWeightShift))),
                     -kWeightLimit, kWeightLimit);
    }
    return quantised;
  }
};

// Adds the pixels of an image, coded as for `strength`.
Status AddImage(const Image& image, int strength, std::vector<Equations>& classes) {
  EncodeOptions options;
  options.preset = Preset::kBest;
  options.tools =
      kAllTools & ~(kWiener | kFilterNetwork | kJpegLattice | kLevelMaps | kExactBlocks);
  const int root = kWienerLimits[strength - 1];
  options.lambda = root * root;
  Result<std::vector<uint8_t>> file = Encode(image.View(), options);
  if (!file.ok()) return file.status();
  Result<DecodedImage> decoded = Decode(*file);
  if (!decoded.ok()) return decoded.status();
  const int width = image.width(), height = image.height();
  std::vector<uint8_t> plane;
  for (int y = 0; y < height; ++y)
    plane.insert(plane.end(), decoded->image.Row(y), decoded->image.Row(y) + width);
  const WienerFilter filter(plane, width, height);
  int16_t terms[kWienerTerms];
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int which = filter.Terms(y, x, strength, terms);
      classes[which].Add(terms, image.Row(y)[x] - decoded->image.Row(y)[x]);
    }
  }
  return {};
}

Result<std::string> Train(const std::vector<Image>& images) {
  std::string text;
  for (int strength = 1; strength <= kWienerStrengths; ++strength) {
    std::vector<Equations> classes(kWienerClasses);
    for (const Image& image : images) MMP_RETURN_IF_ERROR(AddImage(image, strength, classes));
    text += "{{\n";
    for (const Equations& equations : classes) {
      text += "{{";
      for (const int weight : equations.Solve()) text += std::to_string(weight) + ",";
      text.back() = '}';
      text += "},\n";
    }
    text += "}},\n";
  }
  return text;
}

int Main(int count, char** arguments) {
  if (count < 3) {
    std::fprintf(stderr, "usage: mmp_train_wiener OUT.inc IMAGE...\n");
    return 2;
  }
  std::vector<Image> images;
  for (int k = 2; k < count; ++k) {
    Result<LoadedImage> loaded = ReadImage(arguments[k], {});
    if (!loaded.ok()) {
      std::fprintf(stderr, "%s: %s\n", arguments[k], loaded.status().message().c_str());
      return 1;
    }
    images.push_back(std::move(loaded->image));
  }
  const Result<std::string> text = Train(images);
  const Status status =
      text.ok()
          ? WriteFile(arguments[1], {reinterpret_cast<const uint8_t*>(text->data()), text->size()})
          : text.status();
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace mmp

int main(int count, char** arguments) { return mmp::Main(count, arguments); }
