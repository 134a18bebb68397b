/* The interface in C, used by a program in C that knows only the library's public header: part of
 * the tests, and built against the installed library. */
#include "mmp/mmp_c.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kWidth = 40, kHeight = 24, kStride = 48 };

static int failures = 0;

#define EXPECT(condition)                                                                     \
  do {                                                                                        \
    if (!(condition)) {                                                                       \
      fprintf(stderr, "%s:%d: not so: %s (last error: %s)\n", __FILE__, __LINE__, #condition, \
              mmp_error_message());                                                           \
      ++failures;                                                                             \
    }                                                                                         \
  } while (0)

/* The call fails with `status` and a message that has `words` in it. */
#define EXPECT_ERROR(call, status, words)               \
  do {                                                  \
    EXPECT((call) == (status));                         \
    EXPECT(strstr(mmp_error_message(), words) != NULL); \
  } while (0)

typedef struct File {
  uint8_t* bytes;
  size_t size;
} File;

static void Draw(uint8_t* samples) {
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kStride; ++x)
      samples[y * kStride + x] = (uint8_t)(x < kWidth ? 3 * x + 5 * y + x * y % 7 : 255);
}

static File Encode(const mmp_encode_options* options) {
  uint8_t samples[kHeight * kStride];
  File file = {NULL, 0};
  Draw(samples);
  EXPECT(mmp_encode(samples, kWidth, kHeight, kStride, options, &file.bytes, &file.size) == MMP_OK);
  return file;
}

/* Of fast's effort, its file, whatever the preset; of none, again the preset's. */
static void TestEffort(void) {
  mmp_encode_options* const options = mmp_encode_options_new();
  File by_effort, by_preset, fast;
  EXPECT(mmp_encode_options_set_effort(options, 5) == MMP_OK);
  by_effort = Encode(options);
  EXPECT(mmp_encode_options_set_effort(options, 0) == MMP_OK);
  by_preset = Encode(options);
  EXPECT(mmp_encode_options_set_preset(options, MMP_PRESET_FAST) == MMP_OK);
  fast = Encode(options);
  EXPECT(by_effort.size == fast.size && memcmp(by_effort.bytes, fast.bytes, fast.size) == 0);
  EXPECT(by_preset.size != fast.size || memcmp(by_preset.bytes, fast.bytes, fast.size) != 0);
  mmp_free(by_effort.bytes);
  mmp_free(by_preset.bytes);
  mmp_free(fast.bytes);
  mmp_encode_options_free(options);
}

static File EncodeLossless(void) {
  mmp_encode_options* const options = mmp_encode_options_new();
  File file;
  EXPECT(mmp_encode_options_set_lambda(options, 0) == MMP_OK);
  EXPECT(mmp_encode_options_set_preset(options, MMP_PRESET_FAST) == MMP_OK);
  EXPECT(mmp_encode_options_set_tile_size(options, 16, 16) == MMP_OK);
  EXPECT(mmp_encode_options_set_threads(options, 2) == MMP_OK);
  file = Encode(options);
  mmp_encode_options_free(options);
  return file;
}

static void TestVersion(void) {
  char version[32];
  snprintf(version, sizeof version, "%d.%d.%d", MMP_VERSION_MAJOR, MMP_VERSION_MINOR,
           MMP_VERSION_PATCH);
  EXPECT(strcmp(mmp_version(), version) == 0);
}

static void TestStatusText(void) {
  EXPECT(strcmp(mmp_status_text(MMP_OUT_OF_MEMORY), "out of memory") == 0);
  for (int status = -1; status < 20; ++status) EXPECT(strlen(mmp_status_text(status)) > 3);
}

static void TestDefaults(void) {
  const File file = Encode(NULL);
  mmp_image* image = NULL;
  EXPECT(mmp_decode(file.bytes, file.size, NULL, &image) == MMP_OK);
  EXPECT(mmp_image_width(image) == kWidth);
  EXPECT(mmp_image_height(image) == kHeight);
  EXPECT(mmp_image_samples(image) != NULL);
  EXPECT(mmp_image_damaged_tile_count(image) == 0);
  mmp_image_free(image);
  mmp_free(file.bytes);
}

