#include "tools/text/json_parser.h"

#include <cassert>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <system_error>

namespace mmp {
namespace {

constexpr int kMostDepth = 64;
constexpr uint32_t kReplacement = 0xFFFD;

void AppendUtf8(uint32_t code, std::string& text) {
  const auto trail = [code](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += {static_cast<char>(0xC0 | code >> 6), trail(0)};
  } else if (code < 0x10000) {
    text += {static_cast<char>(0xE0 | code >> 12), trail(6), trail(0)};
  } else {
    text += {static_cast<char>(0xF0 | code >> 18), trail(12), trail(6), trail(0)};
  }
}

bool IsHighSurrogate(uint32_t code) { return code >= 0xD800 && code < 0xDC00; }
bool IsLowSurrogate(uint32_t code) { return code >= 0xDC00 && code < 0xE000; }

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::optional<Json> Parse() {
    Json value = Value();
    SkipSpace();
    if (!good_ || position_ != text_.size()) return std::nullopt;
    return value;
  }

 private:
  char Peek() const { return position_ < text_.size() ? text_[position_] : '\0'; }
  // Skips characters that are in `set`, and returns how many.
  size_t Skip(std::string_view set) {
    const size_t start = position_;
    while (position_ < text_.size() && set.find(Peek()) != std::string_view::npos) ++position_;
    return position_ - start;
  }
  void SkipSpace() { Skip(" \t\r\n"); }
  bool TakeHere(std::string_view token) {
    if (!good_ || text_.substr(position_, token.size()) != token) return false;
    position_ += token.size();
    return true;
  }
  bool Take(std::string_view token) {
    SkipSpace();
    return TakeHere(token);
  }
  void Require(bool condition) { good_ = good_ && condition; }

  std::string String() {
    std::string text;
    Require(Take("\""));
    while (good_ && Peek() != '"') {
      Require(position_ < text_.size() && static_cast<unsigned char>(Peek()) >= 0x20);
      if (!good_) break;
      const char c = text_[position_++];
      if (c == '\\')
        Escape(text);
      else
        text += c;
    }
    ++position_;
    return text;
  }

  // What follows a backslash.
  void Escape(std::string& text) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const char letter = Peek();
    ++position_;
    if (letter == 'u') return UnicodeEscape(text);
    const size_t which = kLetters.find(letter);
    Require(which != std::string_view::npos);
    if (good_) text += kMeanings[which];
  }

  void UnicodeEscape(std::string& text) {
    uint32_t code = FourHexDigits();
    if (IsHighSurrogate(code)) {
      const size_t after = position_;
      const uint32_t low = TakeHere("\\u") ? FourHexDigits() : 0;
      if (IsLowSurrogate(low)) {
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
      } else {
        position_ = after;
      }
    }
    AppendUtf8(code >= 0xD800 && code < 0xE000 ? kReplacement : code, text);
  }

  uint32_t FourHexDigits() {
    const std::string_view digits = text_.substr(position_, 4);
    uint32_t code = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    Require(error == std::errc() && end == digits.data() + 4);
    position_ += 4;
    return code;
  }

  double Number() {
    constexpr std::string_view kDigits = "0123456789";
    SkipSpace();
    const size_t start = position_;
    if (Peek() == '-') ++position_;
    const bool leads_with_zero = Peek() == '0';
    const size_t whole_digits = Skip(kDigits);
    Require(whole_digits == 1 || (whole_digits > 1 && !leads_with_zero));
    if (Peek() == '.') {
      ++position_;
      Require(Skip(kDigits) > 0);
    }
    if (Peek() == 'e' || Peek() == 'E') {
      ++position_;
      if (Peek() == '-' || Peek() == '+') ++position_;
      Require(Skip(kDigits) > 0);
    }
    double number = 0;
    if (good_)
      Require(std::from_chars(text_.data() + start, text_.data() + position_, number).ec ==
              std::errc());
    return number;
  }

  Json Value() {
    Json value;
    Require(depth_ < kMostDepth);
    if (!good_) return value;
    ++depth_;
    if (Take("{")) {
      value = Object();
    } else if (Take("[")) {
      value = Array();
    } else if (TakeHere("true")) {
      value = {.type = Json::Type::kBool, .truth = true};
    } else if (TakeHere("false")) {
      value = {.type = Json::Type::kBool};
    } else if (Peek() == '"') {
      value = {.type = Json::Type::kString, .text = String()};
    } else if (!TakeHere("null")) {
      value = {.type = Json::Type::kNumber, .number = Number()};
    }
    --depth_;
    return value;
  }

  Json Array() {
    Json array{.type = Json::Type::kArray};
    if (Take("]")) return array;
    do array.items.push_back(Value());
    while (good_ && Take(","));
    Require(Take("]"));
    return array;
  }

  Json Object() {
    Json object{.type = Json::Type::kObject};
    if (Take("}")) return object;
    do {
      const std::string key = String();
      Require(Take(":") && !object.fields.contains(key));
      object.fields[key] = Value();
    } while (good_ && Take(","));
    Require(Take("}"));
    return object;
  }

  const std::string_view text_;
  size_t position_ = 0;
  int depth_ = 0;
  bool good_ = true;
};

}  // namespace

const Json& Json::operator[](const std::string& key) const {
  static const Json none;
  const auto field = fields.find(key);
  return field == fields.end() ? none : field->second;
}

std::optional<Json> ReadJson(std::string_view text) { return Parser(text).Parse(); }

std::optional<uint64_t> WholeNumber(const Json& json, uint64_t most) {
  assert(most <= kMostExactInteger);
  if (json.type != Json::Type::kNumber || json.number < 0 ||
      json.number > static_cast<double>(most) || json.number != std::floor(json.number))
    return std::nullopt;
  return static_cast<uint64_t>(json.number);
}

}  // namespace mmp
