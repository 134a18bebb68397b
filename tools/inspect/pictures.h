// Pictures of what a file is made of.
#ifndef MMP_TOOLS_INSPECT_PICTURES_H_
#define MMP_TOOLS_INSPECT_PICTURES_H_

#include <string>
#include <vector>

#include "common/image_files/rgb_image.h"
#include "mmp/image.h"
#include "tools/inspect/decoded_syntax.h"

namespace mmp {

// The pixels a side that a pixel of the image has in the color pictures below: so many that blocks
// can be told apart, if the image is not too large.
int PictureScale(const FileInfo& info);

// The residual: 128 is none; what is beyond -128 or 127 is cut off.
Image ResidualPicture(const DecodedSyntax& syntax);

// What the filter has changed, kFilterScale times as much: 128 is nothing; what is too much is cut
// off.
inline constexpr int kFilterScale = 8;
Image FilterPicture(const DecodedSyntax& syntax);

inline constexpr Rgb kPredictionColor{255, 205, 40};
inline constexpr Rgb kPatternColor{60, 150, 255};

// The decoded picture, dimmed, with the borders of what is one pattern in kPatternColor and over
// them those of what is predicted at once in kPredictionColor.
RgbImage SegmentationPicture(const DecodedSyntax& syntax);

// The color of a prediction mode: far from those of the modes next to it.
Rgb ModeColor(int mode);

// What the file's blocks do with a mode.
struct ModeUse {
  int mode = 0;
  std::string name;
  int64_t blocks = 0;
  int64_t pixels = 0;  // of these blocks
};

// The modes that occur, by number.
std::vector<ModeUse> ModesUsed(const DecodedSyntax& syntax);

// The decoded picture, each predicted block in its mode's color; below it a legend.
RgbImage ModePicture(const DecodedSyntax& syntax);

// The bits of the macroblock that takes most.
double MostBits(const DecodedSyntax& syntax);

// The color of a part in [0, 1] of the most bits, dark to bright.
Rgb HeatColor(double part);

// Every macroblock in the HeatColor of its bits; below it the scale.
RgbImage BitsPicture(const DecodedSyntax& syntax);

}  // namespace mmp

#endif  // MMP_TOOLS_INSPECT_PICTURES_H_
