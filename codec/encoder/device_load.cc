#include "codec/encoder/device_load.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace mmp {

DeviceLoad::Claim::~Claim() {
  const std::lock_guard lock(load_.mutex_);
  for (const int device : devices_) --load_.workers_.at(device);
}

DeviceLoad::Claim::Claim(DeviceLoad& load, std::span<const Room> rooms, int workers) : load_(load) {
  devices_.reserve(workers);
  places_.reserve(workers);
  std::vector<size_t> order(rooms.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<int> taken(rooms.size(), 0);
  const std::lock_guard lock(load_.mutex_);
  for (const Room& room : rooms) load_.workers_.try_emplace(room.device, 0);
  std::ranges::stable_sort(order, {}, [&](size_t place) {
    return std::pair(load_.workers_.at(rooms[place].device), rooms[place].device);
  });
  for (size_t k = 0; static_cast<int>(places_.size()) < workers; k = (k + 1) % order.size()) {
    const size_t place = order[k];
    if (taken[place] == rooms[place].most_workers) continue;
    ++taken[place];
    ++load_.workers_.at(rooms[place].device);
    devices_.push_back(rooms[place].device);
    places_.push_back(place);
  }
}

}  // namespace mmp
