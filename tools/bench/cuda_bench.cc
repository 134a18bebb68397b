// mmp_cuda_bench: how long encodes take on CUDA devices, as CSV for plot_cuda.py: a row for each
// combination of the lists on the command line, say
//
//   mmp_cuda_bench lena.png --jobs 1,8,64 --dictionary 256,1024,4096 --cpu >> times.csv
//
// Each batch of encodes is run once, to have all memory allocated and to compare the bytes with the
// CPU's, and then timed, from images in memory to bytes in memory.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codec/base/parameters.h"
#include "codec/base/stopwatch.h"
#include "codec/bitstream/container.h"
#include "codec/encoder/search_backend.h"
#include "codec/rdo/macroblock_search.h"
#include "common/image_files/image_io.h"
#include "common/thread_pool.h"
#include "cuda/backend/cuda_backend.h"
#include "mmp/mmp.h"
#include "mmp/mmp_cuda.h"

namespace mmp::cuda {
namespace {

constexpr double kLeastLambda = 10, kMostLambda = 300;  // of several jobs
constexpr int kMostInList = 65536;

// The backend's configuration of a search, but for what is set here.
struct Variant {
  std::string shape;  // "grid" or "cluster"
  int blocks = 0;
  int macroblocks = 0;
  bool plain = false;

  bool any() const { return !shape.empty() || blocks > 0 || macroblocks > 0 || plain; }
};

struct Arguments {
  std::vector<std::string> images;
  std::vector<int> crops = {0};  // 0: the whole image
  std::vector<int> tiles = {0};  // 0: automatic
  std::vector<int> dictionaries;
  std::vector<int> jobs = {1};
  std::vector<int> devices = {1};
  EncodeOptions encode;
  std::string preset = std::string(PresetName(Preset::kThesis));
  std::string order = std::string(OrderName(MacroblockOrder::kAuto));
  Variant variant;
  int repeat = 1;
  bool cpu = false;
  bool no_check = false;
};

// One row, but for what it runs on.
struct Case {
  std::string image;
  ImageView pixels = {};
  EncodeOptions encode = {};
  int jobs = 1;
};

struct Run {
  std::vector<std::vector<uint8_t>> files;
  double seconds = 0;
  int tiles = 0;
  double device_seconds = 0;  // by its events, if asked for
};

// Some of a backend's devices.
class FirstDevices : public SearchBackend {
 public:
  FirstDevices(SearchBackend& all, int count) : all_(all), count_(count) {}

  Status Available() override { return all_.Available(); }
  int Devices() override { return count_; }
  int MostSearches(int device) override { return all_.MostSearches(device); }
  Result<std::unique_ptr<MacroblockSearch>> MakeSearch(const SearchKind& kind,
                                                       int device) override {
    return all_.MakeSearch(kind, device);
  }

