// Arbitrary dictionary files, and decoding of arbitrary data with those that are good. The first
// bytes choose the coding parameters and the tile's stream, the rest is the dictionary file.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/base/parameters.h"
#include "codec/bitstream/container.h"
#include "codec/dictionary/trained_patterns.h"
#include "common/crc32c.h"
#include "mmp/mmp.h"
#include "tests/fuzz/fuzz_input.h"

namespace mmp {
namespace {

FileHeader TakeHeader(FuzzInput& input) {
  FileHeader header;
  header.width = header.tile_width = 1 + input.Byte() % 40;
  header.height = header.tile_height = 1 + input.Byte() % 40;
  header.preset = static_cast<Preset>(input.Byte() % 3);
  CodecParameters& parameters = header.parameters;
  parameters = PresetParameters(header.preset);
  parameters.dictionary_size =
      std::clamp(static_cast<int>(input.Number(2)), kMinDictionarySize, 4096);
  parameters.tools |= kTrainedPatterns | kOwnDictionary;
  parameters.redundancy_threshold = DecodeThreshold(input.Byte());
  parameters.pattern_scale = input.Byte();
  return header;
}

// What decodes, does so a second time, and not with another dictionary file.
void DecodeWith(const std::vector<uint8_t>& dictionary, FileHeader header,
                std::span<const uint8_t> stream) {
  header.parameters.dictionary_hash = Crc32c(dictionary);
  const std::vector<uint8_t> file = WriteFileBytes(header, {{{stream.begin(), stream.end()}, 0}});
  DecodeOptions options;
  options.threads = 1;
  options.max_work = uint64_t{1} << 28;
  options.dictionary_file = dictionary;
  const auto decoded = Decode(file, options);
  const auto again = Decode(file, options);
  Promise(decoded.ok() == again.ok());
  if (!decoded.ok()) return;
  Promise(decoded->image == again->image);
  if (header.parameters.pattern_scale == 0) return;  // the dictionary file is not needed
  options.dictionary_file[4] ^= 1;
  Promise(Decode(file, options).status().code() == StatusCode::kUnsupported);
}

void Run(FuzzInput input) {
  const FileHeader header = TakeHeader(input);
  const std::span<const uint8_t> stream = input.Take(input.Byte());
  const std::span<const uint8_t> rest = input.Rest();
  const std::vector<uint8_t> dictionary(rest.begin(), rest.end());
  const auto patterns = ParseTrainedPatterns(dictionary);
  if (!patterns.ok()) return;
  Promise(WriteTrainedPatterns(*patterns) == dictionary);
  DecodeWith(dictionary, header, stream);
}

}  // namespace
}  // namespace mmp

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  mmp::Run({data, size});
  return 0;
}
