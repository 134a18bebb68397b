#include "codec/intra/canvas.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace mmp {

void LoadCanvas(const uint8_t* plane, int stride, int width, int height, int y, int x,
                Canvas& canvas) {
  std::memset(&canvas, 0, sizeof(canvas));
  auto copy_rows = [&](int first_row, int last_row, int first_column, int last_column) {
    first_row = std::max(first_row, -y);
    first_column = std::max(first_column, -x);
    last_row = std::min(last_row, height - y);
    last_column = std::min(last_column, width - x);
    if (first_column >= last_column) return;
    const size_t count = static_cast<size_t>(last_column - first_column);
    for (int row = first_row; row < last_row; ++row) {
      const int index = Canvas::Index(row, first_column);
      std::memcpy(canvas.pixels + index,
                  plane + static_cast<ptrdiff_t>(y + row) * stride + x + first_column, count);
      std::memset(canvas.available + index, 1, count);
    }
  };
  copy_rows(-Canvas::kTop, 0, -Canvas::kLeft, kMacroblockSize + Canvas::kRight);
  copy_rows(0, kMacroblockSize, -Canvas::kLeft, 0);
}

void MarkAvailable(Canvas& canvas, BlockRect rect) {
  for (int i = 0; i < rect.height(); ++i)
    std::memset(canvas.available + Canvas::Index(rect.y + i, rect.x), 1, rect.width());
}

void Withdraw(Canvas& canvas, BlockRect rect) {
  for (int i = 0; i < rect.height(); ++i) {
    const int index = Canvas::Index(rect.y + i, rect.x);
    std::memset(canvas.available + index, 0, rect.width());
    std::memset(canvas.pixels + index, 0, rect.width());
  }
}

}  // namespace mmp
