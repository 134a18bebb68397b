// What the trainers of models have in common: they learn from coded files.
#ifndef MMP_TOOLS_TRAIN_MODELS_CODED_FILES_H_
#define MMP_TOOLS_TRAIN_MODELS_CODED_FILES_H_

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/base/levels.h"
#include "codec/bitstream/container.h"
#include "codec/decoder/decode_observed.h"
#include "common/file_io.h"
#include "mmp/mmp.h"

namespace mmp {

// Adds what an Observer(header, tile, samples), a TileObserver, finds in a file.
template <class Observer, class Samples>
Status AddFile(const std::string& name, Samples& samples) {
  constexpr uint64_t kMostBytes = uint64_t{1} << 30;
  const Result<std::vector<uint8_t>> file = ReadFile(name, kMostBytes);
  if (!file.ok()) return file.status();
  const Result<FileHeader> header = ParseFileHeader(*file);
  if (!header.ok()) return header.status();
  DecodeOptions options;
  options.threads = 1;
  std::vector<Observer> observers;
  for (const TileInfo& tile :
       TileGrid(header->width, header->height, header->tile_width, header->tile_height))
    observers.emplace_back(*header, tile, samples);
  return DecodeObserved(*file, options, [&](int tile) -> TileObserver& { return observers[tile]; })
      .status();
}

// A trainer as a program: PROGRAM OUT.inc FILE.mmp... [--test FILE.mmp...]. OUT.inc becomes the
// text that train(samples of the files, samples of those behind --test) returns. Returns an exit
// code.
template <class Observer, class Samples, class Train>
int TrainByFiles(std::span<char*> arguments, const Train& train) {
  if (arguments.size() < 3) {
    std::fprintf(stderr, "usage: %s OUT.inc FILE.mmp... [--test FILE.mmp...]\n", arguments[0]);
    return 2;
  }
  const auto fail = [](const char* name, const Status& status) {
    std::fprintf(stderr, "%s: %s\n", name, status.message().c_str());
    return 1;
  };
  Samples samples, tests;
  bool is_test = false;
  for (const char* name : arguments.subspan(2)) {
    if (std::string_view(name) == "--test") {
      is_test = true;
      continue;
    }
    const Status status = AddFile<Observer>(name, is_test ? tests : samples);
    if (!status.ok()) return fail(name, status);
  }
  const std::string text = train(samples, tests);
  const Status status =
      WriteFile(arguments[1], {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  return status.ok() ? 0 : fail(arguments[1], status);
}

}  // namespace mmp

#endif  // MMP_TOOLS_TRAIN_MODELS_CODED_FILES_H_
