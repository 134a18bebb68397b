/* Samples of 1 to 16 bits, bounds on their error and the coders in C: a program that knows only the
 * library's public header. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "mmp/mmp_c.h"

enum { kWidth = 40, kHeight = 24, kStride = 48, kSamples = kHeight * kStride };
enum { kStrideBytes = kStride * (int)sizeof(uint16_t) };

static int failures = 0;

#define EXPECT(condition)                                                                     \
  do {                                                                                        \
    if (!(condition)) {                                                                       \
      fprintf(stderr, "%s:%d: not so: %s (last error: %s)\n", __FILE__, __LINE__, #condition, \
              mmp_error_message());                                                           \
      ++failures;                                                                             \
    }                                                                                         \
  } while (0)

/* The call fails with MMP_INVALID_ARGUMENT and a message that has `words` in it. */
#define EXPECT_REFUSED(call, words)                     \
  do {                                                  \
    EXPECT((call) == MMP_INVALID_ARGUMENT);             \
    EXPECT(strstr(mmp_error_message(), words) != NULL); \
  } while (0)

typedef struct File {
  uint8_t* bytes;
  size_t size;
} File;

/* All samples that there are of so many bits, or many of them; 255 between the rows. */
static void Draw(uint16_t* samples, int depth) {
  const unsigned most = (1u << depth) - 1;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kStride; ++x)
      samples[y * kStride + x] =
          (uint16_t)(x < kWidth ? (most * (unsigned)(x + y) / (kWidth + kHeight - 2)) ^ (x * y % 2u)
                                : 255);
}

static File Encode(const uint16_t* samples, int depth, const mmp_encode_options* options) {
  File file = {NULL, 0};
  EXPECT(mmp_encode16(samples, kWidth, kHeight, kStrideBytes, depth, options, &file.bytes,
                      &file.size) == MMP_OK);
  return file;
}

/* What is known before the file is decoded. */
static void CheckInfo(File file, int depth, mmp_coder coder, int max_error) {
  mmp_info* info = NULL;
  int read = 0;
  EXPECT(mmp_read_depth(file.bytes, file.size, &read) == MMP_OK);
  EXPECT(read == depth);
  EXPECT(mmp_info_read(file.bytes, file.size, &info) == MMP_OK);
  EXPECT(mmp_info_depth(info) == depth);
  EXPECT(mmp_info_coder(info) == coder);
  EXPECT(mmp_info_max_error(info) == max_error);
  EXPECT(mmp_info_is_lossless(info) == (coder == MMP_CODER_PIXELS && max_error == 0));
  mmp_info_free(info);
}

/* The samples of `image`, whatever their depth, are those drawn. */
static void CheckImage(const mmp_image* image, const uint16_t* drawn, int depth) {
  const uint8_t* const narrow = mmp_image_samples(image);
  const uint16_t* const wide = mmp_image_samples16(image);
  int different = 0;
  EXPECT(mmp_image_depth(image) == depth);
  EXPECT((narrow != NULL) == (depth <= 8) && (wide != NULL) == (depth > 8));
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      different +=
          (depth > 8 ? wide[y * kWidth + x] : narrow[y * kWidth + x]) != drawn[y * kStride + x];
  EXPECT(different == 0);
}

static void TestLossless(int depth) {
  mmp_encode_options* const options = mmp_encode_options_new();
  mmp_image* image = NULL;
  uint16_t drawn[kSamples], decoded[kSamples];
  uint8_t narrow[kSamples];
  File file;
  Draw(drawn, depth);
  EXPECT(mmp_encode_options_set_lambda(options, 0) == MMP_OK);
  EXPECT(mmp_encode_options_set_coder(options, MMP_CODER_PIXELS) == MMP_OK);
  file = Encode(drawn, depth, options);
  CheckInfo(file, depth, MMP_CODER_PIXELS, 0);

  EXPECT(mmp_decode(file.bytes, file.size, NULL, &image) == MMP_OK);
  CheckImage(image, drawn, depth);
  mmp_image_free(image);

  for (int i = 0; i < kSamples; ++i) decoded[i] = 255; /* which is between the rows */
  EXPECT(mmp_decode16_into(file.bytes, file.size, NULL, decoded, kWidth, kHeight, kStrideBytes) ==
         MMP_OK);
  EXPECT(memcmp(decoded, drawn, sizeof drawn) == 0);
  if (depth <= 8) {
    EXPECT(mmp_decode_into(file.bytes, file.size, NULL, narrow, kWidth, kHeight, kStride) ==
           MMP_OK);
    EXPECT(narrow[kStride + 1] == drawn[kStride + 1]);
  } else {
    EXPECT_REFUSED(mmp_decode_into(file.bytes, file.size, NULL, narrow, kWidth, kHeight, kStride),
                   "mmp_decode16_into");
  }
  mmp_free(file.bytes);
  mmp_encode_options_free(options);
}

