// The functions of the loader of gdk-pixbuf, called as gdk-pixbuf calls them.
#define GDK_PIXBUF_ENABLE_BACKEND
#include <gdk-pixbuf/gdk-pixbuf-io.h>
#include <gdk-pixbuf/gdk-pixbuf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "codec/bitstream/container.h"
#include "mmp/mmp_c.h"
#include "tests/support/test_support.h"

extern "C" {
void fill_vtable(GdkPixbufModule* module);
void fill_info(GdkPixbufFormat* info);
}

namespace mmp {
namespace {

// What the loader tells its caller.
struct Told {
  std::vector<int> size;  // width, height; told once
  int prepared = 0;
  std::vector<int> updated;  // x, y, width, height; told once
  int width = 0, height = 0;
  std::vector<uint8_t> red, green, blue;  // row by row
  bool wants_nothing = false;             // answers that the image is to be scaled to nothing
};

void OnSize(int* width, int* height, gpointer data) {
  Told& told = *static_cast<Told*>(data);
  told.size.insert(told.size.end(), {*width, *height});
  if (told.wants_nothing) *width = *height = 0;
}

void OnPrepared(GdkPixbuf* pixbuf, GdkPixbufAnimation* animation, gpointer data) {
  Told& told = *static_cast<Told*>(data);
  ++told.prepared;
  EXPECT_EQ(animation, nullptr);
  EXPECT_EQ(gdk_pixbuf_get_n_channels(pixbuf), 3);
  told.width = gdk_pixbuf_get_width(pixbuf);
  told.height = gdk_pixbuf_get_height(pixbuf);
  const guchar* const pixels = gdk_pixbuf_read_pixels(pixbuf);
  for (int y = 0; y < told.height; ++y) {
    for (int x = 0; x < told.width; ++x) {
      const guchar* const pixel = pixels + size_t{1} * y * gdk_pixbuf_get_rowstride(pixbuf) + 3 * x;
      told.red.push_back(pixel[0]);
      told.green.push_back(pixel[1]);
      told.blue.push_back(pixel[2]);
    }
  }
}

void OnUpdated(GdkPixbuf* /*pixbuf*/, int x, int y, int width, int height, gpointer data) {
  Told& told = *static_cast<Told*>(data);
  told.updated.insert(told.updated.end(), {x, y, width, height});
}

struct Loaded {
  Told told;
  bool ok = false;
  size_t bytes_taken = 0;  // in increments that succeeded
  int code = -1;           // of GdkPixbufError
  std::string message;
};

// Loads a file in increments of at most `step` bytes.
Loaded Load(std::span<const uint8_t> file, size_t step, bool wants_nothing = false) {
  GdkPixbufModule module = {};
  fill_vtable(&module);
  Loaded loaded;
  loaded.told.wants_nothing = wants_nothing;
  GError* error = nullptr;
  const gpointer context = module.begin_load(OnSize, OnPrepared, OnUpdated, &loaded.told, &error);
  bool ok = true;
  while (ok && loaded.bytes_taken < file.size()) {
    const size_t size = std::min(step, file.size() - loaded.bytes_taken);
    ok = module.load_increment(context, file.data() + loaded.bytes_taken, size, &error);
    if (ok) loaded.bytes_taken += size;
  }
  // After a failure gdk-pixbuf asks for no second one.
  loaded.ok = module.stop_load(context, ok ? &error : nullptr) && ok;
  EXPECT_EQ(loaded.ok, error == nullptr);
  if (error != nullptr) {
    EXPECT_EQ(error->domain, GDK_PIXBUF_ERROR);
    loaded.code = error->code;
    loaded.message = error->message;
    g_error_free(error);
  }
  return loaded;
}

std::vector<uint8_t> Encoded(const Image& image) {
  EncodeOptions options;
  options.lambda = 0;
  options.threads = 1;
  return MustEncode(image.View(), options);
}

TEST(PixbufLoaderTest, IncrementsOfEverySize) {
  const Image image = Draw(Picture::kTexture, 33, 20, 1);
  const std::vector<uint8_t> file = Encoded(image);
  const std::vector<uint8_t> samples(image.Row(0), image.Row(0) + image.pixel_count());
  for (const size_t step : {size_t{1}, size_t{63}, size_t{64}, size_t{65}, file.size()}) {
    SCOPED_TRACE(step);
    const Loaded loaded = Load(file, step);
    ASSERT_TRUE(loaded.ok) << loaded.message;
    EXPECT_EQ(loaded.told.size, (std::vector<int>{33, 20}));
    EXPECT_EQ(loaded.told.prepared, 1);
    EXPECT_EQ(loaded.told.updated, (std::vector<int>{0, 0, 33, 20}));
    EXPECT_EQ(loaded.told.red, samples);
    EXPECT_EQ(loaded.told.green, samples);
    EXPECT_EQ(loaded.told.blue, samples);
  }
}

TEST(PixbufLoaderTest, ACallerMayWantToHearOfThePixelsAlone) {
  const std::vector<uint8_t> file = Encoded(Draw(Picture::kTexture, 33, 20, 1));
  GdkPixbufModule module = {};
  fill_vtable(&module);
  Told told;
  const gpointer context = module.begin_load(nullptr, OnPrepared, nullptr, &told, nullptr);
  EXPECT_TRUE(module.load_increment(context, file.data(), file.size(), nullptr));
  EXPECT_TRUE(module.stop_load(context, nullptr));
  EXPECT_EQ(told.red.size(), 33U * 20U);
}

TEST(PixbufLoaderTest, FilesShorterThanAHeaderMayBe) {
  const std::vector<uint8_t> file = Encoded(Draw(Picture::kFlat, 1, 1, 1));
  ASSERT_LT(file.size(), size_t{MMP_MAX_HEADER_BYTES});
  const Loaded loaded = Load(file, 5);
  EXPECT_TRUE(loaded.ok) << loaded.message;
  EXPECT_EQ(loaded.told.size, (std::vector<int>{1, 1}));
  EXPECT_EQ(loaded.told.red.size(), 1U);
}

TEST(PixbufLoaderTest, SamplesOfOtherDepthsAreScaled) {
  for (const int depth : {1, 3, 7, 12, 16}) {
    SCOPED_TRACE(depth);
    const int most = (1 << depth) - 1;
    const std::vector<uint16_t> samples = {0, static_cast<uint16_t>(most / 3),
                                           static_cast<uint16_t>(most / 2),
                                           static_cast<uint16_t>(most)};
    mmp_encode_options* const options = mmp_encode_options_new();
    ASSERT_EQ(mmp_encode_options_set_max_error(options, 0), MMP_OK);
    uint8_t* file = nullptr;
    size_t size = 0;
    ASSERT_EQ(mmp_encode16(samples.data(), 4, 1, 8, depth, options, &file, &size), MMP_OK);
    const Loaded loaded = Load({file, size}, size);
    mmp_free(file);
    mmp_encode_options_free(options);
    ASSERT_TRUE(loaded.ok) << loaded.message;
    for (size_t i = 0; i < samples.size(); ++i) {
      EXPECT_NEAR(loaded.told.red[i], samples[i] * 255.0 / most, 0.5);
    }
  }
}

TEST(PixbufLoaderTest, EveryTruncation) {
  const std::vector<uint8_t> file = Encoded(Draw(Picture::kTexture, 16, 12, 1));
  for (size_t size = 0; size < file.size(); ++size) {
    SCOPED_TRACE(size);
    const Loaded loaded = Load(std::span(file).first(size), 50);
    EXPECT_FALSE(loaded.ok);
    EXPECT_FALSE(loaded.message.empty());
    EXPECT_EQ(loaded.told.prepared, 0);
  }
}

TEST(PixbufLoaderTest, EveryByteDamaged) {
  const std::vector<uint8_t> file = Encoded(Draw(Picture::kTexture, 16, 12, 1));
  for (size_t i = 0; i < file.size(); ++i) {
    SCOPED_TRACE(i);
    std::vector<uint8_t> damaged = file;
    damaged[i] ^= 1 << i % 8;
    const Loaded loaded = Load(damaged, damaged.size());
    EXPECT_FALSE(loaded.ok);
    EXPECT_FALSE(loaded.message.empty());
    EXPECT_EQ(loaded.told.prepared, 0);
  }
}

TEST(PixbufLoaderTest, WhatIsNoFileOfMmpIsRefusedByItsHeader) {
  Random random(1);
  const Loaded loaded = Load(RandomBytes(random, 10000), 100);
  EXPECT_FALSE(loaded.ok);
  EXPECT_EQ(loaded.bytes_taken, 0U);
  EXPECT_EQ(loaded.code, GDK_PIXBUF_ERROR_UNKNOWN_TYPE);
  EXPECT_TRUE(loaded.told.size.empty());
}

TEST(PixbufLoaderTest, ALaterVersionIsRefused) {
  std::vector<uint8_t> file = Encoded(Draw(Picture::kTexture, 16, 12, 1));
  file[3] = 13;
  const Loaded loaded = Load(file, file.size());
  EXPECT_FALSE(loaded.ok);
  EXPECT_NE(loaded.message.find("version 13"), std::string::npos) << loaded.message;
}

TEST(PixbufLoaderTest, ALargeImageIsRefusedBeforeMemoryIsTaken) {
  FileHeader header;
  header.width = header.tile_width = 32768;
  header.height = header.tile_height = 32768;
  const std::vector<uint8_t> file = WriteFileBytes(header, {EncodedTile()});
  const Loaded loaded = Load(file, file.size());
  EXPECT_FALSE(loaded.ok);
  EXPECT_EQ(loaded.told.size, (std::vector<int>{32768, 32768}));
  EXPECT_EQ(loaded.code, GDK_PIXBUF_ERROR_INSUFFICIENT_MEMORY);
  EXPECT_EQ(loaded.told.prepared, 0);
}

TEST(PixbufLoaderTest, ACallerMayWantNoMoreThanTheSize) {
  const std::vector<uint8_t> file = Encoded(Draw(Picture::kTexture, 33, 20, 1));
  const Loaded loaded = Load(file, 64, true);
  EXPECT_FALSE(loaded.ok);
  EXPECT_EQ(loaded.told.size, (std::vector<int>{33, 20}));
  EXPECT_EQ(loaded.bytes_taken, 0U);
  EXPECT_EQ(loaded.told.prepared, 0);
}

TEST(PixbufLoaderTest, Information) {
  GdkPixbufFormat info = {};
  fill_info(&info);
  EXPECT_STREQ(info.name, "mmp");
  EXPECT_STREQ(info.extensions[0], "mmp");
  EXPECT_EQ(info.extensions[1], nullptr);
  EXPECT_STREQ(info.mime_types[0], "image/x-mmp");
  EXPECT_EQ(info.mime_types[1], nullptr);
}

}  // namespace
}  // namespace mmp
