#include "tools/text/json.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>

#include "tools/text/text.h"

namespace mmp {
JsonWriter& JsonWriter::Key(std::string_view key) {
  Separate();
  AppendQuoted(key);
  text_ += ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::Value(std::string_view text) {
  Separate();
  AppendQuoted(text);
  return *this;
}

JsonWriter& JsonWriter::Value(double number) {
  if (!std::isfinite(number)) return Raw("null");
  return Raw(NumberText(number));
}

JsonWriter& JsonWriter::Value(bool value) { return Raw(value ? "true" : "false"); }

JsonWriter& JsonWriter::Begin(char bracket) {
  Separate();
  text_ += bracket;
  ++depth_;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::End(char bracket) {
  --depth_;
  if (!first_) NewLine();
  text_ += bracket;
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::Raw(std::string_view token) {
  Separate();
  text_ += token;
  return *this;
}

void JsonWriter::Separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (!first_) text_ += depth_ > 0 ? "," : ", ";
  if (depth_ > 0) NewLine();
  first_ = false;
}

void JsonWriter::NewLine() {
  if (layout_ == JsonLayout::kCompact) return;
  text_ += '\n';
  text_.append(static_cast<size_t>(depth_) * 2, ' ');
}

void JsonWriter::AppendQuoted(std::string_view text) {
  text_ += '"';
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    if (length == 0) {
      text_ += "\\ufffd";
    } else if (character == "\"" || character == "\\") {
      text_ += '\\';
      text_ += character;
    } else if (static_cast<uint8_t>(character[0]) < 0x20) {
      std::array<char, 8> escape;
      std::snprintf(escape.data(), escape.size(), "\\u%04x", character[0]);
      text_ += escape.data();
    } else {
      text_ += character;
    }
    text.remove_prefix(character.size());
  }
  text_ += '"';
}

}  // namespace mmp
