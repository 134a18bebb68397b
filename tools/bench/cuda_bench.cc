// Whole encodes on the CUDA device under every configuration that docs/performance.md compares.
// Each file's bytes are checked against the CPU's before its time is printed.
#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "codec/mmp.h"
#include "codec/search_backend.h"
#include "common/image_io.h"
#include "common/thread_pool.h"
#include "cuda/cuda_backend.h"

namespace {

using mmp::cuda::CudaBackend;
using mmp::cuda::CudaSearchOptions;
using Clock = std::chrono::steady_clock;
using File = std::vector<uint8_t>;

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Job `j` of `jobs`: lambdas from 10 to 300, evenly spaced on a logarithmic scale.
mmp::EncodeOptions JobOptions(const mmp::EncodeOptions& options, int j, int jobs) {
  mmp::EncodeOptions job = options;
  if (jobs > 1) job.lambda = 10.0 * std::pow(30.0, static_cast<double>(j) / (jobs - 1));
  return job;
}

File EncodeOrExit(const mmp::ImageView& image, const mmp::EncodeOptions& options) {
  mmp::Result<File> file = mmp::Encode(image, options);
  if (!file.ok()) {
    std::fprintf(stderr, "%s\n", file.status().message().c_str());
    std::exit(1);
  }
  return *std::move(file);
}

// All jobs on the CPU, one a thread, or a single one by all threads.
std::vector<File> OnCpu(const mmp::ImageView& image, const mmp::EncodeOptions& options, int jobs,
                        double& seconds) {
  std::vector<File> files(jobs);
  const Clock::time_point begin = Clock::now();
  mmp::ThreadPool pool(mmp::HardwareThreads());
  pool.ParallelFor(jobs, [&](int j, int) {
    mmp::EncodeOptions job = JobOptions(options, j, jobs);
    job.backend = mmp::Backend::kCpu;
    job.threads = jobs > 1 ? 1 : 0;
    files[j] = EncodeOrExit(image, job);
  });
  seconds = SecondsSince(begin);
  return files;
}

// All jobs side by side on the device.
std::vector<File> OnDevice(const mmp::ImageView& image, const mmp::EncodeOptions& options, int jobs,
                           const CudaSearchOptions& search, double& seconds) {
  CudaBackend backend(search);
  mmp::SetCudaBackend(&backend);
  std::vector<File> files(jobs);
  const Clock::time_point begin = Clock::now();
  std::vector<std::thread> threads;
  for (int j = 0; j < jobs; ++j)
    threads.emplace_back([&, j] {
      mmp::EncodeOptions job = JobOptions(options, j, jobs);
      job.backend = mmp::Backend::kCuda;
      files[j] = EncodeOrExit(image, job);
    });
  for (std::thread& thread : threads) thread.join();
  seconds = SecondsSince(begin);
  mmp::SetCudaBackend(nullptr);
  return files;
}

// Prints a line of a table: what, seconds on the device, on the CPU if it is to be timed.
void Measure(const char* what, const mmp::ImageView& image, const mmp::EncodeOptions& options,
             int jobs, const CudaSearchOptions& search) {
  double warm_up, seconds, cpu_seconds;
  OnDevice(image.Crop(0, 0, 16, 16), options, 1, search, warm_up);
  const std::vector<File> files = OnDevice(image, options, jobs, search, seconds);
  const std::vector<File> expected = OnCpu(image, options, jobs, cpu_seconds);
  std::printf("| %s | %d | %.3f | %.3f | %s |\n", what, jobs, seconds, cpu_seconds,
              files == expected ? "equal" : "DIFFERENT");
  std::fflush(stdout);
}

CudaSearchOptions Options(int blocks, bool cluster, bool tensor_cores, bool reuse) {
  CudaSearchOptions options;
  options.config = {blocks, cluster, tensor_cores};
  options.reuse = reuse;
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Times encodes on the CUDA device in many configurations, and on the CPU"};
  std::string path;
  mmp::EncodeOptions options;
  int blocks = 132;
  app.add_option("IMAGE", path, "Image to encode")->required();
  app.add_option("--lambda", options.lambda, "Lagrangian multiplier of single encodes");
  app.add_option("--blocks", blocks, "Thread blocks of a whole device: its multiprocessors");
  CLI11_PARSE(app, argc, argv);
  const mmp::Result<mmp::LoadedImage> loaded = mmp::ReadImage(path);
  if (!loaded.ok()) {
    std::fprintf(stderr, "%s\n", loaded.status().message().c_str());
    return 1;
  }
  const mmp::ImageView image = loaded->image.View();

  std::puts("| what | encodes | device, s | CPU, s | bytes |\n|---|---|---|---|---|");
  Measure("grid, tensor cores, reuse", image, options, 1, Options(blocks, false, true, true));
  Measure("plain integers", image, options, 1, Options(blocks, false, false, true));
  Measure("no reuse", image, options, 1, Options(blocks, false, true, false));
  Measure("plain integers, no reuse", image, options, 1, Options(blocks, false, false, false));
  Measure("cluster of 16 blocks", image, options, 1, Options(16, true, true, true));
  Measure("cluster of 8 blocks", image, options, 1, Options(8, true, true, true));
  Measure("grid of 8 blocks", image, options, 1, Options(8, false, true, true));
  Measure("one block", image, options, 1, Options(1, false, true, true));
  for (const int size : {256, 4096, 16384}) {
    mmp::EncodeOptions other = options;
    other.dictionary_size = size;
    const std::string what = "dictionary of " + std::to_string(size);
    Measure(what.c_str(), image, other, 1, Options(blocks, false, true, true));
  }
  for (const int jobs : {4, 8, 16, 32, 64}) {
    CudaSearchOptions shared = Options(16, true, true, true);
    shared.side_by_side = true;
    Measure("lambdas 10 to 300 side by side", image, options, jobs, shared);
  }
}
