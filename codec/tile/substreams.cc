#include "codec/tile/substreams.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "codec/bitstream/byte_io.h"

namespace mmp {

int SubstreamCount(const CodecParameters& parameters, int width, int height) {
  if (!parameters.LearnsByFronts()) return 1;
  constexpr int kMacroblocks = 16;  // in the largest front, for each
  int count = 1;
  while (count < kMostSubstreams &&
         LargestFront(parameters.order, width, height) >= 2 * count * kMacroblocks)
    count *= 2;
  return count;
}

std::vector<uint8_t> JoinSubstreams(std::vector<std::vector<uint8_t>> substreams) {
  if (substreams.size() == 1) return std::move(substreams.front());
  std::vector<uint8_t> stream;
  ByteWriter writer(stream);
  for (size_t k = 0; k + 1 < substreams.size(); ++k)
    writer.U32(static_cast<uint32_t>(substreams[k].size()));
  for (const std::vector<uint8_t>& substream : substreams)
    stream.insert(stream.end(), substream.begin(), substream.end());
  return stream;
}

std::optional<std::vector<std::span<const uint8_t>>> SplitSubstreams(
    std::span<const uint8_t> stream, int count) {
  ByteReader reader(stream);
  std::vector<size_t> sizes;
  for (int k = 0; k + 1 < count; ++k) sizes.push_back(reader.U32());
  if (reader.overrun()) return std::nullopt;
  std::span<const uint8_t> rest = stream.subspan(sizes.size() * sizeof(uint32_t));
  std::vector<std::span<const uint8_t>> substreams;
  for (const size_t size : sizes) {
    if (size > rest.size()) return std::nullopt;
    substreams.push_back(rest.first(size));
    rest = rest.subspan(size);
  }
  substreams.push_back(rest);
  return substreams;
}

}  // namespace mmp
