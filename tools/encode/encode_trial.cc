#include "tools/encode/encode_trial.h"

#include <utility>

#include "common/metrics.h"

namespace mmp {

RateTrial MeasureTrial(const EncodeStats& stats, size_t bytes, const ImageView& image) {
  const double pixels = static_cast<double>(image.width) * image.height;
  const double mse = static_cast<double>(stats.sum_squared_error) / pixels;
  return {.lambda = stats.lambda,
          .bits_per_pixel = 8.0 * static_cast<double>(bytes) / pixels,
          .psnr = PsnrOfMse(mse, image.depth)};
}

Result<std::vector<EncodeTrial>> EncodeTrials(const ImageView& image, const EncodeOptions& options,
                                              const std::vector<double>& lambdas) {
  std::vector<EncodeJob> jobs(lambdas.size(), {.image = image, .options = options, .load = {}});
  for (size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].options.lambda = lambdas[i];
    jobs[i].options.exact_lambda = true;
    jobs[i].options.progress = {};
  }
  EncodeManyOptions many;
  many.threads = options.threads;
  if (options.progress) {
    many.progress = [&options](const EncodeManyProgress& progress) {
      return options.progress(progress.fraction);
    };
  }
  std::vector<EncodeStats> stats;
  std::vector<Result<std::vector<uint8_t>>> files = EncodeMany(jobs, many, &stats);
  std::vector<EncodeTrial> trials;
  for (size_t i = 0; i < files.size(); ++i) {
    if (!files[i].ok()) return files[i].status();
    const RateTrial result = MeasureTrial(stats[i], files[i]->size(), image);
    trials.push_back({*std::move(files[i]), std::move(stats[i]), result});
  }
  return trials;
}

}  // namespace mmp