/* The bytes are those of mmp_encode. */
static void TestEightBitsAreTheSame(void) {
  uint16_t drawn[kSamples];
  uint8_t narrow[kSamples];
  File file, same = {NULL, 0};
  Draw(drawn, 8);
  for (int i = 0; i < kSamples; ++i) narrow[i] = (uint8_t)drawn[i];
  file = Encode(drawn, 8, NULL);
  EXPECT(mmp_encode(narrow, kWidth, kHeight, kStride, NULL, &same.bytes, &same.size) == MMP_OK);
  EXPECT(file.size == same.size && memcmp(file.bytes, same.bytes, file.size) == 0);
  mmp_free(file.bytes);
  mmp_free(same.bytes);
}

static void TestMaxError(int depth, int bound) {
  mmp_encode_options* const options = mmp_encode_options_new();
  uint16_t drawn[kSamples], decoded[kSamples];
  int most = 0;
  File file, lossy;
  Draw(drawn, depth);
  EXPECT(mmp_encode_options_set_max_error(options, bound) == MMP_OK);
  file = Encode(drawn, depth, options);
  CheckInfo(file, depth, MMP_CODER_PIXELS, bound);
  EXPECT(mmp_decode16_into(file.bytes, file.size, NULL, decoded, kWidth, kHeight, kStrideBytes) ==
         MMP_OK);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      const int error = drawn[y * kStride + x] - decoded[y * kStride + x];
      if (error > most || -error > most) most = error > 0 ? error : -error;
    }
  EXPECT(most > 0 && most <= bound);
  mmp_free(file.bytes);

  EXPECT(mmp_encode_options_set_max_error(options, -1) == MMP_OK); /* back to lambda */
  EXPECT(mmp_encode_options_set_coder(options, MMP_CODER_PATTERNS) == MMP_OK);
  lossy = Encode(drawn, depth, options);
  CheckInfo(lossy, depth, MMP_CODER_PATTERNS, 0);
  mmp_free(lossy.bytes);
  mmp_encode_options_free(options);
}

static void TestRefusedOptions(void) {
  mmp_encode_options* const options = mmp_encode_options_new();
  uint16_t drawn[kSamples];
  File file;
  Draw(drawn, 12);
#define EXPECT_ENCODE_REFUSED(depth, words)                                                        \
  EXPECT_REFUSED(                                                                                  \
      mmp_encode16(drawn, kWidth, kHeight, kStrideBytes, depth, options, &file.bytes, &file.size), \
      words)
  EXPECT(mmp_encode_options_set_max_error(options, 4096) == MMP_OK);
  EXPECT_ENCODE_REFUSED(12, "between 0 and 4095");
  EXPECT(mmp_encode_options_set_max_error(options, -2) == MMP_OK);
  EXPECT_ENCODE_REFUSED(12, "bound on the error");
  EXPECT(mmp_encode_options_set_max_error(options, 4) == MMP_OK);
  EXPECT(mmp_encode_options_set_coder(options, MMP_CODER_PATTERNS) == MMP_OK);
  EXPECT_ENCODE_REFUSED(12, "patterns");
  EXPECT(mmp_encode_options_set_coder(options, 3) == MMP_OK);
  EXPECT_ENCODE_REFUSED(12, "coder number 3");
  EXPECT(mmp_encode_options_set_coder(options, -1) == MMP_OK);
  EXPECT_ENCODE_REFUSED(12, "coder");
  mmp_encode_options_free(options);
  EXPECT_REFUSED(mmp_encode_options_set_max_error(NULL, 1), "options is null");
  EXPECT_REFUSED(mmp_encode_options_set_coder(NULL, 1), "options is null");
}

