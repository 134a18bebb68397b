#include "tools/sweep/report_tables.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "tools/sweep/bd_rate.h"

namespace mmp {
namespace {

using PointGroup = std::vector<const RdPoint*>;

// The mean of a member that all points have, else nothing.
std::optional<double> MeanIfAll(const PointGroup& points, std::optional<double> RdPoint::*member) {
  double sum = 0;
  for (const RdPoint* point : points) {
    if (!(point->*member).has_value()) return std::nullopt;
    sum += *(point->*member);
  }
  return sum / static_cast<double>(points.size());
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
    const SweepImage& image = results.images[point->image];
    seconds += *point->encode_seconds;
    pixels += static_cast<double>(image.width) * image.height;
  }
  return seconds / pixels * 1e6;
}

// True if the points are one of each image, none lossless.
bool CoversAllImages(const SweepResults& results, const PointGroup& points) {
  std::set<size_t> images;
  for (const RdPoint* point : points) {
    if (!std::isfinite(point->psnr)) return false;
    images.insert(point->image);
  }
  return images.size() == results.images.size() && points.size() == images.size();
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

std::vector<AveragePoint> AverageCurves(const SweepResults& results) {
  std::map<std::pair<size_t, double>, PointGroup> groups;
  for (const RdPoint& point : results.points)
    groups[{point.codec, point.parameter}].push_back(&point);
  std::vector<AveragePoint> averages;
  for (const auto& [key, points] : groups) {
    if (!CoversAllImages(results, points)) continue;
    averages.push_back({.codec = key.first,
                        .parameter = key.second,
                        .bits_per_pixel = Mean(points, &RdPoint::bits_per_pixel),
                        .psnr = Mean(points, &RdPoint::psnr),
                        .ssim = MeanIfAll(points, &RdPoint::ssim),
                        .ms_ssim = MeanIfAll(points, &RdPoint::ms_ssim),
                        .seconds_per_megapixel = SecondsPerMegapixel(results, points)});
  }
  std::sort(averages.begin(), averages.end(), [](const AveragePoint& a, const AveragePoint& b) {
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
