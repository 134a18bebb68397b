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

std::string OneLine(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string line;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code >= ' ' && code != 0x7f) {
      line += c;
    } else if (c == '\n' || c == '\t' || c == '\r') {
      line += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
    } else {
      line += {'\\', 'x', kDigits[code >> 4], kDigits[code & 15]};
    }
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