static void TestInfo(void) {
  const File file = EncodeLossless();
  mmp_info* info = NULL;
  int width, height;
  uint32_t hash;
  EXPECT(mmp_read_size(file.bytes,
                       file.size < MMP_MAX_HEADER_BYTES ? file.size : MMP_MAX_HEADER_BYTES, &width,
                       &height) == MMP_OK);
  EXPECT(width == kWidth && height == kHeight);
  EXPECT(mmp_info_read(file.bytes, file.size, &info) == MMP_OK);
  EXPECT(mmp_info_width(info) == kWidth);
  EXPECT(mmp_info_height(info) == kHeight);
  EXPECT(mmp_info_preset(info) == MMP_PRESET_FAST);
  EXPECT(mmp_info_is_lossless(info) == 1);
  EXPECT(mmp_info_format_version(info) > 0);
  EXPECT(mmp_info_tile_count(info) == 6);
  EXPECT(mmp_info_needs_dictionary_file(info, &hash) == 0);
  mmp_info_free(info);

  EXPECT_ERROR(mmp_read_size("PNG is not it", 13, &width, &height), MMP_UNSUPPORTED, "not an mmp");
  EXPECT(width == 0 && height == 0);
  EXPECT_ERROR(mmp_info_read(file.bytes, 9, &info), MMP_CORRUPT, "");
  EXPECT(info == NULL);
  mmp_free(file.bytes);
}

/* Metadata and sign come back, from the image and from what is known before it is decoded. */
static void TestMetadata(void) {
  mmp_encode_options* const options = mmp_encode_options_new();
  mmp_image* image = NULL;
  mmp_info* info = NULL;
  File file;
  EXPECT_ERROR(mmp_encode_options_add_metadata(options, 0, "a", 1), MMP_INVALID_ARGUMENT,
               "1 to 255");
  EXPECT_ERROR(mmp_encode_options_add_metadata(options, 256, "a", 1), MMP_INVALID_ARGUMENT,
               "1 to 255");
  EXPECT_ERROR(mmp_encode_options_add_metadata(options, 3, NULL, 1), MMP_INVALID_ARGUMENT, "null");
  EXPECT_ERROR(mmp_encode_options_add_metadata(options, 3, "a", SIZE_MAX), MMP_INVALID_ARGUMENT,
               "at most 2^24 - 1 bytes");
  EXPECT_ERROR(mmp_encode_options_set_dictionary_file(options, "a", SIZE_MAX), MMP_OUT_OF_MEMORY,
               "memory");
  EXPECT(mmp_encode_options_add_metadata(options, MMP_METADATA_XMP, "old", 3) == MMP_OK);
  EXPECT(mmp_encode_options_clear_metadata(options) == MMP_OK);
  EXPECT(mmp_encode_options_add_metadata(options, MMP_METADATA_XMP, "<x/>", 4) == MMP_OK);
  EXPECT(mmp_encode_options_add_metadata(options, 99, NULL, 0) == MMP_OK);
  EXPECT(mmp_encode_options_set_signed(options, 1) == MMP_OK);
  file = Encode(options);
  EXPECT(mmp_decode(file.bytes, file.size, NULL, &image) == MMP_OK);
  EXPECT(mmp_info_read(file.bytes, file.size, &info) == MMP_OK);
  EXPECT(mmp_image_is_signed(image) == 1 && mmp_info_is_signed(info) == 1);
  EXPECT(mmp_image_metadata_count(image) == 2 && mmp_info_metadata_count(info) == 2);
  EXPECT(mmp_image_damaged_metadata(image) == 0 && mmp_info_damaged_metadata(info) == 0);
  EXPECT(mmp_info_metadata(info, 1).kind == 99 && mmp_info_metadata(info, 1).size == 0);
  for (int k = 0; k < 2; ++k) {
    const mmp_metadata chunk = k == 0 ? mmp_image_metadata(image, 0) : mmp_info_metadata(info, 0);
    EXPECT(chunk.kind == MMP_METADATA_XMP && chunk.size == 4);
    EXPECT(chunk.size == 4 && memcmp(chunk.bytes, "<x/>", 4) == 0);
  }
  EXPECT(mmp_image_metadata(image, 2).kind == 0 && mmp_image_metadata(image, 2).bytes == NULL);
  mmp_info_free(info);
  mmp_image_free(image);
  mmp_free(file.bytes);
  mmp_encode_options_free(options);
}

