#include "tools/sweep/report/report_pictures.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

#include "common/image_files/image_io.h"
#include "tools/command_line/load.h"

namespace mmp {
namespace {

constexpr int kThumbnailSize = 144;           // pixels
constexpr int kRates = 3;                     // an image
constexpr double kMaxRateFactor = 1.25;       // between points that are compared
constexpr int kCell = 16;                     // pixels: steps of the part's place and size
constexpr int kMaxCropSize = 256;             // pixels
constexpr int kMinCropSize = 96;              // pixels
constexpr int64_t kMaxCropPixels = 12 << 20;  // of all pictures: some 8 MB of page

// Lossless pictures are not worth looking at.
bool HasPicture(const SweepResults& results, const RdPoint& point) {
  if (std::isinf(point.psnr)) return false;
  return !point.decoded_path.empty() ||
         (results.codecs[point.codec].is_mmp && !point.bitstream_path.empty());
}

// Points of an image to be compared.
struct RatePlan {
  double bits_per_pixel = 0;
  std::vector<size_t> points;
};

class RatePlanner {
 public:
  RatePlanner(const SweepResults& results, size_t image) : points_(results.codecs.size()) {
    for (size_t i = 0; i < results.points.size(); ++i) {
      const RdPoint& point = results.points[i];
      if (point.image == image && HasPicture(results, point))
        points_[point.codec].push_back({i, point.bits_per_pixel});
    }
    for (std::vector<Candidate>& points : points_)
      std::sort(points.begin(), points.end(), [](const Candidate& a, const Candidate& b) {
        return a.bits_per_pixel < b.bits_per_pixel;
      });
  }

  std::vector<RatePlan> Plan() const {
    std::vector<RatePlan> plans;
    for (const double rate : Rates()) {
      RatePlan& plan = plans.emplace_back(RatePlan{rate, {}});
      for (const std::vector<Candidate>& points : points_)
        if (const std::optional<size_t> point = Nearest(points, rate))
          plan.points.push_back(*point);
    }
    return plans;
  }

 private:
  struct Candidate {
    size_t point;
    double bits_per_pixel;
  };

  // Those of the first codec's points, evenly spread and not at the ends where there is a choice.
  std::vector<double> Rates() const {
    const auto first = std::find_if(points_.begin(), points_.end(),
                                    [](const auto& points) { return !points.empty(); });
    if (first == points_.end()) return {};
    const size_t count = first->size(), rates = std::min<size_t>(count, kRates);
    std::vector<double> chosen;
    for (size_t k = 0; k < rates; ++k)
      chosen.push_back((*first)[(2 * k + 1) * count / (2 * rates)].bits_per_pixel);
    return chosen;
  }

  static std::optional<size_t> Nearest(const std::vector<Candidate>& points, double rate) {
    std::optional<size_t> nearest;
    double least = std::log(kMaxRateFactor);
    for (const Candidate& candidate : points) {
      const double distance = std::abs(std::log(candidate.bits_per_pixel / rate));
      if (distance > least) continue;
      least = distance;
      nearest = candidate.point;
    }
    return nearest;
  }

  std::vector<std::vector<Candidate>> points_;  // by codec
};

int CropSize(const std::vector<std::vector<RatePlan>>& plans) {
  int64_t pictures = plans.empty() ? 1 : 0;  // without images any size does
  for (const std::vector<RatePlan>& image : plans) {
    ++pictures;  // the original
    for (const RatePlan& plan : image) pictures += static_cast<int64_t>(plan.points.size());
  }
  const double side =
      std::sqrt(static_cast<double>(kMaxCropPixels) / static_cast<double>(pictures));
  return std::clamp(static_cast<int>(side) / kCell * kCell, kMinCropSize, kMaxCropSize);
}

Image CropOf(const Image& image, const CropPlace& place) {
  Image crop(place.width, place.height);
  for (int y = 0; y < place.height; ++y)
    std::copy_n(image.Row(place.y + y) + place.x, place.width, crop.Row(y));
  return crop;
}

class PictureReader {
 public:
  PictureReader(const SweepResults& results, std::string folder, std::vector<std::string>& problems)
      : results_(results), folder_(std::move(folder)), problems_(problems) {}

  // The image itself, or nothing and a problem noted.
  std::optional<Image> Original(size_t image) {
    const SweepImage& description = results_.images[image];
    return Read(description, description.path);
  }

  std::optional<Image> Decoded(const RdPoint& point) {
    const std::string& path =
        point.decoded_path.empty() ? point.bitstream_path : point.decoded_path;
    return Read(results_.images[point.image], (std::filesystem::path(folder_) / path).string());
  }

