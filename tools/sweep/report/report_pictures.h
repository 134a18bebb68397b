// The pictures of the report: thumbnails, and parts of decoded pictures at matched rates.
#ifndef MMP_TOOLS_SWEEP_REPORT_REPORT_PICTURES_H_
#define MMP_TOOLS_SWEEP_REPORT_REPORT_PICTURES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "mmp/image.h"
#include "tools/sweep/results/sweep_results.h"

namespace mmp {

// A part of a picture decoded from one point.
struct DecodedCrop {
  size_t point = 0;  // index in SweepResults::points
  Image picture;
};

// The same part from files of about the same size, at most one a codec.
struct RateMatch {
  double bits_per_pixel = 0;          // the rate that was looked for
  std::vector<DecodedCrop> pictures;  // in the order of the codecs
};

struct ImagePictures {
  Image thumbnail;  // empty if the image cannot be read
  int crop_x = 0;   // pixels of the image
  int crop_y = 0;
  Image original_crop;
  std::vector<RateMatch> rates;  // rising; empty if there is nothing to show
};

struct ReportPictures {
  std::vector<ImagePictures> images;  // as SweepResults::images
  std::vector<std::string> problems;  // pictures that could not be had: a line each
};

// Reads what the results name; paths of points start from `folder`.
//
// The rates of an image are those of up to three points, spread over its curve, of the first codec
// with pictures; other codecs show the point whose rate is nearest in proportion, unless it is more
// than a quarter off. The part shown is the busiest one, square, of a side that keeps all pictures
// together small enough for a page.
ReportPictures MakeReportPictures(const SweepResults& results, const std::string& folder);

// The part of `size` x `size` pixels, or as much as there is, with the most detail: the greatest
// sum of differences between neighboring pixels.
struct CropPlace {
  int x = 0, y = 0, width = 0, height = 0;  // pixels
};
CropPlace BusiestPart(const ImageView& image, int size);

// The image made smaller, if it is larger, to fit into `size` x `size`; pixels are means.
Image Thumbnail(const ImageView& image, int size);

}  // namespace mmp

#endif  // MMP_TOOLS_SWEEP_REPORT_REPORT_PICTURES_H_
