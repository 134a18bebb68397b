#include "tools/encode_file.h"

#include <cmath>
#include <utility>

#include "codec/stopwatch.h"
#include "common/file_io.h"
#include "common/metrics.h"
#include "tools/stats_report.h"
#include "tools/terminal.h"

namespace mmp {
namespace {

using Bytes = std::vector<uint8_t>;

// An image, and the file that it is to become.
struct OpenFile {
  LoadedImage loaded;
  AtomicFile output;
  Stopwatch watch = {};
};

// An image encoded at one lambda.
struct Encoding {
  Bytes bytes;
  EncodeStats stats;
  RateTrial result;
};

Result<OpenFile> Open(const FileJob& job, const ReadImageOptions& options) {
  Result<LoadedImage> loaded = ReadImage(job.input, options);
  if (!loaded.ok()) return loaded.status();
  // Before the work, so that a name that cannot be written costs no time.
  Result<AtomicFile> output = AtomicFile::Open(job.output);
  if (!output.ok()) return output.status();
  return OpenFile{*std::move(loaded), *std::move(output)};
}

// Decodes `bytes`, by which its checksums are checked.
Status Verify(const Image& image, const EncodeOptions& options, const Bytes& bytes) {
  DecodeOptions decode_options;
  decode_options.threads = options.threads;
  decode_options.dictionary_file = options.dictionary_file;
  decode_options.max_pixels = image.pixels().size();
  const Result<DecodedImage> decoded = Decode(bytes, decode_options);
  if (!decoded.ok()) {
    return Status(StatusCode::kCorrupt, "verification failed: " + decoded.status().message());
  }
  if (options.lambda == 0 && decoded->image != image) {
    return Status(StatusCode::kCorrupt, "verification failed: the result is not lossless");
  }
  return Status();
}

// What Encode made of the image, measured and, if wanted, verified.
Result<Encoding> Measure(const Image& image, const EncodeOptions& options, bool verify,
                         Result<Bytes> bytes, const EncodeStats& stats) {
  if (!bytes.ok()) return bytes.status();
  Encoding encoding = {*std::move(bytes), stats, {}};
  encoding.result.lambda = options.lambda;
  encoding.result.bits_per_pixel = 8.0 * encoding.bytes.size() / image.pixels().size();
  const double mse = static_cast<double>(stats.sum_squared_error) / image.pixels().size();
  encoding.result.psnr = PsnrOfMse(mse);
  if (verify) MMP_RETURN_IF_ERROR(Verify(image, options, encoding.bytes));
  return encoding;
}

// Encodes at the lambda that meets the target; the way there goes to `search`.
Result<Encoding> EncodeToTarget(const Image& image, const EncodeRequest& request,
                                RateSearch& search) {
  std::vector<Encoding> encodings;
  EncodeOptions options = request.encode;
  options.progress = [&](double done) {
    const double trials_done = encodings.size() + done;
    return !request.encode.progress || request.encode.progress(trials_done / kMaxRateTrials);
  };
  const auto evaluate = [&](double lambda) -> Result<RateTrial> {
    options.lambda = lambda;
    EncodeStats stats;
    Result<Bytes> bytes = Encode(image.View(), options, &stats);
    Result<Encoding> encoding = Measure(image, options, request.verify, std::move(bytes), stats);
    if (!encoding.ok()) return encoding.status();
    encodings.push_back(*std::move(encoding));
    return encodings.back().result;
  };
  Result<RateSearch> found = FindLambda(*request.target, evaluate);
  if (!found.ok()) return found.status();
  search = *std::move(found);
  return std::move(encodings[search.chosen]);
}

// Writes the file.
Result<EncodeReport> Finish(OpenFile& file, Encoding encoding) {
  EncodeReport report;
  report.seconds = file.watch.Seconds();
  MMP_RETURN_IF_ERROR(file.output.Write(encoding.bytes));
  MMP_RETURN_IF_ERROR(file.output.Commit());
  report.notice = file.loaded.notice;
  report.width = file.loaded.image.width();
  report.height = file.loaded.image.height();
  report.bytes = encoding.bytes.size();
  report.bits_per_pixel = encoding.result.bits_per_pixel;
  report.psnr = encoding.result.psnr;
  report.lambda = encoding.result.lambda;
  report.stats = std::move(encoding.stats);
  return report;
}

std::string PsnrText(double psnr) {
  return std::isinf(psnr) ? "lossless" : Format("%.2f dB", psnr);
}

}  // namespace

Result<EncodeReport> EncodeFileToTarget(const FileJob& job, const EncodeRequest& request) {
  Result<OpenFile> file = Open(job, request.read);
  if (!file.ok()) return file.status();
  RateSearch search;
  Result<Encoding> encoding = EncodeToTarget(file->loaded.image, request, search);
  if (!encoding.ok()) return About(job.input, encoding.status());
  Result<EncodeReport> report = Finish(*file, *std::move(encoding));
  if (report.ok()) report->search = std::move(search);
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
  EncodeOptions encode = request.encode;
  encode.progress = {};
  if (jobs.size() > 1) encode.threads = 1;  // of Verify: others are at work
  std::vector<std::optional<Result<OpenFile>>> files(jobs.size());
  std::vector<EncodeJob> encodes(jobs.size());
  for (size_t i = 0; i < jobs.size(); ++i) {
    encodes[i].options = encode;
    encodes[i].load = [&, i]() -> Result<ImageView> {
      const Result<OpenFile>& file = files[i].emplace(Open(jobs[i], request.read));
      if (!file.ok()) return file.status();
      return (*file).loaded.image.View();
    };
  }
  const auto finish = [&](size_t i, Result<Bytes> bytes,
                          const EncodeStats& stats) -> Result<EncodeReport> {
    std::optional<Result<OpenFile>> file = std::exchange(files[i], std::nullopt);
    if (file && !file->ok()) return file->status();  // it names the file
    if (!bytes.ok()) return About(jobs[i].input, bytes.status());
    Result<Encoding> encoding =
        Measure((*file)->loaded.image, encode, request.verify, std::move(bytes), stats);
    if (!encoding.ok()) return About(jobs[i].input, encoding.status());
    return Finish(**file, *std::move(encoding));
  };
  EncodeMany(encodes, options, [&](size_t i, Result<Bytes> bytes, const EncodeStats& stats) {
    done(i, finish(i, std::move(bytes), stats));
  });
}

std::string SummaryText(const FileJob& job, const EncodeReport& report) {
  std::string text = Format("%s: %dx%d, %llu bytes, %.4f bpp, %s, lambda %g, %.2f s",
                            OutputName(job.output).c_str(), report.width, report.height,
                            static_cast<unsigned long long>(report.bytes), report.bits_per_pixel,
                            PsnrText(report.psnr).c_str(), report.lambda, report.seconds);
  if (report.search)
    text += Format(" (%d encodes)", static_cast<int>(report.search->trials.size()));
  return text;
}

void WriteReport(const EncodeReport& report, JsonWriter& json) {
  json.Field("width", report.width)
      .Field("height", report.height)
      .Field("bytes", report.bytes)
      .Field("bits_per_pixel", report.bits_per_pixel)
      .Field("psnr", report.psnr)
      .Field("lossless", std::isinf(report.psnr))
      .Field("lambda", report.lambda)
      .Field("seconds", report.seconds)
      .Field("notice", report.notice);
  if (report.search) {
    json.Field("target_met", report.search->met).Key("trials").BeginArray();
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
