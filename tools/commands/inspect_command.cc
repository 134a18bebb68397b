#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "common/file_io.h"
#include "common/image_files/image_io.h"
#include "tools/command_line/file_jobs.h"
#include "tools/command_line/load.h"
#include "tools/command_line/output_folder.h"
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
files whose blocks can be seen. Pictures of an earlier inspection in DIR are replaced or removed; a
folder that has other files alone is refused without --force.
)";

struct InspectArguments {
  std::string input;
  std::string output;
  std::string dictionary_file;
  DecodeOptions decode;  // its limits
  bool force = false;
  bool json = false;
};

// Tells the folders that this command writes into, and the pictures that it has drawn there, a line
// each.
constexpr char kMarkName[] = ".mmp-inspect";

constexpr std::string_view kDictionary = "dictionary";

// "segmentation.png"
std::string FileOf(std::string_view layer) {
  std::string file = std::string(layer) + ".png";
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
    const std::vector<std::string> old = MarkedPictures();
    // First, so that the next one knows that the folder is its own if this one is killed.
    if (old.empty()) MMP_RETURN_IF_ERROR(WriteTextFile(PathOf(kMarkName), ""));
    MMP_RETURN_IF_ERROR(WriteLayers());
    MMP_RETURN_IF_ERROR(WriteDictionaries());
    MMP_RETURN_IF_ERROR(WriteTextFile(PathOf("index.html"), InspectPage(syntax_, name, files_)));
    MMP_RETURN_IF_ERROR(RemoveOldPictures(old));
    return Mark();
  }

 private:
  std::string PathOf(const std::string& file) const {
    return (std::filesystem::path(folder_) / file).string();
  }

  Status WriteLayers() {
    return ShowLayers(syntax_, [&](const Layer& layer) {
      const std::string file = FileOf(layer.name);
      files_.layers.push_back({layer.name, file, layer.scale});
      return WriteFile(PathOf(file),
                       std::visit([](const auto& p) { return EncodePng(p); }, layer.picture));
    });
  }

  Status WriteDictionaries() {
    for (size_t tile = 0; tile < syntax_.tiles.size(); ++tile) {
      const std::string file = syntax_.tiles.size() == 1
                                   ? FileOf(kDictionary)
                                   : FileOf(std::string(kDictionary) + "-" + std::to_string(tile));
      files_.dictionaries.push_back(file);
      MMP_RETURN_IF_ERROR(WriteFile(PathOf(file), EncodePng(DictionarySheet(syntax_.tiles[tile]))));
    }
    return {};
  }

  std::vector<std::string> Pictures() const {
    std::vector<std::string> pictures = files_.dictionaries;
    for (const auto& layer : files_.layers) pictures.push_back(layer.file);
    return pictures;
  }

  // Those that an earlier inspection drew. A file of others, which tells of what lies elsewhere,
  // tells nothing.
  std::vector<std::string> MarkedPictures() const {
    std::vector<std::string> pictures;
    std::ifstream mark(PathOf(kMarkName));
    for (std::string line; std::getline(mark, line);)
      if (line.ends_with(".png") && line.find('/') == std::string::npos) pictures.push_back(line);
    return pictures;
  }

  Status Mark() const {
    std::string text;
    for (const std::string& picture : Pictures()) text += picture + "\n";
    return WriteTextFile(PathOf(kMarkName), text);
  }

  // Those that this inspection has not replaced.
  Status RemoveOldPictures(const std::vector<std::string>& old) const {
    const std::vector<std::string> drawn = Pictures();
    for (const std::string& picture : old) {
      std::error_code error;
      if (std::ranges::find(drawn, picture) != drawn.end()) continue;
      std::filesystem::remove(PathOf(picture), error);
      if (!error) continue;
      return {StatusCode::kIo,
              "cannot remove the old picture '" + PathOf(picture) + "': " + error.message()};
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
  if (!arguments.output.empty() && !arguments.force) {
    const Status ours = CheckFolderIsOurs(arguments.output, kMarkName);
    if (!ours.ok()) return ReportFailure(ours);
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
  app->add_flag(
      "--force", arguments->force,
      "Into DIR also if it has files that are not of an inspection, and over those of its\n"
      "names");
  app->add_option("--dictionary-file", arguments->dictionary_file,
                  "The file that the image was encoded with, if it was with one")
      ->type_name("FILE");
  AddDecodeLimits(*app, arguments->decode);
  app->add_flag("--json", arguments->json, "Print the whole decoded syntax as JSON");
  return {app, [arguments] { return Run(*arguments); }};
}

}  // namespace mmp
