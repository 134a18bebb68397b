#include "tools/sweep/crew/crew_messages.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "tools/sweep/point_json.h"
#include "tools/text/json.h"
#include "tools/text/json_parser.h"
#include "tools/text/text.h"

namespace mmp {
namespace {

constexpr uint64_t kMostSide = std::numeric_limits<int>::max();  // of an image, in pixels

std::optional<size_t> NumberBelow(size_t end, const Json& json) {
  const std::optional<uint64_t> number = WholeNumber(json);
  if (!number || *number >= end) return std::nullopt;
  return static_cast<size_t>(*number);
}

}  // namespace

std::string PlanText(std::span<const SweepTask> tasks, const MeasureContext& context) {
  const std::vector<std::string>& inputs = context.request.inputs;
  JsonWriter json(JsonLayout::kCompact);
  json.BeginObject().Key("images").BeginArray();
  for (const SweepImage& image : context.pictures.images()) {
    json.BeginObject()
        .Field("input", std::ranges::find(inputs, image.path) - inputs.begin())
        .Field("hash", image.hash)
        .Field("width", image.width)
        .Field("height", image.height)
        .EndObject();
  }
  json.EndArray().Key("keys").BeginArray();
  for (const SweepTask& task : tasks) json.Value(task.key);
  return json.EndArray().EndObject().text();
}

std::optional<ReceivedPlan> ReadPlan(const std::string& text, const SweepRequest& request) {
  const std::optional<Json> json = ReadJson(text);
  if (!json) return std::nullopt;
  ReceivedPlan plan;
  for (const Json& image : (*json)["images"].items) {
    const std::optional<size_t> input = NumberBelow(request.inputs.size(), image["input"]);
    const std::optional<uint64_t> width = WholeNumber(image["width"], kMostSide);
    const std::optional<uint64_t> height = WholeNumber(image["height"], kMostSide);
    if (!input || !width || !height) return std::nullopt;
    plan.images.push_back({.path = request.inputs[*input],
                           .hash = image["hash"].text,
                           .width = static_cast<int>(*width),
                           .height = static_cast<int>(*height)});
  }
  for (const Json& key : (*json)["keys"].items) plan.keys.push_back(key.text);
  return plan;
}

std::string EndText(const TaskEnd& end) {
  JsonWriter json(JsonLayout::kCompact);
  json.BeginObject().Field("task", end.task);
  if (end.point.ok())
    WritePoint(*end.point, json);
  else
    json.Field("failure", end.point.status().message());
  return json.EndObject().text();
}

std::optional<TaskEnd> ReadEnd(const std::string& text, size_t tasks) {
  const Json json = ReadJson(text).value_or(Json());
  const std::optional<size_t> task = NumberBelow(tasks, json["task"]);
  if (!task) return std::nullopt;
  std::optional<RdPoint> point = ReadPoint(json);
  if (point) return TaskEnd{*task, *std::move(point)};
  if (json["failure"].type != Json::Type::kString) return std::nullopt;
  return TaskEnd{*task, Status(StatusCode::kIo, json["failure"].text)};
}

std::string TaskText(std::optional<size_t> task) { return task ? std::to_string(*task) : ""; }

std::optional<size_t> ReadTask(const std::string& text) { return ParseNumber<size_t>(text); }

}  // namespace mmp