/* Either order, as asked for. */
static void TestOrder(void) {
  mmp_encode_options* const options = mmp_encode_options_new();
  const mmp_order orders[] = {MMP_ORDER_RASTER, MMP_ORDER_WAVEFRONT};
  mmp_image* images[2] = {NULL, NULL};
  EXPECT(mmp_encode_options_set_lambda(options, 0) == MMP_OK);
  for (int k = 0; k < 2; ++k) {
    mmp_info* info = NULL;
    File file;
    EXPECT(mmp_encode_options_set_order(options, orders[k]) == MMP_OK);
    file = Encode(options);
    EXPECT(mmp_info_read(file.bytes, file.size, &info) == MMP_OK);
    EXPECT(mmp_info_order(info) == orders[k]);
    EXPECT(mmp_decode(file.bytes, file.size, NULL, &images[k]) == MMP_OK);
    mmp_info_free(info);
    mmp_free(file.bytes);
  }
  EXPECT(memcmp(mmp_image_samples(images[0]), mmp_image_samples(images[1]), kWidth * kHeight) == 0);
  for (int k = 0; k < 2; ++k) mmp_image_free(images[k]);
  EXPECT_ERROR(mmp_encode_options_set_order(NULL, MMP_ORDER_RASTER), MMP_INVALID_ARGUMENT,
               "options is null");
  mmp_encode_options_free(options);
}

/* A file that is read by ranges, up to `end`. */
typedef struct Source {
  const File* file;
  uint64_t end;
  int reads;
} Source;

static int ReadSource(uint64_t offset, void* bytes, size_t count, void* context) {
  Source* const source = context;
  ++source->reads;
  if (count == 0 || offset + count > source->end) return 0;
  memcpy(bytes, source->file->bytes + offset, count);
  return 1;
}

/* Three columns of tiles and two rows. */
static void TestRegion(void) {
  const File file = EncodeLossless();
  Source source = {&file, 0, 0};
  uint8_t expected[kHeight * kStride], into[5 * 20];
  mmp_decode_options* const options = mmp_decode_options_new();
  mmp_image* image = NULL;
  Draw(expected);
  source.end = file.size;
  EXPECT(mmp_decode_options_set_region(options, 10, 7, 20, 5) == MMP_OK);
  EXPECT(mmp_decode_from(ReadSource, &source, file.size, options, &image) == MMP_OK);
  EXPECT(source.reads == 3);
  EXPECT(mmp_image_width(image) == 20 && mmp_image_height(image) == 5);
  EXPECT(mmp_decode_into(file.bytes, file.size, options, into, 20, 5, 20) == MMP_OK);
  for (int y = 0; y < 5; ++y) {
    const uint8_t* const row = expected + (7 + y) * kStride + 10;
    EXPECT(memcmp(mmp_image_samples(image) + y * 20, row, 20) == 0);
    EXPECT(memcmp(into + y * 20, row, 20) == 0);
  }
  mmp_image_free(image);

  /* The first row of tiles is not at the file's end; the second is. */
  source.end = file.size - 1;
  EXPECT(mmp_decode_from(ReadSource, &source, file.size, options, &image) == MMP_OK);
  mmp_image_free(image);
  for (int y = 0; y < 2; ++y) {
    EXPECT(mmp_decode_options_set_region(options, 3, y, 0, 0) == MMP_OK);
    EXPECT_ERROR(mmp_decode(file.bytes, file.size, options, &image), MMP_INVALID_ARGUMENT,
                 "not inside the image");
  }
  EXPECT(mmp_decode_options_clear_region(options) == MMP_OK);
  EXPECT_ERROR(mmp_decode_options_clear_region(NULL), MMP_INVALID_ARGUMENT, "options is null");
  EXPECT_ERROR(mmp_decode_from(ReadSource, &source, file.size, options, &image), MMP_IO,
               "could not be read");
  EXPECT(image == NULL);
  EXPECT(mmp_decode_options_set_region(options, 30, 0, 11, 5) == MMP_OK);
  EXPECT_ERROR(mmp_decode(file.bytes, file.size, options, &image), MMP_INVALID_ARGUMENT,
               "not inside the image");
  EXPECT_ERROR(mmp_decode_options_set_region(NULL, 0, 0, 1, 1), MMP_INVALID_ARGUMENT, "null");
  EXPECT_ERROR(mmp_decode_from(NULL, &source, file.size, options, &image), MMP_INVALID_ARGUMENT,
               "read is null");
  EXPECT_ERROR(mmp_decode_from(ReadSource, &source, file.size, options, NULL), MMP_INVALID_ARGUMENT,
               "image is null");
  mmp_decode_options_free(options);
  mmp_free(file.bytes);
}

