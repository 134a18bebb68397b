// Makes the picture of the README. In the top folder of the sources:
//   build/release/bin/mmp_figure testimages/natural.png 30 300 docs/figure.png
// Four panels: the image, decoded at the first lambda, at the second, and the blocks it is made of
// at the first: the borders of what is predicted at once in white, inside them the borders of what
// is one pattern in gray.
#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/image_files/bitmap_font.h"
#include "common/image_files/image_io.h"
#include "common/metrics.h"
#include "mmp/mmp.h"
#include "testimages/drawing.h"
#include "testimages/font.h"
#include "tools/command_line/terminal.h"
#include "tools/inspect/block_edges.h"
#include "tools/inspect/decoded_syntax.h"

namespace mmp {
namespace {

constexpr int kScale = 2;  // pixels of the picture a pixel of the image, each way
constexpr int kGap = 16;   // around each panel
constexpr int kTextScale = 2;
constexpr int kCaptionHeight = 8 + kLineHeight * kTextScale;
constexpr uint8_t kBackground = 255;
constexpr uint8_t kTextGray = 0;
constexpr uint8_t kPredictionGray = 255;
constexpr uint8_t kPatternGray = 160;
constexpr int kDimmedPercent = 50;

// `file` is one that Decode accepts.
void DrawBlocks(std::span<const uint8_t> file, Image& panel) {
  const Result<DecodedSyntax> syntax = DecodeSyntax(file);
  const auto draw_all = [&](CodedElement element, uint8_t gray) {
    DrawBlockEdges(BlocksWith(*syntax, element), syntax->info.width, syntax->info.height, kScale,
                   [&](int x, int y, int width, int height) {
                     testimages::FillRectangle(x, y, width, height, gray, &panel);
                   });
  };
  draw_all(CodedElement::kIndex, kPatternGray);
  draw_all(CodedElement::kMode, kPredictionGray);
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
  const int text_width = static_cast<int>(caption.size()) * kCharacterWidth * kTextScale;
  testimages::DrawText((panel.width() - text_width) / 2, result.height() - kLineHeight * kTextScale,
                       caption, kTextGray, kTextScale, &result);
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
