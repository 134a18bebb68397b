#include "tools/encode/encode_file.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "codec/base/sample_map.h"
#include "codec/base/stopwatch.h"
#include "codec/encoder/encode_plan.h"
#include "common/file_io.h"
#include "common/metrics.h"
#include "tools/command_line/terminal.h"
#include "tools/encode/encode_trial.h"
#include "tools/encode/rate_guess.h"
#include "tools/encode/stats_report.h"
#include "tools/text/text.h"

namespace mmp {
namespace {

using Bytes = std::vector<uint8_t>;

// An image, and the file that it is to become.
struct OpenFile {
  LoadedImage loaded;
  AtomicFile output;
  Stopwatch watch = {};
};

Result<OpenFile> Open(const FileJob& job, const ReadImageOptions& options) {
  Result<LoadedImage> loaded = ReadImage(job.input, options);
  if (!loaded.ok()) return loaded.status();
  // Before the work, so that a name that cannot be written costs no time.
  Result<AtomicFile> output = AtomicFile::Open(job.output, job.old_file);
  if (!output.ok()) return output.status();
  return OpenFile{*std::move(loaded), *std::move(output)};
}

// What of an image file its encode is told beside the samples.
void TakeExtras(const LoadedImage& loaded, bool strip, EncodeOptions& options) {
  options.is_signed = loaded.is_signed;
  if (!strip) options.metadata = loaded.metadata;
}

// Decodes the file, by which its checksums are checked.
Status Verify(const Image& image, const EncodeOptions& options, const EncodeTrial& trial) {
  DecodeOptions decode_options;
  decode_options.threads = options.threads;
  decode_options.dictionary_file = options.dictionary_file;
  decode_options.max_pixels = image.pixel_count();
  // As much as it takes: it is our own file.
  decode_options.max_work = trial.stats.decode_work;
  const Result<DecodedImage> decoded = Decode(trial.file, decode_options);
  if (!decoded.ok()) {
    return Status(StatusCode::kCorrupt, "verification failed: " + decoded.status().message());
  }
  const bool is_bounded = trial.stats.coder == Coder::kPixels || trial.result.lambda == 0;
  if (is_bounded && MaxDifference(decoded->image.View(), image.View()) > trial.stats.max_error) {
    return Status(StatusCode::kCorrupt, trial.stats.max_error == 0
                                            ? "verification failed: the result is not lossless"
                                            : "verification failed: a sample is off by more than " +
                                                  std::to_string(trial.stats.max_error));
  }
  return Status();
}

bool LosslessIsPossible(const EncodeOptions& options, int depth) {
  return depth <= 8 || options.coder != Coder::kPatterns;
}

// Where the search begins, and whether with a lossless file.
Result<RateSearchStart> Start(const Image& image, const EncodeOptions& options,
                              const RateTarget& target) {
  RateSearchStart start;
  const bool is_deep = image.depth() > 8;
  start.lossless_is_possible = LosslessIsPossible(options, image.depth());
  start.lossless_is_likely = start.lossless_is_possible && MayBeBestLossless(image.View());
  if (is_deep) {
    // Down to where the pixel coder's steps are as fine as the samples.
    const double scale = 255.0 / LargestSample(image.depth());
    start.least_lambda = scale * scale;
  }
  if (is_deep || start.lossless_is_likely) return start;
  Result<std::optional<double>> guess = GuessLambda(image.View(), options, target);
  if (!guess.ok()) return guess.status();
  start.lambda = *guess;
  return start;
}

// Whether patterns alone may come closer to the target: the pixel coder, where it is tried, makes
// files of few sizes, one for each bound on the error.
bool MayMissBetweenCoders(const RateSearch& search, const std::vector<EncodeTrial>& trials) {
  const auto by_pixels = [](const EncodeTrial& trial) {
    return trial.stats.coder == Coder::kPixels && trial.result.lambda > 0;
  };
  return !search.met_closely && search.trials[search.chosen].lambda > 0 &&
         std::ranges::any_of(trials, by_pixels);
}

// Whether `other` came to more than `search`, beyond the tolerances.
bool IsBetter(const RateTarget& target, const RateSearch& other, const RateSearch& search) {
  const RateTrial &a = other.trials[other.chosen], &b = search.trials[search.chosen];
  if (!other.met || !search.met) return other.met;
  return target.kind == RateTarget::Kind::kPsnr
             ? a.bits_per_pixel < b.bits_per_pixel * (1 - kRateTolerance)
             : a.psnr > b.psnr + kPsnrTolerance;
}

// `search`, and `other` after it.
void Append(const RateTarget& target, const RateSearch& other, RateSearch& search) {
  if (IsBetter(target, other, search)) {
    search.chosen = static_cast<int>(search.trials.size()) + other.chosen;
    search.met = other.met;
    search.met_closely = other.met_closely;
  }
  search.trials.insert(search.trials.end(), other.trials.begin(), other.trials.end());
}

// Encodes at the lambda that meets the target; the way there goes to `search`.
Result<EncodeTrial> EncodeToTarget(const Image& image, const EncodeOptions& all,
                                   const RateTarget& target, RateSearch& search) {
  std::vector<EncodeTrial> trials;
  EncodeOptions options = all;
  if (all.progress) {
    options.progress = [&](double done) {
      const double all_trials = trials.size() + kRateTrialsAtOnce * done;
      return all.progress(std::min(1.0, all_trials / kMaxRateTrials));
    };
  }
  const auto evaluate = [&](const std::vector<double>& lambdas) -> Result<std::vector<RateTrial>> {
    Result<std::vector<EncodeTrial>> encodes = EncodeTrials(image.View(), options, lambdas);
    if (!encodes.ok()) return encodes.status();
    std::vector<RateTrial> results;
    for (EncodeTrial& encode : *encodes) {
      results.push_back(encode.result);
      trials.push_back(std::move(encode));
    }
    return results;
  };
  EncodeOptions of_samples = options;
  of_samples.metadata = {};
  Result<RateSearchStart> start = Start(image, of_samples, target);
  if (!start.ok()) return start.status();
  Result<RateSearch> found = FindLambda(target, *start, evaluate);
  if (!found.ok()) return found.status();
  search = *std::move(found);
  if (all.coder == Coder::kAuto && MayMissBetweenCoders(search, trials)) {
    options.coder = Coder::kPatterns;
    start->lambda = search.trials[search.chosen].lambda;
    start->lossless_is_possible = LosslessIsPossible(options, image.depth());
    start->lossless_is_likely &= start->lossless_is_possible;
    const Result<RateSearch> by_patterns = FindLambda(target, *start, evaluate);
    if (!by_patterns.ok()) return by_patterns.status();
    Append(target, *by_patterns, search);
  }
  return std::move(trials[search.chosen]);
}

RateTarget TargetFor(const Image& image, const EncodeRequest& request) {
  if (request.target) return *request.target;
  return {RateTarget::Kind::kBitsPerPixel, 8.0 * *request.target_bytes / image.pixel_count()};
}

// The part of what the depth allows that lies between the hundredth of the samples that are
// smallest and the one of those that are largest.
double FilledRange(const ImageView& image) {
  const std::vector<uint64_t> counts = CountSamples(image);
  const uint64_t hundredth = std::accumulate(counts.begin(), counts.end(), uint64_t{0}) / 100;
  const auto steps_over = [hundredth](auto count) {
    uint64_t passed = *count;
    int steps = 0;
    for (; passed <= hundredth; passed += *++count) ++steps;
    return steps;
  };
  const int largest = LargestSample(image.depth);
  return static_cast<double>(largest - steps_over(counts.begin()) - steps_over(counts.rbegin())) /
         largest;
}

// Verifies the file, if wanted, and writes it.
Result<EncodeReport> Finish(const FileJob& job, const EncodeRequest& request, OpenFile& file,
                            EncodeTrial trial) {
  const Image& image = file.loaded.image;
  if (request.verify) {
    const Status verified = Verify(image, request.encode, trial);
    if (!verified.ok()) return About(job.input, verified);
  }
  EncodeReport report;
  report.seconds = file.watch.Seconds();
  MMP_RETURN_IF_ERROR(file.output.Write(trial.file));
  MMP_RETURN_IF_ERROR(file.output.Commit());
  report.notice = file.loaded.notice;
  report.width = image.width();
  report.height = image.height();
  report.depth = image.depth();
  report.filled_range = FilledRange(image.View());
  report.bytes = trial.file.size();
  report.bits_per_pixel = trial.result.bits_per_pixel;
  report.psnr = trial.result.psnr;
  report.lambda = trial.result.lambda;
  report.stats = std::move(trial.stats);
  return report;
}

std::string QualityText(const EncodeReport& report) {
  if (std::isinf(report.psnr)) return "lossless";
  const std::string psnr = Format("%.2f dB, ", report.psnr);
  return psnr + (report.stats.max_error > 0 ? Format("error at most %d", report.stats.max_error)
                                            : Format("lambda %g", report.lambda));
}

}  // namespace

Result<EncodeReport> EncodeFileToTarget(const FileJob& job, const EncodeRequest& request) {
  Result<OpenFile> file = Open(job, request.read);
  if (!file.ok()) return file.status();
  RateSearch search;
  const Image& image = file->loaded.image;
  EncodeOptions options = request.encode;
  TakeExtras(file->loaded, request.strip, options);
  Result<EncodeTrial> trial = EncodeToTarget(image, options, TargetFor(image, request), search);
  if (!trial.ok()) return About(job.input, trial.status());
  Result<EncodeReport> report = Finish(job, request, *file, *std::move(trial));
  if (!report.ok()) return report;
  report->search = std::move(search);
  return report;
}

void EncodeFiles(const std::vector<FileJob>& jobs, const EncodeRequest& request,
                 const std::function<void(size_t index, Result<EncodeReport> report)>& done) {
  EncodeManyOptions options;
  options.threads = request.encode.threads;
  if (request.encode.progress) {
    options.progress = [&](const EncodeManyProgress& progress) {
      return request.encode.progress(progress.fraction);
    };
  }
  EncodeRequest each = request;
  each.encode.progress = {};
  if (jobs.size() > 1) each.encode.threads = 1;  // of Verify: others are at work
  std::vector<std::optional<Result<OpenFile>>> files(jobs.size());
  std::vector<EncodeJob> encodes(jobs.size());
  for (size_t i = 0; i < jobs.size(); ++i) {
    encodes[i].options = each.encode;
    encodes[i].load = [&, i]() -> Result<ImageView> {
      const Result<OpenFile>& file = files[i].emplace(Open(jobs[i], request.read));
      if (!file.ok()) return file.status();
      TakeExtras((*file).loaded, each.strip, encodes[i].options);
      return (*file).loaded.image.View();
    };
  }
  const auto finish = [&](size_t i, Result<Bytes> bytes,
                          const EncodeStats& stats) -> Result<EncodeReport> {
    std::optional<Result<OpenFile>> file = std::exchange(files[i], std::nullopt);
    if (file && !file->ok()) return file->status();  // it names the file
    if (!bytes.ok()) return About(jobs[i].input, bytes.status());
    const RateTrial result = MeasureTrial(stats, bytes->size(), (*file)->loaded.image.View());
    return Finish(jobs[i], each, **file, {*std::move(bytes), stats, result});
  };
  EncodeMany(encodes, options, [&](size_t i, Result<Bytes> bytes, const EncodeStats& stats) {
    done(i, finish(i, std::move(bytes), stats));
  });
}

std::string SummaryText(const FileJob& job, const EncodeReport& report) {
  const std::string depth = report.depth == 8 ? "" : " of " + Counted(report.depth, "bit");
  std::string text = Format("%s: %dx%d%s, %llu bytes, %.4f bpp, %s, %.2f s",
                            OutputName(job.output).c_str(), report.width, report.height,
                            depth.c_str(), static_cast<unsigned long long>(report.bytes),
                            report.bits_per_pixel, QualityText(report).c_str(), report.seconds);
  if (report.search)
    text += Format(" (%d encodes)", static_cast<int>(report.search->trials.size()));
  return text;
}

void WriteReport(const EncodeReport& report, JsonWriter& json) {
  json.Field("width", report.width)
      .Field("height", report.height)
      .Field("depth", report.depth)
      .Field("bytes", report.bytes)
      .Field("bits_per_pixel", report.bits_per_pixel)
      .Field("psnr", report.psnr)
      .Field("lossless", std::isinf(report.psnr))
      .Field("lambda", report.lambda)
      .Field("seconds", report.seconds)
      .Field("notice", report.notice);
  if (report.search) {
    json.Field("target_met", report.search->met)
        .Field("target_met_closely", report.search->met_closely)
        .Key("trials")
        .BeginArray();
    for (const RateTrial& trial : report.search->trials) {
      json.BeginObject()
          .Field("lambda", trial.lambda)
          .Field("bits_per_pixel", trial.bits_per_pixel)
          .Field("psnr", trial.psnr)
          .EndObject();
    }
    json.EndArray();
  }
  WriteStats(report.stats, json.Key("stats"));
}

}  // namespace mmp
