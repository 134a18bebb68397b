#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "common/file_io.h"
#include "common/image_files/image_io.h"
#include "tools/command_line/file_jobs.h"
#include "tools/command_line/load.h"
#include "tools/command_line/terminal.h"
#include "tools/commands/commands.h"
#include "tools/commands/decode_limits.h"
#include "tools/inspect/decoded_syntax.h"
#include "tools/inspect/dictionary_sheet.h"
#include "tools/inspect/inspect_page.h"
#include "tools/inspect/layers.h"
#include "tools/inspect/syntax_json.h"

namespace mmp {
namespace {

constexpr char kInspectFooter[] = R"(
DIR/index.html shows the pictures: decoded, prediction, residual, segmentation, prediction modes,
bits of each macroblock, each tile's dictionary, and what the filter does if the file has one. Files
of the pixel coder have no blocks; of images of fewer or more than 8 bits mmp encode --depth8 makes
files whose blocks can be seen.
)";

struct InspectArguments {
  std::string input;
  std::string output;
  std::string dictionary_file;
  DecodeOptions decode;  // its limits
  bool json = false;
};

Status MakeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error) return {};
  return {StatusCode::kIo, "cannot make the folder '" + path + "': " + error.message()};
}

// "segmentation.png"
std::string FileOf(const Layer& layer) {
  std::string file = layer.name + ".png";
  std::transform(file.begin(), file.end(), file.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return file;
}

// Writes what is inspected into a folder.
class FolderWriter {
 public:
  FolderWriter(const DecodedSyntax& syntax, std::string folder)
      : syntax_(syntax), folder_(std::move(folder)) {}

  Status Write(const std::string& name) {
    MMP_RETURN_IF_ERROR(MakeFolder(folder_));
    MMP_RETURN_IF_ERROR(WriteLayers());
    MMP_RETURN_IF_ERROR(WriteDictionaries());
    return WriteTextFile(PathOf("index.html"), InspectPage(syntax_, name, files_));
  }

 private:
  std::string PathOf(const std::string& file) const {
    return (std::filesystem::path(folder_) / file).string();
  }

  Status WriteLayers() {
    return ShowLayers(syntax_, [&](const Layer& layer) {
      const std::string file = FileOf(layer);
      files_.layers.push_back({layer.name, file, layer.scale});
      return WriteFile(PathOf(file),
                       std::visit([](const auto& p) { return EncodePng(p); }, layer.picture));
    });
  }

  Status WriteDictionaries() {
    for (size_t tile = 0; tile < syntax_.tiles.size(); ++tile) {
      const std::string file = syntax_.tiles.size() == 1
                                   ? "dictionary.png"
                                   : "dictionary-" + std::to_string(tile) + ".png";
      files_.dictionaries.push_back(file);
      MMP_RETURN_IF_ERROR(WriteFile(PathOf(file), EncodePng(DictionarySheet(syntax_.tiles[tile]))));
    }
    return {};
  }

  const DecodedSyntax& syntax_;
  std::string folder_;
  PageFiles files_;
};

std::string NameOf(const std::string& input) {
  return input == "-" ? "standard input" : std::filesystem::path(input).filename().string();
}

Result<DecodedSyntax> LoadSyntax(const InspectArguments& arguments) {
  const Result<std::vector<uint8_t>> bytes = ReadCodedFile(arguments.input);
  if (!bytes.ok()) return bytes.status();
  Result<std::vector<uint8_t>> dictionary_file = ReadDictionaryFile(arguments.dictionary_file);
  if (!dictionary_file.ok()) return dictionary_file.status();
  DecodeOptions options = arguments.decode;
  options.dictionary_file = *std::move(dictionary_file);
  Result<DecodedSyntax> syntax = DecodeSyntax(*bytes, options);
  if (!syntax.ok()) return DecodingFailure(arguments.input, syntax.status());
  return syntax;
}

ExitCode Run(const InspectArguments& arguments) {
  if (arguments.output.empty() && !arguments.json) {
    return ReportFailure({StatusCode::kInvalidArgument,
                          "nothing to do: give a folder with -o DIR for pictures, or --json"});
  }
  const Result<DecodedSyntax> syntax = LoadSyntax(arguments);
  if (!syntax.ok()) return ReportFailure(syntax.status());
  if (!arguments.output.empty()) {
    const Status status = FolderWriter(*syntax, arguments.output).Write(NameOf(arguments.input));
    if (!status.ok()) return ReportFailure(status);
  }
  if (arguments.json)
    PrintLine(stdout, SyntaxJson(*syntax));
  else
    PrintLine(stdout, (std::filesystem::path(arguments.output) / "index.html").string());
  return ExitCode::kSuccess;
}

}  // namespace

Command AddInspectCommand(CLI::App& program) {
  CLI::App* const app =
      program.add_subcommand("inspect", "Draw what an .mmp file is made of, or print its syntax");
  app->footer(kInspectFooter);
  const auto arguments = std::make_shared<InspectArguments>();
  app->add_option("FILE", arguments->input, "An .mmp file, or - for standard input")->required();
  app->add_option("-o,--output", arguments->output, "Folder for the pictures and their page")
      ->type_name("DIR");
  app->add_option("--dictionary-file", arguments->dictionary_file,
                  "The file that the image was encoded with, if it was with one")
      ->type_name("FILE");
  AddDecodeLimits(*app, arguments->decode);
  app->add_flag("--json", arguments->json, "Print the whole decoded syntax as JSON");
  return {app, [arguments] { return Run(*arguments); }};
}

}  // namespace mmp
