#include "tools/page/page.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>
#include <vector>

#include "common/image_files/image_io.h"

namespace mmp {

std::string MakePage(const PageAssets& assets, std::string_view json) {
  const std::string data = EscapeJsonForHtml(json);
  const std::array<std::pair<std::string_view, std::string_view>, 3> parts = {
      {{"style", assets.style}, {"script", assets.script}, {"data", data}}};
  std::string page;
  std::string_view rest = assets.markup;
  // In one pass, so that no part is searched for inside another.
  for (size_t open = rest.find("{{"); open != rest.npos; open = rest.find("{{")) {
    page += rest.substr(0, open);
    rest.remove_prefix(open + 2);
    const size_t close = rest.find("}}");
    const auto part = std::find_if(parts.begin(), parts.end(), [&](const auto& candidate) {
      return candidate.first == rest.substr(0, close);
    });
    assert(part != parts.end());
    page += part->second;
    rest.remove_prefix(close + 2);
  }
  return page += rest;
}

std::string EscapeJsonForHtml(std::string_view json) {
  std::string escaped;
  escaped.reserve(json.size());
  for (const char c : json) {  // these occur in strings only, where escapes are allowed
    if (c == '<')
      escaped += "\\u003c";
    else if (c == '>')
      escaped += "\\u003e";
    else if (c == '&')
      escaped += "\\u0026";
    else
      escaped += c;
  }
  return escaped;
}

std::string Base64(std::span<const uint8_t> bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](size_t k) { return k < bytes.size() ? uint32_t{bytes[k]} : 0; };
    const uint32_t group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    text += kDigits[group >> 18];
    text += kDigits[group >> 12 & 63];
    text += i + 1 < bytes.size() ? kDigits[group >> 6 & 63] : '=';
    text += i + 2 < bytes.size() ? kDigits[group & 63] : '=';
  }
  return text;
}

std::string PngDataUri(const ImageView& image) {
  return "data:image/png;base64," + Base64(EncodePng(image));
}

}  // namespace mmp
