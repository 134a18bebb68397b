// Keeps a device's searches for the next encode: they are slow to make, for all the memory they
// take.
#ifndef MMP_CUDA_BACKEND_SEARCH_POOL_H_
#define MMP_CUDA_BACKEND_SEARCH_POOL_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "codec/rdo/macroblock_search.h"

namespace mmp::cuda {

// Key: what a search was made for; searches of equal keys are interchangeable. All functions may be
// called from several threads at once.
template <typename Key>
class SearchPool {
 public:
  // Keeps at most `most_idle` searches; the pool must outlive all that it hands out.
  explicit SearchPool(size_t most_idle) : most_idle_(most_idle) {}

  // A search for `key` that has come back; null if there is none.
  std::unique_ptr<MacroblockSearch> Take(const Key& key) {
    std::unique_ptr<MacroblockSearch> search;
    {
      const std::lock_guard lock(mutex_);
      const auto found = std::ranges::find(idle_, key, &Idle::key);
      if (found == idle_.end()) return nullptr;
      search = std::move(found->search);
      idle_.erase(found);
    }
    return Lend(key, std::move(search));
  }

  // `search`, made for `key`, as one that comes back when it is destroyed. If it failed it does
  // not, and none of those kept is trusted any more.
  std::unique_ptr<MacroblockSearch> Lend(const Key& key, std::unique_ptr<MacroblockSearch> search) {
    return std::make_unique<Lent>(*this, key, std::move(search));
  }

  // Frees all searches that are kept.
  void Trim() {
    std::deque<Idle> freed;
    const std::lock_guard lock(mutex_);
    freed.swap(idle_);
  }

  size_t idle() const {
    const std::lock_guard lock(mutex_);
    return idle_.size();
  }

 private:
  struct Idle {
    Key key;
    std::unique_ptr<MacroblockSearch> search;
  };

  class Lent : public MacroblockSearch {
   public:
    Lent(SearchPool& pool, const Key& key, std::unique_ptr<MacroblockSearch> search)
        : pool_(pool), key_(key), search_(std::move(search)) {}
    ~Lent() override {
      if (failed_)
        pool_.Trim();
      else
        pool_.Give({key_, std::move(search_)});
    }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;

    Status Search(const TileState& tile, Lambda lambda, std::span<SearchedMacroblock> front,
                  TaskPool& pool, const std::function<void()>& beside) override {
      const bool had_failed = failed_.exchange(true);  // should it throw
      Status status = search_->Search(tile, lambda, front, pool, beside);
      failed_ = had_failed || !status.ok();
      return status;
    }
    Result<int> Await(int n) override {
      try {
        Result<int> number = search_->Await(n);
        if (!number.ok()) failed_ = true;
        return number;
      } catch (...) {
        failed_ = true;
        throw;
      }
    }
    bool IsElsewhere() const override { return search_->IsElsewhere(); }
    NetworkDevice* Network() override { return search_->Network(); }
    void Distrust() override { failed_ = true; }
    SearchStats Stats() const override { return search_->Stats(); }

   private:
    SearchPool& pool_;
    const Key key_;
    std::unique_ptr<MacroblockSearch> search_;
    std::atomic<bool> failed_{false};
  };

  // Keeps `search`; if that is one too many, frees the one that has been kept longest. Where there
  // is no memory to keep it, it is freed.
  void Give(Idle search) noexcept {
    Idle freed;
    const std::lock_guard lock(mutex_);
    try {
      idle_.push_back(std::move(search));
    } catch (const std::bad_alloc&) {
      return;
    }
    if (idle_.size() <= most_idle_) return;
    freed = std::move(idle_.front());
    idle_.pop_front();
  }

  const size_t most_idle_;
  mutable std::mutex mutex_;
  std::deque<Idle> idle_;  // the latest last
};

}  // namespace mmp::cuda

#endif  // MMP_CUDA_BACKEND_SEARCH_POOL_H_