static void TestInfoOfASource(void) {
  const File file = EncodeLossless();
  Source source = {&file, 0, 0};
  mmp_info* info = NULL;
  source.end = file.size;
  EXPECT(mmp_info_read_from(ReadSource, &source, file.size, 1, &info) == MMP_OK);
  EXPECT(source.reads == 2 + 6);
  EXPECT(mmp_info_width(info) == kWidth && mmp_info_tile_count(info) == 6);
  mmp_info_free(info);

  source.end = file.size - 1;
  EXPECT_ERROR(mmp_info_read_from(ReadSource, &source, file.size, 1, &info), MMP_IO,
               "could not be read");
  EXPECT(info == NULL);
  EXPECT(mmp_info_read_from(ReadSource, &source, file.size, 0, &info) == MMP_OK);
  EXPECT(mmp_info_height(info) == kHeight);
  mmp_info_free(info);
  EXPECT_ERROR(mmp_info_read_from(ReadSource, &source, file.size - 1, 0, &info), MMP_CORRUPT,
               "ends before the tile does");
  EXPECT_ERROR(mmp_info_read_from(NULL, NULL, file.size, 0, &info), MMP_INVALID_ARGUMENT,
               "read is null");
  EXPECT_ERROR(mmp_info_read_from(ReadSource, &source, file.size, 0, NULL), MMP_INVALID_ARGUMENT,
               "info is null");
  mmp_free(file.bytes);
}

static void TestPreview(void) {
  mmp_encode_options* const options = mmp_encode_options_new();
  mmp_decode_options* const decode_options = mmp_decode_options_new();
  mmp_image* image = NULL;
  mmp_info* info = NULL;
  File file;
  Source source = {&file, 0, 0};
  EXPECT(mmp_encode_options_set_preview(options, 1) == MMP_OK);
  file = Encode(options);
  source.end = file.size;
  EXPECT(mmp_info_read(file.bytes, file.size, &info) == MMP_OK);
  EXPECT(mmp_info_preview_bytes(info) > 0 && mmp_info_damaged_preview(info) == 0);
  EXPECT(mmp_info_jpeg_tiles(info) == 0);
  EXPECT(mmp_decode_options_set_preview(decode_options, 1) == MMP_OK);
  EXPECT(mmp_decode_from(ReadSource, &source, file.size, decode_options, &image) == MMP_OK);
  EXPECT(source.reads == 2);
  EXPECT(mmp_image_width(image) == kWidth / 8 && mmp_image_height(image) == kHeight / 8);
  mmp_image_free(image);
  mmp_info_free(info);
  mmp_free(file.bytes);

  EXPECT(mmp_encode_options_set_preview(options, 0) == MMP_OK);
  file = Encode(options);
  EXPECT_ERROR(mmp_decode(file.bytes, file.size, decode_options, &image), MMP_UNSUPPORTED,
               "no preview");
  EXPECT(mmp_info_read(file.bytes, file.size, &info) == MMP_OK);
  EXPECT(mmp_info_preview_bytes(info) == 0);
  mmp_info_free(info);
  mmp_free(file.bytes);
  mmp_encode_options_free(options);
  mmp_decode_options_free(decode_options);
}

