#include "tools/text/json.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>

#include "tools/text/text.h"

namespace mmp {
namespace {

// The length of the well-formed UTF-8 sequence (RFC 3629) that `text` starts with, or 0.
size_t Utf8Length(std::string_view text) {
  const auto byte = [text](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, surrogates and code points over U+10FFFF show in the second byte.
  const uint8_t second = byte(1);
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
      (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) {
    return 0;
  }
  return length;
}

}  // namespace

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
