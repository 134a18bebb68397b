#include "tools/sweep/external/external_codec.h"

namespace mmp {
namespace {

// One thread each: several points are run side by side, and results may depend on the number.
std::vector<ExternalCodec> MakeTable() {
  const std::vector<double> quantizers = {51, 48, 45, 42, 39, 36, 33, 30,
                                          27, 24, 21, 18, 15, 12, 9};
  std::vector<ExternalCodec> codecs;

  codecs.push_back({
      .name = "jpeg2000",
      .parameter_name = "bpp",
      .qualities = {0.06, 0.1, 0.15, 0.2, 0.25, 0.35, 0.5, 0.7, 0.85, 1, 1.25, 1.5, 1.75, 2, 2.4,
                    2.8, 3.2, 3.7},
      .debian_packages = "libopenjp2-tools",
      .version_command = "opj_compress -h",
      .input = PictureFile::kPgm,
      // The comment is in place of a longer one.
      .encode = "opj_compress -i picture.pgm -o coded.j2k -I -r {ratio} -C x -threads 1",
      .coded_file = "coded.j2k",
      .decode = "opj_decompress -i coded.j2k -o decoded.pgm",
      .decoded_file = "decoded.pgm",
  });

  codecs.push_back({
      .name = "x264",
      .parameter_name = "QP",
      .qualities = quantizers,
      .debian_packages = "x264 ffmpeg",
      .version_command = "x264 --version",
      .input = PictureFile::kY4m,
      .encode = "x264 --quiet --preset placebo --tune psnr --qp {quality} --ipratio 1 --keyint 1 "
                "--output-csp i400 --threads 1 -o whole.264 picture.y4m",
      // x264 always adds a message of 500 bytes and more about itself, no part of the picture.
      .finish = "ffmpeg -v error -f h264 -i whole.264 -c copy -bsf:v filter_units=remove_types=6 "
                "-f h264 coded.264",
      .coded_file = "coded.264",
      .decode = "ffmpeg -v error -threads 1 -f h264 -i coded.264 -f rawvideo decoded.raw",
      .decoded_file = "decoded.raw",
  });

  codecs.push_back({
      .name = "x265",
      .parameter_name = "QP",
      .qualities = quantizers,
      .debian_packages = "x265 ffmpeg",
      .version_command = "x265 --version",
      .input = PictureFile::kY4m,
      .encode = "x265 --log-level error --preset placebo --tune psnr --qp {quality} --ipratio 1 "
                "--keyint 1 --input-csp i400 --no-wpp --pools none --no-info "
                "--no-vui-timing-info --input picture.y4m -o coded.265",
      .coded_file = "coded.265",
      .decode = "ffmpeg -v error -threads 1 -f hevc -i coded.265 -f rawvideo decoded.raw",
      .decoded_file = "decoded.raw",
  });

  codecs.push_back({
      .name = "avif",
      .parameter_name = "cq-level",
      .qualities = {63, 60, 56, 52, 48, 44, 40, 36, 32, 28, 24, 20, 16, 12, 8, 4},
      .debian_packages = "aom-tools",
      .version_command = "aomenc --help",
      .input = PictureFile::kY4m,
      // AV1 without the container of AVIF, which adds some 300 bytes.
      .encode = "aomenc -q --good --passes=1 --cpu-used=0 --tune=psnr --monochrome --limit=1 "
                "--end-usage=q --cq-level={quality} --threads=1 --obu -o coded.obu picture.y4m",
      .coded_file = "coded.obu",
      .decode = "aomdec --rawvideo --threads=1 -o decoded.raw coded.obu",
      .decoded_file = "decoded.raw",
  });

  codecs.push_back({
      .name = "jxl",
      .parameter_name = "distance",
      .qualities = {25, 20, 15, 11, 8, 6, 4.5, 3.5, 2.7, 2, 1.5, 1.1, 0.8, 0.6, 0.45, 0.3, 0.2},
      .debian_packages = "libjxl-tools",
      .version_command = "cjxl --version",
      .input = PictureFile::kPng,
      // Efforts 8 and 9 give no better PSNR at a rate.
      .encode = "cjxl --quiet picture.png coded.jxl -d {quality} -e 7 --num_threads=0",
      .coded_file = "coded.jxl",
      .decode = "djxl --quiet coded.jxl decoded.pgm --num_threads=0",
      .decoded_file = "decoded.pgm",
  });

  codecs.push_back({
      .name = "webp",
      .parameter_name = "quality",
      .qualities = {0, 3, 8, 15, 25, 35, 50, 65, 75, 82, 88, 92, 95, 97, 99, 100},
      .debian_packages = "webp",
      .version_command = "cwebp -version",
      .input = PictureFile::kYuv420,
      .encode = "cwebp -quiet -m 6 -pass 10 -sns 0 -segments 1 -q {quality} -s {width} {height} "
                "picture.yuv "
                "-o coded.webp",
      .coded_file = "coded.webp",
      .decode = "dwebp -quiet -yuv coded.webp -o decoded.raw",
      .decoded_file = "decoded.raw",
  });

  codecs.push_back({
      .name = "jpeg",
      .parameter_name = "quality",
      .qualities = {2, 4, 6, 8, 11, 15, 20, 27, 35, 45, 55, 65, 75, 82, 88, 92, 95, 97},
      .debian_packages = "libjpeg-turbo-progs",
      .version_command = "cjpeg -version",
      .input = PictureFile::kPgm,
      .encode = "cjpeg -quality {quality} -dct float -optimize -progressive -grayscale "
                "-outfile coded.jpg picture.pgm",
      .coded_file = "coded.jpg",
      .decode = "djpeg -dct float -pnm -outfile decoded.pgm coded.jpg",
      .decoded_file = "decoded.pgm",
  });
  return codecs;
}

}  // namespace

std::span<const ExternalCodec> ExternalCodecs() {
  static const std::vector<ExternalCodec> codecs = MakeTable();
  return codecs;
}

}  // namespace mmp
