#include "tools/command_line/load.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "common/file_io.h"
#include "common/random_access_file.h"
#include "tools/command_line/file_jobs.h"
#include "tools/text/text.h"

namespace mmp {
namespace {

constexpr uint64_t kMaxCodedBytes = uint64_t{1} << 32;
constexpr uint64_t kMaxDictionaryBytes = uint64_t{1} << 26;

// `file` must live as long.
ByteSource SourceOf(const RandomAccessFile& file) {
  return {file.size(),
          [&file](uint64_t offset, std::span<uint8_t> bytes) { return file.Read(offset, bytes); }};
}

// The same of bytes.
ByteSource SourceOf(const std::vector<uint8_t>& bytes) {
  return {bytes.size(), [&bytes](uint64_t offset, std::span<uint8_t> part) -> Status {
            std::copy_n(bytes.begin() + static_cast<ptrdiff_t>(offset), part.size(), part.begin());
            return {};
          }};
}

// Decodes what is read of `file`, which is `path`.
Result<DecodedImage> DecodeParts(const RandomAccessFile& file, const std::string& path,
                                 const DecodeOptions& options) {
  Result<DecodedImage> decoded = DecodeFrom(SourceOf(file), options);
  if (decoded.ok() || decoded.status().code() == StatusCode::kIo) return decoded;
  return DecodingFailure(path, decoded.status());
}

// Also finds the damage that only decoding does: to the bytes of a small file, and to a preview
// that is one. What cannot be decoded for other reasons stays unchecked. Errors: kCorrupt.
Status CheckByDecoding(const ByteSource& source, FileInfo& info) {
  const auto decode = [&](const DecodeOptions& options) {
    return DecodeFrom(source, options).status();
  };
  if (info.check_bits == 16) {
    Status status = decode({});
    if (status.code() == StatusCode::kCorrupt) return status;
  }
  constexpr uint64_t kMostSmallBytes = 4200;  // of a small file, with its header
  if (info.preview_bytes > 0 && info.preview_bytes <= kMostSmallBytes)
    info.damaged_preview |= decode({.preview = true}).code() == StatusCode::kCorrupt;
  return {};
}

// What was read of `source`, which is `path`, and is checked as the options say.
Result<FileInfo> Checked(Result<FileInfo> info, const ByteSource& source, const std::string& path,
                         const InfoOptions& options) {
  Status status = info.status();
  if (info.ok() && options.check_bytes) status = CheckByDecoding(source, *info);
  if (status.ok()) return info;
  return status.code() == StatusCode::kIo ? status : About(path, status);
}

// Also a file that is damaged, or of another version, begins as .mmp files do.
bool BeginsAsCoded(std::span<const uint8_t> bytes) {
  constexpr std::string_view kBeginning = "MMP";
  return bytes.size() >= kBeginning.size() &&
         std::equal(kBeginning.begin(), kBeginning.end(), bytes.begin());
}

}  // namespace

Result<std::vector<uint8_t>> ReadCodedFile(const std::string& path) {
  return ReadFile(path, kMaxCodedBytes);
}

Result<std::vector<uint8_t>> ReadDictionaryFile(const std::string& path) {
  if (path.empty()) return std::vector<uint8_t>();
  return ReadFile(path, kMaxDictionaryBytes);
}

Status DecodingFailure(const std::string& path, const Status& status) {
  const std::pair<std::string_view, std::string_view> kOptions[] = {
      {"max_pixels", "--max-pixels"}, {"max_work", "--max-work"}, {"max_memory", "--max-memory"}};
  std::string message = status.message();
  for (const auto& [field, option] : kOptions) {
    const size_t at = message.find(field);
    if (at != std::string::npos) message.replace(at, field.size(), option);
  }
  return About(path, Status(status.code(), message));
}

Result<DecodedImage> LoadCodedImage(const std::string& path, const DecodeOptions& options) {
  if ((options.region || options.preview) && path != "-") {
    const Result<std::optional<RandomAccessFile>> file = RandomAccessFile::Open(path);
    if (!file.ok()) return file.status();
    if (file->has_value()) return DecodeParts(**file, path, options);
  }
  const Result<std::vector<uint8_t>> bytes = ReadCodedFile(path);
  if (!bytes.ok()) return bytes.status();
  if (const std::string format(ImageFormatName(*bytes)); !format.empty()) {
    return Status(StatusCode::kUnsupported,
                  QuotedInput(path) + " is a " + format +
                      " file, not an .mmp file; did you mean mmp encode?");
  }
  Result<DecodedImage> decoded = Decode(*bytes, options);
  if (!decoded.ok()) return DecodingFailure(path, decoded.status());
  return decoded;
}

Result<FileInfo> LoadInfo(const std::string& path, const InfoOptions& options) {
  if (path != "-") {
    const Result<std::optional<RandomAccessFile>> file = RandomAccessFile::Open(path);
    if (!file.ok()) return file.status();
    if (file->has_value()) {
      const ByteSource source = SourceOf(**file);
      return Checked(ReadInfoFrom(source, options), source, path, options);
    }
  }
  const Result<std::vector<uint8_t>> bytes = ReadCodedFile(path);
  if (!bytes.ok()) return bytes.status();
  return Checked(ReadInfo(*bytes, options), SourceOf(*bytes), path, options);
}

Result<LoadedImage> LoadAnyImage(const std::string& path, const DecodeOptions& options,
                                 DepthLimit limit) {
  const Result<std::vector<uint8_t>> bytes = ReadCodedFile(path);
  if (!bytes.ok()) return bytes.status();
  if (!path.ends_with(".mmp") && !BeginsAsCoded(*bytes)) {
    return ParseImage(*bytes, QuotedInput(path),
                      {.max_pixels = options.max_pixels,
                       .min_depth = 1,
                       .max_depth = kMaxDepth,
                       .depth8 = limit == DepthLimit::kScaled});
  }
  Result<DecodedImage> decoded = Decode(*bytes, options);
  if (!decoded.ok()) return DecodingFailure(path, decoded.status());
  const int depth = decoded->image.depth();
  if (limit == DepthLimit::kScaled && depth != 8)
    return About(path,
                 Status(StatusCode::kUnsupported, "its samples have " + Counted(depth, "bit") +
                                                      "; only files of 8 bits are taken here"));
  LoadedImage loaded;
  loaded.image = std::move(decoded->image);
  loaded.metadata = std::move(decoded->metadata);
  loaded.is_signed = decoded->is_signed;
  return loaded;
}

}  // namespace mmp
