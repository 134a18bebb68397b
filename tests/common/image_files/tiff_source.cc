#include "tests/common/image_files/tiff_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <random>

namespace mmp {
namespace {

using Bytes = std::vector<uint8_t>;

struct Sink {
  Bytes bytes;
  size_t position = 0;
};

tmsize_t Read(thandle_t user, void* data, tmsize_t size) {
  auto& sink = *static_cast<Sink*>(user);
  const size_t begin = std::min(sink.position, sink.bytes.size());
  const size_t count = std::min(static_cast<size_t>(size), sink.bytes.size() - begin);
  std::memcpy(data, sink.bytes.data() + begin, count);
  sink.position = begin + count;
  return static_cast<tmsize_t>(count);
}

tmsize_t Write(thandle_t user, void* data, tmsize_t size) {
  auto& sink = *static_cast<Sink*>(user);
  const auto count = static_cast<size_t>(size);
  sink.bytes.resize(std::max(sink.bytes.size(), sink.position + count));
  std::memcpy(sink.bytes.data() + sink.position, data, count);
  sink.position += count;
  return size;
}

toff_t Seek(thandle_t user, toff_t offset, int whence) {
  auto& sink = *static_cast<Sink*>(user);
  if (whence == SEEK_CUR) offset += sink.position;
  if (whence == SEEK_END) offset += sink.bytes.size();
  sink.position = static_cast<size_t>(offset);
  return offset;
}

// Sample `s` of the pixel (x, y), 0 outside.
uint16_t Value(const TiffSource& source, int x, int y, int s) {
  if (x >= source.width || y >= source.height) return 0;
  const int at = (y * source.width + x) * source.samples + s;
  return source.values[static_cast<size_t>(at)];
}

// The samples of a strip or tile as libtiff takes them: packed, of 16 bits in the machine's order.
Bytes Chunk(const TiffSource& source, int left, int top, int width, int height, int plane) {
  Bytes bytes;
  for (int y = top; y < top + height; ++y) {
    uint32_t held = 0;
    int bits_held = 0;
    for (int x = left; x < left + width; ++x) {
      for (int s = 0; s < (source.planar ? 1 : source.samples); ++s) {
        const uint16_t value = Value(source, x, y, source.planar ? plane : s);
        if (source.bits > 16) {
          bytes.resize(bytes.size() + static_cast<size_t>(source.bits) / 8);
        } else if (source.bits == 16) {
          const size_t at = bytes.size();
          bytes.resize(at + 2);
          std::memcpy(&bytes[at], &value, 2);
        } else {
          held = held << source.bits | value;
          for (bits_held += source.bits; bits_held >= 8; bits_held -= 8)
            bytes.push_back(static_cast<uint8_t>(held >> (bits_held - 8)));
        }
      }
    }
    if (bits_held > 0) bytes.push_back(static_cast<uint8_t>(held << (8 - bits_held)));
  }
  return bytes;
}

void SetFields(TIFF* tiff, const TiffSource& source) {
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, source.width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, source.height);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, source.bits);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, source.samples);
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, source.sample_format);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, source.photometric);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG,
               source.planar ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, source.compression);
  if (source.predictor != 1) TIFFSetField(tiff, TIFFTAG_PREDICTOR, source.predictor);
  if (source.orientation != 0) TIFFSetField(tiff, TIFFTAG_ORIENTATION, source.orientation);
  if (source.subfile_type != 0) TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, source.subfile_type);
  if (source.has_profile) TIFFSetField(tiff, TIFFTAG_ICCPROFILE, 4, "icc ");
  if (!source.extra.empty())
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, source.extra.size(), source.extra.data());
  if (!source.palette[0].empty())
    TIFFSetField(tiff, TIFFTAG_COLORMAP, source.palette[0].data(), source.palette[1].data(),
                 source.palette[2].data());
  if (source.compression == COMPRESSION_JPEG && source.photometric == PHOTOMETRIC_YCBCR)
    TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  if (source.compression == COMPRESSION_WEBP) TIFFSetField(tiff, TIFFTAG_WEBP_LOSSLESS, 1);
  if (source.tile_side > 0) {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, source.tile_side);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, source.tile_side);
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, source.strip_rows);
  }
}

bool WriteSamples(TIFF* tiff, const TiffSource& source) {
  const int side = source.tile_side;
  uint32_t number = 0;
  for (int plane = 0; plane < (source.planar ? source.samples : 1); ++plane) {
    for (int y = 0; y<source.height; y += side> 0 ? side : source.strip_rows) {
      const int rows = std::min(source.strip_rows, source.height - y);
      for (int x = 0; x<source.width; x += side> 0 ? side : source.width) {
        Bytes bytes = side > 0 ? Chunk(source, x, y, side, side, plane)
                               : Chunk(source, 0, y, source.width, rows, plane);
        const auto size = static_cast<tmsize_t>(bytes.size());
        const tmsize_t written = side > 0 ? TIFFWriteEncodedTile(tiff, number, bytes.data(), size)
                                          : TIFFWriteEncodedStrip(tiff, number, bytes.data(), size);
        if (written != size) return false;
        ++number;
      }
    }
  }
  return true;
}

}  // namespace

TiffSource RandomTiff(TiffSource source) {
  std::mt19937 random(static_cast<uint32_t>(source.width * 100 + source.bits));
  source.values.resize(static_cast<size_t>(source.width * source.height * source.samples));
  for (uint16_t& value : source.values)
    value = static_cast<uint16_t>(random() >> 8 & ((1u << source.bits) - 1));
  return source;
}

std::vector<uint8_t> MakeTiff(const std::vector<TiffSource>& pages) {
  Sink sink;
  std::string mode = pages[0].big_endian ? "wb" : "wl";
  if (pages[0].big_tiff) mode += "8";
  TIFFOpenOptions* const options = TIFFOpenOptionsAlloc();
  const auto no_warning = [](TIFF*, void*, const char*, const char*, va_list) { return 1; };
  TIFFOpenOptionsSetWarningHandlerExtR(options, no_warning, nullptr);
  TIFF* const tiff = TIFFClientOpenExt(
      "test", mode.c_str(), &sink, Read, Write, Seek, [](thandle_t) { return 0; },
      [](thandle_t user) -> toff_t { return static_cast<Sink*>(user)->bytes.size(); }, nullptr,
      nullptr, options);
  TIFFOpenOptionsFree(options);
  bool is_written = tiff != nullptr;
  for (const TiffSource& source : pages) {
    if (!is_written) break;
    SetFields(tiff, source);
    is_written = WriteSamples(tiff, source) && TIFFWriteDirectory(tiff) != 0;
  }
  if (tiff != nullptr) TIFFClose(tiff);
  EXPECT_TRUE(is_written);
  return is_written ? sink.bytes : Bytes();
}

}  // namespace mmp
