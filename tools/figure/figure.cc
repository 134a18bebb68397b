// Makes the picture of the README. In the top folder of the sources:
//   build/release/bin/mmp_figure testimages/natural.png 30 300 docs/figure.png
// Four panels: the image, decoded at the first lambda, at the second, and the blocks it is made of
// at the first: the borders of what is predicted at once in white, inside them the borders of what
// is one pattern in gray.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "codec/format.h"
#include "codec/macroblock_coder.h"
#include "codec/mmp.h"
#include "codec/range_coder.h"
#include "codec/read_port.h"
#include "codec/tile_state.h"
#include "common/image_io.h"
#include "common/metrics.h"
#include "testimages/drawing.h"
#include "testimages/font.h"
#include "tools/terminal.h"

namespace mmp {
namespace {

constexpr int kScale = 2;  // pixels of the picture a pixel of the image, each way
constexpr int kGap = 16;   // around each panel
constexpr int kTextScale = 2;
constexpr int kCaptionHeight = 8 + testimages::kLineHeight * kTextScale;
constexpr uint8_t kBackground = 255;
constexpr uint8_t kTextGray = 0;
constexpr uint8_t kPredictionGray = 255;
constexpr uint8_t kPatternGray = 160;
constexpr int kDimmedPercent = 50;

// Reads symbols from a tile's bytes and keeps the flags, in the order of the file.
class FlagPort : public ReadPort {
 public:
  using ReadPort::ReadPort;

  int Prediction(BlockRect rect, int context, uint32_t allowed) {
    return Keep(ReadPort::Prediction(rect, context, allowed));
  }
  int Residual(BlockRect rect, uint32_t allowed) { return Keep(ReadPort::Residual(rect, allowed)); }

  // The flags read since the last call.
  std::vector<int> TakeFlags() { return std::exchange(flags_, {}); }

 private:
  int Keep(int flag) {
    flags_.push_back(flag);
    return flag;
  }

  std::vector<int> flags_;
};

// Draws the borders of a macroblock's blocks into a panel: of each block its top and left edge, as
// the other two are edges of its neighbors.
class BlockDrawer {
 public:
  // The macroblock's top left pixel is (x, y) of the image; `flags` are those read for it.
  BlockDrawer(int x, int y, std::vector<int> flags, Image& panel)
      : x_(x), y_(y), flags_(std::move(flags)), panel_(panel) {}

  // Draws a node of the prediction tree and all below it.
  void DrawPrediction(BlockRect rect, int prediction_level) {
    const int flag = NextFlag(AllowedPredictionFlags(rect.level, prediction_level));
    if (flag == kSplitBothVertical || flag == kSplitBothHorizontal) {
      const Split split = flag == kSplitBothVertical ? Split::kVertical : Split::kHorizontal;
      DrawPrediction(rect.Half(split, 0), prediction_level);
      DrawPrediction(rect.Half(split, 1), prediction_level);
      return;
    }
    DrawResidual(rect, flag == kLeaf ? kPattern : flag - kSplitResidualVertical + kSplitVertical);
    DrawCorner(rect, kPredictionGray);  // over the residual's
  }

 private:
  void DrawResidual(BlockRect rect, int flag) {
    if (flag == kPattern) {
      DrawCorner(rect, kPatternGray);
      return;
    }
    const Split split = flag == kSplitVertical ? Split::kVertical : Split::kHorizontal;
    for (int half = 0; half < 2; ++half) {
      const BlockRect part = rect.Half(split, half);
      DrawResidual(part, NextFlag(AllowedResidualFlags(part.level)));
    }
  }

  // A flag is in the file only where there is a choice.
  int NextFlag(uint32_t allowed) {
    return std::has_single_bit(allowed) ? std::countr_zero(allowed) : flags_[next_++];
  }

  void DrawCorner(BlockRect rect, uint8_t gray) {
    const int left = (x_ + rect.x) * kScale;
    const int top = (y_ + rect.y) * kScale;
    // Blocks can reach beyond the image, up to whole macroblocks.
    const int width = std::min(rect.width() * kScale, panel_.width() - left);
    const int height = std::min(rect.height() * kScale, panel_.height() - top);
    if (width <= 0 || height <= 0) return;
    testimages::FillRectangle(left, top, width, 1, gray, &panel_);
    testimages::FillRectangle(left, top, 1, height, gray, &panel_);
  }

