#include "codec/postfilter/wiener_textures.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/postfilter/wiener_textures.cc"
#include "hwy/foreach_target.h"
// clang-format off: the order matters
#include "hwy/highway.h"
// clang-format on

#include <algorithm>
#include <cstddef>
#include <vector>

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int kAround = 2;  // of the 5x5 pixels
constexpr int kAcross = 2 * kAround + 1;
// Second differences: vertical, horizontal, diagonal, antidiagonal. Of 25 pixels they are at most
// 25 * 510.
constexpr int kGradients = 4;

class TextureFinder {
 public:
  TextureFinder(const uint8_t* pixels, int stride, int width)
      : pixels_(pixels),
        stride_(stride),
        width_(width),
        columns_(width + 2 * kAround),
        // Vectors end behind the last column.
        padded_(columns_ + 2 * static_cast<ptrdiff_t>(kMostLanes)),
        sums_(static_cast<size_t>(kGradients * padded_)),
        rows_(static_cast<size_t>(kAcross * kGradients * padded_)),
        squares_(static_cast<size_t>(kGradients * padded_)) {}

  void Find(int rows, uint16_t* activities, uint8_t* textures) {
    for (int y = -kAround; y < rows + kAround; ++y) {
      AddRow(y);
      if (y < kAround) continue;
      const size_t at = static_cast<size_t>(y - kAround) * width_;
      SumSquares(&activities[at]);
      Classify(&textures[at]);
    }
  }

 private:
  static constexpr int kMostLanes = 16;
  using D16 = hn::CappedTag<uint16_t, kMostLanes>;
  using D32 = hn::CappedTag<int32_t, kMostLanes>;
  using V16 = hn::Vec<D16>;
  using V32 = hn::Vec<D32>;

  // Of five pixels of a column, all columns: takes row y in and the fifth before it out.
  void AddRow(int y) {
    const D16 d;
    const hn::Rebind<uint8_t, D16> d8;
    uint16_t* const row =
        &rows_[static_cast<size_t>((y + kAround) % kAcross * kGradients * padded_)];
    const ptrdiff_t steps[kGradients] = {stride_, 1, stride_ + 1, stride_ - 1};
    for (int c = 0; c < columns_; c += static_cast<int>(hn::Lanes(d))) {
      const uint8_t* const pixel = pixels_ + static_cast<ptrdiff_t>(y) * stride_ + c - kAround;
      auto load = [&](ptrdiff_t offset)
                      HWY_ATTR { return hn::PromoteTo(d, hn::LoadU(d8, pixel + offset)); };
      const V16 middle = load(0), twice = hn::Add(middle, middle);
      for (int k = 0; k < kGradients; ++k) {
        const V16 others = hn::Add(load(-steps[k]), load(steps[k]));
        const V16 gradient = hn::Sub(hn::Max(twice, others), hn::Min(twice, others));
        uint16_t* const known = row + k * padded_ + c;
        uint16_t* const sum = &sums_[static_cast<size_t>(k * padded_ + c)];
        hn::StoreU(hn::Sub(hn::Add(hn::LoadU(d, sum), gradient), hn::LoadU(d, known)), d, sum);
        hn::StoreU(gradient, d, known);
      }
    }
  }

  // Of 5x5 pixels.
  void SumSquares(uint16_t* activities) {
    const D16 d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    for (int x = 0; x < width_; x += lanes) {
      V16 activity = hn::Zero(d);
      for (int k = 0; k < kGradients; ++k) {
        const uint16_t* const sums = &sums_[static_cast<size_t>(k * padded_ + x)];
        V16 square = hn::LoadU(d, sums);
        for (int c = 1; c < kAcross; ++c) square = hn::Add(square, hn::LoadU(d, sums + c));
        hn::StoreU(square, d, &squares_[static_cast<size_t>(k * padded_ + x)]);
        if (k < 2) activity = hn::Add(activity, square);
      }
      Store(activity, d, width_ - x, activities + x);
    }
  }

  void Classify(uint8_t* textures) const {
    const D32 d;
    const hn::Rebind<uint16_t, D32> d16;
    const hn::Rebind<uint8_t, D32> d8;
    for (int x = 0; x < width_; x += static_cast<int>(hn::Lanes(d))) {
      auto load = [&](int k) HWY_ATTR {
        return hn::PromoteTo(d, hn::LoadU(d16, &squares_[static_cast<size_t>(k * padded_ + x)]));
      };
      const V32 vertical = load(0), horizontal = load(1);
      const V32 diagonal = load(2), antidiagonal = load(3);
      const V32 high = hn::Max(vertical, horizontal), low = hn::Min(vertical, horizontal);
      const V32 diagonal_high = hn::Max(diagonal, antidiagonal);
      const V32 diagonal_low = hn::Min(diagonal, antidiagonal);
      const auto straight = hn::Gt(hn::Mul(high, diagonal_low), hn::Mul(diagonal_high, low));
      const V32 most = hn::IfThenElse(straight, high, diagonal_high);
      const V32 least = hn::IfThenElse(straight, low, diagonal_low);
      const auto weak = hn::Gt(most, hn::Add(least, least));
      const auto strong = hn::Gt(hn::Add(most, most), hn::Add(hn::ShiftLeft<3>(least), least));
      auto set = [&](int value) HWY_ATTR { return hn::Set(d, value); };
      const V32 turn = hn::IfThenElse(
          straight, hn::IfThenElseZero(hn::Gt(vertical, horizontal), set(kTransposed)),
          hn::IfThenElseZero(hn::Gt(diagonal, antidiagonal), set(kMirrored)));
      const V32 direction = hn::Add(
          hn::IfThenElse(straight, set(WienerTexture(3, kAsIs)), set(WienerTexture(1, kAsIs))),
          hn::IfThenElseZero(strong, set(WienerTexture(1, kAsIs))));
      const V32 texture = hn::IfThenElseZero(weak, hn::Add(direction, turn));
      Store(hn::DemoteTo(d8, texture), d8, width_ - x, textures + x);
    }
  }

  // As many of a vector's lanes as there are.
  template <typename D>
  static void Store(hn::Vec<D> v, D d, int count, hn::TFromD<D>* to) {
    if (count >= static_cast<int>(hn::Lanes(d))) return hn::StoreU(v, d, to);
    hn::TFromD<D> lanes[kMostLanes];
    hn::StoreU(v, d, lanes);
    std::copy_n(lanes, count, to);
  }

  const uint8_t* const pixels_;
  const ptrdiff_t stride_;
  const int width_;
  const int columns_;
  const ptrdiff_t padded_;
  // By gradient and column: of the last five rows together, of each of them, of squares.
  std::vector<uint16_t> sums_, rows_, squares_;
};

void FindWienerTextures(const uint8_t* pixels, int stride, int width, int rows,
                        uint16_t* activities, uint8_t* textures) {
  TextureFinder(pixels, stride, width).Find(rows, activities, textures);
}

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mmp {

HWY_EXPORT(FindWienerTextures);

void FindWienerTextures(const uint8_t* pixels, int stride, int width, int rows,
                        uint16_t* activities, uint8_t* textures) {
  HWY_DYNAMIC_DISPATCH(FindWienerTextures)(pixels, stride, width, rows, activities, textures);
}

}  // namespace mmp
#endif  // HWY_ONCE
