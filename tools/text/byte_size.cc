#include "tools/text/byte_size.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <string>

#include "tools/text/text.h"

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

}  // namespace mmp
