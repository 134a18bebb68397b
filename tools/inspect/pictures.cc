#include "tools/inspect/pictures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "common/image_files/bitmap_font.h"
#include "tools/command_line/name_lists.h"
#include "tools/command_line/terminal.h"
#include "tools/inspect/block_edges.h"

namespace mmp {
namespace {

constexpr int kMaxScale = 4;
constexpr int kLongestSide = 4096;  // pixels, of an enlarged picture
constexpr int kDimmedPercent = 55;
constexpr Rgb kWhite{255, 255, 255};
constexpr Rgb kBlack{0, 0, 0};

// Legends, in pixels.
constexpr int kTextScale = 2;
constexpr int kTextLine = 26;
constexpr int kSwatch = 18;
constexpr int kLegendColumn = 290;
constexpr int kLegendMargin = 12;
constexpr int kScaleBarHeight = 20;

Rgb Mix(Rgb a, Rgb b, double part_of_b) {
  const auto mix = [part_of_b](uint8_t from, uint8_t to) {
    return static_cast<uint8_t>(std::lround(from + (to - from) * part_of_b));
  };
  return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}

void DrawLabel(int x, int y, const std::string& text, RgbImage& picture) {
  DrawText(x, y, text, kTextScale,
           [&](int left, int top, int side) { picture.Fill(left, top, side, side, kBlack); });
}

int LabelWidth(const std::string& text) {
  return static_cast<int>(text.size()) * kCharacterWidth * kTextScale;
}

// The decoded image enlarged, `color_of(sample)` being a sample's color, at the top left of a white
// picture with `legend_height` pixels more, at least `least_width` wide.
template <typename ColorOf>
RgbImage Enlarge(const DecodedSyntax& syntax, int least_width, int legend_height,
                 const ColorOf& color_of) {
  const Image& image = syntax.decoded;
  const int scale = PictureScale(syntax.info);
  RgbImage picture(std::max(image.width() * scale, least_width),
                   image.height() * scale + legend_height, kWhite);
  for (int y = 0; y < image.height() * scale; ++y)
    for (int x = 0; x < image.width() * scale; ++x)
      picture.Row(y)[x] = color_of(image.Row(y / scale)[x / scale]);
  return picture;
}

void DrawEdges(const DecodedSyntax& syntax, CodedElement kind, Rgb color, RgbImage& picture) {
  DrawBlockEdges(
      BlocksWith(syntax, kind), syntax.info.width, syntax.info.height, PictureScale(syntax.info),
      [&](int x, int y, int width, int height) { picture.Fill(x, y, width, height, color); });
}

// Calls visit(mode, block) for each predicted block, clipped to the image.
template <typename Visit>
void ForEachPrediction(const DecodedSyntax& syntax, const Visit& visit) {
  for (const TileSyntax& tile : syntax.tiles) {
    for (const MacroblockSyntax& macroblock : tile.macroblocks) {
      for (const SyntaxElement& element : macroblock.elements) {
        if (element.kind != CodedElement::kMode) continue;
        const int x = macroblock.x + element.rect.x, y = macroblock.y + element.rect.y;
        const int width = std::min(element.rect.width(), syntax.info.width - x);
        const int height = std::min(element.rect.height(), syntax.info.height - y);
        if (width > 0 && height > 0) visit(element.value, BlockPlace{x, y, width, height});
      }
    }
  }
}

// Hue in turns; saturation and value in [0, 1].
Rgb FromHsv(double hue, double saturation, double value) {
  const auto channel = [&](double offset) {
    const double k = std::fmod(offset + hue * 6, 6);
    const double part = value - value * saturation * std::max(0.0, std::min({k, 4 - k, 1.0}));
    return static_cast<uint8_t>(std::lround(255 * part));
  };
  return {channel(5), channel(3), channel(1)};
}

}  // namespace

int PictureScale(const FileInfo& info) {
  return std::clamp(kLongestSide / std::max(info.width, info.height), 1, kMaxScale);
}

Image ResidualPicture(const DecodedSyntax& syntax) {
  Image picture(syntax.info.width, syntax.info.height);
  std::transform(
      syntax.residual.begin(), syntax.residual.end(), picture.pixels().begin(),
      [](int16_t value) { return static_cast<uint8_t>(std::clamp(128 + value, 0, 255)); });
  return picture;
}

Image FilterPicture(const DecodedSyntax& syntax) {
  Image picture(syntax.info.width, syntax.info.height);
  for (size_t i = 0; i < picture.pixels().size(); ++i) {
    const int change = syntax.decoded.pixels()[i] - syntax.reconstruction.pixels()[i];
    picture.pixels()[i] = static_cast<uint8_t>(std::clamp(128 + kFilterScale * change, 0, 255));
  }
  return picture;
}

RgbImage SegmentationPicture(const DecodedSyntax& syntax) {
  RgbImage picture = Enlarge(syntax, 0, 0, [](uint8_t sample) {
    const auto gray = static_cast<uint8_t>(sample * kDimmedPercent / 100);
    return Rgb{gray, gray, gray};
  });
  DrawEdges(syntax, CodedElement::kIndex, kPatternColor, picture);
  DrawEdges(syntax, CodedElement::kMode, kPredictionColor, picture);
  return picture;
}

Rgb ModeColor(int mode) {
  // Steps of the golden ratio never come near an earlier hue; the brightness tells apart the rest.
  constexpr double kGoldenRatio = 0.618033988749895;
  constexpr std::array<double, 3> kValues = {1.0, 0.7, 0.8};
  constexpr std::array<double, 2> kSaturations = {1.0, 0.55};
  return FromHsv(std::fmod(mode * kGoldenRatio, 1), kSaturations[mode % 2], kValues[mode % 3]);
}

std::vector<ModeUse> ModesUsed(const DecodedSyntax& syntax) {
  std::map<int, ModeUse> uses;
  ForEachPrediction(syntax, [&](int mode, const BlockPlace& block) {
    ModeUse& use = uses[mode];
    ++use.blocks;
    use.pixels += int64_t{block.width} * block.height;
  });
  std::vector<ModeUse> list;
  for (auto& [mode, use] : uses) {
    use.mode = mode;
    use.name = kModeNames[mode];
    list.push_back(std::move(use));
  }
  return list;
}

RgbImage ModePicture(const DecodedSyntax& syntax) {
  const std::vector<ModeUse> modes = ModesUsed(syntax);
  const int scale = PictureScale(syntax.info);
  const int columns = std::max(1, (syntax.info.width * scale - kLegendMargin) / kLegendColumn);
  const int rows = (static_cast<int>(modes.size()) + columns - 1) / columns;
  RgbImage picture = Enlarge(syntax, kLegendColumn + kLegendMargin,
                             rows * kTextLine + 2 * kLegendMargin, [](uint8_t sample) {
                               return Rgb{sample, sample, sample};
                             });
  ForEachPrediction(syntax, [&](int mode, const BlockPlace& block) {
    const Rgb color = ModeColor(mode);
    for (int y = block.y * scale; y < (block.y + block.height) * scale; ++y)
      for (int x = block.x * scale; x < (block.x + block.width) * scale; ++x)
        picture.Row(y)[x] = Mix(picture.Row(y)[x], color, 0.62);
  });
  DrawEdges(syntax, CodedElement::kMode, Rgb{40, 40, 40}, picture);
  const int top = syntax.info.height * scale + kLegendMargin;
  const double pixels = static_cast<double>(syntax.info.width) * syntax.info.height;
  for (size_t i = 0; i < modes.size(); ++i) {
    const int x = kLegendMargin + static_cast<int>(i) % columns * kLegendColumn;
    const int y = top + static_cast<int>(i) / columns * kTextLine;
    picture.Fill(x, y, kSwatch, kSwatch, ModeColor(modes[i].mode));
    DrawLabel(x + kSwatch + 8, y + 2,
              Format("%s %.1f%%", modes[i].name.c_str(),
                     100 * static_cast<double>(modes[i].pixels) / pixels),
              picture);
  }
  return picture;
}

double MostBits(const DecodedSyntax& syntax) {
  double most = 0;
  for (const TileSyntax& tile : syntax.tiles)
    for (const MacroblockSyntax& macroblock : tile.macroblocks)
      most = std::max(most, macroblock.Bits());
  return most;
}

Rgb HeatColor(double part) {
  constexpr std::array<Rgb, 7> kStops = {{{0, 0, 12},
                                          {46, 14, 96},
                                          {124, 30, 109},
                                          {196, 55, 74},
                                          {241, 112, 26},
                                          {250, 190, 45},
                                          {252, 252, 200}}};
  const double at = std::clamp(part, 0.0, 1.0) * (kStops.size() - 1);
  const auto stop = std::min(static_cast<size_t>(at), kStops.size() - 2);
  return Mix(kStops[stop], kStops[stop + 1], at - static_cast<double>(stop));
}

RgbImage BitsPicture(const DecodedSyntax& syntax) {
  constexpr int kLeastWidth = 420;
  const int scale = PictureScale(syntax.info);
  const int legend = kScaleBarHeight + kTextLine + 2 * kLegendMargin;
  RgbImage picture = Enlarge(syntax, kLeastWidth, legend, [](uint8_t /*sample*/) { return Rgb(); });
  const double most = std::max(MostBits(syntax), 1e-9);
  for (const TileSyntax& tile : syntax.tiles) {
    for (const MacroblockSyntax& macroblock : tile.macroblocks) {
      const int width = std::min(kMacroblockSize, syntax.info.width - macroblock.x);
      const int height = std::min(kMacroblockSize, syntax.info.height - macroblock.y);
      picture.Fill(macroblock.x * scale, macroblock.y * scale, width * scale, height * scale,
                   HeatColor(macroblock.Bits() / most));
    }
  }
  const int top = syntax.info.height * scale + kLegendMargin;
  const int bar = picture.width() - 2 * kLegendMargin;
  for (int x = 0; x < bar; ++x)
    picture.Fill(kLegendMargin + x, top, 1, kScaleBarHeight,
                 HeatColor(static_cast<double>(x) / std::max(1, bar - 1)));
  const std::string high = Format("%.0f bits a macroblock", most);
  DrawLabel(kLegendMargin, top + kScaleBarHeight + 6, "0", picture);
  DrawLabel(picture.width() - kLegendMargin - LabelWidth(high), top + kScaleBarHeight + 6, high,
            picture);
  return picture;
}

}  // namespace mmp
