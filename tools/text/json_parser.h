// Reads JSON text (RFC 8259), strictly.
#ifndef MMP_TOOLS_TEXT_JSON_PARSER_H_
#define MMP_TOOLS_TEXT_JSON_PARSER_H_

#include <cstdint>
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
  std::string text{};  // UTF-8; of unpaired surrogates U+FFFD
  std::vector<Json> items{};
  std::map<std::string, Json> fields{};

  // The field, or null.
  const Json& operator[](const std::string& key) const;
};

// Nothing if `text` is not one JSON value, nested no deeper than 64, with different keys in each
// object and numbers that a double can hold: not 1e400, nor 1e-400.
std::optional<Json> ReadJson(std::string_view text);

// Up to it doubles hold each whole number.
inline constexpr uint64_t kMostExactInteger = uint64_t{1} << 53;

// The number that `json` is, if it is a whole one from 0 to `most`, which is at most that.
std::optional<uint64_t> WholeNumber(const Json& json, uint64_t most = kMostExactInteger);

}  // namespace mmp

#endif  // MMP_TOOLS_TEXT_JSON_PARSER_H_
