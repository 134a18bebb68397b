#include "codec/pixel/jpeg_coder.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace mmp {
namespace {

// Of how far an error is from nought.
constexpr int kMostErrorSizes = 15;

// A number of at least 0, of which none is expected to be large; decoding, `number` has no meaning.
int CodeRest(BitPort& port, int number) {
  constexpr int kMostBits = 15;
  if (!port.Encodes()) number = 0;
  const int bits = std::bit_width(static_cast<unsigned>(number + 1)) - 1;
  int coded = 0;
  while (coded < kMostBits && port.EvenBit(bits > coded)) ++coded;
  const int below = port.EvenBits(coded, number + 1 - (1 << bits));
  return (1 << coded) + below - 1;
}

class ErrorCoder {
 public:
  ErrorCoder(BitPort& port, int width) : port_(port), above_(width + 1), row_(width + 1) {
    for (CountedProbability& zero : zeros_) zero = {0.5, 0.0};
    for (CountedProbability& size : sizes_) size = {0.5, 0.0};
  }

  void NextRow() { above_.swap(row_); }
  // In column x, of a block that is whole or reaches beyond the rectangle.
  int Code(int x, bool is_whole, int error) {
    const int left = std::min(std::abs(int{row_[x]}), 2),
              up = std::min(std::abs(int{above_[x + 1]}), 2);
    int coded = 0;
    if (!Bit(zeros_[(is_whole ? 0 : 9) + 3 * left + up], error == 0)) {
      const int is_negative = port_.EvenBit(error < 0), size = std::abs(error);
      coded = 1;
      while (coded <= kMostErrorSizes && Bit(sizes_[coded], size > coded)) ++coded;
      if (coded > kMostErrorSizes) coded += CodeRest(port_, size - coded);
      if (is_negative) coded = -coded;
    }
    row_[x + 1] = static_cast<int16_t>(std::clamp(coded, -255, 255));
    return row_[x + 1];
  }

 private:
  int Bit(CountedProbability& context, int bit) {
    bit = CodeBit(port_, bit, context.probability);
    context.Adapt(bit);
    return bit;
  }

  BitPort& port_;
  std::array<CountedProbability, 18> zeros_;
  std::array<CountedProbability, kMostErrorSizes + 1> sizes_;
  std::vector<int16_t> above_, row_;
};

}  // namespace

JpegPicture CodeJpegPicture(BitPort& port, int width, int height, const JpegPicture* given) {
  const JpegGrid grid = given != nullptr ? given->grid : JpegGrid{};
  const int row = port.EvenBits(3, grid.row), column = port.EvenBits(3, grid.column);
  JpegPicture picture(width, height, {row, column});
  picture.quality = port.EvenBits(7, given != nullptr ? given->quality : 0);
  CountedProbability as_told = {0.5, 0.0};
  int last = kFirstJpegStep;
  for (int i = 0; i < kCosinePixels; ++i) {
    const int told = ToldJpegStep(picture.quality, i, last);
    const int step = given != nullptr ? given->steps[kJpegOrder[i]] : told;
    const int is_told = CodeBit(port, step == told, as_told.probability);
    as_told.Adapt(is_told);
    last = is_told ? told : std::min(port.EvenBits(8, step - 1) + 1, kLargestJpegStep);
    picture.steps[kJpegOrder[i]] = static_cast<uint8_t>(last);
  }
  return picture;
}

JpegCoder::JpegCoder(BitPort& port, JpegPicture& picture, const JpegPlane& plane)
    : port_(port),
      tables_(GetPixelTables()),
      picture_(picture),
      plane_(plane),
      decoded_(static_cast<size_t>(picture.across) * picture.down * kCosinePixels) {
  contexts_.fill(std::vector<CountedProbability>(size_t{1} << kTableBits, {0.5, 0.0}));
  for (Weights& weights : decision_weights_) std::fill_n(weights.begin(), kJpegContexts, 0.2);
  curves_.fill(FirstRefinedCurve(tables_));
}

bool JpegCoder::Run(const GoesOn& goes_on) {
  for (int row = 0; row < picture_.down; ++row) {
    for (int column = 0; column < picture_.across; ++column) CodeBlock(row, column);
    const int top = picture_.top() + row * kCosineSide;
    for (int y = std::max(top, 0); y < std::min(top + kCosineSide, plane_.height); ++y)
      if (!goes_on()) return false;
  }
  CodeErrors();
  return true;
}

