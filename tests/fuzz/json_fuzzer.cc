// Arbitrary JSON text: what is read can be written, and is then read as the same.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tests/fuzz/fuzz_input.h"
#include "tools/text/json.h"
#include "tools/text/json_parser.h"

namespace mmp {
namespace {

void Write(const Json& json, JsonWriter& writer) {
  switch (json.type) {
    case Json::Type::kNull:
      writer.Value(std::nan(""));
      break;
    case Json::Type::kBool:
      writer.Value(json.truth);
      break;
    case Json::Type::kNumber:
      writer.Value(json.number);
      break;
    case Json::Type::kString:
      writer.Value(json.text);
      break;
    case Json::Type::kArray:
      writer.BeginArray();
      for (const Json& item : json.items) Write(item, writer);
      writer.EndArray();
      break;
    case Json::Type::kObject:
      writer.BeginObject();
      for (const auto& [key, value] : json.fields) {
        writer.Key(key);
        Write(value, writer);
      }
      writer.EndObject();
      break;
  }
}

std::string Text(const Json& json, JsonLayout layout) {
  JsonWriter writer(layout);
  Write(json, writer);
  return writer.text();
}

// Bytes that are not UTF-8 are written as U+FFFD, and keys that differ in them alone as equal ones,
// which are not read: such text is left out.
bool HasReplacements(const std::string& text) { return text.find("\\ufffd") != std::string::npos; }

}  // namespace
}  // namespace mmp

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::optional<mmp::Json> json = mmp::ReadJson(mmp::AsText({data, size}));
  if (!json) return 0;
  for (const mmp::JsonLayout layout : {mmp::JsonLayout::kCompact, mmp::JsonLayout::kIndented}) {
    const std::string text = mmp::Text(*json, layout);
    if (mmp::HasReplacements(text)) return 0;
    const std::optional<mmp::Json> again = mmp::ReadJson(text);
    mmp::Promise(again && mmp::Text(*again, layout) == text);
  }
  return 0;
}
