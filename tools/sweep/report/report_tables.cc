#include "tools/sweep/report/report_tables.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "tools/sweep/results/bd_rate.h"

namespace mmp {
namespace {

constexpr double kMostLeftOut = 0.25;  // of all pixels

using PointGroup = std::vector<const RdPoint*>;

bool HasQuality(const RdPoint& point) { return std::isfinite(point.psnr); }

double PixelsOf(const SweepImage& image) { return static_cast<double>(image.width) * image.height; }

// A choice of the images; those left out have a part of all pixels that is small enough.
class ImageChoice {
 public:
  explicit ImageChoice(const SweepResults& results) : results_(results) {
    for (size_t image = 0; image < results.images.size(); ++image) chosen_.insert(image);
  }

  // Leaves out these too, unless that were too much.
  void LeaveOut(const std::set<size_t>& images) {
    std::set<size_t> rest;
    std::ranges::set_difference(chosen_, images, std::inserter(rest, rest.end()));
    double all_pixels = 0, rest_pixels = 0;
    for (const SweepImage& image : results_.images) all_pixels += PixelsOf(image);
    for (const size_t image : rest) rest_pixels += PixelsOf(results_.images[image]);
    if (rest_pixels >= (1 - kMostLeftOut) * all_pixels) chosen_ = std::move(rest);
  }

  bool Has(size_t image) const { return chosen_.contains(image); }
  const std::set<size_t>& images() const { return chosen_; }

 private:
  const SweepResults& results_;
  std::set<size_t> chosen_;
};

// Those images that lack more than half of the parameters at which the codec has points to average.
std::set<size_t> ImagesLacking(const SweepResults& results, size_t codec) {
  std::set<double> parameters;
  std::vector<std::set<double>> of_image(results.images.size());
  for (const RdPoint& point : results.points) {
    if (point.codec != codec || !HasQuality(point)) continue;
    parameters.insert(point.parameter);
    of_image[point.image].insert(point.parameter);
  }
  std::set<size_t> lacking;
  for (size_t image = 0; image < of_image.size(); ++image)
    if (2 * of_image[image].size() < parameters.size()) lacking.insert(image);
  return lacking;
}

ImageChoice ImagesToAverage(const SweepResults& results) {
  ImageChoice choice(results);
  for (size_t codec = 0; codec < results.codecs.size(); ++codec)
    choice.LeaveOut(ImagesLacking(results, codec));
  return choice;
}

// Of the chosen images, those of which any point has the member.
ImageChoice ImagesThatHave(const SweepResults& results, ImageChoice choice,
                           std::optional<double> RdPoint::*member) {
  std::set<size_t> without = choice.images();
  for (const RdPoint& point : results.points)
    if ((point.*member).has_value()) without.erase(point.image);
  choice.LeaveOut(without);
  return choice;
}

// The mean of a member over the points of the images, if all of these have it, else nothing.
std::optional<double> MeanIfAll(const PointGroup& points, const ImageChoice& images,
                                std::optional<double> RdPoint::*member) {
  double sum = 0, count = 0;
  for (const RdPoint* point : points) {
    if (!images.Has(point->image)) continue;
    if (!(point->*member).has_value()) return std::nullopt;
    sum += *(point->*member);
    ++count;
  }
  return sum / count;
}

double Mean(const PointGroup& points, double RdPoint::*member) {
  double sum = 0;
  for (const RdPoint* point : points) sum += point->*member;
  return sum / static_cast<double>(points.size());
}

std::optional<double> SecondsPerMegapixel(const SweepResults& results, const PointGroup& points) {
  double seconds = 0, pixels = 0;
  for (const RdPoint* point : points) {
    if (!point->encode_seconds.has_value()) return std::nullopt;
    seconds += *point->encode_seconds;
    pixels += PixelsOf(results.images[point->image]);
  }
  return seconds / pixels * 1e6;
}

// True if the points are one of each of the images, none lossless.
bool Covers(const PointGroup& points, const ImageChoice& choice) {
  std::set<size_t> images;
  for (const RdPoint* point : points) {
    if (!HasQuality(*point)) return false;
    images.insert(point->image);
  }
  return images == choice.images() && points.size() == images.size();
}

// [codec][image]
std::vector<std::vector<RdCurve>> Curves(const SweepResults& results) {
  std::vector<std::vector<RdCurve>> curves(results.codecs.size(),
                                           std::vector<RdCurve>(results.images.size()));
  for (const RdPoint& point : results.points)
    curves[point.codec][point.image].push_back({point.bits_per_pixel, point.psnr});
  return curves;
}

}  // namespace

Averages AverageCurves(const SweepResults& results) {
  const ImageChoice images = ImagesToAverage(results);
  const ImageChoice with_ssim = ImagesThatHave(results, images, &RdPoint::ssim);
  const ImageChoice with_ms_ssim = ImagesThatHave(results, images, &RdPoint::ms_ssim);
  std::map<std::pair<size_t, double>, PointGroup> groups;
  for (const RdPoint& point : results.points)
    if (images.Has(point.image)) groups[{point.codec, point.parameter}].push_back(&point);
  Averages averages;
  averages.images.assign(images.images().begin(), images.images().end());
  for (const auto& [key, points] : groups) {
    if (!Covers(points, images)) continue;
    averages.points.push_back({.codec = key.first,
                               .parameter = key.second,
                               .bits_per_pixel = Mean(points, &RdPoint::bits_per_pixel),
                               .psnr = Mean(points, &RdPoint::psnr),
                               .ssim = MeanIfAll(points, with_ssim, &RdPoint::ssim),
                               .ms_ssim = MeanIfAll(points, with_ms_ssim, &RdPoint::ms_ssim),
                               .seconds_per_megapixel = SecondsPerMegapixel(results, points)});
  }
  std::ranges::sort(averages.points, [](const AveragePoint& a, const AveragePoint& b) {
    return std::tie(a.codec, a.bits_per_pixel) < std::tie(b.codec, b.bits_per_pixel);
  });
  return averages;
}

Deltas ComputeDeltas(const SweepResults& results) {
  const std::vector<std::vector<RdCurve>> curves = Curves(results);
  const size_t codecs = results.codecs.size(), images = results.images.size();
  const DeltaTable empty(codecs, {codecs, std::vector<std::optional<double>>(images)});
  Deltas deltas{empty, empty};
  for (size_t anchor = 0; anchor < codecs; ++anchor) {
    for (size_t test = 0; test < codecs; ++test) {
      if (test == anchor) continue;
      for (size_t image = 0; image < images; ++image) {
        deltas.bd_rate[anchor][test][image] = BdRate(curves[anchor][image], curves[test][image]);
        deltas.bd_psnr[anchor][test][image] = BdPsnr(curves[anchor][image], curves[test][image]);
      }
    }
  }
  return deltas;
}

}  // namespace mmp
