// A strict JSON parser (RFC 8259) for tests; strings keep their escapes.
#ifndef MMP_TESTS_JSON_PARSER_H_
#define MMP_TESTS_JSON_PARSER_H_

#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mmp {

struct Json {
  enum class Type { kNull, kBool, kNumber, kString, kArray, kObject };
  Type type = Type::kNull;
  bool truth = false;
  double number = 0;
  std::string text{};
  std::vector<Json> items{};
  std::map<std::string, Json> fields{};

  // The field, or null.
  const Json& operator[](const std::string& key) const {
    static const Json none;
    const auto field = fields.find(key);
    return field == fields.end() ? none : field->second;
  }
};

class JsonParser {
 public:
  // Nothing if `text` is not one JSON value.
  static std::optional<Json> Parse(const std::string& text) {
    JsonParser parser(text);
    Json value = parser.Value();
    parser.SkipSpace();
    if (!parser.good_ || parser.position_ != text.size()) return std::nullopt;
    return value;
  }

 private:
  explicit JsonParser(const std::string& text) : text_(text) {}

  char Peek() const { return position_ < text_.size() ? text_[position_] : '\0'; }
  // Skips characters that are in `set`, and returns how many.
  size_t Skip(std::string_view set) {
    const size_t start = position_;
    while (position_ < text_.size() && set.find(Peek()) != std::string_view::npos) ++position_;
    return position_ - start;
  }
  void SkipSpace() { Skip(" \t\r\n"); }
  bool Take(std::string_view token) {
    SkipSpace();
    if (text_.compare(position_, token.size(), token) != 0) return false;
    position_ += token.size();
    return true;
  }
  void Require(bool condition) { good_ = good_ && condition; }

  std::string QuotedString() {
    Require(Take("\""));
    const size_t start = position_;
    while (good_ && Peek() != '"') {
      Require(position_ < text_.size() && static_cast<unsigned char>(Peek()) >= 0x20);
      if (text_[position_++] == '\\') Escape();
    }
    return good_ ? text_.substr(start, position_++ - start) : "";
  }

  // What follows a backslash.
  void Escape() {
    const char kind = Peek();
    ++position_;
    if (kind == 'u') {
      for (int i = 0; i < 4; ++i, ++position_) Require(std::isxdigit(Peek()) != 0);
    } else {
      Require(std::string_view("\"\\/bfnrt").find(kind) != std::string_view::npos);
    }
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
    return good_ ? std::strtod(text_.c_str() + start, nullptr) : 0;
  }

  Json Value() {
    if (Take("{")) return Object();
    if (Take("[")) return Array();
    if (Take("null")) return {};
    if (Take("true")) return {.type = Json::Type::kBool, .truth = true};
    if (Take("false")) return {.type = Json::Type::kBool};
    if (Peek() == '"') return {.type = Json::Type::kString, .text = QuotedString()};
    return {.type = Json::Type::kNumber, .number = Number()};
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
      const std::string key = QuotedString();
      Require(Take(":") && !object.fields.contains(key));
      object.fields[key] = Value();
    } while (good_ && Take(","));
    Require(Take("}"));
    return object;
  }

  const std::string& text_;
  size_t position_ = 0;
  bool good_ = true;
};

}  // namespace mmp

#endif  // MMP_TESTS_JSON_PARSER_H_
