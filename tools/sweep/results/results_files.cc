#include "tools/sweep/results/results_files.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "common/file_io.h"
#include "tools/command_line/terminal.h"
#include "tools/command_line/version.h"
#include "tools/sweep/point_json.h"
#include "tools/sweep/report/report_tables.h"
#include "tools/sweep/results/csv.h"
#include "tools/sweep/sweep_folder.h"
#include "tools/text/json.h"
#include "tools/text/text.h"

namespace mmp {
namespace {

using Values = std::vector<std::optional<double>>;

std::string TextOf(const std::optional<double>& number) {
  return number ? NumberText(*number) : "";
}

// Over the values that there are.
std::optional<double> Mean(const Values& values) {
  double sum = 0;
  int count = 0;
  for (const std::optional<double>& value : values) {
    sum += value.value_or(0);
    count += value ? 1 : 0;
  }
  if (count == 0) return std::nullopt;
  return sum / count;
}

// The syntax elements of any point.
std::set<std::string> SyntaxElements(const SweepResults& results) {
  std::set<std::string> elements;
  for (const RdPoint& point : results.points) {
    for (const auto& [element, bits] : point.bits) elements.insert(element);
  }
  return elements;
}

std::string BitsText(const RdPoint& point, const std::string& element) {
  const auto found = point.bits.find(element);
  return found == point.bits.end() ? "" : NumberText(found->second);
}

// A pair of different codecs, with the deltas of `test` against `anchor`.
struct Comparison {
  const SweepCodec& anchor;
  const SweepCodec& test;
  const Values& rate;  // percent, by image
  const Values& psnr;  // dB, by image
};

std::vector<Comparison> ComparePairs(const SweepResults& results, const Deltas& deltas) {
  std::vector<Comparison> comparisons;
  for (size_t anchor = 0; anchor < results.codecs.size(); ++anchor) {
    for (size_t test = 0; test < results.codecs.size(); ++test) {
      if (anchor != test)
        comparisons.push_back({results.codecs[anchor], results.codecs[test],
                               deltas.bd_rate[anchor][test], deltas.bd_psnr[anchor][test]});
    }
  }
  return comparisons;
}

void WriteImages(const std::vector<SweepImage>& images, JsonWriter& json) {
  json.Key("images").BeginArray();
  for (const SweepImage& image : images) {
    json.BeginObject()
        .Field("name", image.name)
        .Field("path", image.path)
        .Field("sha256", image.hash)
        .Field("width", image.width)
        .Field("height", image.height)
        .EndObject();
  }
  json.EndArray();
}

void WriteCodecs(const std::vector<SweepCodec>& codecs, JsonWriter& json) {
  json.Key("codecs").BeginArray();
  for (const SweepCodec& codec : codecs) {
    json.BeginObject()
        .Field("name", codec.name)
        .Field("version", codec.version)
        .Field("parameter_name", codec.parameter_name);
    if (!codec.preset.empty()) json.Field("preset", codec.preset);
    json.EndObject();
  }
  json.EndArray();
}

void WritePoints(const SweepResults& results, JsonWriter& json) {
  json.Key("points").BeginArray();
  for (const RdPoint& point : results.points) {
    json.BeginObject()
        .Field("image", results.images[point.image].name)
        .Field("codec", results.codecs[point.codec].name);
    WritePoint(point, json);
    json.EndObject();
  }
  json.EndArray();
}

void WriteFailures(const std::vector<SweepFailure>& failures, JsonWriter& json) {
  json.Key("failures").BeginArray();
  for (const SweepFailure& failure : failures) {
    json.BeginObject().Field("image", failure.image);
    if (!failure.codec.empty())
      json.Field("codec", failure.codec).Field("parameter", failure.parameter);
    json.Field("message", failure.message).EndObject();
  }
  json.EndArray();
}

// By image: null where the curves do not overlap.
void WriteDeltas(const char* key, const Values& values, const SweepResults& results,
                 JsonWriter& json) {
  json.Key(key).BeginObject();
  const std::optional<double> mean = Mean(values);
  if (mean) json.Field("mean", *mean);
  json.Key("images").BeginObject();
  for (size_t image = 0; image < values.size(); ++image)
    if (values[image]) json.Field(results.images[image].name, *values[image]);
  json.EndObject().EndObject();
}

void WriteComparisons(const SweepResults& results, JsonWriter& json) {
  const Deltas deltas = ComputeDeltas(results);
  json.Key("comparisons").BeginArray();
  for (const Comparison& comparison : ComparePairs(results, deltas)) {
    json.BeginObject().Field("anchor", comparison.anchor.name).Field("test", comparison.test.name);
    WriteDeltas("bd_rate_percent", comparison.rate, results, json);
    WriteDeltas("bd_psnr_db", comparison.psnr, results, json);
    json.EndObject();
  }
  json.EndArray();
}

// Columns of numbers under names.
class TextTable {
 public:
  TextTable(std::vector<std::string> columns, size_t first_width)
      : columns_(std::move(columns)), first_width_(first_width) {
    text_ = Padded("image", first_width_);
    for (const std::string& column : columns_)
      text_ += Format("  %*s", static_cast<int>(Width(column)), column.c_str());
  }

