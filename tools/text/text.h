// Numbers and lists in text, the same in every locale.
#ifndef MMP_TOOLS_TEXT_TEXT_H_
#define MMP_TOOLS_TEXT_TEXT_H_

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace mmp {

// All of `text` as a number, if it is one. A floating-point number may be infinite or nan.
template <typename Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The shortest text that reads back as `number`.
std::string NumberText(double number);

// "1 point", "2 points", for nouns that take an s.
std::string Counted(uint64_t count, std::string_view noun);

// The length of the well-formed UTF-8 sequence (RFC 3629) that `text`, which is not empty, starts
// with, or 0.
size_t Utf8Length(std::string_view text);

// `text` with line breaks, tabs, other control characters and bytes that are not UTF-8 written as
// \n, \t, \x1b, \xff: what it names stays on its line of a table, which every program reads.
std::string OneLine(std::string_view text);

// The parts of `text` between `separator`s: one more than there are of these.
std::vector<std::string_view> SplitAt(std::string_view text, char separator);

// How many characters must be added, left out or replaced to make one of the other.
size_t EditDistance(std::string_view a, std::string_view b);

}  // namespace mmp

#endif  // MMP_TOOLS_TEXT_TEXT_H_
