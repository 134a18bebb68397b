// An arena: memory for many small objects that are all freed at once.
#ifndef MMP_CODEC_SEARCH_ARENA_H_
#define MMP_CODEC_SEARCH_ARENA_H_

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace mmp {

// Hands out memory aligned to 16 bytes; Reset takes all of it back and keeps it for reuse.
class Arena {
 public:
  template <typename T>
  T* Allocate(size_t count) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= kAlignment);
    const size_t bytes = (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    if (used_ + bytes > kChunkBytes || chunk_ == chunks_.size()) NextChunk();
    T* p = reinterpret_cast<T*>(chunks_[chunk_].get() + used_);
    used_ += bytes;
    return p;
  }
  template <typename T>
  T* New() {
    return new (Allocate<T>(1)) T();
  }
  void Reset() {
    chunk_ = 0;
    used_ = 0;
  }

 private:
  static constexpr size_t kAlignment = 16;
  static constexpr size_t kChunkBytes = size_t{1} << 18;

  void NextChunk() {
    if (chunk_ < chunks_.size()) ++chunk_;
    if (chunk_ == chunks_.size()) chunks_.push_back(std::make_unique<std::byte[]>(kChunkBytes));
    used_ = 0;
  }

  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  size_t chunk_ = 0;
  size_t used_ = 0;
};

}  // namespace mmp

#endif  // MMP_CODEC_SEARCH_ARENA_H_