static void TestLosslessInto(void) {
  const File file = EncodeLossless();
  uint8_t expected[kHeight * kStride], samples[kHeight * kStride];
  Draw(expected);
  memset(samples, 255, sizeof samples); /* which is between the rows of `expected`, too */
  EXPECT(mmp_decode_into(file.bytes, file.size, NULL, samples, kWidth, kHeight, kStride) == MMP_OK);
  EXPECT(memcmp(samples, expected, sizeof samples) == 0);
  EXPECT_ERROR(mmp_decode_into(file.bytes, file.size, NULL, samples, 30, kHeight, kStride),
               MMP_INVALID_ARGUMENT, "40x24 pixels, not 30x24");
  EXPECT_ERROR(mmp_decode_into(file.bytes, file.size, NULL, samples, kWidth, kHeight, 39),
               MMP_INVALID_ARGUMENT, "stride");
  EXPECT_ERROR(mmp_decode_into(file.bytes, file.size, NULL, samples, kWidth, kHeight, (size_t)-48),
               MMP_INVALID_ARGUMENT, "stride is more than memory has");
  EXPECT_ERROR(mmp_decode_into(file.bytes, file.size, NULL, NULL, kWidth, kHeight, kStride),
               MMP_INVALID_ARGUMENT, "samples");
  EXPECT_ERROR(mmp_decode_into(NULL, file.size, NULL, samples, kWidth, kHeight, kStride),
               MMP_INVALID_ARGUMENT, "file is null");
  EXPECT(memcmp(samples, expected, sizeof samples) == 0);
  mmp_free(file.bytes);
}

