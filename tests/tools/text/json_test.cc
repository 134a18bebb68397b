#include "tools/text/json.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tools/text/json_parser.h"

namespace mmp {
namespace {

TEST(JsonTest, WhatIsWrittenIsRead) {
  const std::string odd = "quote \" backslash \\ line\nend \t \x01 \xc3\xa9 \xf0\x9f\x98\x80";
  for (const auto layout : {JsonLayout::kIndented, JsonLayout::kCompact}) {
    JsonWriter writer(layout);
    writer.BeginObject()
        .Field("text", odd)
        .Field(odd, true)
        .Field("tenth", 0.1)
        .Field("large", 1.7976931348623157e308)
        .Field("negative", -12)
        .Field("infinite", std::numeric_limits<double>::infinity())
        .NumbersField("numbers", std::vector<int>{1, 2, 3})
        .Key("items")
        .BeginArray()
        .BeginObject()
        .EndObject()
        .Value("x")
        .EndArray()
        .EndObject();
    const bool one_line = writer.text().find('\n') == std::string::npos;
    EXPECT_EQ(one_line, layout == JsonLayout::kCompact);
    const std::optional<Json> json = ReadJson(writer.text());
    ASSERT_TRUE(json) << writer.text();
    EXPECT_EQ((*json)["text"].text, odd);
    EXPECT_TRUE((*json)[odd].truth);
    EXPECT_EQ((*json)["tenth"].number, 0.1);
    EXPECT_EQ((*json)["large"].number, 1.7976931348623157e308);
    EXPECT_EQ((*json)["negative"].number, -12);
    EXPECT_EQ((*json)["infinite"].type, Json::Type::kNull);
    ASSERT_EQ((*json)["numbers"].items.size(), 3U);
    EXPECT_EQ((*json)["numbers"].items[2].number, 3);
    EXPECT_EQ((*json)["items"].items.at(1).text, "x");
    EXPECT_EQ((*json)["missing"].type, Json::Type::kNull);
  }
}

TEST(JsonTest, Escapes) {
  EXPECT_EQ(ReadJson(R"("\u0041\u00e9\u20ac\ud83d\ude00")")->text,
            "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(ReadJson(R"("\"\\\/\b\f\n\r\t")")->text, "\"\\/\b\f\n\r\t");
  // Halves of a pair alone
  EXPECT_EQ(ReadJson(R"("\ud83dx\ude00")")->text, "\xef\xbf\xbdx\xef\xbf\xbd");
  EXPECT_EQ(ReadJson(R"("\ud83d\u0041")")->text,
            "\xef\xbf\xbd"
            "A");
}

TEST(JsonTest, WhatIsNotJson) {
  for (const char* text : {"",           " ",
                           "{",          "[",
                           "\"",         "\"\\",
                           "\"\\u12",    "\"\\u12G4\"",
                           "\"\\x\"",    "\"a\nb\"",
                           "{\"a\"",     "{\"a\":",
                           "{\"a\":1",   "{\"a\":1,",
                           "{\"a\":1,}", "{\"a\":1,\"a\":2}",
                           "{a:1}",      "[1,]",
                           "[1 2]",      "1 2",
                           "01",         "1.",
                           ".5",         "1e",
                           "+1",         "-",
                           "nul",        "truefalse",
                           "NaN",        "1e400",
                           "-1e400",     "[1, 1e400]",
                           "1e-400",     "1e99999999999999999999"}) {
    EXPECT_FALSE(ReadJson(text)) << text;
  }
}

TEST(JsonTest, NumbersAreThoseOfDoubles) {
  EXPECT_EQ(ReadJson("1.7976931348623157e308")->number, std::numeric_limits<double>::max());
  EXPECT_EQ(ReadJson("5e-324")->number, std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(ReadJson("0e400")->number, 0);
  EXPECT_EQ(ReadJson("0.00")->number, 0);
}

TEST(JsonTest, WholeNumbers) {
  const auto whole = [](const char* text, uint64_t most) {
    return WholeNumber(ReadJson(text).value(), most);
  };
  EXPECT_EQ(whole("0", 0), 0u);
  EXPECT_EQ(whole("12", 12), 12u);
  EXPECT_EQ(whole("1e1", 12), 10u);
  EXPECT_EQ(WholeNumber(*ReadJson("9007199254740992")), uint64_t{1} << 53);
  for (const char* text : {"13", "-1", "0.5", "1e300", "-1e300", "\"12\"", "null", "[1]", "true"})
    EXPECT_FALSE(whole(text, 12)) << text;
  EXPECT_FALSE(WholeNumber(*ReadJson("9007199254740994")));
}

TEST(JsonTest, DepthIsLimited) {
  const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(ReadJson(nested(64)));
  EXPECT_FALSE(ReadJson(nested(65)));
  EXPECT_FALSE(ReadJson(std::string(1000000, '[')));
}

}  // namespace
}  // namespace mmp
