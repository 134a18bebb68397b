#include "tools/sweep/measure.h"

#include <stdlib.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "common/file_io.h"
#include "common/metrics.h"
#include "common/thread_pool.h"
#include "mmp/mmp.h"
#include "tools/command_line/output_folder.h"
#include "tools/encode/stats_report.h"
#include "tools/sweep/external/process.h"
#include "tools/sweep/sweep_folder.h"
#include "tools/text/text.h"

namespace mmp {
namespace {

namespace fs = std::filesystem;

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The point of `decoded`, from a file of so many bytes.
RdPoint MakePoint(const SweepTask& task, const Image& image, const Image& decoded, size_t bytes) {
  RdPoint point;
  point.image = task.image;
  point.codec = task.curve;
  point.parameter = task.parameter;
  point.bytes = bytes;
  point.bits_per_pixel =
      8.0 * static_cast<double>(bytes) / static_cast<double>(image.pixels().size());
  point.psnr = Psnr(image.View(), decoded.View());
  point.ssim = Ssim(image.View(), decoded.View());
  point.ms_ssim = MsSsim(image.View(), decoded.View());
  return point;
}

Status KeepFiles(const SweepTask& task, const MeasureContext& context,
                 const std::vector<uint8_t>& bytes, const Image& decoded, RdPoint& point) {
  const SweepRequest& request = context.request;
  const SweepImage& image = context.pictures.images()[task.image];
  const KeptPaths paths = PathsOf(image, context.curves[task.curve], task.parameter);
  const fs::path folder = request.folder;
  if (request.keep_bitstreams) {
    point.bitstream_path = paths.bitstream;
    MMP_RETURN_IF_ERROR(MakeFolder((folder / paths.bitstream).parent_path()));
    MMP_RETURN_IF_ERROR(WriteFile(folder / paths.bitstream, bytes));
  }
  if (request.keep_decoded) {
    point.decoded_path = paths.decoded;
    MMP_RETURN_IF_ERROR(MakeFolder((folder / paths.decoded).parent_path()));
    MMP_RETURN_IF_ERROR(WriteImage(folder / paths.decoded, decoded.View()));
  }
  return {};
}

// mmp's points

// The path where a name that begins with a dash is no option.
std::string AsArgument(const std::string& path) {
  return path.starts_with('-') ? "./" + path : path;
}

std::string EncodeCommand(const SweepTask& task, const MeasureContext& context) {
  const SweepImage& image = context.pictures.images()[task.image];
  const Curve& curve = context.curves[task.curve];
  Arguments arguments = {"mmp",
                         "encode",
                         AsArgument(image.path),
                         "-o",
                         fs::path(PathsOf(image, curve, task.parameter).bitstream).filename(),
                         curve.setting->effort ? "--effort" : "--preset",
                         curve.setting->effort ? std::to_string(*curve.setting->effort)
                                               : std::string(PresetName(curve.setting->preset)),
                         "--lambda",
                         NumberText(task.parameter),
                         "--exact-lambda",
                         "--depth8"};
  if (static_cast<uint64_t>(image.width) * image.height > ReadImageOptions().max_pixels)
    arguments.insert(arguments.end(),
                     {"--max-pixels", std::to_string(context.request.read.max_pixels)});
  return ShellText(arguments);
}

// Decodes the file, by which its checksums are verified, and what the encoder says of its quality.
Result<RdPoint> FinishMmpPoint(const SweepTask& task, const MeasureContext& context,
                               const Image& image, const std::vector<uint8_t>& file,
                               const EncodeStats& stats) {
  const auto start = std::chrono::steady_clock::now();
  const Result<DecodedImage> decoded =
      Decode(file, {.threads = 1,
                    .max_pixels = image.pixels().size(),
                    .max_work = stats.decode_work,
                    .progress = [&](double) { return !IsInterrupted(context.request); }});
  const double decode_seconds = SecondsSince(start);
  if (decoded.status().code() == StatusCode::kCancelled) return decoded.status();
  if (!decoded.ok())
    return Status(StatusCode::kCorrupt, "verification failed: " + decoded.status().message());
  if (SumSquaredError(image.View(), decoded->image.View()) != stats.sum_squared_error)
    return Status(StatusCode::kCorrupt, "verification failed: not the quality that was encoded");
  RdPoint point = MakePoint(task, image, decoded->image, file.size());
  point.encode_seconds = stats.seconds_total;
  point.decode_seconds = decode_seconds;
  point.bits = BitsBySyntaxElement(stats);
  point.command = EncodeCommand(task, context);
  MMP_RETURN_IF_ERROR(KeepFiles(task, context, file, decoded->image, point));
  return point;
}

void MeasureMmp(std::span<const SweepTask> tasks, const MeasureContext& context,
                const MeasureEvents& events) {
  std::vector<std::shared_ptr<const Image>> images(tasks.size());  // of the jobs at work
  std::vector<EncodeJob> jobs(tasks.size());
  for (size_t i = 0; i < tasks.size(); ++i) {
    jobs[i].options.lambda = tasks[i].parameter;
    jobs[i].options.exact_lambda = true;
    const EncoderSetting& setting = *context.curves[tasks[i].curve].setting;
    jobs[i].options.preset = setting.preset;
    jobs[i].options.effort = setting.effort;
    jobs[i].options.backend = context.request.backend;
    jobs[i].load = [&, i]() -> Result<ImageView> {
      if (!events.start(tasks[i])) return Status(StatusCode::kCancelled, "not to be measured");
      Result<std::shared_ptr<const Image>> image = context.pictures.Get(tasks[i].image);
      if (!image.ok()) return image.status();
      images[i] = *std::move(image);
      return images[i]->View();
    };
  }
  std::atomic<bool> going_on{true};
  const EncodeManyOptions options = {.threads = context.request.jobs,
                                     .progress = [&](const EncodeManyProgress&) {
                                       return going_on && !IsInterrupted(context.request);
                                     }};
  EncodeMany(
      jobs, options, [&](size_t i, Result<std::vector<uint8_t>> file, const EncodeStats& stats) {
        Result<RdPoint> point = file.ok()
                                    ? FinishMmpPoint(tasks[i], context, *images[i], *file, stats)
                                    : Result<RdPoint>(file.status());
        images[i].reset();
        if (point.status().code() == StatusCode::kCancelled) return;
        if (!events.ended(tasks[i], std::move(point))) going_on = false;
      });
}

// Other codecs' points

Result<RdPoint> MeasureExternal(const SweepTask& task, const MeasureContext& context) {
  const Result<std::shared_ptr<const Image>> image = context.pictures.Get(task.image);
  if (!image.ok()) return image.status();
  const Result<ScratchFolder> scratch = ScratchFolder::Make(context.request.folder);
  if (!scratch.ok()) return scratch.status();
  const Result<ExternalCoding> coding =
      RunExternalCodec(*context.curves[task.curve].external, (*image)->View(), task.parameter,
                       scratch->path(), [&] { return IsInterrupted(context.request); });
  if (!coding.ok()) return coding.status();
  RdPoint point = MakePoint(task, **image, coding->decoded, coding->bytes.size());
  point.encode_seconds = coding->encode_seconds;
  point.decode_seconds = coding->decode_seconds;
  point.command = coding->command;
  MMP_RETURN_IF_ERROR(KeepFiles(task, context, coding->bytes, coding->decoded, point));
  return point;
}

void MeasureExternals(std::span<const SweepTask> tasks, const MeasureContext& context,
                      const MeasureEvents& events) {
  if (tasks.empty()) return;
  std::atomic<bool> going_on{true};
  const int jobs = context.request.jobs > 0 ? context.request.jobs : HardwareThreads();
  ThreadPool pool(std::min(jobs, static_cast<int>(tasks.size())));
  pool.ParallelFor(static_cast<int>(tasks.size()), [&](int i, int /*worker*/) {
    if (!going_on || IsInterrupted(context.request) || !events.start(tasks[i])) return;
    Result<RdPoint> point = MeasureExternal(tasks[i], context);
    if (point.status().code() == StatusCode::kCancelled) return;
    if (!events.ended(tasks[i], std::move(point))) going_on = false;
  });
}

}  // namespace

void MeasurePoints(std::span<const SweepTask> tasks, const MeasureContext& context,
                   const MeasureEvents& events) {
  std::vector<SweepTask> mmp;
  std::vector<SweepTask> external;
  for (const SweepTask& task : tasks)
    (context.curves[task.curve].setting ? mmp : external).push_back(task);
  MeasureMmp(mmp, context, events);
  MeasureExternals(external, context, events);
}

}  // namespace mmp
