#include "tools/text/text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <utility>

namespace mmp {
std::string NumberText(double number) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  return {digits.data(), end};
}

std::string Counted(uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

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

std::string OneLine(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string line;
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    const char c = text[0];
    const auto code = static_cast<unsigned char>(c);
    if (length > 0 && code >= ' ' && code != 0x7f) {
      line += text.substr(0, length);
    } else if (c == '\n' || c == '\t' || c == '\r') {
      line += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
    } else {
      line += {'\\', 'x', kDigits[code >> 4], kDigits[code & 15]};
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return line;
}

std::vector<std::string_view> SplitAt(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t end; (end = text.find(separator)) != std::string_view::npos;) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

size_t EditDistance(std::string_view a, std::string_view b) {
  // Of what has been seen of `a` to each beginning of `b`.
  std::vector<size_t> distances(b.size() + 1);
  std::iota(distances.begin(), distances.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t replaced = std::exchange(distances[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      replaced += a[i] == b[j] ? 0 : 1;
      const size_t least = std::min({replaced, distances[j] + 1, distances[j + 1] + 1});
      replaced = std::exchange(distances[j + 1], least);
    }
  }
  return distances.back();
}

}  // namespace mmp