 private:
  SearchBackend& all_;
  const int count_;
};

[[noreturn]] void Exit(const std::string& message) {
  std::fprintf(stderr, "mmp_cuda_bench: %s\n", message.c_str());
  std::exit(1);
}

template <typename T>
T ValueOrExit(Result<T> result) {
  if (!result.ok()) Exit(result.status().message());
  return *std::move(result);
}

std::vector<CudaDevice> UsableDevices() {
  std::string problem;
  std::vector<CudaDevice> devices = ListCudaDevices(&problem);
  for (const CudaDevice& device : devices)
    if (!device.problem.empty()) problem = device.name + ": " + device.problem;
  std::erase_if(devices, [](const CudaDevice& device) { return !device.problem.empty(); });
  if (devices.empty()) Exit(problem);
  return devices;
}

// The case's jobs all together. Several have lambdas that are evenly spaced on a logarithmic scale.
Run Encode(const Case& c, Backend backend, bool timing = false) {
  std::vector<EncodeJob> jobs(c.jobs, {.image = c.pixels, .options = c.encode});
  for (int j = 0; j < c.jobs; ++j) {
    EncodeOptions& options = jobs[j].options;
    options.backend = backend;
    options.time_stages = timing;
    if (c.jobs > 1)
      options.lambda = kLeastLambda * std::pow(kMostLambda / kLeastLambda, j / (c.jobs - 1.0));
  }
  const Stopwatch watch;
  std::vector<EncodeStats> stats;
  std::vector<Result<std::vector<uint8_t>>> files = EncodeMany(jobs, {}, &stats);
  Run run = {.files = {}, .seconds = watch.Seconds()};
  for (const EncodeStats& s : stats) {
    run.tiles += s.tiles;
    run.device_seconds += s.seconds_device;
  }
  for (auto& file : files) run.files.push_back(ValueOrExit(std::move(file)));
  return run;
}

// How many searches the case has use for on one device.
int SearchesOnOneDevice(const Case& c) {
  const int tile_width = c.encode.tile_width, tile_height = c.encode.tile_height;
  if (tile_width == 0) return c.jobs;
  return c.jobs * ((c.pixels.width + tile_width - 1) / tile_width) *
         ((c.pixels.height + tile_height - 1) / tile_height);
}

CudaSearchOptions SearchOptions(const Variant& variant, int searches) {
  CudaSearchOptions options;
  SearchConfig& config = options.config;
  config = ValueOrExit(ChooseConfig(options.device, searches));
  if (variant.shape == "grid")
    config = {ValueOrExit(ChooseConfig(options.device, 1)).blocks, false, config.tensor_cores};
  if (variant.shape == "cluster") config = {16, true, config.tensor_cores};
  if (variant.blocks > 0) config.blocks = variant.blocks;
  if (variant.macroblocks > 0) options.macroblocks = variant.macroblocks;
  if (variant.plain) config.tensor_cores = false;
  options.side_by_side = searches > 1;
  return options;
}

std::string VariantName(const Arguments& arguments) {
  const Variant& variant = arguments.variant;
  std::string name(PresetName(arguments.encode.preset));
  if (arguments.order != "auto") name += ", " + arguments.order;
  if (!variant.shape.empty()) name += ", " + variant.shape;
  if (variant.blocks > 0) name += ", " + std::to_string(variant.blocks) + " blocks";
  if (variant.macroblocks > 0) name += ", " + std::to_string(variant.macroblocks) + " macroblocks";
  if (variant.plain) name += ", plain integers";
  return name;
}

std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

void PrintHeader() {
  std::puts(
      "what,image,width,height,tile,lambda,dictionary,jobs,devices,device,seconds,images_per_"
      "second,"
      "device_seconds,cpu_seconds,cores");
}

void PrintRow(const Arguments& arguments, const Case& c, int devices, const std::string& device,
              double seconds, std::optional<double> device_seconds,
              std::optional<double> cpu_seconds) {
  std::printf("%s,%s,%d,%d,%d,", Quoted(VariantName(arguments)).c_str(), Quoted(c.image).c_str(),
              c.pixels.width, c.pixels.height, c.encode.tile_width);
  if (c.jobs > 1)
    std::printf("%g-%g,", kLeastLambda, kMostLambda);
  else
    std::printf("%g,", c.encode.lambda);
  std::printf("%d,%d,%d,%s,%.4f,%.2f,", *c.encode.dictionary_size, c.jobs, devices,
              Quoted(device).c_str(), seconds, c.jobs / seconds);
  if (device_seconds) std::printf("%.4f", *device_seconds);
  std::printf(",");
  if (cpu_seconds) std::printf("%.4f", *cpu_seconds);
  std::printf(",%d\n", HardwareThreads());
  std::fflush(stdout);
}

// A row for each number of devices.
void Measure(const Arguments& arguments, const Case& c,
             const std::vector<CudaDevice>& all_devices) {
  std::optional<CudaBackend> backend;
  if (arguments.variant.any())
    backend.emplace(SearchOptions(arguments.variant, SearchesOnOneDevice(c)));
  else
    backend.emplace();
  std::optional<Run> cpu;
  if (arguments.cpu || !arguments.no_check) cpu = Encode(c, Backend::kCpu);
  for (const int count : arguments.devices) {
    FirstDevices devices(*backend, count);
    SetCudaBackend(&devices);
    const Run first = Encode(c, Backend::kCuda);
    if (!arguments.no_check && first.files != cpu->files)
      Exit(c.image + ": the device's bytes are not the CPU's");
    double seconds = std::numeric_limits<double>::infinity();
    for (int i = 0; i < arguments.repeat; ++i)
      seconds = std::min(seconds, Encode(c, Backend::kCuda).seconds);
    // Several tiles are on the device at the same time: their times have no sum.
    std::optional<double> device_seconds;
    if (first.tiles == 1) device_seconds = Encode(c, Backend::kCuda, true).device_seconds;
    SetCudaBackend(nullptr);
    PrintRow(arguments, c, count, all_devices[0].name, seconds, device_seconds,
             arguments.cpu ? std::optional(cpu->seconds) : std::nullopt);
  }
}

ImageView Middle(const ImageView& image, int side, const std::string& path) {
  if (side == 0) return image;
  if (side > std::min(image.width, image.height))
    Exit(path + " is too small for a crop of " + std::to_string(side));
  return image.Crop((image.width - side) / 2, (image.height - side) / 2, side, side);
}

void MeasureImage(const Arguments& arguments, const std::string& path,
                  const std::vector<CudaDevice>& devices) {
  const LoadedImage loaded = ValueOrExit(ReadImage(path));
  Case c = {.image = std::filesystem::path(path).stem(), .encode = arguments.encode};
  for (const int side : arguments.crops) {
    c.pixels = Middle(loaded.image.View(), side, path);
    for (const int tile : arguments.tiles) {
      c.encode.tile_width = c.encode.tile_height = tile;
      for (const int dictionary : arguments.dictionaries) {
        c.encode.dictionary_size = dictionary;
        for (const int jobs : arguments.jobs) {
          c.jobs = jobs;
          Measure(arguments, c, devices);
        }
      }
    }
  }
}

void AddOptions(CLI::App& app, Arguments& arguments) {
  const auto add_list = [&app](const char* name, std::vector<int>& list, const char* text) {
    app.add_option(name, list, text)
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::Range(0, kMostInList))
        ->type_name("LIST");
  };
  app.add_option("IMAGE", arguments.images, "Images, each measured on its own")->required();
  add_list("--crops", arguments.crops, "Sides of squares in the image's middle; 0: all of it");
  add_list("--tiles", arguments.tiles, "Sides of tiles; 0: automatic");
  add_list("--dictionary", arguments.dictionaries, "Most patterns a level");
  add_list("--jobs", arguments.jobs,
           "Encodes at a time; several: at lambdas from 10 to 300, evenly on a logarithmic scale");
  add_list("--devices", arguments.devices, "How many devices to use, the first ones");
  app.add_option("--lambda", arguments.encode.lambda, "Lambda of single encodes")
      ->capture_default_str();
  app.add_option("--preset", arguments.preset, "What is searched")
      ->check(CLI::IsMember({"best", "fast", "thesis"}))
      ->capture_default_str();
  app.add_option("--order", arguments.order, "Of a tile's macroblocks")
      ->check(CLI::IsMember({"auto", "raster", "wavefront"}))
      ->capture_default_str();
  app.add_option("--shape", arguments.variant.shape, "How blocks work together on one search")
      ->check(CLI::IsMember({"grid", "cluster"}));
  app.add_option("--blocks", arguments.variant.blocks,
                 "Thread blocks a search; of clusters the most, if there are several")
      ->check(CLI::Range(1, 1000));
  app.add_option("--macroblocks", arguments.variant.macroblocks,
                 "Macroblocks of a front at a time, at most, in one search")
      ->check(CLI::Range(1, 1000));
  app.add_flag("--plain", arguments.variant.plain, "Match by plain integers, not by tensor cores");
  app.add_option("--repeat", arguments.repeat, "Take the shortest of so many times")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_flag("--cpu", arguments.cpu, "Also time the CPU, the jobs spread over all cores");
  app.add_flag("--no-check", arguments.no_check, "Do not compare the bytes with the CPU's");
}

int Main(int argc, char** argv) {
  CLI::App app{"Times encodes on CUDA devices, prints CSV"};
  Arguments arguments;
  AddOptions(app, arguments);
  CLI11_PARSE(app, argc, argv);
  for (const Preset preset : {Preset::kBest, Preset::kFast, Preset::kThesis})
    if (arguments.preset == PresetName(preset)) arguments.encode.preset = preset;
  for (const MacroblockOrder order : {MacroblockOrder::kRaster, MacroblockOrder::kWavefront})
    if (arguments.order == OrderName(order)) arguments.encode.order = order;
  if (arguments.dictionaries.empty())
    arguments.dictionaries = {PresetParameters(arguments.encode.preset).dictionary_size};
  const std::vector<CudaDevice> devices = UsableDevices();
  const auto [least, most] = std::ranges::minmax(arguments.devices);
  if (least < 1 || most > static_cast<int>(devices.size()))
    Exit("--devices: there are " + std::to_string(devices.size()));
  if (arguments.variant.any() && most > 1) Exit("a variant is measured on one device");
  if (std::ranges::min(arguments.jobs) < 1) Exit("--jobs: at least 1");
  PrintHeader();
  for (const std::string& path : arguments.images) MeasureImage(arguments, path, devices);
  return 0;
}

}  // namespace
}  // namespace mmp::cuda

int main(int argc, char** argv) { return mmp::cuda::Main(argc, argv); }
