#include "tools/encode_file.h"

#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "common/file_io.h"
#include "common/metrics.h"
#include "tools/stats_report.h"
#include "tools/terminal.h"

namespace mmp {
namespace {

// An image encoded at one lambda.
struct Encoding {
  std::vector<uint8_t> bytes;
  EncodeStats stats;
  RateTrial result;
};

// Decodes `encoding`, by which its checksums are checked.
Status Verify(const Image& image, const EncodeOptions& options, const Encoding& encoding) {
  DecodeOptions decode_options;
  decode_options.threads = options.threads;
  decode_options.dictionary_file = options.dictionary_file;
  decode_options.max_pixels = image.pixels().size();
  const Result<DecodedImage> decoded = Decode(encoding.bytes, decode_options);
  if (!decoded.ok()) {
    return Status(StatusCode::kCorrupt, "verification failed: " + decoded.status().message());
  }
  if (options.lambda == 0 && decoded->image != image) {
    return Status(StatusCode::kCorrupt, "verification failed: the result is not lossless");
  }
  return Status();
}

Result<Encoding> EncodeOnce(const Image& image, const EncodeOptions& options, bool verify) {
  Encoding encoding;
  Result<std::vector<uint8_t>> bytes = Encode(image.View(), options, &encoding.stats);
  if (!bytes.ok()) return bytes.status();
  encoding.bytes = *std::move(bytes);
  encoding.result.lambda = options.lambda;
  encoding.result.bits_per_pixel = 8.0 * encoding.bytes.size() / image.pixels().size();
  const double mse = static_cast<double>(encoding.stats.sum_squared_error) / image.pixels().size();
  encoding.result.psnr = PsnrOfMse(mse);
  if (verify) MMP_RETURN_IF_ERROR(Verify(image, options, encoding));
  return encoding;
}

// As EncodeOnce, at the lambda that meets the target, which goes to `search`.
Result<Encoding> EncodeToTarget(const Image& image, const EncodeRequest& request,
                                std::optional<RateSearch>& search) {
  std::vector<Encoding> encodings;
  EncodeOptions options = request.encode;
  options.progress = [&](double done) {
    const double trials_done = encodings.size() + done;
    return !request.encode.progress || request.encode.progress(trials_done / kMaxRateTrials);
  };
  const auto evaluate = [&](double lambda) -> Result<RateTrial> {
    options.lambda = lambda;
    Result<Encoding> encoding = EncodeOnce(image, options, request.verify);
    if (!encoding.ok()) return encoding.status();
    encodings.push_back(*std::move(encoding));
    return encodings.back().result;
  };
  Result<RateSearch> found = FindLambda(*request.target, evaluate);
  if (!found.ok()) return found.status();
  search = *std::move(found);
  return std::move(encodings[search->chosen]);
}

std::string PsnrText(double psnr) {
  return std::isinf(psnr) ? "lossless" : Format("%.2f dB", psnr);
}

}  // namespace

Result<EncodeReport> EncodeFile(const FileJob& job, const EncodeRequest& request) {
  const Result<LoadedImage> loaded = ReadImage(job.input, request.read);
  if (!loaded.ok()) return loaded.status();
  const Image& image = loaded->image;
  // Before the work, so that a name that cannot be written costs no time.
  Result<AtomicFile> output = AtomicFile::Open(job.output);
  if (!output.ok()) return output.status();

  EncodeReport report;
  const auto start = std::chrono::steady_clock::now();
  Result<Encoding> encoding = request.target ? EncodeToTarget(image, request, report.search)
                                             : EncodeOnce(image, request.encode, request.verify);
  if (!encoding.ok()) return About(job.input, encoding.status());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;

  MMP_RETURN_IF_ERROR(output->Write(encoding->bytes));
  MMP_RETURN_IF_ERROR(output->Commit());
  report.notice = loaded->notice;
  report.width = image.width();
  report.height = image.height();
  report.bytes = encoding->bytes.size();
  report.bits_per_pixel = encoding->result.bits_per_pixel;
  report.psnr = encoding->result.psnr;
  report.lambda = encoding->result.lambda;
  report.seconds = seconds.count();
  report.stats = std::move(encoding->stats);
  return report;
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
