// What the C++ library of old Emscripten releases (libc++ 13) lacks of C++20, as far as the decoder
// uses it. Included before everything else of the web page's module; empty where the library is
// newer.
#ifndef MMP_TOOLS_WEB_LIBRARY_GAPS_H_
#define MMP_TOOLS_WEB_LIBRARY_GAPS_H_

#include <version>

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 14000

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <type_traits>

namespace std {

template <typename To, typename From>
constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

template <typename Array>
unique_ptr<Array> make_unique_for_overwrite(size_t size) {
  return unique_ptr<Array>(new remove_extent_t<Array>[size]);
}

// The fewest digits from which the number is read again.
inline to_chars_result to_chars(char* first, char* last, double number) {
  char digits[32];
  int size = 0;
  for (int precision = 1; precision <= 17; ++precision) {
    size = snprintf(digits, sizeof(digits), "%.*g", precision, number);
    if (strtod(digits, nullptr) == number) break;
  }
  if (size > last - first) return {last, errc::value_too_large};
  memcpy(first, digits, static_cast<size_t>(size));
  return {first + size, errc()};
}

}  // namespace std

#endif

#endif  // MMP_TOOLS_WEB_LIBRARY_GAPS_H_
