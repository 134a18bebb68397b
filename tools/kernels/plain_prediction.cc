#include "tools/kernels/plain_prediction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace mmp::kernels {
namespace {

constexpr int kMostNeighbours = 10;
using Values = std::array<int, kMostNeighbours>;
using Weights = std::array<int, kMostNeighbours>;

// The neighbours of pixel (y, x): W, N, NW, NE, WW, NN, NWW, NNW, NNE, NEE.
Values NeighboursOf(const Canvas& canvas, int y, int x) {
  Values v{};
  auto value = [&](int row, int column, int otherwise) {
    return canvas.Available(row, column) ? canvas.Pixel(row, column) : otherwise;
  };
  v[0] = canvas.Pixel(y, x - 1);
  v[1] = canvas.Pixel(y - 1, x);
  v[2] = canvas.Pixel(y - 1, x - 1);
  v[3] = value(y - 1, x + 1, v[1]);
  v[4] = value(y, x - 2, v[0]);
  v[5] = value(y - 2, x, v[1]);
  v[6] = value(y - 1, x - 2, v[2]);
  v[7] = value(y - 2, x - 1, v[2]);
  v[8] = value(y - 2, x + 1, v[5]);
  v[9] = value(y - 1, x + 2, v[3]);
  return v;
}

// A w = B for so many weights. The sums are integers, which doubles are exact for.
class Equations {
 public:
  explicit Equations(int count) : count_(count) {}

  // The sample at (y, x), if it is one, times `times`.
  void AddSample(const Canvas& canvas, int y, int x, int times) {
    if (!canvas.Available(y, x) || !canvas.Available(y, x - 1) || !canvas.Available(y - 1, x) ||
        !canvas.Available(y - 1, x - 1))
      return;
    const Values v = NeighboursOf(canvas, y, x);
    for (int r = 0; r < count_; ++r) {
      for (int c = 0; c < count_; ++c) a_[r][c] += times * v[r] * v[c];
      b_[r] += times * v[r] * canvas.Pixel(y, x);
    }
  }

  // Draws the weights to the default ones, so strongly.
  void AddRidge(int ridge) {
    constexpr int kDefault[kMostNeighbours] = {10, 10, -5, 1};  // in sixteenths
    const int sixteenth = ridge / 16;
    for (int r = 0; r < count_; ++r) {
      a_[r][r] += ridge;
      b_[r] += sixteenth * kDefault[r];
    }
  }

  Weights Solve() {
    std::array<double, kMostNeighbours> inverse{}, w{};
    for (int r = 0; r < count_; ++r) {
      for (int k = 0; k < r; ++k) {
        const double s = a_[k][r] * inverse[k];
        for (int c = r; c < count_; ++c) a_[r][c] = a_[r][c] - s * a_[k][c];
        b_[r] = b_[r] - s * b_[k];
      }
      inverse[r] = 1.0 / a_[r][r];
    }
    Weights quantised{};
    for (int r = count_ - 1; r >= 0; --r) {
      double v = b_[r];
      for (int c = r + 1; c < count_; ++c) v = v - a_[r][c] * w[c];
      w[r] = v * inverse[r];
      quantised[r] =
          static_cast<int>(std::nearbyint(std::clamp(w[r] * 16384.0, -131072.0, 131072.0)));
    }
    return quantised;
  }

