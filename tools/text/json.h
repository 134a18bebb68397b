// Writes JSON text (RFC 8259).
#ifndef MMP_TOOLS_TEXT_JSON_H_
#define MMP_TOOLS_TEXT_JSON_H_

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace mmp {

enum class JsonLayout : uint8_t {
  kIndented,  // by two spaces, a line a value
  kCompact,   // on one line
};

// Calls must nest properly: in an object every value follows a Key. Chain them as
//   json.BeginObject().Key("width").Value(512).EndObject();
class JsonWriter {
 public:
  explicit JsonWriter(JsonLayout layout = JsonLayout::kIndented) : layout_(layout) {}

  JsonWriter& BeginObject() { return Begin('{'); }
  JsonWriter& EndObject() { return End('}'); }
  JsonWriter& BeginArray() { return Begin('['); }
  JsonWriter& EndArray() { return End(']'); }
  JsonWriter& Key(std::string_view key);

  // Bytes that are not UTF-8 become U+FFFD.
  JsonWriter& Value(std::string_view text);
  JsonWriter& Value(const char* text) { return Value(std::string_view(text)); }
  // The shortest text that reads back as `number`; null if it is infinite or not a number.
  JsonWriter& Value(double number);
  JsonWriter& Value(bool value);
  JsonWriter& Null() { return Raw("null"); }
  template <std::integral T>
  JsonWriter& Value(T number) {
    return Raw(std::to_string(number));
  }

  template <typename T>
  JsonWriter& Field(std::string_view key, const T& value) {
    return Key(key).Value(value);
  }
  // An array of numbers, on one line.
  template <typename Range>
  JsonWriter& Numbers(const Range& numbers) {
    JsonWriter inner;
    for (const auto& number : numbers) inner.Value(number);
    return Raw("[" + inner.text() + "]");
  }
  template <typename Range>
  JsonWriter& NumbersField(std::string_view key, const Range& numbers) {
    return Key(key).Numbers(numbers);
  }

  const std::string& text() const { return text_; }

 private:
  JsonWriter& Begin(char bracket);
  JsonWriter& End(char bracket);
  JsonWriter& Raw(std::string_view token);
  void Separate();
  void NewLine();
  void AppendQuoted(std::string_view text);

  JsonLayout layout_;
  std::string text_;
  int depth_ = 0;
  bool first_ = true;       // nothing yet in the innermost object or array, or in all
  bool after_key_ = false;  // the next value belongs to the key just written
};

}  // namespace mmp

#endif  // MMP_TOOLS_TEXT_JSON_H_
