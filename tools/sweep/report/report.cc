#include "tools/sweep/report/report.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <optional>

#include "common/file_io.h"
#include "tools/page/assets.h"
#include "tools/page/decoder_page.h"
#include "tools/page/page.h"
#include "tools/sweep/report/report_pictures.h"
#include "tools/sweep/report/report_tables.h"
#include "tools/text/json.h"

namespace mmp {
namespace {

// The optional value, or null.
void WriteOptional(JsonWriter& json, std::string_view key, std::optional<double> value) {
  json.Field(key, value.value_or(NAN));
}

void WriteCodecs(JsonWriter& json, const SweepResults& results) {
  json.Key("codecs").BeginArray();
  for (const SweepCodec& codec : results.codecs) {
    json.BeginObject()
        .Field("name", codec.name)
        .Field("version", codec.version)
        .Field("parameterName", codec.parameter_name)
        .EndObject();
  }
  json.EndArray();
}

void WriteImages(JsonWriter& json, const SweepResults& results, const ReportPictures& pictures) {
  json.Key("images").BeginArray();
  for (size_t i = 0; i < results.images.size(); ++i) {
    const SweepImage& image = results.images[i];
    json.BeginObject()
        .Field("name", image.name)
        .Field("width", image.width)
        .Field("height", image.height);
    const Image& thumbnail = pictures.images[i].thumbnail;
    if (thumbnail.width() > 0) json.Field("thumbnail", PngDataUri(thumbnail.View()));
    json.EndObject();
  }
  json.EndArray();
}

void WritePoints(JsonWriter& json, const SweepResults& results) {
  json.Key("points").BeginArray();
  for (const RdPoint& point : results.points) {
    json.BeginObject()
        .Field("codec", point.codec)
        .Field("image", point.image)
        .Field("parameter", point.parameter)
        .Field("bytes", point.bytes)
        .Field("bpp", point.bits_per_pixel)
        .Field("psnr", point.psnr)
        .Field("lossless", std::isinf(point.psnr));
    WriteOptional(json, "ssim", point.ssim);
    WriteOptional(json, "msSsim", point.ms_ssim);
    WriteOptional(json, "encodeSeconds", point.encode_seconds);
    WriteOptional(json, "decodeSeconds", point.decode_seconds);
    json.Field("command", point.command).EndObject();
  }
  json.EndArray();
}

void WriteAverages(JsonWriter& json, const SweepResults& results) {
  const Averages averages = AverageCurves(results);
  json.Key("averageImages").BeginArray();
  for (const size_t image : averages.images) json.Value(image);
  json.EndArray().Key("averages").BeginArray();
  for (const AveragePoint& point : averages.points) {
    json.BeginObject()
        .Field("codec", point.codec)
        .Field("parameter", point.parameter)
        .Field("bpp", point.bits_per_pixel)
        .Field("psnr", point.psnr);
    WriteOptional(json, "ssim", point.ssim);
    WriteOptional(json, "msSsim", point.ms_ssim);
    WriteOptional(json, "secondsPerMegapixel", point.seconds_per_megapixel);
    json.EndObject();
  }
  json.EndArray();
}

void WriteDeltas(JsonWriter& json, std::string_view key, const DeltaTable& table) {
  json.Key(key).BeginArray();
  for (const auto& anchor : table) {
    json.BeginArray();
    for (const auto& test : anchor) {
      json.BeginArray();
      for (const std::optional<double>& delta : test) json.Value(delta.value_or(NAN));
      json.EndArray();
    }
    json.EndArray();
  }
  json.EndArray();
}

void WriteComparisons(JsonWriter& json, const ReportPictures& pictures) {
  json.Key("comparisons").BeginArray();
  for (size_t i = 0; i < pictures.images.size(); ++i) {
    const ImagePictures& image = pictures.images[i];
    if (image.rates.empty()) continue;
    json.BeginObject()
        .Field("image", i)
        .Field("x", image.crop_x)
        .Field("y", image.crop_y)
        .Field("width", image.original_crop.width())
        .Field("height", image.original_crop.height())
        .Field("original", PngDataUri(image.original_crop.View()));
    json.Key("rates").BeginArray();
    for (const RateMatch& rate : image.rates) {
      json.BeginObject().Field("bpp", rate.bits_per_pixel);
      json.Key("pictures").BeginArray();
      for (const DecodedCrop& crop : rate.pictures) {
        json.BeginObject()
            .Field("point", crop.point)
            .Field("source", PngDataUri(crop.picture.View()))
            .EndObject();
      }
      json.EndArray().EndObject();
    }
    json.EndArray().EndObject();
  }
  json.EndArray();
}

void WriteFailures(JsonWriter& json, const SweepResults& results,
                   const std::vector<std::string>& problems) {
  json.Key("failures").BeginArray();
  for (const SweepFailure& failure : results.failures) {
    json.BeginObject()
        .Field("image", failure.image)
        .Field("codec", failure.codec)
        .Field("parameter", failure.parameter)
        .Field("message", failure.message)
        .EndObject();
  }
  json.EndArray();
  json.Key("missingPictures").BeginArray();
  for (const std::string& problem : problems) json.Value(problem);
  json.EndArray();
}

// The codec that others are compared with at first: the first that is not mmp, if there is one.
size_t FirstAnchor(const SweepResults& results) {
  const auto other = std::find_if(results.codecs.begin(), results.codecs.end(),
                                  [](const SweepCodec& codec) { return !codec.is_mmp; });
  return other == results.codecs.end() ? 0 : other - results.codecs.begin();
}

std::string ReportJson(const SweepResults& results, const ReportPictures& pictures,
                       const std::string& folder) {
  JsonWriter json(JsonLayout::kCompact);
  json.BeginObject();
  if (HasDecoderPage(folder)) json.Field("decoder", kDecoderPageName);
  json.Field("command", results.command)
      .Field("date", results.date)
      .Field("anchor", FirstAnchor(results));
  WriteCodecs(json, results);
  WriteImages(json, results, pictures);
  WritePoints(json, results);
  WriteAverages(json, results);
  const Deltas deltas = ComputeDeltas(results);
  WriteDeltas(json, "bdRate", deltas.bd_rate);
  WriteDeltas(json, "bdPsnr", deltas.bd_psnr);
  WriteComparisons(json, pictures);
  WriteFailures(json, results, pictures.problems);
  return json.EndObject().text();
}

}  // namespace

Status WriteReport(const SweepResults& results, const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const ReportPictures pictures = MakeReportPictures(results, folder);
  const std::string page =
      MakePage({kReportMarkup, kReportStyle, kReportScript}, ReportJson(results, pictures, folder));
  return WriteTextFile(path, page);
}

}  // namespace mmp
