// Lists of places in a picture that have one key, such as a hash of the block there.
#ifndef MMP_CODEC_RDO_PLACE_LISTS_H_
#define MMP_CODEC_RDO_PLACE_LISTS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "mmp/types.h"

namespace mmp {

// Of each key the places that were added, the latest first. Places are numbers of pixels.
class PlaceLists {
 public:
  static constexpr int32_t kNone = -1;

  // For keys in [0, keys) and places in [0, places).
  PlaceLists(size_t keys, size_t places)
      : latest_(keys, kNone), earlier_(std::make_unique_for_overwrite<int32_t[]>(places)) {}

  // `place` is new.
  void Add(size_t key, int32_t place) {
    earlier_[place] = latest_[key];
    latest_[key] = place;
  }
  int32_t Latest(size_t key) const { return latest_[key]; }
  // The one that was added before, with the same key.
  int32_t Before(int32_t place) const { return earlier_[place]; }

 private:
  static_assert(kMaxTilePixels <= std::numeric_limits<int32_t>::max());

  std::vector<int32_t> latest_;         // by key
  std::unique_ptr<int32_t[]> earlier_;  // by place that was added
};

}  // namespace mmp

#endif  // MMP_CODEC_RDO_PLACE_LISTS_H_
