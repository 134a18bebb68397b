// Where searches other than the CPU's come from.
#ifndef MMP_CODEC_SEARCH_BACKEND_H_
#define MMP_CODEC_SEARCH_BACKEND_H_

#include <memory>

#include "codec/mmp.h"
#include "codec/parameters.h"
#include "codec/search.h"
#include "common/status.h"

namespace mmp {

// What a search is made for; it can be used for all work of its kind.
struct SearchKind {
  CodecParameters parameters;
  Preset preset = Preset::kBest;
  int side_by_side = 1;  // searches that the caller means to run at a time on the device
  bool timing = false;   // see EncodeOptions::time_stages

  friend bool operator==(const SearchKind&, const SearchKind&) = default;
};

// Makes searches that run on devices. All functions may be called from several threads at once.
class SearchBackend {
 public:
  virtual ~SearchBackend() = default;

  // Ok if a device can be used; otherwise kUnavailable and why not.
  virtual Status Available() = 0;

  // How many devices can be used; they are numbered from 0. At least 1 if Available is ok.
  virtual int Devices() = 0;

  // How many searches at a time `device` has use for, each by a thread of its own; at least 1.
  virtual int MostSearches(int device) = 0;

  // A search for one thread. Fails with kUnavailable (the device) or kOutOfMemory (its memory is
  // full).
  virtual Result<std::unique_ptr<MacroblockSearch>> MakeSearch(const SearchKind& kind,
                                                               int device) = 0;
};

// The backend for Backend::kCuda and, where it is available, kAuto. Null, the default: there is
// none. It must outlive every Encode.
void SetCudaBackend(SearchBackend* backend);
SearchBackend* CudaBackend();

}  // namespace mmp

#endif  // MMP_CODEC_SEARCH_BACKEND_H_