  int x_, y_;
  std::vector<int> flags_;
  size_t next_ = 0;
  Image& panel_;
};

// `file` is one that Decode accepts.
void DrawBlocks(std::span<const uint8_t> file, Image& panel) {
  const Result<ParsedFile> parsed = ParseFile(file, DecodeOptions().max_pixels);
  const CodecParameters& parameters = parsed->header.parameters;
  for (const TileInfo& info : parsed->tiles) {
    TileState tile(parameters, info.width, info.height, FindPatterns(parameters, {})->get());
    RangeDecoder range_decoder(file.subspan(info.offset, info.bytes));
    FlagPort port(tile.models, range_decoder);
    MacroblockCoder<FlagPort> macroblock_coder(tile, port);
    for (int y = 0; y < tile.height; y += kMacroblockSize) {
      for (int x = 0; x < tile.width; x += kMacroblockSize) {
        macroblock_coder.Code(y, x);
        macroblock_coder.Learn();
        BlockDrawer drawer(info.x + x, info.y + y, port.TakeFlags(), panel);
        drawer.DrawPrediction({0, 0, kMacroblockLevel}, parameters.prediction_level);
      }
    }
  }
}

Image Enlarge(const Image& image) {
  Image result(image.width() * kScale, image.height() * kScale);
  for (int y = 0; y < result.height(); ++y)
    for (int x = 0; x < result.width(); ++x) result.Row(y)[x] = image.Row(y / kScale)[x / kScale];
  return result;
}

Image Dim(Image image) {
  for (uint8_t& sample : image.pixels())
    sample = static_cast<uint8_t>(sample * kDimmedPercent / 100);
  return image;
}

Image AddCaption(const Image& panel, const std::string& caption) {
  Image result(panel.width(), panel.height() + kCaptionHeight, kBackground);
  testimages::Paste(panel, 0, 0, &result);
  const int text_width =
      static_cast<int>(caption.size()) * testimages::kCharacterWidth * kTextScale;
  testimages::DrawText((panel.width() - text_width) / 2,
                       result.height() - testimages::kLineHeight * kTextScale, caption, kTextGray,
                       kTextScale, &result);
  return result;
}

// The panels, all of one size, two by two.
Image Arrange(const std::array<Image, 4>& panels) {
  const int step_x = panels[0].width() + kGap;
  const int step_y = panels[0].height() + kGap;
  Image picture(2 * step_x + kGap, 2 * step_y + kGap, kBackground);
  for (int i = 0; i < 4; ++i)
    testimages::Paste(panels[i], kGap + i % 2 * step_x, kGap + i / 2 * step_y, &picture);
  return picture;
}

struct CodedImage {
  std::vector<uint8_t> file;
  Image decoded;
};

Result<CodedImage> Code(const Image& image, double lambda) {
  EncodeOptions options;
  options.lambda = lambda;
  Result<std::vector<uint8_t>> file = Encode(image.View(), options);
  if (!file.ok()) return file.status();
  Result<DecodedImage> decoded = Decode(*file);
  if (!decoded.ok()) return decoded.status();
  return CodedImage{*std::move(file), std::move(decoded->image)};
}

Image DecodedPanel(const Image& original, const CodedImage& coded, double lambda) {
  return AddCaption(Enlarge(coded.decoded),
                    Format("Lambda %g: %zu bytes, %.2f dB", lambda, coded.file.size(),
                           Psnr(original.View(), coded.decoded.View())));
}

Image BlocksPanel(const Image& original, const CodedImage& coded, double lambda) {
  Image panel = Enlarge(Dim(original));
  DrawBlocks(coded.file, panel);
  return AddCaption(panel, Format("Blocks at lambda %g", lambda));
}

struct Arguments {
  std::string input;
  double lambda_a = 0;
  double lambda_b = 0;
  std::string output;
};

Status MakeFigure(const Arguments& arguments) {
  const Result<LoadedImage> loaded = ReadImage(arguments.input);
  if (!loaded.ok()) return loaded.status();
  const Image& original = loaded->image;
  const Result<CodedImage> a = Code(original, arguments.lambda_a);
  if (!a.ok()) return a.status();
  const Result<CodedImage> b = Code(original, arguments.lambda_b);
  if (!b.ok()) return b.status();
  const Image figure = Arrange({
      AddCaption(Enlarge(original), Format("Original: %zu bytes", original.pixels().size())),
      DecodedPanel(original, *a, arguments.lambda_a),
      DecodedPanel(original, *b, arguments.lambda_b),
      BlocksPanel(original, *a, arguments.lambda_a),
  });
  return WriteImage(arguments.output, figure.View());
}

}  // namespace
}  // namespace mmp

int main(int argc, char** argv) {
  CLI::App program("Shows an image, what mmp makes of it, and the blocks it cuts it into.",
                   "mmp_figure");
  mmp::Arguments arguments;
  program.add_option("IMAGE", arguments.input, "The image")->required();
  program.add_option("LAMBDA_A", arguments.lambda_a, "First lambda, also of the blocks")
      ->required();
  program.add_option("LAMBDA_B", arguments.lambda_b, "Second lambda")->required();
  program.add_option("OUTPUT", arguments.output, "The picture, .png or .pgm")->required();
  CLI11_PARSE(program, argc, argv);
  const mmp::Status status = mmp::MakeFigure(arguments);
  if (!status.ok()) return static_cast<int>(mmp::ReportFailure(status));
  return 0;
}
