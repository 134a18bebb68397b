// What the functions in C share: the objects that the header declares, errors and options.
#ifndef MMP_CODEC_C_API_CALL_H_
#define MMP_CODEC_C_API_CALL_H_

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "common/out_of_memory.h"
#include "mmp/mmp.h"
#include "mmp/mmp_c.h"

// What the header declares and C does not know.
struct mmp_encode_options {
  mmp::EncodeOptions options;
};
struct mmp_decode_options {
  mmp::DecodeOptions options;
};
struct mmp_info {
  mmp::FileInfo info;
};
struct mmp_image {
  mmp::DecodedImage decoded;
};

namespace mmp {

// Keep the message for mmp_error_message, shortened where it is very long, and return the status.
mmp_status Fail(mmp_status status, std::string_view message);
mmp_status Fail(const Status& status);
// `what`, of at most 40 characters, is null.
mmp_status FailForNull(std::string_view what);

// Runs `call`, which returns an mmp_status. No exception leaves it.
template <typename Call>
mmp_status Guarded(const Call& call) noexcept {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return Fail(OutOfMemory());
  } catch (const std::exception& exception) {
    return Fail(MMP_INTERNAL_ERROR, exception.what());
  } catch (...) {
    return Fail(MMP_INTERNAL_ERROR, "an exception was thrown");
  }
}

// Changes an object of options.
template <typename Options, typename Change>
mmp_status Set(Options* options, const Change& change) {
  if (options == nullptr) return FailForNull("options");
  return Guarded([&] {
    const Status status = OrOutOfMemory([&] {
      change(options->options);
      return Status();
    });
    return status.ok() ? MMP_OK : Fail(status);
  });
}

inline std::span<const uint8_t> Bytes(const void* bytes, size_t size) {
  return {static_cast<const uint8_t*>(bytes), size};
}

// A file of `size` bytes that is read by `read`.
ByteSource SourceOf(mmp_read_function read, void* context, uint64_t size);

template <typename Options>
mmp_status SetDictionaryFile(Options* options, const void* bytes, size_t size) {
  if (bytes == nullptr && size > 0) return FailForNull("the dictionary file");
  return Set(options, [&](auto& o) {
    const std::span<const uint8_t> file = Bytes(bytes, size);
    o.dictionary_file = std::vector<uint8_t>(file.begin(), file.end());
  });
}

// Chunk number `index`, or none.
inline mmp_metadata ChunkOf(const Metadata& metadata, size_t index) {
  if (index >= metadata.size()) return {0, nullptr, 0};
  const MetadataChunk& chunk = metadata[index];
  return {chunk.kind, chunk.bytes.data(), chunk.bytes.size()};
}

template <typename Options>
mmp_status SetProgress(Options* options, mmp_progress_function progress, void* context) {
  return Set(options, [&](auto& o) {
    if (progress == nullptr)
      o.progress = nullptr;
    else
      o.progress = [=](double done) { return progress(done, context) != 0; };
  });
}

template <typename Options>
const auto& OptionsOrDefaults(const Options* options) {
  static const Options defaults{};
  return (options != nullptr ? *options : defaults).options;
}

}  // namespace mmp

#endif  // MMP_CODEC_C_API_CALL_H_
