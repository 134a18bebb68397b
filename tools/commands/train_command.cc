#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "codec/training/training.h"
#include "common/file_io.h"
#include "common/image_files/image_io.h"
#include "tools/command_line/command_line.h"
#include "tools/command_line/file_jobs.h"
#include "tools/command_line/input_files.h"
#include "tools/command_line/load.h"
#include "tools/command_line/terminal.h"
#include "tools/commands/commands.h"

namespace mmp {
namespace {

constexpr char kTrainFooter[] = R"(
The images are encoded at lambdas 10, 30, 100 and 300 in each round, and the patterns fitted to what
their predictions left. Use the file with encode --dictionary-file and decode --dictionary-file. The
same images in the same order make the same file.
)";

struct TrainArguments {
  std::vector<std::string> inputs;
  std::string output;
  uint64_t max_pixels = DecodeOptions().max_pixels;
  TrainingOptions training;
};

// What would be known only once all is done, which takes long.
Status CheckOutput(const std::string& output, const std::vector<std::string>& inputs) {
  MMP_RETURN_IF_ERROR(CheckInputsStay(inputs, {output}));
  const std::filesystem::path folder = std::filesystem::path(output).parent_path();
  std::error_code ignored;
  if (std::filesystem::is_directory(output, ignored))
    return Status(StatusCode::kInvalidArgument, "the output '" + output + "' is a folder");
  if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return {};
  return Status(StatusCode::kIo, "there is no folder '" + folder.string() + "' for the output");
}

ExitCode Run(const TrainArguments& arguments) {
  std::vector<Image> images;
  const Result<InputFiles> inputs = ListInputs(arguments.inputs, ImageFiles());
  if (!inputs.ok()) return ReportFailure(inputs.status());
  if (const Status output = CheckOutput(arguments.output, inputs->paths); !output.ok())
    return ReportFailure(output);
  for (const std::string& input : inputs->paths) {
    Result<LoadedImage> loaded = LoadAnyImage(input, {.max_pixels = arguments.max_pixels});
    if (!loaded.ok()) return ReportFailure(loaded.status());
    images.push_back(std::move(loaded->image));
  }
  const Result<std::vector<uint8_t>> file = TrainDictionary(images, arguments.training);
  if (!file.ok()) return ReportFailure(file.status());
  if (const Status written = WriteFile(arguments.output, *file); !written.ok())
    return ReportFailure(written);
  PrintLine(stdout, Format("%s: %zu bytes", arguments.output.c_str(), file->size()));
  return ExitCode::kSuccess;
}

}  // namespace

Command AddTrainCommand(CLI::App& program) {
  CLI::App* const app = program.add_subcommand("train", "Make a dictionary file from images");
  const auto arguments = std::make_shared<TrainArguments>();
  TrainingOptions& training = arguments->training;
  app->footer(kTrainFooter);
  app->add_option("IN", arguments->inputs, "Images, or folders of images")->required();
  app->add_option("-o,--output", arguments->output, "Dictionary file")
      ->required()
      ->type_name("OUT");
  app->add_option("--patterns", training.patterns, "Most patterns a level")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str()
      ->type_name("N");
  app->add_option("--rounds", training.rounds, "Rounds of encoding and fitting")
      ->check(CLI::Range(1, 100))
      ->capture_default_str()
      ->type_name("N");
  app->add_option(
         "--effort", training.effort,
         "Of the encodings: the patterns of 6 are nearly as good, in a quarter of the time")
      ->check(CLI::Range(kFastEffort + 1, kMostEffort))
      ->capture_default_str()
      ->type_name("N");
  app->add_flag(
      "--blurred", training.blurred,
      "Use every second image a second time, blurred: for pictures that are not all sharp");
  app->add_option("--max-pixels", arguments->max_pixels, "Refuse larger images")
      ->check(WholeNumber())
      ->capture_default_str()
      ->type_name("N");
  app->add_option("--threads", training.threads, "Threads, 0: one a core")
      ->check(CLI::Range(0, kMaxThreads))
      ->capture_default_str()
      ->type_name("N");
  return {app, [arguments] { return Run(*arguments); }};
}

}  // namespace mmp