 private:
  std::optional<Image> Read(const SweepImage& image, const std::string& path) {
    Result<LoadedImage> loaded = LoadAnyImage(path);
    if (!loaded.ok()) {
      problems_.push_back(loaded.status().message());
      return std::nullopt;
    }
    if (loaded->image.width() != image.width || loaded->image.height() != image.height) {
      problems_.push_back("'" + path + "' has not the size of " + image.name);
      return std::nullopt;
    }
    return std::move(loaded->image);
  }

  const SweepResults& results_;
  std::string folder_;
  std::vector<std::string>& problems_;
};

ImagePictures PicturesOf(const SweepResults& results, const Image& original,
                         const std::vector<RatePlan>& plans, int crop_size, PictureReader& reader) {
  const CropPlace place = BusiestPart(original.View(), crop_size);
  ImagePictures pictures;
  pictures.thumbnail = Thumbnail(original.View(), kThumbnailSize);
  pictures.crop_x = place.x;
  pictures.crop_y = place.y;
  pictures.original_crop = CropOf(original, place);
  for (const RatePlan& plan : plans) {
    RateMatch match{plan.bits_per_pixel, {}};
    for (const size_t point : plan.points)
      if (const std::optional<Image> decoded = reader.Decoded(results.points[point]))
        match.pictures.push_back({point, CropOf(*decoded, place)});
    if (!match.pictures.empty()) pictures.rates.push_back(std::move(match));
  }
  return pictures;
}

// Sums of differences to the right and lower neighbors, in cells of kCell x kCell pixels; entry
// (y, x) of the table is the sum over all cells above and left.
class DetailTable {
 public:
  explicit DetailTable(const ImageView& image)
      : columns_(image.width / kCell + 2), sums_(columns_ * (image.height / kCell + 2)) {
    for (int y = 0; y + 1 < image.height; ++y)
      for (int x = 0; x + 1 < image.width; ++x)
        At(y / kCell + 1, x / kCell + 1) += std::abs(image.Row(y)[x + 1] - image.Row(y)[x]) +
                                            std::abs(image.Row(y + 1)[x] - image.Row(y)[x]);
    for (int y = 1; y <= image.height / kCell + 1; ++y)
      for (int x = 1; x < static_cast<int>(columns_); ++x)
        At(y, x) += At(y - 1, x) + At(y, x - 1) - At(y - 1, x - 1);
  }

  // Of `cells` x `cells` cells; those beyond the image count nothing.
  int64_t Sum(int y, int x, int rows, int columns) {
    return At(y + rows, x + columns) - At(y, x + columns) - At(y + rows, x) + At(y, x);
  }

 private:
  int64_t& At(int y, int x) { return sums_[static_cast<size_t>(y) * columns_ + x]; }

  size_t columns_;
  std::vector<int64_t> sums_;
};

}  // namespace

ReportPictures MakeReportPictures(const SweepResults& results, const std::string& folder) {
  std::vector<std::vector<RatePlan>> plans;
  for (size_t image = 0; image < results.images.size(); ++image)
    plans.push_back(RatePlanner(results, image).Plan());
  const int crop_size = CropSize(plans);
  ReportPictures pictures;
  PictureReader reader(results, folder, pictures.problems);
  for (size_t image = 0; image < results.images.size(); ++image) {
    const std::optional<Image> original = reader.Original(image);
    pictures.images.push_back(original
                                  ? PicturesOf(results, *original, plans[image], crop_size, reader)
                                  : ImagePictures());
  }
  return pictures;
}

CropPlace BusiestPart(const ImageView& image, int size) {
  CropPlace best{0, 0, std::min(size, image.width), std::min(size, image.height)};
  DetailTable detail(image);
  const int rows = best.height / kCell, columns = best.width / kCell;
  int64_t most = -1;
  for (int y = 0; y + best.height <= image.height; y += kCell) {
    for (int x = 0; x + best.width <= image.width; x += kCell) {
      const int64_t sum = detail.Sum(y / kCell, x / kCell, rows, columns);
      if (sum <= most) continue;
      most = sum;
      best.x = x;
      best.y = y;
    }
  }
  return best;
}

Image Thumbnail(const ImageView& image, int size) {
  const double scale =
      std::min(1.0, static_cast<double>(size) / std::max(image.width, image.height));
  const int width = std::max(1, static_cast<int>(std::lround(image.width * scale)));
  const int height = std::max(1, static_cast<int>(std::lround(image.height * scale)));
  Image small(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int64_t top = int64_t{y} * image.height / height;
      const int64_t bottom = int64_t{y + 1} * image.height / height;
      const int64_t left = int64_t{x} * image.width / width;
      const int64_t right = int64_t{x + 1} * image.width / width;
      int64_t sum = 0;
      for (int64_t i = top; i < bottom; ++i)
        for (int64_t j = left; j < right; ++j) sum += image.Row(static_cast<int>(i))[j];
      const int64_t count = (bottom - top) * (right - left);
      small.Row(y)[x] = static_cast<uint8_t>((sum + count / 2) / count);
    }
  }
  return small;
}

}  // namespace mmp
