// Measures of how far an image is from another.
//
// The two images have the same size and depth and at least one pixel (asserted). Results do not
// depend on the machine's number of threads; the order of every floating-point sum is fixed.
#ifndef MMP_COMMON_METRICS_H_
#define MMP_COMMON_METRICS_H_

#include <cstdint>
#include <optional>

#include "mmp/image.h"

namespace mmp {

uint64_t SumSquaredError(const ImageView& a, const ImageView& b);

// Mean squared error.
double Mse(const ImageView& a, const ImageView& b);

// Peak signal-to-noise ratio in dB for a peak of 2^depth - 1; infinity if the images are equal.
double Psnr(const ImageView& a, const ImageView& b);
double PsnrOfMse(double mse, int depth = 8);

// Largest absolute difference of two samples.
int MaxDifference(const ImageView& a, const ImageView& b);

// Mean structural similarity in [-1, 1], 1 for equal images: Wang, Bovik, Sheikh and Simoncelli,
// "Image quality assessment: from error visibility to structural similarity", 2004. Gaussian window
// of 11x11 and standard deviation 1.5, K1 = 0.01, K2 = 0.03, L = 2^depth - 1; mean over the windows
// that lie inside the image. A side of the image below 11 makes that side of the window as short as
// the image; the Gaussian stays centered on the window and its weights always sum to 1.
double Ssim(const ImageView& a, const ImageView& b);

// Multi-scale structural similarity in [0, 1], 1 for equal images: Wang, Simoncelli and Bovik,
// "Multi-scale structural similarity for image quality assessment", 2003. Five scales with the
// exponents of the paper, each scale the mean of 2x2 pixels of the one above (of 2x1, 1x2 or 1x1 at
// the end of an odd side); window and constants as in Ssim. A negative mean counts as 0. Not
// defined for images with a side below kMsSsimLeastSide, as windows do not fit the last scale.
inline constexpr int kMsSsimLeastSide = 161;  // pixels
std::optional<double> MsSsim(const ImageView& a, const ImageView& b);

}  // namespace mmp

#endif  // MMP_COMMON_METRICS_H_
