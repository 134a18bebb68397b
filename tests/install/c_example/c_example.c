/* Encodes a gradient, decodes it again and prints how many bytes it took. */
#include <mmp/mmp_c.h>
#include <stdint.h>
#include <stdio.h>

enum { kWidth = 64, kHeight = 48 };

static int Fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, mmp_error_message());
  return 1;
}

int main(void) {
  static uint8_t samples[kHeight * kWidth];
  mmp_encode_options* options = mmp_encode_options_new();
  uint8_t* file = NULL;
  size_t size = 0;
  mmp_image* image = NULL;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) samples[y * kWidth + x] = (uint8_t)(2 * x + y);

  if (options == NULL || mmp_encode_options_set_lambda(options, 10) != MMP_OK)
    return Fail("options");
  if (mmp_encode(samples, kWidth, kHeight, kWidth, options, &file, &size) != MMP_OK)
    return Fail("encode");
  if (mmp_decode(file, size, NULL, &image) != MMP_OK) return Fail("decode");

  printf("mmp %s: %dx%d pixels in %zu bytes\n", mmp_version(), mmp_image_width(image),
         mmp_image_height(image), size);
  mmp_image_free(image);
  mmp_free(file);
  mmp_encode_options_free(options);
  return 0;
}