void JpegCoder::CodeBlock(int row, int column) {
  const int stride = picture_.across * kCosineSide;
  int16_t* const decoded =
      &decoded_[(static_cast<size_t>(row) * stride + static_cast<size_t>(column)) * kCosineSide];
  JpegMultiples& block = picture_.blocks[static_cast<size_t>(row) * picture_.across + column];
  JpegBlockContexts contexts(picture_, row, column, decoded, stride);
  for (int order = kCosinePixels - 1; order >= 0; --order) {
    int16_t& multiple = block[kJpegOrder[order]];
    multiple = static_cast<int16_t>(CodeMultiple(contexts.Of(order), multiple));
    contexts.Add(order, multiple);
  }
  const JpegBlock samples = DecodeJpegBlock(block, picture_.steps);
  for (int y = 0; y < kCosineSide; ++y)
    for (int x = 0; x < kCosineSide; ++x)
      decoded[y * stride + x] =
          static_cast<int16_t>(std::clamp(samples[y * kCosineSide + x], 0, 255) - 128);
}

int JpegCoder::CodeMultiple(const JpegSurroundings& surroundings, int multiple) {
  const int rest = multiple - surroundings.expected(), size = std::abs(rest);
  if (Decide(rest == 0, surroundings, kJpegZero)) return surroundings.expected();
  const int is_negative = Decide(rest < 0, surroundings, kJpegSign);
  int coded = 1;
  while (coded <= kMostJpegSizes && Decide(size > coded, surroundings, kFirstJpegSize + coded - 1))
    ++coded;
  if (coded > kMostJpegSizes) coded += CodeRest(port_, size - coded);
  return std::clamp(surroundings.expected() + (is_negative ? -coded : coded), -kMostJpegMultiple,
                    kMostJpegMultiple);
}

int JpegCoder::Decide(int bit, const JpegSurroundings& surroundings, int decision) {
  const JpegHashes hashes = surroundings.HashesOf(decision);
  std::array<CountedProbability*, kJpegContexts> known;
  Weights input;
  for (int i = 0; i < kJpegContexts; ++i) {
    known[i] = &contexts_[i][hashes[i] >> (32 - kTableBits)];
    input[i] = known[i]->count > 0.0 ? known[i]->Stretched(tables_) : 0.0;
  }
  input.back() = 0.3;
  const std::array<Weights*, 3> sets = {
      &decision_weights_[std::min(decision, 15) + (surroundings.is_first() ? 16 : 0)],
      &place_weights_[surroundings.PlaceSet(decision)],
      &size_weights_[surroundings.SizeSet(decision)]};
  const double rate = 0.001 + 0.012 / (1.0 + static_cast<double>(decisions_++) * 0.0005);
  bit = CodeMixed(port_, tables_, bit, input, sets, curves_[surroundings.Curve(decision)],
                  {0.6, 0.4}, rate);
  for (CountedProbability* context : known) context->Adapt(bit, 1.9);
  return bit;
}

void JpegCoder::CodeErrors() {
  const int stride = picture_.across * kCosineSide, top = picture_.top(), left = picture_.left();
  const int cell = 2 * plane_.max_error + 1;
  const auto decoded = [&](int y, int x) {
    return decoded_[static_cast<size_t>(y - top) * stride + (x - left)] + 128;
  };
  const auto error_of = [&](int y, int x) {
    const int error = plane_.samples[y * plane_.stride + x] - decoded(y, x);
    return error < 0 ? -((plane_.max_error - error) / cell) : (plane_.max_error + error) / cell;
  };
  bool has_errors = false;
  if (port_.Encodes())
    for (int y = 0; y < plane_.height; ++y)
      for (int x = 0; x < plane_.width; ++x) has_errors |= error_of(y, x) != 0;
  has_errors = port_.EvenBit(has_errors) != 0;
  ErrorCoder coder(port_, plane_.width);
  const auto is_whole = [](int at, int begin, int size) {
    const int first = (at - begin) / kCosineSide * kCosineSide + begin;
    return first >= 0 && first + kCosineSide <= size;
  };
  for (int y = 0; y < plane_.height; ++y) {
    const bool row_is_whole = is_whole(y, top, plane_.height);
    for (int x = 0; x < plane_.width; ++x) {
      int sample = decoded(y, x);
      if (has_errors) {
        const int given = port_.Encodes() ? error_of(y, x) : 0;
        sample += cell * coder.Code(x, row_is_whole && is_whole(x, left, plane_.width), given);
      }
      plane_.samples[y * plane_.stride + x] = static_cast<uint16_t>(std::clamp(sample, 0, 255));
    }
    coder.NextRow();
  }
}

}  // namespace mmp
