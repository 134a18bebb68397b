#include "tools/text/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>

namespace mmp {
namespace {

// Bytes in a unit such as kB, in lower case.
std::optional<double> BytesIn(std::string_view unit) {
  constexpr std::string_view kPrefixes = "kmg";
  if (unit.empty() || unit == "b") return 1;
  const size_t prefix = kPrefixes.find(unit[0]);
  if (prefix == std::string_view::npos) return std::nullopt;
  const std::string_view rest = unit.substr(1);
  const int power = static_cast<int>(prefix) + 1;
  if (rest.empty() || rest == "b") return std::pow(1000, power);
  if (rest == "i" || rest == "ib") return std::pow(1024, power);
  return std::nullopt;
}

}  // namespace

std::optional<uint64_t> ParseSize(std::string_view text) {
  const size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  std::string unit(text.substr(digits));
  std::ranges::transform(unit, unit.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::optional<double> number = ParseNumber<double>(text.substr(0, digits));
  const std::optional<double> scale = BytesIn(unit);
  if (!number || !scale) return std::nullopt;
  const double bytes = *number * *scale;
  constexpr double kMost = 1e18;
  if (!(bytes >= 1 && bytes <= kMost)) return std::nullopt;
  return static_cast<uint64_t>(bytes);
}

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

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t end; (end = text.find(separator)) != std::string_view::npos;) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

}  // namespace mmp
