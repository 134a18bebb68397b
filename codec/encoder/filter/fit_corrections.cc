#include "codec/encoder/filter/fit_corrections.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <iterator>
#include <utility>
#include <vector>

#include "codec/encoder/filter/correction_equations.h"
#include "codec/encoder/filter/filter_symbols.h"
#include "codec/tile/filter_coder.h"

namespace mmp {
namespace {

using Vector = std::array<double, kWienerTerms>;

// Weights are in 1/256, errors that are weighted sums, too; so squared errors are 2^16 times those
// of pixels.
constexpr double kErrorUnit = 65536;
constexpr int kMostCorrection = (1 << kCorrectionBits) - 1;

// Of a class. All sums of a tile of 2^30 pixels are below 2^62.
CorrectionEquations EquationsOf(const ClassSums& sums, WienerBase base, int strength, int which) {
  CorrectionEquations equations;
  for (int a = 0; a < kWienerTerms; ++a) {
    int64_t right = sums.products[TermProduct(a, kWienerTerms)] << kWienerWeightShift;
    for (int b = 0; b < kWienerTerms; ++b) {
      const int64_t product = sums.products[TermProduct(std::min(a, b), std::max(a, b))];
      equations.matrix[a][b] = static_cast<double>(product);
      // What the base leaves of the error.
      right -= product * BaseWeight(base, strength, which, b);
    }
    equations.right[a] = static_cast<double>(right);
  }
  return equations;
}

struct Solution {
  Vector weights;
  double gain;  // by how much it lowers the squared error
};

// By elimination without pivots.
Solution Solve(const CorrectionEquations& equations) {
  std::array<Vector, kWienerTerms> matrix;  // from the diagonal on
  Vector right;
  for (int r = 0; r < kWienerTerms; ++r) {
    std::copy(equations.matrix[r] + r, std::end(equations.matrix[r]), &matrix[r][r]);
    matrix[r][r] += CorrectionRidge(matrix[r][r]);
    right[r] = equations.right[r];
  }
  for (int r = 0; r < kWienerTerms; ++r) {
    const double inverse = 1 / matrix[r][r];
    for (int below = r + 1; below < kWienerTerms; ++below) {
      const double factor = matrix[r][below] * inverse;
      for (int c = below; c < kWienerTerms; ++c) matrix[below][c] -= factor * matrix[r][c];
      right[below] -= factor * right[r];
    }
  }
  Solution solution{.weights = {}, .gain = 0};
  for (int r = kWienerTerms - 1; r >= 0; --r) {
    double value = right[r];
    for (int c = r + 1; c < kWienerTerms; ++c) value -= matrix[r][c] * solution.weights[c];
    solution.weights[r] = value / matrix[r][r];
  }
  for (int r = 0; r < kWienerTerms; ++r) solution.gain += solution.weights[r] * equations.right[r];
  return solution;
}

int Round(double value) {
  const double limited = std::clamp<double>(value, -kMostCorrection, kMostCorrection);
  return static_cast<int>(limited < 0 ? limited - 0.5 : limited + 0.5);
}

// About the bits of a correction.
double CorrectionBits(int correction) {
  const int bits = std::bit_width(static_cast<uint32_t>(std::abs(correction)));
  return bits == 0 ? 1.25 : 1.625 + 1.625 * bits;
}

// Corrections of a set in whole steps.
class QuantisedSet {
 public:
  QuantisedSet(const CorrectionEquations& equations, const Solution& solution, int step,
               double bit_cost)
      : equations_(equations), unit_(1 << step), bit_cost_(bit_cost) {
    for (int k = 0; k < kWienerTerms; ++k)
      set_[k] = static_cast<int16_t>(Round(solution.weights[k] / unit_));
    for (int k = 0; k < kWienerTerms; ++k) {
      slopes_[k] = equations.right[k];
      for (int c = 0; c < kWienerTerms; ++c)
        slopes_[k] -= equations.matrix[k][c] * (set_[c] * unit_);
    }
    constexpr int kRounds = 6;
    for (int round = 0; round < kRounds; ++round)
      if (!ImproveEach()) break;
  }

  const WienerCorrections::Set& set() const { return set_; }
  // By how much it lowers the squared error.
  double Gain() const {
    double gain = 0;
    for (int k = 0; k < kWienerTerms; ++k)
      gain += set_[k] * unit_ * (equations_.right[k] + slopes_[k]);
    return gain;
  }

 private:
  // Makes each correction the best beside the others; whether one has changed.
  bool ImproveEach() {
    bool has_changed = false;
    for (int k = 0; k < kWienerTerms; ++k) {
      const int better = Better(k);
      if (better == set_[k]) continue;
      const double change = (better - set_[k]) * unit_;
      for (int c = 0; c < kWienerTerms; ++c) slopes_[c] -= equations_.matrix[c][k] * change;
      set_[k] = static_cast<int16_t>(better);
      has_changed = true;
    }
    return has_changed;
  }

  int Better(int k) const {
    const int now = set_[k];
    const double square = equations_.matrix[k][k];
    const int least = square > 0 ? Round(now + slopes_[k] / (square * unit_)) : 0;
    double least_cost = 0;
    int best = now;
    for (const int other : {0, now / 2, least - 1, least, least + 1}) {
      if (std::abs(other) > kMostCorrection) continue;
      const double change = (other - now) * unit_;
      const double cost = change * (square * change - 2 * slopes_[k]) +
                          bit_cost_ * (CorrectionBits(other) - CorrectionBits(now));
      if (cost >= least_cost) continue;
      least_cost = cost;
      best = other;
    }
    return best;
  }

