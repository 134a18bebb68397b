// The interface of backends that make searches which run on devices.
#ifndef MMP_CODEC_ENCODER_SEARCH_BACKEND_H_
#define MMP_CODEC_ENCODER_SEARCH_BACKEND_H_

#include <memory>

#include "codec/base/parameters.h"
#include "codec/rdo/macroblock_search.h"
#include "codec/rdo/speed_features.h"
#include "mmp/status.h"

namespace mmp {

// The kind of work that a search is made for; it can be reused for other work of the same kind.
struct SearchKind {
  CodecParameters parameters;
  SpeedFeatures speed_features;
  int side_by_side = 1;  // searches that the caller means to run at a time on the device
  bool timing = false;   // see EncodeOptions::time_stages

  friend bool operator==(const SearchKind&, const SearchKind&) = default;
};

// Makes searches that run on devices. All functions may be called from several threads at once.
class SearchBackend {
 public:
  virtual ~SearchBackend() = default;

  // Returns ok if a device can be used, otherwise kUnavailable with the reason.
  virtual Status Available() = 0;

  // The number of usable devices, which are numbered from 0; at least 1 if Available is ok.
  virtual int Devices() = 0;

  // The number of concurrent searches that keeps `device` busy, each used by its own thread; at
  // least 1.
  virtual int MostSearches(int device) = 0;

  // Makes a search for one thread. Fails with kUnavailable (the device) or kOutOfMemory (its memory
  // is full).
  virtual Result<std::unique_ptr<MacroblockSearch>> MakeSearch(const SearchKind& kind,
                                                               int device) = 0;
};

// The backend for Backend::kCuda and, where it is available, kAuto; null, the default, if there is
// none. It must outlive every Encode.
void SetCudaBackend(SearchBackend* backend);
SearchBackend* CudaBackend();

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_SEARCH_BACKEND_H_
