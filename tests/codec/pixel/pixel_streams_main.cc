// Writes a stream and what it decodes to, for spec_pixel_decoder.py: pixel_streams FILE NUMBER.
#include <cstdio>
#include <cstdlib>

#include "codec/pixel/pixel_coder.h"
#include "tests/codec/pixel/pixel_pictures.h"

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const int number = std::atoi(arguments[2]);
  mmp::Random random(static_cast<uint32_t>(number));
  const mmp::PixelFormat format = {number % 4 == 0 ? 1 + random.Below(16) : 8,
                                   number % 3 == 2 ? 1 + random.Below(5) : 0, 1 + number % 2,
                                   number % 6 == 5};
  const int kind = number % 5 == 4 ? 7 : random.Below(7);
  const int least = kind == 7 ? 48 : 1;  // glyphs have to come again
  const mmp::PixelSamples samples =
      mmp::Paint(mmp::PixelKinds()[static_cast<size_t>(kind)], least + random.Below(20),
                 least + random.Below(14), format.depth, static_cast<uint32_t>(number));
  std::vector<uint16_t> decoded;
  const std::vector<uint8_t> stream = mmp::EncodePixels(
      {samples.values.data(), samples.width, samples.width, samples.height}, format, &decoded);
  std::FILE* file = std::fopen(arguments[1], "w");
  if (file == nullptr) return 1;
  std::fprintf(file, "%d %d %d %d %d %d\n", samples.width, samples.height, format.depth,
               format.max_error, format.effort, format.by_means ? 1 : 0);
  for (const uint8_t byte : stream) std::fprintf(file, "%02x", byte);
  std::fprintf(file, "\n");
  for (const uint16_t sample : decoded) std::fprintf(file, "%d ", sample);
  std::fprintf(file, "\n");
  return std::fclose(file) == 0 ? 0 : 1;
}
