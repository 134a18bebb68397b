// The filter by which HDF5 keeps chunks of samples as files of mmp; docs/plugins.md is for its
// users.
#include <H5PLextern.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <string>

#include "tools/plugins/hdf5/chunk_codec.h"
#include "tools/plugins/hdf5/chunk_format.h"
#include "tools/plugins/hdf5/hdf5_host.h"

namespace mmp {
namespace {

// One of those that HDF5 leaves to tests and to filters that are not registered, 256 to 511. Files
// have it: it stays, also if another is registered one day.
constexpr H5Z_filter_t kFilterId = 377;

// Runs `work`, which returns a Status, and tells HDF5 why it failed. No exception leaves it.
template <typename Work>
bool Reported(const Work& work) {
  try {
    const Status status = work();
    if (!status.ok()) PushError(status.message().c_str());
    return status.ok();
  } catch (const std::exception& exception) {
    PushError(exception.what());
    return false;
  }
}

Status CannotAsk(const char* what) {
  return {StatusCode::kInvalidArgument, std::string("mmp: HDF5 does not say ") + what};
}

Status ReadType(hid_t type, ChunkFormat* format) {
  const Hdf5Host& hdf5 = TheHdf5Host();
  if (hdf5.get_class(type) != H5T_INTEGER || hdf5.get_sign(type) != H5T_SGN_NONE) {
    return {StatusCode::kInvalidArgument, "mmp: samples must be unsigned integers of 8 or 16 bits"};
  }
  format->sample_bytes = hdf5.get_size(type);
  format->is_big_endian = hdf5.get_order(type) == H5T_ORDER_BE;
  return {};
}

Status ReadShape(hid_t creation, ChunkFormat* format) {
  std::array<hsize_t, H5S_MAX_RANK> sides;
  const int rank = TheHdf5Host().get_chunk(creation, H5S_MAX_RANK, sides.data());
  if (rank < 1) return CannotAsk("what shape chunks have");
  format->columns = sides[rank - 1];
  for (int i = 0; i < rank - 1; ++i) {
    // Of 32 bits each; a product of too many stays too many.
    format->rows = std::min<uint64_t>(format->rows * sides[i], UINT32_MAX);
  }
  return {};
}

// What another filter leaves are no samples any more, and a bound on their errors would mean
// nothing.
Status CheckIsFirst(hid_t creation) {
  unsigned flags = 0;
  size_t count = 0;
  unsigned configuration = 0;
  if (TheHdf5Host().get_filter(creation, 0, &flags, &count, nullptr, 0, nullptr, &configuration) !=
      kFilterId) {
    return {StatusCode::kInvalidArgument,
            "mmp must be a dataset's first filter: leave out those before it, such as shuffle"};
  }
  return {};
}

// Completes the filter's numbers in a dataset's creation properties.
Status CompleteNumbers(hid_t creation, hid_t type) {
  const Hdf5Host& hdf5 = TheHdf5Host();
  std::array<unsigned, kChunkNumbers> numbers = {};
  unsigned flags = 0;
  size_t count = numbers.size();
  if (hdf5.get_filter_by_id(creation, kFilterId, &flags, &count, numbers.data(), 0, nullptr,
                            nullptr) < 0) {
    return CannotAsk("what numbers the filter has");
  }
  // If there are more than it asked for, HDF5 says how many.
  if (count > numbers.size()) {
    return {StatusCode::kInvalidArgument, "mmp: the filter has " + std::to_string(count) +
                                              " numbers, which a later version knows"};
  }
  Result<ChunkFormat> format = ReadOptions(std::span(numbers).first(count));
  if (!format.ok()) return format.status();
  MMP_RETURN_IF_ERROR(CheckIsFirst(creation));
  MMP_RETURN_IF_ERROR(ReadType(type, &*format));
  MMP_RETURN_IF_ERROR(ReadShape(creation, &*format));
  MMP_RETURN_IF_ERROR(Check(*format));
  const std::array<unsigned, kChunkNumbers> completed = NumbersOf(*format);
  if (hdf5.modify_filter(creation, kFilterId, flags, completed.size(), completed.data()) < 0) {
    return {StatusCode::kInvalidArgument, "mmp: HDF5 does not keep the filter's numbers"};
  }
  return {};
}

herr_t SetLocal(hid_t creation, hid_t type, hid_t /*space*/) {
  return Reported([&] { return CompleteNumbers(creation, type); }) ? 0 : -1;
}

struct FreeByHost {
  void operator()(uint8_t* memory) const { TheHdf5Host().free_memory(memory); }
};
// As HDF5 hands it to the filter, and takes it back.
using HostMemory = std::unique_ptr<uint8_t, FreeByHost>;

// Null if there is not enough.
HostMemory Allocate(size_t bytes) {
  return HostMemory(static_cast<uint8_t*>(TheHdf5Host().allocate_memory(bytes, false)));
}

// The bytes that a filter is called with, and leaves.
struct Buffer {
  HostMemory memory;
  size_t bytes;
};

Status NoMemory() { return {StatusCode::kOutOfMemory, "mmp: out of memory"}; }

Result<Buffer> Encode(const ChunkFormat& format, std::span<const uint8_t> samples) {
  if (samples.size() != format.Bytes()) {
    return Status(StatusCode::kInvalidArgument,
                  "mmp: a chunk has " + std::to_string(samples.size()) + " bytes, not " +
                      std::to_string(format.Bytes()));
  }
  const Result<ChunkFile> file = EncodeChunk(format, samples);
  if (!file.ok()) return file.status();
  Buffer encoded{Allocate(file->size), file->size};
  if (encoded.memory == nullptr) return NoMemory();
  std::memcpy(encoded.memory.get(), file->bytes.get(), file->size);
  return encoded;
}

Result<Buffer> Decode(const ChunkFormat& format, std::span<const uint8_t> file) {
  Buffer decoded{Allocate(format.Bytes()), format.Bytes()};
  if (decoded.memory == nullptr) return NoMemory();
  MMP_RETURN_IF_ERROR(DecodeChunk(format, file, {decoded.memory.get(), decoded.bytes}));
  return decoded;
}

// Returns the bytes that *memory then has, 0 if it failed and is as before.
size_t Filter(unsigned flags, size_t count, const unsigned numbers[], size_t bytes,
              size_t* allocated, void** memory) {
  const bool ok = Reported([&]() -> Status {
    const bool decodes = (flags & H5Z_FLAG_REVERSE) != 0;
    const Result<ChunkFormat> format =
        decodes ? ReadForDecoding({numbers, count}) : ReadForEncoding({numbers, count});
    if (!format.ok()) return format.status();
    const std::span<const uint8_t> before(static_cast<const uint8_t*>(*memory), bytes);
    Result<Buffer> after = decodes ? Decode(*format, before) : Encode(*format, before);
    if (!after.ok()) return after.status();
    TheHdf5Host().free_memory(*memory);
    *memory = after->memory.release();
    *allocated = bytes = after->bytes;
    return {};
  });
  return ok ? bytes : 0;
}

constexpr H5Z_class2_t kFilterClass = {
    H5Z_CLASS_T_VERS, kFilterId, 1, 1, "mmp grayscale image codec", nullptr, SetLocal, Filter};

}  // namespace
}  // namespace mmp

H5PL_type_t H5PLget_plugin_type(void) { return H5PL_TYPE_FILTER; }

const void* H5PLget_plugin_info(void) {
  return mmp::FindHdf5Host(__builtin_return_address(0)) ? &mmp::kFilterClass : nullptr;
}
