#include "codec/dictionary/dictionary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <vector>

#include "codec/dictionary/rescale.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

using Values = std::vector<int16_t>;

Values CopyOf(const Dictionary& dictionary, int level, int index) {
  Values values(kLevelShapes[level].pixels());
  dictionary.Copy(level, index, values.data());
  return values;
}

int64_t SquaredDistance(const Values& a, const Values& b) {
  int64_t sum = 0;
  for (size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

// The dictionary as its contract has it.
class PlainDictionary {
 public:
  explicit PlainDictionary(int capacity) : capacity_(capacity) {
    for (int level = 0; level < kLevelCount; ++level)
      for (int i = 0; i < (level == 0 ? kPixelPatterns : kInitialPatterns); ++i)
        levels_[level].push_back(Values(
            kLevelShapes[level].pixels(),
            static_cast<int16_t>(level == 0 ? PixelPatternValue(i) : InitialPatternValue(i))));
  }

  void Insert(const PatternList& patterns, uint32_t threshold) {
    for (int level = 1; level < kLevelCount; ++level)
      for (int i = 0; i < patterns.size(); ++i) InsertOne(patterns, i, level, threshold);
  }

  const std::vector<Values>& level(int level) const { return levels_[level]; }

 private:
  void InsertOne(const PatternList& patterns, int i, int level, uint32_t threshold) {
    if (static_cast<int>(levels_[level].size()) >= capacity_) return;
    Values candidate(kLevelShapes[level].pixels());
    RescalePattern(patterns.values(i), patterns.level(i), level, candidate.data());
    for (const Values& old : levels_[level])
      if (SquaredDistance(candidate, old) <= threshold) return;
    levels_[level].push_back(candidate);
  }

  int capacity_;
  std::array<std::vector<Values>, kLevelCount> levels_;
};

void CheckEqual(const Dictionary& dictionary, const PlainDictionary& plain) {
  for (int level = 0; level < kLevelCount; ++level) {
    SCOPED_TRACE(testing::Message() << "level " << level);
    const std::vector<Values>& patterns = plain.level(level);
    const int size = static_cast<int>(patterns.size());
    ASSERT_EQ(dictionary.size(level), size);
    const std::span<const int32_t> norms = dictionary.Norms(level);
    ASSERT_EQ(norms.size() % kPatternGroup, 0u);
    ASSERT_EQ(norms.size() / kPatternGroup, static_cast<size_t>((size + 31) / 32));
    for (int i = 0; i < size; ++i) {
      ASSERT_EQ(CopyOf(dictionary, level, i), patterns[i]) << "pattern " << i;
      ASSERT_EQ(norms[i],
                kDistortionScale * SquaredDistance(patterns[i], Values(patterns[i].size())));
    }
    for (size_t i = size; i < norms.size(); ++i) ASSERT_EQ(norms[i], kNoMatch);
  }
}

// Patterns such as a macroblock leaves: many levels, some similar, some equal.
PatternList RandomPatterns(Random& random, int count, int spread) {
  PatternList list;
  int16_t values[kMacroblockPixels] = {};
  for (int i = 0; i < count; ++i) {
    const int level = random.Between(1, kLevelCount - 1);
    const int mean = random.Between(-80, 80);
    const bool repeat = random.OneIn(5);
    for (int k = 0; k < kLevelShapes[level].pixels() && !repeat; ++k)
      values[k] = static_cast<int16_t>(mean + random.Between(-spread, spread));
    list.Add(level, values);
  }
  return list;
}

TEST(DictionaryTest, InitialValues) {
  for (const int capacity : {69, 70, 1024}) {
    const Dictionary dictionary(capacity);
    CheckEqual(dictionary, PlainDictionary(capacity));
    EXPECT_EQ(dictionary.size(0), 511);
    for (int level = 1; level < kLevelCount; ++level) EXPECT_EQ(dictionary.size(level), 69);
  }
}

TEST(DictionaryTest, PixelPatterns) {
  std::set<int> values;
  for (int i = 0; i < kPixelPatterns; ++i) {
    values.insert(PixelPatternValue(i));
    EXPECT_EQ(PixelPatternIndex(PixelPatternValue(i)), i);
  }
  EXPECT_EQ(values.size(), 511u);
  EXPECT_EQ(*values.begin(), -255);
  EXPECT_EQ(*values.rbegin(), 255);
  EXPECT_EQ(PixelPatternValue(0), 0);
  EXPECT_EQ(PixelPatternValue(1), 1);
  EXPECT_EQ(PixelPatternValue(2), -1);
  EXPECT_EQ(PixelPatternValue(509), 255);
}

TEST(DictionaryTest, InitialPatterns) {
  EXPECT_EQ(InitialPatternValue(0), 0);
  for (int i = 1; i < kInitialPatterns; i += 2) {
    EXPECT_EQ(InitialPatternValue(i), -InitialPatternValue(i + 1));
    EXPECT_GT(InitialPatternValue(i), i == 1 ? 0 : InitialPatternValue(i - 2));
  }
  EXPECT_EQ(InitialPatternValue(kInitialPatterns - 2), 255);
}

TEST(DictionaryTest, PackedLayout) {
  Random random(1);
  Dictionary dictionary(200);
  while (dictionary.size(7) < 100) dictionary.Insert(RandomPatterns(random, 10, 60), 0);
  for (const int level : {0, 1, 2, 7, 24}) {
    const PackedPatterns packed = dictionary.Packed(level);
    const int pixels = kLevelShapes[level].pixels();
    EXPECT_EQ(packed.pairs, (pixels + 1) / 2);
    EXPECT_EQ(packed.groups, (dictionary.size(level) + 31) / 32);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(packed.data) % 64, 0u);
    for (int i = 0; i < 32 * packed.groups; ++i) {
      const Values values =
          i < dictionary.size(level) ? CopyOf(dictionary, level, i) : Values(pixels);
      for (int k = 0; k < 2 * packed.pairs; ++k) {
        const int expected = k < pixels ? -2 * kDistortionScale * values[k] : 0;
        ASSERT_EQ(packed.Group(i / 32)[(k / 2 * 32 + i % 32) * 2 + k % 2], expected)
            << "level " << level << ", pattern " << i << ", pixel " << k;
      }
    }
  }
}

class DictionaryCapacityTest : public testing::TestWithParam<int> {};

TEST_P(DictionaryCapacityTest, EqualsThePlainDictionary) {
  const int capacity = GetParam();
  for (const uint32_t threshold : {0u, 10u, 300u, std::numeric_limits<uint32_t>::max()}) {
    SCOPED_TRACE(testing::Message() << "threshold " << threshold);
    Random random(capacity);
    Dictionary dictionary(capacity);
    PlainDictionary plain(capacity);
    for (const int count : {0, 1, 2, 7, 30, 60}) {
      const PatternList list = RandomPatterns(random, count, count % 2 == 0 ? 3 : 50);
      const uint64_t most_work = dictionary.MostInsertionWork(count);
      const uint64_t work = dictionary.Insert(list, threshold);
      EXPECT_LE(work, most_work);
      // That of the first pattern does not depend on whether it enters.
      EXPECT_TRUE(count > 1 || work == most_work);
      plain.Insert(list, threshold);
      ASSERT_NO_FATAL_FAILURE(CheckEqual(dictionary, plain)) << "after " << count;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Capacities, DictionaryCapacityTest,
                         testing::Values(69, 70, 95, 96, 97, 127, 128, 129, 1024));

// Through the sizes where groups of patterns fill up, one pattern at a time.
TEST(DictionaryTest, GrowsOneByOne) {
  Random random(2);
  Dictionary dictionary(300);
  PlainDictionary plain(300);
  for (int round = 0; dictionary.size(15) < 260; ++round) {
    PatternList list;
    int16_t values[kMacroblockPixels];
    for (int16_t& v : values) v = static_cast<int16_t>(random.Between(-255, 255));
    list.Add(15, values);
    dictionary.Insert(list, 0);
    plain.Insert(list, 0);
    const int size = dictionary.size(15) % 64;
    if (size == 63 || size <= 1) {
      ASSERT_NO_FATAL_FAILURE(CheckEqual(dictionary, plain));
    }
    ASSERT_LT(round, 1000);
  }
}

TEST(DictionaryTest, ThresholdIsInclusive) {
  Dictionary dictionary(1024);
  int16_t values[256] = {};
  PatternList list;
  values[5] = 3;  // at an SSE of 9 from the zero pattern
  list.Add(8, values);
  dictionary.Insert(list, 9);
  EXPECT_EQ(dictionary.size(8), 69);
  dictionary.Insert(list, 8);
  EXPECT_EQ(dictionary.size(8), 70);
  EXPECT_EQ(CopyOf(dictionary, 8, 69), Values(values, values + 16));
  dictionary.Insert(list, 0);  // equal to that one
  EXPECT_EQ(dictionary.size(8), 70);
}

TEST(DictionaryTest, CandidatesAreComparedWithEachOther) {
  Dictionary dictionary(1024);
  int16_t values[256] = {};
  PatternList list;
  for (const int v : {40, 41, 47, 40}) {  // the second and the last are too near to the first
    values[0] = static_cast<int16_t>(v);
    list.Add(8, values);
  }
  dictionary.Insert(list, 20);
  ASSERT_EQ(dictionary.size(8), 71);
  EXPECT_EQ(CopyOf(dictionary, 8, 69)[0], 40);
  EXPECT_EQ(CopyOf(dictionary, 8, 70)[0], 47);
}

TEST(DictionaryTest, EntersInTheOrderOfCoding) {
  Dictionary dictionary(1024);
  PatternList list;
  std::vector<Values> expected;
  Random random(3);
  for (int i = 0; i < 40; ++i) {
    Values values(256);
    for (int16_t& v : values) v = static_cast<int16_t>(random.Between(-255, 255));
    list.Add(kMacroblockLevel, values.data());
    expected.push_back(values);
  }
  dictionary.Insert(list, 100);
  ASSERT_EQ(dictionary.size(kMacroblockLevel), 69 + 40);
  for (int i = 0; i < 40; ++i)
    EXPECT_EQ(CopyOf(dictionary, kMacroblockLevel, 69 + i), expected[i]) << i;
}

// Where the work is too much, after a few more patterns.
TEST(DictionaryTest, EndsWhereItIsTold) {
  Random random(1);
  PatternList patterns;
  for (int i = 0; i < 400; ++i) {
    Values values(kMacroblockPixels);
    for (int16_t& value : values) value = static_cast<int16_t>(random.Below(511) - 255);
    patterns.Add(kMacroblockLevel, values.data());
  }
  Dictionary whole(65536);
  const uint64_t whole_work = whole.Insert(patterns, 0);
  Dictionary asked(65536), ended(65536);
  uint64_t seen = 0;
  EXPECT_EQ(asked.Insert(patterns, 0, TaskPool::Alone(),
                         [&](uint64_t work) {
                           EXPECT_GT(work, seen);
                           seen = work;
                           return true;
                         }),
            whole_work);
  EXPECT_LT(seen, whole_work);
  EXPECT_GT(seen, whole_work / 2);
  const uint64_t most = whole_work / 4;
  const uint64_t work =
      ended.Insert(patterns, 0, TaskPool::Alone(), [&](uint64_t so_far) { return so_far <= most; });
  EXPECT_GT(work, most);
  EXPECT_LT(work, whole_work / 2);
  EXPECT_LT(ended.size(kMacroblockLevel), whole.size(kMacroblockLevel));
  // However many threads there are.
  TaskPool many(16);
  Dictionary ended_by_many(65536);
  EXPECT_LT(ended_by_many.Insert(patterns, 0, many, [](uint64_t) { return false; }), whole_work);
}

TEST(PatternListTest, KeepsWhatWasAdded) {
  PatternList list;
  EXPECT_EQ(list.size(), 0);
  const Values a = {1, 2}, b = {3, 4, 5, 6};
  list.Add(1, a.data());
  list.Add(3, b.data());
  ASSERT_EQ(list.size(), 2);
  EXPECT_EQ(list.level(0), 1);
  EXPECT_EQ(list.level(1), 3);
  EXPECT_EQ(Values(list.values(0), list.values(0) + 2), a);
  EXPECT_EQ(Values(list.values(1), list.values(1) + 4), b);
  list.Clear();
  EXPECT_EQ(list.size(), 0);
}

// Patterns of a level, that of zeros first, and blocks to compare with them: noise, the largest
// values that there are, constants, and copies of patterns that differ a little.
Values RandomPattern(Random& random, const std::vector<Values>& others, int pixels) {
  Values values(pixels);
  const int kind = random.Below(4), constant = random.Between(-255, 255);
  const Values& other = others[random.Below(static_cast<int>(others.size()))];
  for (int k = 0; k < pixels; ++k)
    values[k] =
        static_cast<int16_t>(kind == 0   ? random.Between(-255, 255)
                             : kind == 1 ? (random.OneIn(2) ? 255 : -255)
                             : kind == 2 ? constant
                                         : std::clamp(other[k] + random.Between(-2, 2), -255, 255));
  return values;
}

// What a level's patterns and their layout for matching hold, and that they can grow on.
void ExpectSame(const PatternTable& a, const PatternTable& b, int pixels) {
  ASSERT_EQ(a.size(), b.size());
  for (int i = 0; i < a.size(); ++i)
    ASSERT_TRUE(std::equal(a.Values(i), a.Values(i) + pixels, b.Values(i)));
  const PackedPatterns packed[] = {a.Packed(), b.Packed()};
  ASSERT_EQ(packed[0].groups, packed[1].groups);
  ASSERT_TRUE(std::equal(packed[0].data, packed[0].Group(packed[0].groups), packed[1].data));
  ASSERT_TRUE(std::ranges::equal(a.Norms(), b.Norms()));
}

// Copies of a shared dictionary grow without each other, and begin again where they began.
TEST(DictionaryTest, SharedByCopies) {
  constexpr int kCapacity = 150;
  Dictionary start(kCapacity);
  start.Share();
  Random random(3);
  Dictionary first(start), second(start);
  for (int round = 0; round < 4; ++round) {
    PlainDictionary plain_first(kCapacity), plain_second(kCapacity);
    for (int i = 0; i < 3; ++i) {
      const PatternList a = RandomPatterns(random, 20, 60), b = RandomPatterns(random, 5, 30);
      first.Insert(a, 10);
      plain_first.Insert(a, 10);
      second.Insert(b, 0);
      plain_second.Insert(b, 0);
    }
    CheckEqual(first, plain_first);
    CheckEqual(second, plain_second);
    CheckEqual(start, PlainDictionary(kCapacity));
    first.Restart(start);
    second.Restart(start);
    CheckEqual(first, PlainDictionary(kCapacity));
    CheckEqual(second, PlainDictionary(kCapacity));
  }
  Dictionary other(100);
  other.Share();
  first.Insert(RandomPatterns(random, 20, 60), 10);
  first.Restart(other);
  CheckEqual(first, PlainDictionary(100));
}

TEST(PatternTableTest, TruncatedIsAsIfItHadNotGrown) {
  for (const int level : {1, 3, 8, 24}) {
    const int pixels = kLevelShapes[level].pixels();
    for (const int size : {1, 31, 32, 33, 64, 69}) {
      for (const int grown : {0, 1, 31, 32, 33, 100}) {
        SCOPED_TRACE(testing::Message() << level << " " << size << " " << grown);
        Random random(size);
        std::vector<Values> patterns = {Values(pixels)};
        PatternTable table(kLevelShapes[level]), expected(kLevelShapes[level]);
        const auto append = [&](PatternTable& to) {
          patterns.push_back(RandomPattern(random, patterns, pixels));
          to.Append(patterns.back().data());
        };
        for (int i = 0; i < size; ++i) append(table);
        for (int i = 1; i <= size; ++i) expected.Append(patterns[i].data());
        for (int i = 0; i < grown; ++i) append(table);
        table.Truncate(size);
        ASSERT_NO_FATAL_FAILURE(ExpectSame(table, expected, pixels));
        for (int i = 0; i < 40; ++i) {
          append(table);
          expected.Append(patterns.back().data());
          ASSERT_NO_FATAL_FAILURE(ExpectSame(table, expected, pixels));
          const SketchedBlock block = table.Describe(patterns[1 + i % size].data());
          ASSERT_EQ(table.HasNear(block, 3), expected.HasNear(block, 3));
        }
      }
    }
  }
}

// A table that begins with another's patterns is as one that has them all itself, also through
// several such tables, and when what is packed for matching is asked for now and then only.
TEST(PatternTableTest, BeginsWithThePatternsOfAnother) {
  for (const int level : {1, 3, 8, 24}) {
    const int pixels = kLevelShapes[level].pixels();
    for (const int size : {1, 31, 32, 33, 64, 69}) {
      SCOPED_TRACE(testing::Message() << level << " " << size);
      Random random(size);
      std::vector<Values> patterns = {Values(pixels)};
      PatternTable plain(kLevelShapes[level]);
      auto table = std::make_shared<PatternTable>(kLevelShapes[level]);
      const auto append = [&] {
        patterns.push_back(RandomPattern(random, patterns, pixels));
        table->Append(patterns.back().data());
        plain.Append(patterns.back().data());
      };
      for (int i = 0; i < size; ++i) append();
      for (const int grown : {0, 1, 40, 70}) {
        if (grown == 40) {
          ASSERT_NO_FATAL_FAILURE(ExpectSame(*table, plain, pixels));
        }
        const auto start = table;
        table = std::make_shared<PatternTable>(start);
        for (int i = 0; i < grown; ++i) append();
        table->Truncate(start->size());
        ASSERT_EQ(table->size(), start->size());
        for (int i = start->size(); i < plain.size(); ++i) table->Append(plain.Values(i));
        for (int i = 0; i < 50; ++i) {
          const Values block = RandomPattern(random, patterns, pixels);
          const SketchedBlock sketched = plain.Describe(block.data());
          for (const int threshold : {0, 3, 5000})
            ASSERT_EQ(table->HasNear(sketched, threshold), plain.HasNear(sketched, threshold));
        }
      }
      ASSERT_NO_FATAL_FAILURE(ExpectSame(*table, plain, pixels));
    }
  }
}

TEST(PatternTableTest, AppendsSeveralAtOnce) {
  for (const int level : {0, 1, 8, 24}) {
    const int pixels = kLevelShapes[level].pixels();
    Random random(level);
    PatternTable one_by_one(kLevelShapes[level]), together(kLevelShapes[level]);
    for (const int count : {0, 1, 31, 2, 69}) {
      Values values(static_cast<size_t>(count) * pixels);
      for (int16_t& v : values) v = static_cast<int16_t>(random.Between(-255, 255));
      for (int i = 0; i < count; ++i) one_by_one.Append(values.data() + i * pixels);
      together.Append(count, [&](int16_t* to) { std::ranges::copy(values, to); });
      ASSERT_NO_FATAL_FAILURE(ExpectSame(together, one_by_one, pixels)) << "level " << level;
    }
  }
}

// Those who match, of whom there may be several at a time, pack what they find.
TEST(PatternTableTest, PackedByAnyThread) {
  constexpr int kLevel = 8;
  Random random(1);
  PatternTable table(kLevelShapes[kLevel]), expected(kLevelShapes[kLevel]);
  std::vector<Values> patterns = {Values(kLevelShapes[kLevel].pixels())};
  TaskPool pool(4);
  for (int round = 0; round < 50; ++round) {
    patterns.push_back(RandomPattern(random, patterns, kLevelShapes[kLevel].pixels()));
    table.Append(patterns.back().data());
    expected.Append(patterns.back().data());
    std::array<const int16_t*, 8> data;
    pool.ForEach(8, [&](int i, int /*member*/) { data[i] = table.Packed().data; });
    for (const int16_t* d : data) ASSERT_EQ(d, data[0]);
    ASSERT_NO_FATAL_FAILURE(ExpectSame(table, expected, kLevelShapes[kLevel].pixels()));
  }
}

TEST(PatternTableTest, HasNearComparesWithEveryPattern) {
  ForEachSimdTarget([] {
    for (int level = 1; level < kLevelCount; ++level) {
      SCOPED_TRACE(testing::Message() << "level " << level);
      const int pixels = kLevelShapes[level].pixels();
      Random random(level);
      PatternTable table(kLevelShapes[level]);
      std::vector<Values> patterns = {Values(pixels)};
      table.Append(patterns[0].data());
      for (const int count : {1, 2, 31, 32, 33, 70}) {
        while (static_cast<int>(patterns.size()) < count) {
          patterns.push_back(RandomPattern(random, patterns, pixels));
          table.Append(patterns.back().data());
        }
        for (int i = 0; i < 20; ++i) {
          const Values block = RandomPattern(random, patterns, pixels);
          int64_t nearest = std::numeric_limits<int64_t>::max();
          for (const Values& pattern : patterns)
            nearest = std::min(nearest, SquaredDistance(block, pattern));
          const SketchedBlock sketched = table.Describe(block.data());
          ASSERT_TRUE(table.HasNear(sketched, nearest)) << nearest;
          ASSERT_TRUE(table.HasNear(sketched, nearest + 1)) << nearest;
          ASSERT_TRUE(table.HasNear(sketched, std::numeric_limits<uint32_t>::max()));
          if (nearest == 0) continue;
          ASSERT_FALSE(table.HasNear(sketched, nearest - 1)) << nearest;
          PatternTable copy = table;
          copy.Append(sketched);
          Values appended(pixels);
          std::copy_n(copy.Values(count), appended.size(), appended.data());
          ASSERT_EQ(appended, block);
        }
      }
    }
  });
}

}  // namespace
}  // namespace mmp