static void TestRefusedImages(void) {
  uint16_t drawn[kSamples];
  uint8_t byte = 0;
  File file = {&byte, 1};
  Draw(drawn, 12);
#define EXPECT_IMAGE_REFUSED(samples, width, stride, depth, words)                           \
  do {                                                                                       \
    EXPECT_REFUSED(                                                                          \
        mmp_encode16(samples, width, kHeight, stride, depth, NULL, &file.bytes, &file.size), \
        words);                                                                              \
    EXPECT(file.bytes == NULL && file.size == 0);                                            \
  } while (0)
  EXPECT_IMAGE_REFUSED(drawn, kWidth, kStrideBytes, 0, "1 to 16 bits a sample, not 0");
  EXPECT_IMAGE_REFUSED(drawn, kWidth, kStrideBytes, 17, "not 17");
  EXPECT_IMAGE_REFUSED(drawn, kWidth, kStrideBytes, -3, "not -3");
  EXPECT_IMAGE_REFUSED(drawn, kWidth, kStrideBytes, 11, "a sample is 40");
  EXPECT_IMAGE_REFUSED(drawn, kWidth, kStrideBytes, 8, "more than its 8 bits");
  for (int depth = 5; depth <= 12; depth += 7) { /* copied, and not */
    EXPECT_IMAGE_REFUSED(NULL, kWidth, kStrideBytes, depth, "data is null");
    EXPECT_IMAGE_REFUSED(drawn, kWidth, 2 * kWidth - 2, depth, "stride");
    EXPECT_IMAGE_REFUSED(drawn, kWidth, kStrideBytes + 1, depth, "stride is odd");
    EXPECT_IMAGE_REFUSED(drawn, 0, kStrideBytes, depth, "1 to 65535 pixels");
    EXPECT_IMAGE_REFUSED(drawn, -7, kStrideBytes, depth, "1 to 65535 pixels");
  }
  EXPECT_REFUSED(mmp_encode16(drawn, kWidth, kHeight, kStrideBytes, 12, NULL, NULL, NULL), "null");
}

static void TestRefusedDecoding(void) {
  uint16_t drawn[kSamples], decoded[kSamples] = {0};
  int depth = 7;
  File file;
  Draw(drawn, 10);
  file = Encode(drawn, 10, NULL);
#define EXPECT_DECODING_REFUSED(bytes, samples, width, stride, words) \
  EXPECT_REFUSED(mmp_decode16_into(bytes, file.size, NULL, samples, width, kHeight, stride), words)
  EXPECT_DECODING_REFUSED(NULL, decoded, kWidth, kStrideBytes, "file is null");
  EXPECT_DECODING_REFUSED(file.bytes, NULL, kWidth, kStrideBytes, "samples is null");
  EXPECT_DECODING_REFUSED(file.bytes, decoded, 30, kStrideBytes, "40x24 pixels, not 30x24");
  EXPECT_DECODING_REFUSED(file.bytes, decoded, kWidth, 2 * kWidth - 1, "stride is less");
  EXPECT_DECODING_REFUSED(file.bytes, decoded, kWidth, 2 * kWidth + 1, "no multiple");
  EXPECT(decoded[0] == 0 && decoded[kSamples - 1] == 0);
  EXPECT_REFUSED(mmp_read_depth(file.bytes, file.size, NULL), "depth is null");
  EXPECT_REFUSED(mmp_read_depth(NULL, 0, &depth), "beginning is null");
  EXPECT(mmp_read_depth("PNG is not it", 13, &depth) == MMP_UNSUPPORTED && depth == 0);
  mmp_free(file.bytes);
}

/* Damaged tiles are of the gray in the middle. */
static void TestDamage(void) {
  mmp_encode_options* const options = mmp_encode_options_new();
  mmp_decode_options* const keep_going = mmp_decode_options_new();
  mmp_image* image = NULL;
  uint16_t drawn[kSamples];
  File file;
  Draw(drawn, 12);
  EXPECT(mmp_encode_options_set_tile_size(options, 16, 16) == MMP_OK);
  file = Encode(drawn, 12, options);
  file.bytes[file.size - 1] ^= 1; /* of the last tile */
  EXPECT(mmp_decode_options_set_keep_going(keep_going, 1) == MMP_OK);
  EXPECT(mmp_decode(file.bytes, file.size, keep_going, &image) == MMP_OK);
  EXPECT(mmp_image_damaged_tile_count(image) == 1);
  EXPECT(mmp_image_samples16(image)[kWidth * kHeight - 1] == 2048);
  mmp_image_free(image);
  mmp_free(file.bytes);
  mmp_decode_options_free(keep_going);
  mmp_encode_options_free(options);
}

int main(void) {
  for (int depth = 1; depth <= 16; ++depth) TestLossless(depth);
  TestEightBitsAreTheSame();
  TestMaxError(8, 3);
  TestMaxError(12, 50);
  TestRefusedOptions();
  TestRefusedImages();
  TestRefusedDecoding();
  TestDamage();
  if (failures == 0) printf("mmp %s: all depths are well in C\n", mmp_version());
  return failures == 0 ? 0 : 1;
}
