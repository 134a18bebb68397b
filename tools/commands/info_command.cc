#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mmp/mmp.h"
#include "tools/command_line/file_jobs.h"
#include "tools/command_line/input_files.h"
#include "tools/command_line/load.h"
#include "tools/command_line/name_lists.h"
#include "tools/command_line/terminal.h"
#include "tools/commands/commands.h"
#include "tools/text/info_json.h"
#include "tools/text/json.h"
#include "tools/text/text.h"

namespace mmp {
namespace {

constexpr char kInfoFooter[] = R"(
Small files, of at most 4096 bytes or so, are decoded to check them. Where only metadata or the
preview are damaged, what there is is printed, and the exit code is 6.)";

struct InfoArguments {
  std::vector<std::string> inputs;
  bool json = false;
  bool no_check = false;
};

std::string PatternsText(const FileInfo& info) {
  std::string text = Format("dictionary            %d patterns a level\n", info.dictionary_size);
  text += Format("redundancy threshold  %u\n", info.redundancy_threshold);
  text += Format("prediction level      %s\n", PredictionLevelText(info.prediction_level).c_str());
  text += Format("modes                 %s\n", ModesText(info.modes).c_str());
  text += Format("tools                 %s\n", ToolsText(info.tools).c_str());
  return text + Format("trained patterns      %s\n", TrainedText(info).c_str());
}

// What a chunk is, and what it says if that is short.
std::string MetadataText(const MetadataChunk& chunk) {
  const std::string name(MetadataKindName(chunk.kind));
  if (Resolution r; chunk.kind == static_cast<uint8_t>(MetadataKind::kResolution) &&
                    Resolution::FromBytes(chunk.bytes, r))
    return name +
           (r.unit == Resolution::Unit::kNone
                ? Format(" (ratio %g to %g)", 1.0 * r.x / r.x_divisor, 1.0 * r.y / r.y_divisor)
                : Format(" (%g x %g pixels an inch)", r.InchX(), r.InchY()));
  return name + Format(", %llu bytes", static_cast<unsigned long long>(chunk.bytes.size()));
}

std::string CoderText(const FileInfo& info) {
  const std::string name(CoderName(info.coder));
  if (info.jpeg_tiles == 0) return name;
  return name + Format("; by a JPEG file's coefficients in %d of %d tiles", info.jpeg_tiles,
                       static_cast<int>(info.tiles.size()));
}

// A small file has one checksum of its bytes and samples.
std::string CheckText(const FileInfo& info, const TileInfo& tile) {
  return info.check_bits == 16 ? Format("%8s  %8s", Format("%04x", tile.crc).c_str(), "with it")
                               : Format("%08x  %08x", tile.crc, tile.reconstruction_crc);
}

std::string InfoText(const FileInfo& info) {
  std::string text = Format("format version        %d\n", info.format_version);
  text += Format("size                  %dx%d\n", info.width, info.height);
  text += Format("depth                 %d%s\n", info.depth, info.is_signed ? ", signed" : "");
  text += Format("bytes                 %llu (%.4f bits per pixel; %llu in header and checksums)\n",
                 static_cast<unsigned long long>(info.file_bytes), BitsPerPixel(info),
                 static_cast<unsigned long long>(info.header_bytes));
  if (info.preview_bytes > 0)
    text += Format("preview               %llu bytes%s\n",
                   static_cast<unsigned long long>(info.preview_bytes),
                   info.damaged_preview ? ", damaged" : "");
  text += Format("lossless              %s\n", info.lossless ? "yes" : "no");
  text += Format("coder                 %s\n", CoderText(info).c_str());
  text += Format("preset                %s\n", std::string(PresetName(info.preset)).c_str());
  if (info.coder == Coder::kPatterns)
    text += PatternsText(info);
  else
    text += Format("largest error         %d\n", info.max_error);
  text += Format("tiles                 %d of at most %dx%d\n", static_cast<int>(info.tiles.size()),
                 info.tile_width, info.tile_height);
  text += Format("order                 %s\n", std::string(OrderName(info.order)).c_str());
  for (const MetadataChunk& chunk : info.metadata)
    text += Format("metadata              %s\n", MetadataText(chunk).c_str());
  if (info.damaged_metadata > 0) text += "metadata              damaged, more is left out\n";
  text += Format("%6s%8s%8s%8s%12s%12s%10s%10s", "x", "y", "width", "height", "offset", "bytes",
                 "crc", "decoded");
  for (const TileInfo& tile : info.tiles) {
    text += Format("\n%6d%8d%8d%8d%12llu%12llu  %s", tile.x, tile.y, tile.width, tile.height,
                   static_cast<unsigned long long>(tile.offset),
                   static_cast<unsigned long long>(tile.bytes), CheckText(info, tile).c_str());
  }
  return text;
}

void WriteTiles(const FileInfo& info, JsonWriter& json) {
  json.Key("tiles").BeginArray();
  for (const TileInfo& tile : info.tiles) {
    json.BeginObject()
        .Field("x", tile.x)
        .Field("y", tile.y)
        .Field("width", tile.width)
        .Field("height", tile.height)
        .Field("offset", tile.offset)
        .Field("bytes", tile.bytes)
        .Field("crc", tile.crc)
        .Field("reconstruction_crc", tile.reconstruction_crc)
        .EndObject();
  }
  json.EndArray();
}

void WriteMetadata(const FileInfo& info, JsonWriter& json) {
  json.Key("metadata").BeginArray();
  for (const MetadataChunk& chunk : info.metadata)
    json.BeginObject()
        .Field("kind", static_cast<int>(chunk.kind))
        .Field("name", MetadataKindName(chunk.kind))
        .Field("bytes", static_cast<uint64_t>(chunk.bytes.size()))
        .EndObject();
  json.EndArray().Field("damaged_metadata", info.damaged_metadata);
}

void WriteInfo(const FileInfo& info, JsonWriter& json) {
  WriteInfoFields(info, json);
  WriteMetadata(info, json);
  WriteTiles(info, json);
}

// Metadata and previews may be damaged beside an image that is whole.
ExitCode CodeFor(const FileInfo& info) {
  const bool is_whole = info.damaged_metadata == 0 && !info.damaged_preview;
  return is_whole ? ExitCode::kSuccess : ExitCode::kIncomplete;
}

ExitCode PrintOne(const std::string& input, const InfoArguments& arguments) {
  const Result<FileInfo> info = LoadInfo(input, {.check_bytes = !arguments.no_check});
  if (!info.ok()) return ReportFailure(info.status());
  JsonWriter json;
  if (arguments.json) WriteInfo(*info, json.BeginObject());
  PrintLine(stdout, arguments.json ? json.EndObject().text() : InfoText(*info));
  return CodeFor(*info);
}

// Returns the first failure.
ExitCode PrintSeveral(const InfoArguments& arguments) {
  std::vector<ExitCode> codes;
  JsonWriter json;
  json.BeginArray();
  bool is_first = true;
  for (const std::string& input : arguments.inputs) {
    const Result<FileInfo> info = LoadInfo(input, {.check_bytes = !arguments.no_check});
    codes.push_back(info.ok() ? CodeFor(*info) : ReportFailure(info.status()));
    if (arguments.json) {
      json.BeginObject().Field("input", input);
      if (info.ok())
        WriteInfo(*info, json);
      else
        json.Field("error", info.status().message());
      json.EndObject();
    } else if (info.ok()) {
      PrintLine(stdout, (std::exchange(is_first, false) ? "" : "\n") + OneLine(input) + ":\n" +
                            InfoText(*info));
    }
  }
  if (arguments.json) PrintLine(stdout, json.EndArray().text());
  return FirstFailure(codes);
}

ExitCode Run(const InfoArguments& arguments) {
  if (const Status once = CheckStandardInput(arguments.inputs); !once.ok())
    return ReportFailure(once);
  return arguments.inputs.size() == 1 ? PrintOne(arguments.inputs[0], arguments)
                                      : PrintSeveral(arguments);
}

}  // namespace

Command AddInfoCommand(CLI::App& program) {
  CLI::App* const app =
      program.add_subcommand("info", "Print what an .mmp file's header says, and check its bytes");
  const auto arguments = std::make_shared<InfoArguments>();
  app->add_option("FILE", arguments->inputs, ".mmp files, or - for standard input")->required();
  app->add_flag("--json", arguments->json,
                "Print JSON: an object, of several files a list with an object for each");
  app->add_flag("--no-check", arguments->no_check,
                "Read header, metadata and table of tiles only, and compare no checksum of what is "
                "behind them: quick, however large the file is");
  app->footer(kInfoFooter);
  return {app, [arguments] { return Run(*arguments); }};
}

}  // namespace mmp