  void AddRow(const std::string& name, const Values& values) {
    text_ += "\n" + Padded(name, first_width_);
    for (size_t i = 0; i < columns_.size(); ++i) {
      const std::string cell = values[i] ? Format("%+.2f", *values[i]) : "-";
      text_ += Format("  %*s", static_cast<int>(Width(columns_[i])), cell.c_str());
    }
  }

  const std::string& text() const { return text_; }

 private:
  static constexpr size_t kLeastWidth = 7;  // "-100.00"

  static size_t Width(const std::string& column) { return std::max(column.size(), kLeastWidth); }
  static std::string Padded(std::string text, size_t width) {
    text.resize(std::max(width, text.size()), ' ');
    return text;
  }

  const std::vector<std::string> columns_;
  const size_t first_width_;
  std::string text_;
};

// The BD-rate of a codec against those others that it overlaps anywhere.
std::string DeltasOfCodec(const SweepResults& results, const Deltas& deltas, size_t test) {
  std::vector<size_t> anchors;
  std::vector<std::string> names;
  for (size_t anchor = 0; anchor < results.codecs.size(); ++anchor) {
    if (anchor == test || !Mean(deltas.bd_rate[anchor][test])) continue;
    anchors.push_back(anchor);
    names.push_back(results.codecs[anchor].name);
  }
  if (anchors.empty()) return "";
  size_t width = 5;
  for (const SweepImage& image : results.images) width = std::max(width, image.name.size());
  TextTable table(names, width);
  for (size_t image = 0; image < results.images.size(); ++image) {
    Values row;
    for (const size_t anchor : anchors) row.push_back(deltas.bd_rate[anchor][test][image]);
    table.AddRow(results.images[image].name, row);
  }
  Values means;
  for (const size_t anchor : anchors) means.push_back(Mean(deltas.bd_rate[anchor][test]));
  table.AddRow("mean", means);
  return "BD-rate of " + results.codecs[test].name + ", % (less is better), against\n" +
         table.text() + "\n";
}

}  // namespace

std::string PointsCsv(const SweepResults& results) {
  const std::set<std::string> elements = SyntaxElements(results);
  CsvRow names = {"image", "codec", "preset", "lambda",  "param",    "bytes",
                  "bpp",   "psnr",  "ssim",   "ms_ssim", "encode_s", "decode_s"};
  for (const std::string& element : elements) names.push_back("bits_" + element);
  std::string text = CsvLine(names);
  for (const RdPoint& point : results.points) {
    const SweepCodec& codec = results.codecs[point.codec];
    const std::string parameter = NumberText(point.parameter);
    CsvRow row = {results.images[point.image].name,
                  codec.name,
                  codec.preset,
                  codec.preset.empty() ? "" : parameter,
                  parameter,
                  std::to_string(point.bytes),
                  NumberText(point.bits_per_pixel),
                  NumberText(point.psnr),
                  TextOf(point.ssim),
                  TextOf(point.ms_ssim),
                  TextOf(point.encode_seconds),
                  TextOf(point.decode_seconds)};
    for (const std::string& element : elements) row.push_back(BitsText(point, element));
    text += CsvLine(row);
  }
  return text;
}

std::string DeltasCsv(const SweepResults& results) {
  std::string text = CsvLine({"anchor", "test", "image", "bd_rate_percent", "bd_psnr_db"});
  const Deltas deltas = ComputeDeltas(results);
  for (const Comparison& comparison : ComparePairs(results, deltas)) {
    const auto add_row = [&](const std::string& image, const std::optional<double>& rate,
                             const std::optional<double>& psnr) {
      if (!rate && !psnr) return;
      text += CsvLine(
          {comparison.anchor.name, comparison.test.name, image, TextOf(rate), TextOf(psnr)});
    };
    for (size_t i = 0; i < results.images.size(); ++i)
      add_row(results.images[i].name, comparison.rate[i], comparison.psnr[i]);
    add_row("mean", Mean(comparison.rate), Mean(comparison.psnr));
  }
  return text;
}

std::string ResultsJson(const SweepResults& results) {
  JsonWriter json;
  json.BeginObject()
      .Field("program", VersionText())
      .Field("command", results.command)
      .Field("date", results.date);
  WriteImages(results.images, json);
  WriteCodecs(results.codecs, json);
  WritePoints(results, json);
  WriteFailures(results.failures, json);
  WriteComparisons(results, json);
  json.EndObject();
  return json.text() + "\n";
}

Status WriteResultFiles(const SweepResults& results, const std::string& folder) {
  MMP_RETURN_IF_ERROR(WriteTextFile(folder + "/" + kCsvName, PointsCsv(results)));
  MMP_RETURN_IF_ERROR(WriteTextFile(folder + "/" + kDeltasName, DeltasCsv(results)));
  return WriteTextFile(folder + "/" + kJsonName, ResultsJson(results));
}

std::string DeltasText(const SweepResults& results) {
  const Deltas deltas = ComputeDeltas(results);
  std::string text;
  for (size_t test = 0; test < results.codecs.size(); ++test) {
    if (!results.codecs[test].is_mmp) continue;
    const std::string table = DeltasOfCodec(results, deltas, test);
    if (!table.empty()) text += (text.empty() ? "" : "\n") + table;
  }
  return text;
}

}  // namespace mmp
