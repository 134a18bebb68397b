// Reconstructs the fronts of a tile while later ones are being parsed: one thread parses, and the
// others, and that one where it is too far ahead, reconstruct the macroblocks of the oldest front,
// and do what can be done behind it.
#ifndef MMP_CODEC_DECODER_FRONT_PIPELINE_H_
#define MMP_CODEC_DECODER_FRONT_PIPELINE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "codec/tile/coded_front.h"
#include "codec/tile/reconstruct.h"
#include "common/spin_wait.h"

namespace mmp {

class FrontPipeline {
 public:
  // Fronts that are parsed, but not reconstructed yet, at most.
  static constexpr int kMostAhead = 8;

  explicit FrontPipeline(const TilePlane& plane) : plane_(plane) {}

  // For the thread that parses.
  // Before the first front: follow(i) is to be called once all fronts up to number fronts[i] have
  // been reconstructed, at the same time as others; `fronts` do not decrease.
  void Follow(std::vector<uint32_t> fronts, std::function<void(int)> follow);
  // Where to put the next front. Reconstructs while there is no room. Null once it has been
  // stopped.
  CodedFront* NextFront();
  // The front has been parsed.
  void Push();
  // No more fronts come: reconstructs until all are done.
  void Drain();
  // No more fronts come, and what is left is of no interest.
  void Stop();

  // For the others: reconstructs until Drain or Stop has been called and nothing is left to begin.
  void Work();

 private:
  struct Slot {
    CodedFront front;
    std::atomic<int> size{0};
  };

  // What is to be reconstructed next: macroblock `next` of the `size` of front `front`. No size:
  // the front has not been parsed. Packed into one number.
  struct Cursor {
    uint32_t front;
    uint16_t size, next;
  };
  static uint64_t Pack(Cursor c) {
    return uint64_t{c.front} << 32 | uint64_t{c.size} << 16 | c.next;
  }
  static Cursor Unpack(uint64_t c) {
    return {static_cast<uint32_t>(c >> 32), static_cast<uint16_t>(c >> 16),
            static_cast<uint16_t>(c)};
  }

  // Reconstructs a macroblock, if one is ready.
  bool ReconstructOne();
  // Does what follows, if its front has been reconstructed.
  bool FollowOne();
  bool DoOne() { return ReconstructOne() || FollowOne(); }
  // Whether either would do anything.
  bool IsReady() const {
    const Cursor c = Unpack(cursor_);
    return c.next < c.size || CanFollow(next_follower_, c);
  }
  bool CanFollow(uint32_t follower, Cursor at) const {
    return follower < followers_ && fronts_to_follow_[follower] < at.front;
  }
  // Lets front `front` be reconstructed if it is the oldest and has been parsed.
  void TryOpen(uint32_t front);
  // All has been reconstructed, and all that follows is at least begun.
  bool AllDone() const { return Unpack(cursor_).front == pushed_ && next_follower_ >= followers_; }

  const TilePlane plane_;
  std::array<Slot, kMostAhead> slots_;  // of front f: f mod kMostAhead
  std::atomic<uint32_t> pushed_{0};     // fronts
  std::atomic<uint64_t> cursor_{0};
  std::atomic<int> reconstructed_{0};  // macroblocks of the cursor's front
  std::atomic<bool> is_last_{false}, is_stopped_{false};
  std::vector<uint32_t> fronts_to_follow_;
  std::function<void(int)> follow_;
  std::atomic<uint32_t> followers_{0}, next_follower_{0};
  News news_;
};

}  // namespace mmp

#endif  // MMP_CODEC_DECODER_FRONT_PIPELINE_H_
