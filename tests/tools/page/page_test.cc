#include "tools/page/page.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/image_files/image_io.h"

namespace mmp {
namespace {

std::string Base64OfText(const std::string& text) {
  return Base64({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

TEST(Base64, VectorsOfRfc4648) {
  EXPECT_EQ(Base64OfText(""), "");
  EXPECT_EQ(Base64OfText("f"), "Zg==");
  EXPECT_EQ(Base64OfText("fo"), "Zm8=");
  EXPECT_EQ(Base64OfText("foo"), "Zm9v");
  EXPECT_EQ(Base64OfText("foob"), "Zm9vYg==");
  EXPECT_EQ(Base64OfText("fooba"), "Zm9vYmE=");
  EXPECT_EQ(Base64OfText("foobar"), "Zm9vYmFy");
  EXPECT_EQ(Base64OfText("\xff\xfe\xfb"), "//77");
}

TEST(PngDataUri, IsThePngFile) {
  const Image image(3, 2, 77);
  EXPECT_EQ(PngDataUri(image.View()), "data:image/png;base64," + Base64(EncodePng(image.View())));
}

TEST(EscapeJsonForHtml, LeavesNothingThatHtmlKnows) {
  EXPECT_EQ(EscapeJsonForHtml(R"({"a": "</script><!--&amp;"})"),
            R"({"a": "\u003c/script\u003e\u003c!--\u0026amp;"})");
}

TEST(MakePage, FillsEachPartOnceAndLooksForNoneInside) {
  const PageAssets assets{"<style>{{style}}</style>{{data}}|{{script}}.", "{{data}}", "{{style}}"};
  EXPECT_EQ(MakePage(assets, "{\"{{script}}\": 1}"),
            "<style>{{data}}</style>{\"{{script}}\": 1}|{{style}}.");
}

}  // namespace
}  // namespace mmp
