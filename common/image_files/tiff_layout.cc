#include "common/image_files/tiff_layout.h"

#include <algorithm>
#include <iterator>

namespace mmp {
namespace {

Status UnsupportedTiff(const std::string& name, const std::string& what) {
  return {StatusCode::kUnsupported, name + " is a TIFF file " + what +
                                        ", which is not read; convert it, for example with "
                                        "ImageMagick: " +
                                        kConvertCommand};
}

Status DamagedTiff(const std::string& name, const std::string& what) {
  return {StatusCode::kCorrupt, name + " is a damaged TIFF file: " + what};
}

// Those that take memory by the size of the picture alone. LZMA and JBIG take what their data ask
// for; the rest are for samples that are not read, or rare.
Status CheckCompression(const TiffFile& file, const std::string& name) {
  constexpr uint16_t kRead[] = {
      COMPRESSION_NONE,     COMPRESSION_CCITTRLE, COMPRESSION_CCITTFAX3,     COMPRESSION_CCITTFAX4,
      COMPRESSION_LZW,      COMPRESSION_JPEG,     COMPRESSION_ADOBE_DEFLATE, COMPRESSION_CCITTRLEW,
      COMPRESSION_PACKBITS, COMPRESSION_DEFLATE,  COMPRESSION_ZSTD,          COMPRESSION_WEBP};
  const auto compression = file.Field<uint16_t>(TIFFTAG_COMPRESSION);
  const bool is_read =
      std::find(std::begin(kRead), std::end(kRead), compression) != std::end(kRead) &&
      TIFFIsCODECConfigured(compression) != 0;
  if (is_read) return {};
  const TIFFCodec* const codec = TIFFFindCODEC(compression);
  return {StatusCode::kUnsupported,
          name + " is a TIFF file compressed by " +
              (codec != nullptr ? codec->name : "method " + std::to_string(compression)) +
              ", which is not read; compress it otherwise: tiffcp -c zip FILE NEW_FILE"};
}

Status CheckSampleFormat(const TiffFile& file, int bits, const std::string& name) {
  switch (file.Field<uint16_t>(TIFFTAG_SAMPLEFORMAT)) {
    case SAMPLEFORMAT_UINT:
    case SAMPLEFORMAT_VOID:
      break;
    case SAMPLEFORMAT_INT:
      if (bits == 8 || bits == 16) break;
      return UnsupportedTiff(name, "of signed samples of " + std::to_string(bits) + " bits");
    case SAMPLEFORMAT_IEEEFP:
      return UnsupportedTiff(name, "of floating-point samples");
    default:
      return UnsupportedTiff(name, "of complex samples");
  }
  if (bits < 1 || bits > kMaxDepth)
    return UnsupportedTiff(name, "of samples of " + std::to_string(bits) + " bits");
  return {};
}

std::string PhotometricText(uint16_t photometric) {
  switch (photometric) {
    case PHOTOMETRIC_MASK:
      return "that is a mask";
    case PHOTOMETRIC_SEPARATED:
      return "of inks (CMYK)";
    case PHOTOMETRIC_YCBCR:
      return "of YCbCr samples that are not JPEG in one plane";
    case PHOTOMETRIC_CIELAB:
    case PHOTOMETRIC_ICCLAB:
    case PHOTOMETRIC_ITULAB:
      return "of L*a*b* samples";
    case PHOTOMETRIC_CFA:
      return "of a sensor's samples (raw photo)";
    case PHOTOMETRIC_LOGL:
    case PHOTOMETRIC_LOGLUV:
      return "of logarithmic samples";
    default:
      return "of photometric interpretation " + std::to_string(photometric);
  }
}

// What the first samples of a pixel are.
Status ReadColors(const TiffFile& file, const std::string& name, TiffLayout& layout) {
  uint16_t photometric = 0;
  if (TIFFGetField(file.get(), TIFFTAG_PHOTOMETRIC, &photometric) == 0)
    return DamagedTiff(name, "it does not say what its samples mean (PhotometricInterpretation)");
  const bool is_jpeg = file.Field<uint16_t>(TIFFTAG_COMPRESSION) == COMPRESSION_JPEG;
  layout.colors = 1;
  if (photometric == PHOTOMETRIC_MINISWHITE || photometric == PHOTOMETRIC_MINISBLACK) {
    layout.white_is_zero = photometric == PHOTOMETRIC_MINISWHITE;
  } else if (photometric == PHOTOMETRIC_PALETTE && layout.bits <= 8 && layout.samples == 1) {
    layout.has_palette = true;
  } else if (photometric == PHOTOMETRIC_RGB) {
    layout.colors = 3;
  } else if (photometric == PHOTOMETRIC_YCBCR && is_jpeg && !layout.planar) {
    layout.colors = 3;
    TIFFSetField(file.get(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  } else if (photometric == PHOTOMETRIC_PALETTE) {
    return UnsupportedTiff(name,
                           "with a palette for more than one sample of at most 8 bits a pixel");
  } else {
    return UnsupportedTiff(name, PhotometricText(photometric));
  }
  if (layout.samples < layout.colors)
    return DamagedTiff(name, "it has fewer samples a pixel than colors");
  if (layout.samples > TiffLayout::kMostSamples)
    return UnsupportedTiff(name, "of " + std::to_string(layout.samples) + " samples a pixel");
  return {};
}

// The first of the samples behind the colors that is alpha.
void ReadAlpha(const TiffFile& file, TiffLayout& layout) {
  uint16_t count = 0;
  const uint16_t* kinds = nullptr;
  if (TIFFGetFieldDefaulted(file.get(), TIFFTAG_EXTRASAMPLES, &count, &kinds) == 0) return;
  const int extra = std::min(int{count}, layout.samples - layout.colors);
  for (int i = 0; i < extra; ++i) {
    if (kinds[i] != EXTRASAMPLE_ASSOCALPHA && kinds[i] != EXTRASAMPLE_UNASSALPHA) continue;
    layout.alpha = layout.colors + i;
    layout.alpha_kind =
        kinds[i] == EXTRASAMPLE_ASSOCALPHA ? Alpha::kPremultiplied : Alpha::kStraight;
    return;
  }
}

// Signed samples are of gray alone: numbers, not colors.
Status ReadSign(const TiffFile& file, const std::string& name, TiffLayout& layout) {
  layout.is_signed = file.Field<uint16_t>(TIFFTAG_SAMPLEFORMAT) == SAMPLEFORMAT_INT;
  if (!layout.is_signed) return {};
  if (layout.colors != 1 || layout.has_palette || layout.white_is_zero || layout.alpha > 0)
    return UnsupportedTiff(name, "of signed samples that are not gray, 0 being black");
  return {};
}

// Strips or tiles. Asks for sizes that libtiff takes them to have, too: it is given buffers of
// these.
Status ReadChunkSize(const TiffFile& file, const std::string& name, TiffLayout& layout) {
  TIFF* const tiff = file.get();
  layout.tiled = TIFFIsTiled(tiff) != 0;
  if (layout.tiled) {
    layout.chunk_width = file.Field<uint32_t>(TIFFTAG_TILEWIDTH);
    layout.chunk_height = file.Field<uint32_t>(TIFFTAG_TILELENGTH);
    constexpr uint32_t kUnit = 16;  // pixels; by the specification
    const auto fits = [](uint32_t side) { return side > 0 && side % kUnit == 0; };
    if (!fits(layout.chunk_width) || !fits(layout.chunk_height))
      return DamagedTiff(name, "the sides of its tiles are no multiples of 16");
    // Tiles may be larger than the image, but not so that they alone decide what memory is taken.
    constexpr uint64_t kSmallTile = uint64_t{1} << 20;  // pixels
    const uint64_t most = std::max(kSmallTile, uint64_t{4} * layout.width * layout.height);
    if (uint64_t{layout.chunk_width} * layout.chunk_height > most)
      return DamagedTiff(name, "its tiles are much larger than the image");
  } else {
    layout.chunk_width = layout.width;
    layout.chunk_height = std::min(file.Field<uint32_t>(TIFFTAG_ROWSPERSTRIP), layout.height);
    if (layout.chunk_height == 0) return DamagedTiff(name, "its strips have no rows");
  }
  const uint64_t row_bytes = layout.tiled ? TIFFTileRowSize64(tiff) : TIFFScanlineSize64(tiff);
  const uint64_t chunk_bytes = layout.tiled ? TIFFTileSize64(tiff) : TIFFStripSize64(tiff);
  if (row_bytes != layout.row_bytes() || chunk_bytes != layout.chunk_bytes())
    return DamagedTiff(name, "its rows do not have the size that they should have");
  return {};
}

// Where all chunks lie. libtiff takes chunks that the directory leaves out to be at the beginning
// of the file. Those of a file do not overlap, or if some writer has equal ones but once, none has
// many more bytes than it stands for: what takes longer to read is no picture.
Status CheckChunks(const TiffFile& file, uint64_t file_bytes, const std::string& name,
                   const TiffLayout& layout) {
  constexpr uint64_t kHeaderBytes = 8;
  const auto chunks_along = [](uint32_t side, uint32_t chunk) {
    return (uint64_t{side} + chunk - 1) / chunk;
  };
  const uint64_t chunks = chunks_along(layout.width, layout.chunk_width) *
                          chunks_along(layout.height, layout.chunk_height) *
                          static_cast<uint64_t>(layout.planes());
  const uint32_t count =
      layout.tiled ? TIFFNumberOfTiles(file.get()) : TIFFNumberOfStrips(file.get());
  if (count != chunks) return DamagedTiff(name, "it has too few or too many strips or tiles");
  const uint64_t most = file_bytes + 2 * layout.raw_bytes() + chunks * 64;
  uint64_t sum = 0;
  for (uint32_t chunk = 0; chunk < count && sum <= most; ++chunk) {
    const uint64_t offset = TIFFGetStrileOffset(file.get(), chunk);
    const uint64_t coded = TIFFGetStrileByteCount(file.get(), chunk);
    if (offset < kHeaderBytes) return DamagedTiff(name, "a strip or tile is missing");
    if (offset > file_bytes || coded > file_bytes - offset)
      return DamagedTiff(name, "a strip or tile reaches beyond the end of the file");
    sum += coded;
  }
  if (sum > most) return DamagedTiff(name, "its strips or tiles are much longer than the file");
  return {};
}

}  // namespace

Result<TiffLayout> ReadTiffLayout(const TiffFile& file, uint64_t file_bytes,
                                  const std::string& name, const ReadImageOptions& options) {
  TiffLayout layout;
  layout.width = file.Field<uint32_t>(TIFFTAG_IMAGEWIDTH);
  layout.height = file.Field<uint32_t>(TIFFTAG_IMAGELENGTH);
  MMP_RETURN_IF_ERROR(CheckImageSize(layout.width, layout.height, name, options));
  if (file.Field<uint32_t>(TIFFTAG_IMAGEDEPTH) > 1) return UnsupportedTiff(name, "of a volume");
  MMP_RETURN_IF_ERROR(CheckCompression(file, name));
  layout.bits = file.Field<uint16_t>(TIFFTAG_BITSPERSAMPLE);
  layout.samples = file.Field<uint16_t>(TIFFTAG_SAMPLESPERPIXEL);
  layout.planar =
      layout.samples > 1 && file.Field<uint16_t>(TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE;
  MMP_RETURN_IF_ERROR(CheckSampleFormat(file, layout.bits, name));
  MMP_RETURN_IF_ERROR(ReadColors(file, name, layout));
  ReadAlpha(file, layout);
  MMP_RETURN_IF_ERROR(ReadSign(file, name, layout));
  const bool are_gray = layout.colors == 1 && !layout.has_palette && layout.alpha == 0;
  const Result<int> depth = DepthOfSamples(layout.bits, are_gray, name, options);
  if (!depth.ok()) return depth.status();
  layout.depth = *depth;
  MMP_RETURN_IF_ERROR(ReadChunkSize(file, name, layout));
  MMP_RETURN_IF_ERROR(CheckChunks(file, file_bytes, name, layout));
  return layout;
}

}  // namespace mmp
