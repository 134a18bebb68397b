// mmp_pixel_bench: sizes and times of the pixel coder on PNG files of 8 or 16 bits.
//
//   mmp_pixel_bench [--effort=1|2] [--max-error=N] [--rows=R] [--no-decode] FILE...
//
// --rows: the height of the rectangles that a picture is cut into. Prints a line a file: bytes,
// bits a sample, the encoder's and the decoder's user time in microseconds a sample, the worst
// error.
#include <png.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "codec/pixel/pixel_coder.h"

namespace mmp {
namespace {

struct Options {
  PixelFormat format;
  int rows = 65535;
  bool decode = true;
  std::vector<std::string> files;
};

struct Picture {
  int width = 0, height = 0, depth = 0;
  std::vector<uint16_t> samples;
};

// False if the file cannot be read, or is not grey of 8 or 16 bits.
bool ReadPng(const std::string& name, Picture& picture) {
  FILE* file = std::fopen(name.c_str(), "rb");
  if (file == nullptr) return false;
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  bool good = false;
  if (setjmp(png_jmpbuf(png)) == 0) {
    png_init_io(png, file);
    png_read_info(png, info);
    picture.width = static_cast<int>(png_get_image_width(png, info));
    picture.height = static_cast<int>(png_get_image_height(png, info));
    picture.depth = png_get_bit_depth(png, info) == 16 ? 16 : 8;
    good = png_get_color_type(png, info) == PNG_COLOR_TYPE_GRAY;
    png_set_expand_gray_1_2_4_to_8(png);
    png_read_update_info(png, info);
    std::vector<png_byte> row(png_get_rowbytes(png, info));
    for (int y = 0; good && y < picture.height; ++y) {
      png_read_row(png, row.data(), nullptr);
      for (int x = 0; x < picture.width; ++x)
        picture.samples.push_back(
            picture.depth == 16 ? static_cast<uint16_t>(row[2 * x] << 8 | row[2 * x + 1]) : row[x]);
    }
  }
  png_destroy_read_struct(&png, &info, nullptr);
  std::fclose(file);
  return good;
}

double UserSeconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec) * 1e-6;
}

int WorstError(const std::vector<uint16_t>& a, const std::vector<uint16_t>& b) {
  int worst = 0;
  for (size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

bool Measure(const Options& options, const std::string& name) {
  Picture picture;
  if (!ReadPng(name, picture)) {
    std::fprintf(stderr, "%s: not a readable grey PNG\n", name.c_str());
    return false;
  }
  PixelFormat format = options.format;
  format.depth = picture.depth;
  std::vector<uint16_t> decoded(picture.samples.size());
  size_t bytes = 0;
  double encode_seconds = 0.0, decode_seconds = 0.0;
  for (int y = 0; y < picture.height; y += options.rows) {
    const int rows = std::min(options.rows, picture.height - y);
    const size_t first = static_cast<size_t>(y) * static_cast<size_t>(picture.width);
    const double begin = UserSeconds();
    const std::vector<uint8_t> stream = EncodePixels(
        {picture.samples.data() + first, picture.width, picture.width, rows}, format, nullptr);
    const double middle = UserSeconds();
    encode_seconds += middle - begin;
    bytes += stream.size();
    if (!options.decode) continue;
    const Status status =
        DecodePixels(stream, format, picture.width, rows, &decoded[first], picture.width);
    decode_seconds += UserSeconds() - middle;
    if (!status.ok()) {
      std::fprintf(stderr, "%s: %s\n", name.c_str(), status.message().c_str());
      return false;
    }
  }
  const double samples = static_cast<double>(picture.samples.size());
  std::printf("%-40s %9zu bytes %8.4f bits %6.2f us %6.2f us", name.c_str(), bytes,
              8.0 * static_cast<double>(bytes) / samples, encode_seconds * 1e6 / samples,
              decode_seconds * 1e6 / samples);
  const int worst = options.decode ? WorstError(picture.samples, decoded) : 0;
  std::printf(" error %d\n", worst);
  std::fflush(stdout);
  return worst <= format.max_error;
}

int Main(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    const std::string value =
        argument.substr(std::min(argument.find('='), argument.size() - 1) + 1);
    if (argument.rfind("--effort=", 0) == 0) {
      options.format.effort = std::atoi(value.c_str());
    } else if (argument.rfind("--max-error=", 0) == 0) {
      options.format.max_error = std::atoi(value.c_str());
    } else if (argument.rfind("--rows=", 0) == 0) {
      options.rows = std::max(1, std::atoi(value.c_str()));
    } else if (argument == "--no-decode") {
      options.decode = false;
    } else {
      options.files.push_back(argument);
    }
  }
  bool good = !options.files.empty();
  for (const std::string& file : options.files) good = Measure(options, file) && good;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace mmp

int main(int count, char** arguments) { return mmp::Main(count, arguments); }
