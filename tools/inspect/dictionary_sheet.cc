#include "tools/inspect/dictionary_sheet.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "common/image_files/bitmap_font.h"
#include "tools/command_line/terminal.h"

namespace mmp {
namespace {

// Pixels, but for kColumns.
constexpr int kColumns = 24;  // patterns a row
constexpr int kCell = 32;     // of a pattern
constexpr int kStep = 38;     // from pattern to pattern
constexpr int kMargin = 14;
constexpr int kLabelWidth = 84;
constexpr int kTitleHeight = 30;
constexpr int kCountHeight = 12;  // of the numbers below the most used
constexpr int kLevelGap = 18;
constexpr int kGrownRows = 2;
constexpr int kLevelHeight = kTitleHeight + (1 + kGrownRows + 1) * kStep + kCountHeight + kLevelGap;
constexpr int kWidth = 2 * kMargin + kLabelWidth + kColumns * kStep;
constexpr Rgb kPaper{248, 248, 250};
constexpr Rgb kInk{20, 24, 30};
constexpr Rgb kFaint{105, 112, 122};

// `count` numbers from [begin, end), evenly spread; all if there are fewer.
std::vector<int> EvenChoice(int begin, int end, int count) {
  const int size = std::max(0, end - begin);
  const int chosen = std::min(size, count);
  std::vector<int> numbers(chosen);
  for (int k = 0; k < chosen; ++k)
    numbers[k] = begin + static_cast<int>(int64_t{k} * size / chosen);
  return numbers;
}

std::vector<int> MostUsed(const LevelPatterns& patterns, int count) {
  std::vector<int> numbers(patterns.uses.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  std::stable_sort(numbers.begin(), numbers.end(),
                   [&](int a, int b) { return patterns.uses[a] > patterns.uses[b]; });
  std::erase_if(numbers, [&](int number) { return patterns.uses[number] == 0; });
  if (static_cast<int>(numbers.size()) > count) numbers.resize(count);
  return numbers;
}

Rgb GrayOf(int value) {
  const double stretched = std::sqrt(std::abs(value) / 255.0) * 127;
  const auto gray =
      static_cast<uint8_t>(std::lround(value < 0 ? 128 - stretched : 128 + stretched));
  return {gray, gray, gray};
}

class Sheet {
 public:
  explicit Sheet(int levels) : picture_(kWidth, 2 * kMargin + levels * kLevelHeight, kPaper) {}

  // The level's part, the next one below the last.
  void AddLevel(int level, const LevelPatterns& patterns) {
    const LevelShape shape = kLevelShapes[level];
    const int used = static_cast<int>(
        std::count_if(patterns.uses.begin(), patterns.uses.end(), [](int n) { return n > 0; }));
    Write(kMargin, y_ + 6, 2, kInk,
          Format("%dx%d: %d patterns, %d of them initial, %d used", shape.height(), shape.width(),
                 patterns.size(), patterns.initial, used));
    y_ += kTitleHeight;
    AddRows("initial", level, patterns, EvenChoice(0, patterns.initial, kColumns), 1);
    AddRows("grown", level, patterns,
            EvenChoice(patterns.initial, patterns.size(), kGrownRows * kColumns), kGrownRows);
    const std::vector<int> most_used = MostUsed(patterns, kColumns);
    for (size_t k = 0; k < most_used.size(); ++k)
      Write(CellX(static_cast<int>(k)), y_ + kCell + 3, 1, kInk,
            std::to_string(patterns.uses[most_used[k]]));
    AddRows("most used", level, patterns, most_used, 1);
    y_ += kCountHeight + kLevelGap;
  }

  RgbImage& picture() { return picture_; }

 private:
  static int CellX(int column) { return kMargin + kLabelWidth + column * kStep; }

  void AddRows(const char* label, int level, const LevelPatterns& patterns,
               const std::vector<int>& numbers, int rows) {
    Write(kMargin, y_ + kCell / 2 - 4, 1, kFaint, label);
    for (size_t k = 0; k < numbers.size(); ++k) {
      const int row = static_cast<int>(k) / kColumns, column = static_cast<int>(k) % kColumns;
      DrawPattern(CellX(column), y_ + row * kStep, level, patterns, numbers[k]);
    }
    y_ += rows * kStep;
  }

  // As large as the cell allows, in its middle.
  void DrawPattern(int x, int y, int level, const LevelPatterns& patterns, int number) {
    const LevelShape shape = kLevelShapes[level];
    const int scale = kCell / std::max(shape.height(), shape.width());
    const int left = x + (kCell - shape.width() * scale) / 2;
    const int top = y + (kCell - shape.height() * scale) / 2;
    picture_.Fill(left - 1, top - 1, shape.width() * scale + 2, shape.height() * scale + 2,
                  Rgb{190, 195, 203});
    const int16_t* value = &patterns.values[static_cast<size_t>(number) * shape.pixels()];
    for (int i = 0; i < shape.height(); ++i)
      for (int j = 0; j < shape.width(); ++j)
        picture_.Fill(left + j * scale, top + i * scale, scale, scale, GrayOf(*value++));
  }

  void Write(int x, int y, int scale, Rgb color, const std::string& text) {
    DrawText(x, y, text, scale,
             [&](int left, int top, int side) { picture_.Fill(left, top, side, side, color); });
  }

  RgbImage picture_;
  int y_ = kMargin;
};

}  // namespace

RgbImage DictionarySheet(const TileSyntax& tile) {
  Sheet sheet(kLevelCount - 1);
  for (int level = kMacroblockLevel; level > 0; --level)
    sheet.AddLevel(level, tile.dictionary[level]);
  return std::move(sheet.picture());
}

}  // namespace mmp
