#include "codec/decoder/front_pipeline.h"

#include <utility>

namespace mmp {

void FrontPipeline::Follow(std::vector<uint32_t> fronts, std::function<void(int)> follow) {
  fronts_to_follow_ = std::move(fronts);
  follow_ = std::move(follow);
  followers_ = static_cast<uint32_t>(fronts_to_follow_.size());
}

CodedFront* FrontPipeline::NextFront() {
  const uint32_t front = pushed_;
  const auto has_room = [&] { return front - Unpack(cursor_).front < kMostAhead; };
  while (!has_room() && !is_stopped_)
    if (!DoOne()) news_.Await([&] { return has_room() || IsReady() || is_stopped_; });
  return is_stopped_ ? nullptr : &slots_[front % kMostAhead].front;
}

void FrontPipeline::Push() {
  const uint32_t front = pushed_;
  if (is_stopped_) return;
  Slot& slot = slots_[front % kMostAhead];
  slot.size = slot.front.size();
  pushed_ = front + 1;
  TryOpen(front);
}

void FrontPipeline::Drain() {
  is_last_ = true;
  news_.Tell();
  while (!AllDone() && !is_stopped_)
    if (!DoOne()) news_.Await([&] { return AllDone() || IsReady() || is_stopped_; });
}

void FrontPipeline::Stop() {
  is_stopped_ = true;
  news_.Tell();
}

void FrontPipeline::Work() {
  try {
    while (true) {
      while (DoOne()) {
      }
      if (is_stopped_ || (is_last_ && AllDone())) return;
      news_.Await([&] { return IsReady() || is_stopped_ || (is_last_ && AllDone()); });
    }
  } catch (...) {
    Stop();
    throw;
  }
}

bool FrontPipeline::ReconstructOne() {
  uint64_t packed = cursor_;
  Cursor at;
  do {
    at = Unpack(packed);
    if (at.next >= at.size || is_stopped_) return false;
  } while (!cursor_.compare_exchange_weak(
      packed, Pack({at.front, at.size, static_cast<uint16_t>(at.next + 1)})));
  Reconstruct(slots_[at.front % kMostAhead].front, at.next, plane_);
  if (++reconstructed_ < at.size) return true;
  reconstructed_ = 0;
  cursor_ = Pack({at.front + 1, 0, 0});
  TryOpen(at.front + 1);
  news_.Tell();  // of room, or of the end
  return true;
}

bool FrontPipeline::FollowOne() {
  uint32_t follower = next_follower_;
  do {
    if (is_stopped_ || !CanFollow(follower, Unpack(cursor_))) return false;
  } while (!next_follower_.compare_exchange_weak(follower, follower + 1));
  follow_(static_cast<int>(follower));
  if (follower + 1 == followers_) news_.Tell();  // perhaps of the end
  return true;
}

void FrontPipeline::TryOpen(uint32_t front) {
  if (pushed_ <= front) return;
  // Of a front that has been reconstructed meanwhile, the size may be another's, but not the
  // cursor.
  uint64_t unopened = Pack({front, 0, 0});
  const int size = slots_[front % kMostAhead].size;
  if (cursor_.compare_exchange_strong(unopened, Pack({front, static_cast<uint16_t>(size), 0})))
    news_.Tell();
}

}  // namespace mmp
