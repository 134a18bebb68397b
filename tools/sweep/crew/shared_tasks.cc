#include "tools/sweep/crew/shared_tasks.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace mmp {
namespace {

// Which tasks are ours in one call of MeasurePoints, which comes to all of them, one after the
// other but for those that several threads come to at the same time.
class Pass {
 public:
  Pass(size_t first, TaskSource& source) : source_(source), next_(first + 1), ours_({first}) {}

  // Returns whether it is ours, and makes it so if it can be had.
  bool Take(size_t task) {
    const std::lock_guard lock(mutex_);
    if (task >= next_) {
      const std::optional<size_t> given = source_.Claim(task);
      next_ = given ? *given + 1 : kNone;
      if (given) ours_.insert(*given);
    }
    return ours_.contains(task);
  }

  bool IsOurs(size_t task) {
    const std::lock_guard lock(mutex_);
    return ours_.contains(task);
  }

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  TaskSource& source_;
  std::mutex mutex_;  // guards what follows
  size_t next_;       // those before it are ours or cannot be had
  std::set<size_t> ours_;
};

}  // namespace

std::vector<SweepTask> InOrderOfStart(std::span<const SweepTask> tasks,
                                      const std::vector<Curve>& curves) {
  std::vector<SweepTask> ordered(tasks.begin(), tasks.end());
  std::stable_partition(ordered.begin(), ordered.end(), [&](const SweepTask& task) {
    return curves[task.curve].setting.has_value();
  });
  return ordered;
}

void MeasureShared(std::span<const SweepTask> tasks, const MeasureContext& context,
                   TaskSource& source) {
  std::map<std::string, size_t> numbers;  // by key
  for (size_t i = 0; i < tasks.size(); ++i) numbers.emplace(tasks[i].key, i);
  while (const std::optional<size_t> first = source.Await()) {
    Pass pass(*first, source);
    const MeasureEvents events = {
        .start = [&](const SweepTask& task) { return pass.Take(numbers.at(task.key)); },
        .ended =
            [&](const SweepTask& task, Result<RdPoint> point) {
              const size_t number = numbers.at(task.key);
              return !pass.IsOurs(number) || source.End(number, std::move(point));
            }};
    MeasurePoints(tasks.subspan(*first), context, events);
  }
}

}  // namespace mmp