  const CorrectionEquations& equations_;
  const double unit_, bit_cost_;
  WienerCorrections::Set set_;
  Vector slopes_;  // half the derivative of the gain
};

// Classes, put together more and more.
class ClassGroups {
 public:
  ClassGroups(const CorrectionSums& sums, int strength, WienerBase base, TaskPool& pool)
      : pool_(pool) {
    for (int which = 0; which < kWienerClasses; ++which) {
      if (sums[which].pixels == 0) continue;
      const CorrectionEquations equations = EquationsOf(sums[which], base, strength, which);
      groups_.push_back({equations, Solve(equations), {which}});
    }
    for (size_t b = 0; b < groups_.size(); ++b) losses_.emplace_back(b);
    // The longest come first.
    pool_.ForEach(count(), [&](int i, int /*member*/) {
      const size_t b = groups_.size() - 1 - static_cast<size_t>(i);
      for (size_t a = 0; a < b; ++a) losses_[b][a] = Loss(groups_[a], groups_[b]);
    });
  }

  int count() const { return static_cast<int>(groups_.size()); }

  // Puts the two together for which that costs least.
  void MergeNearest() {
    size_t first = 0, second = 1;
    for (size_t b = 1; b < groups_.size(); ++b)
      for (size_t a = 0; a < b; ++a)
        if (losses_[b][a] < losses_[second][first]) first = a, second = b;
    Group& merged = groups_[first];
    merged.equations += groups_[second].equations;
    merged.solution = Solve(merged.equations);
    const std::vector<int>& more = groups_[second].classes;
    merged.classes.insert(merged.classes.end(), more.begin(), more.end());
    groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(second));
    losses_.erase(losses_.begin() + static_cast<std::ptrdiff_t>(second));
    for (size_t b = second; b < groups_.size(); ++b)
      losses_[b].erase(losses_[b].begin() + static_cast<std::ptrdiff_t>(second));
    // A loss alone is not worth another thread's while.
    constexpr size_t kAtATime = 4;
    const size_t parts = (groups_.size() + kAtATime - 1) / kAtATime;
    pool_.ForEach(static_cast<int>(parts), [&](int part, int /*member*/) {
      const size_t begin = static_cast<size_t>(part) * kAtATime;
      for (size_t other = begin; other < std::min(begin + kAtATime, groups_.size()); ++other) {
        if (other == first) continue;
        losses_[std::max(first, other)][std::min(first, other)] =
            Loss(groups_[first], groups_[other]);
      }
    });
  }

  // Corrections, one set a group, and by how much they lower the squared error.
  std::pair<WienerCorrections, double> Quantised(int step, double bit_cost) const {
    WienerCorrections corrections;
    corrections.step = step;
    std::array<int, kWienerClasses> set_of;
    set_of.fill(-1);
    double gain = 0;
    for (const Group& group : groups_) {
      for (const int which : group.classes) set_of[which] = static_cast<int>(&group - &groups_[0]);
      const QuantisedSet quantised(group.equations, group.solution, step, bit_cost);
      corrections.sets.push_back(quantised.set());
      gain += quantised.Gain();
    }
    // Classes without pixels have what is coded in fewest bits.
    ForEachCorrectedClass([&](int which, int before) {
      const int set = set_of[which] >= 0 ? set_of[which]
                      : before >= 0      ? corrections.set[before]
                                         : 0;
      corrections.set[which] = static_cast<uint8_t>(set);
    });
    return {std::move(corrections), gain};
  }

 private:
  struct Group {
    CorrectionEquations equations;
    Solution solution;
    std::vector<int> classes;
  };

  // By how much less two groups gain if they are one.
  static double Loss(const Group& a, const Group& b) {
    return a.solution.gain + b.solution.gain - GainOfBoth(a.equations, b.equations);
  }

  TaskPool& pool_;
  std::vector<Group> groups_;
  std::vector<std::vector<double>> losses_;  // of groups [b][a], a < b
};

}  // namespace

WienerCorrections FitCorrections(const CorrectionSums& sums, int strength, Lambda lambda,
                                 WienerBase base, TaskPool& pool) {
  const double bit_cost = lambda.q8 * (kErrorUnit / 256);
  ClassGroups groups(sums, strength, base, pool);
  struct Quantised {
    WienerCorrections corrections;
    double saved = 0;  // of the cost
  };
  Quantised best;
  for (; groups.count() > 0; groups.MergeNearest()) {
    if (groups.count() > kMostCorrectionSets) continue;
    std::array<Quantised, kCorrectionSteps> by_step;
    pool.ForEach(kCorrectionSteps, [&](int step, int /*member*/) {
      auto [corrections, gain] = groups.Quantised(step, bit_cost);
      const double bits =
          static_cast<double>(CorrectionsRateQ12(corrections, base)) / (1 << kRateShift);
      by_step[step] = {std::move(corrections), gain - bit_cost * bits};
    });
    for (Quantised& quantised : by_step)
      if (quantised.saved > best.saved) best = std::move(quantised);
    if (groups.count() == 1) break;
  }
  return std::move(best.corrections);
}

}  // namespace mmp
