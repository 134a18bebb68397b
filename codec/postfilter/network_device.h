// The interface of devices that filter by the network.
#ifndef MMP_CODEC_POSTFILTER_NETWORK_DEVICE_H_
#define MMP_CODEC_POSTFILTER_NETWORK_DEVICE_H_

#include <cstdint>

#include "codec/base/progress.h"
#include "codec/postfilter/network_weights.h"
#include "codec/postfilter/predicted_tile.h"
#include "mmp/status.h"

namespace mmp {

// A network at a level of noise, and where its positions begin.
struct NetworkRun {
  NetworkKind kind;
  int level;
  NetworkOrigin origin = {};

  friend bool operator==(const NetworkRun&, const NetworkRun&) = default;
};

// A device that has the networks.
class NetworkDevice {
 public:
  virtual ~NetworkDevice() = default;

  // As Apply of a NetworkFilter, all blocks filtered; returns when that is done. Asks `goes_on`, if
  // there is one, now and then: if it says no, some pixels are not written. Fails with kUnavailable
  // (the device) or kOutOfMemory (its memory is full); what is written then means nothing.
  virtual Status Filter(NetworkRun run, const PredictedTile& tile, uint8_t* filtered,
                        const GoesOn& goes_on) = 0;
};

}  // namespace mmp

#endif  // MMP_CODEC_POSTFILTER_NETWORK_DEVICE_H_
