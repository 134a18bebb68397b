#include "common/sha256.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace mmp {
namespace {

std::string HexOf(const std::string& text) {
  Sha256 hash;
  hash.Add(text);
  return hash.Hex();
}

// The examples of FIPS 180-4 and its test vectors.
TEST(Sha256Test, KnownHashes) {
  EXPECT_EQ(HexOf(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(HexOf("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(HexOf("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(HexOf(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// Where the padding needs a block of its own, and where it just does not; computed by sha256sum.
TEST(Sha256Test, LengthsAroundABlock) {
  EXPECT_EQ(HexOf(std::string(55, 'x')),
            "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072");
  EXPECT_EQ(HexOf(std::string(56, 'x')),
            "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e");
  EXPECT_EQ(HexOf(std::string(63, 'x')),
            "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2");
  EXPECT_EQ(HexOf(std::string(64, 'x')),
            "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c");
}

TEST(Sha256Test, PiecesAreAsGoodAsTheWhole) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7);
  for (const size_t piece : {1, 3, 63, 64, 65, 200}) {
    Sha256 hash;
    for (size_t i = 0; i < text.size(); i += piece) hash.Add(text.substr(i, piece));
    EXPECT_EQ(hash.Hex(), HexOf(text)) << piece;
  }
}

}  // namespace
}  // namespace mmp