/* Each option reaches the encoder, which names it where it is out of range. */
static void TestEncodeOptionsOutOfRange(void) {
  mmp_encode_options* const options = mmp_encode_options_new();
  uint8_t samples[kHeight * kStride];
  File file = {samples, 1};
  Draw(samples);
#define EXPECT_REFUSED(name, bad, good, words)                                                    \
  do {                                                                                            \
    EXPECT(mmp_encode_options_set_##name bad == MMP_OK);                                          \
    EXPECT_ERROR(mmp_encode(samples, kWidth, kHeight, kStride, options, &file.bytes, &file.size), \
                 MMP_INVALID_ARGUMENT, words);                                                    \
    EXPECT(file.bytes == NULL && file.size == 0);                                                 \
    EXPECT(mmp_encode_options_set_##name good == MMP_OK);                                         \
  } while (0)
  EXPECT_REFUSED(lambda, (options, -1), (options, 10), "lambda");
  EXPECT_REFUSED(lambda, (options, (double)NAN), (options, 10), "lambda");
  EXPECT_REFUSED(preset, (options, 77), (options, MMP_PRESET_FAST), "preset number 77");
  EXPECT_REFUSED(preset, (options, -1), (options, MMP_PRESET_FAST), "preset");
  EXPECT_REFUSED(preset, (options, 258), (options, MMP_PRESET_FAST), "preset");
  EXPECT_REFUSED(effort, (options, 10), (options, 4), "between 1 and 9");
  EXPECT_REFUSED(effort, (options, -1), (options, 0), "between 1 and 9");
  EXPECT_REFUSED(dictionary_size, (options, 68), (options, 100), "dictionary size");
  EXPECT_REFUSED(prediction_level, (options, 26), (options, 15), "prediction level");
  EXPECT_REFUSED(modes, (options, 0), (options, 7), "modes");
  EXPECT_REFUSED(tools, (options, 1u << 20), (options, 0), "tools");
  EXPECT_REFUSED(tile_size, (options, 16, 20), (options, 16, 16), "tile");
  EXPECT_REFUSED(threads, (options, -1), (options, 1), "threads");
  EXPECT_REFUSED(backend, (options, 99), (options, MMP_BACKEND_CPU), "backend number 99");
  EXPECT_REFUSED(order, (options, 3), (options, MMP_ORDER_AUTO), "order number 3");
  EXPECT_REFUSED(order, (options, -1), (options, MMP_ORDER_RASTER), "order");
  EXPECT_REFUSED(order, (options, 257), (options, MMP_ORDER_WAVEFRONT), "order");
  EXPECT(mmp_encode_options_set_dictionary_file(options, "no dictionary", 13) == MMP_OK);
  EXPECT_ERROR(mmp_encode(samples, kWidth, kHeight, kStride, options, &file.bytes, &file.size),
               MMP_UNSUPPORTED, "dictionary");
  EXPECT(mmp_encode_options_set_dictionary_file(options, NULL, 0) == MMP_OK);
  EXPECT(mmp_encode_options_set_exact_lambda(options, 1) == MMP_OK);
  file = Encode(options);
  EXPECT(file.size > 0);
  mmp_free(file.bytes);

  EXPECT(mmp_encode_options_set_backend(options, MMP_BACKEND_CUDA) == MMP_OK);
  EXPECT_ERROR(mmp_encode(samples, kWidth, kHeight, kStride, options, &file.bytes, &file.size),
               MMP_UNAVAILABLE, "CUDA");
  mmp_encode_options_free(options);
}

static void TestNull(void) {
  uint8_t sample = 0;
  File file;
  EXPECT_ERROR(mmp_encode(NULL, 1, 1, 1, NULL, &file.bytes, &file.size), MMP_INVALID_ARGUMENT,
               "data is null");
  EXPECT_ERROR(mmp_encode(&sample, 1, 1, 1, NULL, NULL, &file.size), MMP_INVALID_ARGUMENT, "null");
  /* A stride that goes backwards as a size_t. */
  EXPECT_ERROR(mmp_encode(&sample, 1, 2, (size_t)-1, NULL, &file.bytes, &file.size),
               MMP_INVALID_ARGUMENT, "bytes apart, more than memory has");
  EXPECT_ERROR(mmp_decode(NULL, 0, NULL, NULL), MMP_INVALID_ARGUMENT, "image is null");
  EXPECT_ERROR(mmp_info_read(NULL, 0, NULL), MMP_INVALID_ARGUMENT, "info is null");
  EXPECT_ERROR(mmp_read_size(NULL, 0, NULL, NULL), MMP_INVALID_ARGUMENT, "null");
  EXPECT_ERROR(mmp_encode_options_set_lambda(NULL, 1), MMP_INVALID_ARGUMENT, "options is null");
  EXPECT_ERROR(mmp_encode_options_set_dictionary_file(NULL, "x", 1), MMP_INVALID_ARGUMENT,
               "options is null");
  EXPECT_ERROR(mmp_decode_options_set_threads(NULL, 1), MMP_INVALID_ARGUMENT, "options is null");
  mmp_encode_options_free(NULL);
  mmp_decode_options_free(NULL);
  mmp_image_free(NULL);
  mmp_info_free(NULL);
  mmp_free(NULL);
}

static void TestDecodeLimits(void) {
  const File file = EncodeLossless();
  mmp_decode_options* const options = mmp_decode_options_new();
  mmp_image* image = NULL;
  EXPECT(mmp_decode_options_set_max_pixels(options, kWidth * kHeight - 1) == MMP_OK);
  EXPECT_ERROR(mmp_decode(file.bytes, file.size, options, &image), MMP_LIMIT_EXCEEDED, "");
  EXPECT(mmp_decode_options_set_max_pixels(options, kWidth * kHeight) == MMP_OK);
  EXPECT(mmp_decode_options_set_max_work(options, 10) == MMP_OK);
  EXPECT_ERROR(mmp_decode(file.bytes, file.size, options, &image), MMP_LIMIT_EXCEEDED, "work");
  EXPECT(mmp_decode_options_set_max_work(options, (uint64_t)1 << 40) == MMP_OK);
  EXPECT(mmp_decode_options_set_max_memory(options, 10) == MMP_OK);
  EXPECT_ERROR(mmp_decode(file.bytes, file.size, options, &image), MMP_LIMIT_EXCEEDED, "memory");
  EXPECT(mmp_decode_options_set_max_memory(options, 1u << 30) == MMP_OK);
  EXPECT(mmp_decode_options_set_threads(options, -1) == MMP_OK);
  EXPECT_ERROR(mmp_decode(file.bytes, file.size, options, &image), MMP_INVALID_ARGUMENT, "threads");
  EXPECT(mmp_decode_options_set_threads(options, 2) == MMP_OK);
  EXPECT(mmp_decode(file.bytes, file.size, options, &image) == MMP_OK);
  mmp_image_free(image);
  mmp_decode_options_free(options);
  mmp_free(file.bytes);
}

static void TestDamage(void) {
  const File file = EncodeLossless();
  mmp_decode_options* const options = mmp_decode_options_new();
  mmp_image* image = NULL;
  mmp_damaged_tile tile;
  file.bytes[file.size - 1] ^= 1; /* of the last tile */
  EXPECT_ERROR(mmp_decode(file.bytes, file.size, options, &image), MMP_CORRUPT,
               "tile index 5 (of 6 tiles)");
  EXPECT(image == NULL);
  EXPECT(mmp_decode_options_set_keep_going(options, 1) == MMP_OK);
  EXPECT(mmp_decode(file.bytes, file.size, options, &image) == MMP_OK);
  EXPECT(mmp_image_damaged_tile_count(image) == 1);
  tile = mmp_image_damaged_tile(image, 0);
  EXPECT(tile.x == 32 && tile.y == 16 && tile.width == 8 && tile.height == 8);
  EXPECT(strlen(tile.reason) > 0);
  EXPECT(mmp_image_samples(image)[kWidth * kHeight - 1] == 128);
  tile = mmp_image_damaged_tile(image, 1);
  EXPECT(tile.width == 0 && strcmp(tile.reason, "") == 0);
  EXPECT(mmp_image_trailing_bytes(image) == 0);
  mmp_image_free(image);
  mmp_decode_options_free(options);
  mmp_free(file.bytes);
}

static void TestTrailingBytes(void) {
  const File file = EncodeLossless();
  mmp_decode_options* const options = mmp_decode_options_new();
  uint8_t* const longer = malloc(file.size + 2);
  mmp_image* image = NULL;
  memcpy(longer, file.bytes, file.size);
  memset(longer + file.size, 0, 2);
  EXPECT_ERROR(mmp_decode(longer, file.size + 2, options, &image), MMP_CORRUPT, "behind the last");
  EXPECT(mmp_decode_options_set_keep_going(options, 1) == MMP_OK);
  EXPECT(mmp_decode(longer, file.size + 2, options, &image) == MMP_OK);
  EXPECT(mmp_image_damaged_tile_count(image) == 0 && mmp_image_trailing_bytes(image) == 2);
  mmp_image_free(image);
  mmp_decode_options_free(options);
  free(longer);
  mmp_free(file.bytes);
}

typedef struct Watch {
  int calls;
  double last;
  double stop_at;
} Watch;

static int OnProgress(double done, void* context) {
  Watch* const watch = context;
  ++watch->calls;
  watch->last = done;
  return done < watch->stop_at;
}

/* What does not fit is refused before any of it is decoded. */
static void TestIntoMemoryThatDoesNotFit(void) {
  const File file = EncodeLossless();
  uint8_t samples[kHeight * kStride];
  Watch watch = {0, 0, 2};
  mmp_decode_options* const options = mmp_decode_options_new();
  EXPECT(mmp_decode_options_set_progress(options, OnProgress, &watch) == MMP_OK);
  EXPECT_ERROR(mmp_decode_into(file.bytes, file.size, options, samples, kWidth, 23, kStride),
               MMP_INVALID_ARGUMENT, "40x24 pixels, not 40x23");
  EXPECT(mmp_decode_options_set_region(options, 1, 1, 8, 8) == MMP_OK);
  EXPECT_ERROR(mmp_decode_into(file.bytes, file.size, options, samples, kWidth, kHeight, kStride),
               MMP_INVALID_ARGUMENT, "8x8 pixels, not 40x24");
  EXPECT(watch.calls == 0);
  EXPECT(mmp_decode_into(file.bytes, file.size, options, samples, 8, 8, 8) == MMP_OK);
  EXPECT(watch.calls > 0);
  mmp_decode_options_free(options);
  mmp_free(file.bytes);
}

static void TestProgressAndCancellation(void) {
  Watch watch = {0, 0, 2};
  mmp_encode_options* const options = mmp_encode_options_new();
  mmp_decode_options* const decode = mmp_decode_options_new();
  mmp_image* image = NULL;
  uint8_t samples[kHeight * kStride];
  File file, none;
  Draw(samples);
  EXPECT(mmp_encode_options_set_progress(options, OnProgress, &watch) == MMP_OK);
  EXPECT(mmp_encode_options_set_preset(options, MMP_PRESET_FAST) == MMP_OK);
  file = Encode(options);
  EXPECT(watch.calls > 0 && watch.last == 1);
  watch.stop_at = 0;
  EXPECT_ERROR(mmp_encode(samples, kWidth, kHeight, kStride, options, &none.bytes, &none.size),
               MMP_CANCELLED, "cancelled");
  EXPECT(none.bytes == NULL);
  EXPECT(mmp_decode_options_set_progress(decode, OnProgress, &watch) == MMP_OK);
  EXPECT_ERROR(mmp_decode(file.bytes, file.size, decode, &image), MMP_CANCELLED, "cancelled");
  EXPECT(mmp_decode_options_set_progress(decode, NULL, NULL) == MMP_OK);
  EXPECT(mmp_decode(file.bytes, file.size, decode, &image) == MMP_OK);
  mmp_image_free(image);
  mmp_free(file.bytes);
  mmp_decode_options_free(decode);
  mmp_encode_options_free(options);
}

static File ReadWholeFile(const char* path) {
  File file = {malloc(1 << 22), 0};
  FILE* const stream = fopen(path, "rb");
  EXPECT(stream != NULL);
  if (stream == NULL) return file;
  file.size = fread(file.bytes, 1, 1 << 22, stream);
  fclose(stream);
  return file;
}

static void TestDictionaryFile(const char* path) {
  const File dictionary = ReadWholeFile(path);
  mmp_encode_options* const options = mmp_encode_options_new();
  mmp_decode_options* const decode = mmp_decode_options_new();
  mmp_image* image = NULL;
  mmp_info* info = NULL;
  uint32_t hash = 0;
  File file;
  EXPECT(mmp_encode_options_set_dictionary_file(options, dictionary.bytes, dictionary.size) ==
         MMP_OK);
  EXPECT(mmp_encode_options_set_lambda(options, 20) == MMP_OK);
  file = Encode(options);
  EXPECT(mmp_info_read(file.bytes, file.size, &info) == MMP_OK);
  EXPECT(mmp_info_needs_dictionary_file(info, NULL) == 1);
  EXPECT(mmp_info_needs_dictionary_file(info, &hash) == 1 && hash != 0);
  EXPECT_ERROR(mmp_decode(file.bytes, file.size, decode, &image), MMP_UNSUPPORTED, "dictionary");
  EXPECT(mmp_decode_options_set_dictionary_file(decode, dictionary.bytes, dictionary.size) ==
         MMP_OK);
  EXPECT(mmp_decode(file.bytes, file.size, decode, &image) == MMP_OK);
  mmp_image_free(image);
  mmp_info_free(info);
  mmp_free(file.bytes);
  free(dictionary.bytes);
  mmp_decode_options_free(decode);
  mmp_encode_options_free(options);
}

/* Usage: mmp_c_test DICTIONARY_FILE */
int main(int argc, char** argv) {
  EXPECT(argc == 2);
  EXPECT(strcmp(mmp_error_message(), "") == 0);
  TestVersion();
  TestStatusText();
  TestDefaults();
  TestEffort();
  TestInfo();
  TestMetadata();
  TestOrder();
  TestRegion();
  TestInfoOfASource();
  TestPreview();
  TestLosslessInto();
  TestEncodeOptionsOutOfRange();
  TestNull();
  TestDecodeLimits();
  TestDamage();
  TestTrailingBytes();
  TestIntoMemoryThatDoesNotFit();
  TestProgressAndCancellation();
  if (argc == 2) TestDictionaryFile(argv[1]);
  if (failures == 0) printf("mmp %s: all is well in C\n", mmp_version());
  return failures == 0 ? 0 : 1;
}
