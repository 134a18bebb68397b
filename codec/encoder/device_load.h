// Which devices encodes that run at the same time begin with: those that have least to do.
#ifndef MMP_CODEC_ENCODER_DEVICE_LOAD_H_
#define MMP_CODEC_ENCODER_DEVICE_LOAD_H_

#include <cstddef>
#include <map>
#include <mutex>
#include <span>
#include <vector>

namespace mmp {

// How many workers each device of a backend has, of all encodes of this process. All functions may
// be called from several threads at once.
class DeviceLoad {
 public:
  // A device's number, and the most workers that it has use for.
  struct Room {
    int device;
    int most_workers;
  };

  // Workers that count as long as it lives.
  class Claim {
   public:
    // Gives `workers` devices, one after the other to each device that has room, those with the
    // fewest workers first and, of equally many, those of the lowest numbers. So an encode alone
    // always begins with the first device. There must be room for all of them.
    Claim(DeviceLoad& load, std::span<const Room> rooms, int workers);
    ~Claim();
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;

    // Of each worker, the place of its device among the rooms.
    const std::vector<size_t>& places() const { return places_; }

   private:
    DeviceLoad& load_;
    std::vector<int> devices_;  // of each worker
    std::vector<size_t> places_;
  };

 private:
  std::mutex mutex_;
  std::map<int, int> workers_;  // by device
};

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_DEVICE_LOAD_H_
