// Measures of how far an image is from another.
//
// The two images have the same size and at least one pixel (asserted). Results do not depend on the
// machine's number of threads; the order of every floating-point sum is fixed.
#ifndef MMP_COMMON_METRICS_H_
#define MMP_COMMON_METRICS_H_

#include <cstdint>

#include "common/image.h"

namespace mmp {

uint64_t SumSquaredError(const ImageView& a, const ImageView& b);

// Mean squared error.
double Mse(const ImageView& a, const ImageView& b);

// Peak signal-to-noise ratio in dB for a peak of 255; infinity if the images are equal.
double Psnr(const ImageView& a, const ImageView& b);
double PsnrOfMse(double mse);

// Largest absolute difference of two samples.
int MaxDifference(const ImageView& a, const ImageView& b);

// Mean structural similarity in [-1, 1], 1 for equal images: Wang, Bovik, Sheikh and Simoncelli,
// "Image quality assessment: from error visibility to structural similarity", 2004. Gaussian window
// of 11x11 and standard deviation 1.5, K1 = 0.01, K2 = 0.03, L = 255; mean over the windows that
// lie inside the image. A side of the image below 11 makes that side of the window as short as the
// image; the Gaussian stays centered on the window and its weights always sum to 1.
double Ssim(const ImageView& a, const ImageView& b);

}  // namespace mmp

#endif  // MMP_COMMON_METRICS_H_
