#include "codec/dictionary/trained_patterns.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>

#include "codec/bitstream/context_models.h"
#include "common/crc32c.h"

// The bytes of codec/dictionary/standard_patterns.mmd, see standard_patterns.S.
extern "C" const uint8_t mmp_standard_patterns[];
extern "C" const uint8_t mmp_standard_patterns_end[];

namespace mmp {
namespace {

constexpr uint8_t kDictionaryMagic[4] = {'M', 'M', 'D', 1};

Status DamagedFile() { return {StatusCode::kCorrupt, "the dictionary file is damaged"}; }

}  // namespace

Result<TrainedPatterns> ParseTrainedPatterns(std::span<const uint8_t> file) {
  if (file.size() < sizeof(kDictionaryMagic) ||
      !std::equal(kDictionaryMagic, kDictionaryMagic + sizeof(kDictionaryMagic), file.begin()))
    return Status(StatusCode::kUnsupported, "not a dictionary file of mmp");
  size_t at = sizeof(kDictionaryMagic);
  auto u16 = [&] {
    at += 2;
    return static_cast<uint16_t>(file[at - 2] | file[at - 1] << 8);
  };
  TrainedPatterns patterns;
  for (int l = 1; l < kLevelCount; ++l) {
    TrainedPatterns::Level& level = patterns.levels[l];
    if (file.size() - at < 4) return DamagedFile();
    level.zero_count = u16();
    const size_t count = u16();
    const size_t values = count * kLevelShapes[l].pixels();
    uint32_t sum = level.zero_count;
    if (file.size() - at < 2 * count + values) return DamagedFile();
    level.counts.reserve(count);
    for (size_t i = 0; i < count; ++i) sum += level.counts.emplace_back(u16());
    const auto* from = reinterpret_cast<const int8_t*>(file.data()) + at;
    level.values.assign(from, from + values);
    at += values;
    if (level.zero_count == 0 || sum > IndexEstimator::kLimit ||
        std::count(level.counts.begin(), level.counts.end(), 0) > 0)
      return DamagedFile();
  }
  if (at != file.size()) return DamagedFile();
  return patterns;
}

std::vector<uint8_t> WriteTrainedPatterns(const TrainedPatterns& patterns) {
  std::vector<uint8_t> file(kDictionaryMagic, kDictionaryMagic + sizeof(kDictionaryMagic));
  auto u16 = [&](size_t v) {
    file.push_back(static_cast<uint8_t>(v));
    file.push_back(static_cast<uint8_t>(v >> 8));
  };
  for (int l = 1; l < kLevelCount; ++l) {
    const TrainedPatterns::Level& level = patterns.levels[l];
    u16(level.zero_count);
    u16(level.counts.size());
    for (const uint16_t count : level.counts) u16(count);
    for (const int8_t value : level.values) file.push_back(static_cast<uint8_t>(value));
  }
  return file;
}

Result<std::shared_ptr<const TrainedPatterns>> FindPatterns(const CodecParameters& parameters,
                                                            std::span<const uint8_t> file) {
  using Shared = std::shared_ptr<const TrainedPatterns>;
  if (parameters.pattern_scale == 0) return Shared();
  if (!parameters.Uses(kOwnDictionary)) {
    static const Shared standard = std::make_shared<const TrainedPatterns>(
        *ParseTrainedPatterns({mmp_standard_patterns, mmp_standard_patterns_end}));
    return standard;
  }
  if (Crc32c(file) != parameters.dictionary_hash) {
    char hash[9];
    std::snprintf(hash, sizeof(hash), "%08x", parameters.dictionary_hash);
    return Status(StatusCode::kUnsupported,
                  "the image was encoded with the dictionary file of hash " + std::string(hash) +
                      (file.empty() ? ", which is needed to decode it"
                                    : ", which is not the one that was given"));
  }
  Result<TrainedPatterns> own = ParseTrainedPatterns(file);
  if (!own.ok()) return own.status();
  return Shared(std::make_shared<const TrainedPatterns>(*std::move(own)));
}

}  // namespace mmp