 private:
  const int count_;
  std::array<std::array<double, kMostNeighbours>, kMostNeighbours> a_{};
  std::array<double, kMostNeighbours> b_{};
};

// Predicts in raster order, each pixel being there for those after it. weights_of(i, j): those of
// pixel (i, j) of the block.
template <typename WeightsFn>
void PredictByWeights(const Canvas& canvas, BlockRect rect, WeightsFn weights_of,
                      uint8_t* prediction) {
  std::vector<int> border;
  for (int j = -1; j < rect.width(); ++j) border.push_back(canvas.Pixel(rect.y - 1, rect.x + j));
  for (int i = 0; i < rect.height(); ++i) border.push_back(canvas.Pixel(rect.y + i, rect.x - 1));
  if (canvas.Available(rect.y - 1, rect.x + rect.width()))
    border.push_back(canvas.Pixel(rect.y - 1, rect.x + rect.width()));
  const auto [low, high] = std::minmax_element(border.begin(), border.end());
  Canvas so_far = canvas;
  for (int i = 0; i < rect.height(); ++i) {
    for (int j = 0; j < rect.width(); ++j) {
      const Values v = NeighboursOf(so_far, rect.y + i, rect.x + j);
      const Weights q = weights_of(i, j);
      int sum = 8192;
      for (int k = 0; k < kMostNeighbours; ++k) sum += q[k] * v[k];
      const int index = Canvas::Index(rect.y + i, rect.x + j);
      so_far.pixels[index] = static_cast<uint8_t>(std::clamp(sum >> 14, *low, *high));
      so_far.available[index] = 1;
      prediction[i * rect.width() + j] = so_far.pixels[index];
    }
  }
}

struct Match {
  int cost, y, x;
};

int TemplateDifference(const Canvas& canvas, BlockRect rect, int y, int x) {
  int cost = 0;
  for (int i = -2; i < rect.height(); ++i) {
    for (int j = -2; j < rect.width(); ++j) {
      if (i >= 0 && j >= 0) continue;
      const int d = canvas.Pixel(rect.y + i, rect.x + j) - canvas.Pixel(y + i, x + j);
      cost += d * d;
    }
  }
  return cost;
}

// The best four, or all if there are fewer.
std::vector<Match> BestMatches(const Canvas& canvas, BlockRect rect) {
  const int h = rect.height(), w = rect.width();
  std::vector<Match> matches;
  for (int y = rect.y - 24; y + h <= kMacroblockSize; ++y)
    for (int x = rect.x - 24; x <= rect.x + 7; ++x)
      if (canvas.Available(y - 2, x - 2) && canvas.Available(y + h - 1, x + w - 1))
        matches.push_back({TemplateDifference(canvas, rect, y, x), y, x});
  std::stable_sort(matches.begin(), matches.end(),
                   [](const Match& a, const Match& b) { return a.cost < b.cost; });
  if (matches.size() > 4) matches.resize(4);
  return matches;
}

}  // namespace

void PlainLsp(const Canvas& canvas, BlockRect rect, uint8_t* prediction) {
  auto weights_of = [&](int i, int j) {
    Equations equations(6);
    for (int y = rect.y - 6; y < rect.y; ++y)
      for (int x = rect.x + j - 6; x <= rect.x + j + 6; ++x) equations.AddSample(canvas, y, x, 1);
    for (int y = rect.y + std::max(0, i - 6); y <= rect.y + i + 6 && y < kMacroblockSize; ++y)
      for (int x = rect.x - 6; x < rect.x; ++x) equations.AddSample(canvas, y, x, 1);
    equations.AddRidge(512);
    return equations.Solve();
  };
  PredictByWeights(canvas, rect, weights_of, prediction);
}

void PlainBlockLsp(const Canvas& canvas, BlockRect rect, uint8_t* prediction) {
  const int h = rect.height(), w = rect.width();
  Equations equations(10);
  for (int i = -8; i < h + 6 && rect.y + i < kMacroblockSize; ++i) {
    for (int j = -8; j < (i < 0 ? w + 8 : 0); ++j) {
      const int distance = std::max({-i, i - h + 1, -j, j - w + 1});
      const int times = distance == 1 ? 8 : distance == 2 ? 4 : distance <= 4 ? 2 : 1;
      equations.AddSample(canvas, rect.y + i, rect.x + j, times);
    }
  }
  equations.AddRidge(2048);
  const Weights weights = equations.Solve();
  PredictByWeights(
      canvas, rect, [&](int, int) { return weights; }, prediction);
}

void PlainTemplate(const Canvas& canvas, BlockRect rect, uint8_t* prediction) {
  const int n = 2 * (rect.height() + rect.width() + 2);
  const std::vector<Match> matches = BestMatches(canvas, rect);
  std::array<int, 4> ratios{}, weights{};
  int sum = 0;
  for (size_t k = 0; k < matches.size(); ++k) {
    ratios[k] = 256 * (matches[0].cost + n) / (matches[k].cost + n);
    sum += ratios[k] * ratios[k];
  }
  weights[0] = 4096;
  for (size_t k = 1; k < matches.size(); ++k) {
    weights[k] = (ratios[k] * ratios[k] << 12) / sum;
    weights[0] -= weights[k];
  }
  for (int i = 0; i < rect.height(); ++i) {
    for (int j = 0; j < rect.width(); ++j) {
      int value = 2048;
      for (size_t k = 0; k < matches.size(); ++k)
        value += weights[k] * canvas.Pixel(matches[k].y + i, matches[k].x + j);
      prediction[i * rect.width() + j] = static_cast<uint8_t>(matches.empty() ? 128 : value >> 12);
    }
  }
}

}  // namespace mmp::kernels
