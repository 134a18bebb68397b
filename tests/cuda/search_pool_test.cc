#include "cuda/backend/search_pool.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "codec/search/cpu_search.h"
#include "codec/tile/tile_state.h"
#include "tests/support/reference_search.h"

namespace mmp::cuda {
namespace {

int alive = 0;

// Fails if told to; its number is what it has counted.
class FakeSearch : public MacroblockSearch {
 public:
  explicit FakeSearch(int number, bool fails = false) : number_(number), fails_(fails) { ++alive; }
  ~FakeSearch() override { --alive; }

  Status Search(const TileState&, Lambda, std::span<SearchedMacroblock>, TaskPool&,
                const std::function<void()>&) override {
    return fails_ ? Status(StatusCode::kUnavailable, "broken") : Status();
  }
  SearchStats Stats() const override {
    SearchStats stats;
    stats.nodes_searched = number_;
    return stats;
  }

 private:
  const int number_;
  const bool fails_;
};

int Number(const MacroblockSearch& search) {
  return static_cast<int>(search.Stats().nodes_searched);
}

Status Use(MacroblockSearch& search) {
  MacroblockSymbols symbols;
  return SearchOne(search, TileState({}, 16, 16), Lambda{}, {}, 0, 0, symbols);
}

class SearchPoolTest : public testing::Test {
 protected:
  SearchPoolTest() { alive = 0; }

  SearchPool<int> pool_{2};
};

TEST_F(SearchPoolTest, GivesBackWhatWasReturned) {
  EXPECT_EQ(pool_.Take(1), nullptr);
  auto search = pool_.Lend(1, std::make_unique<FakeSearch>(10));
  EXPECT_EQ(pool_.Take(1), nullptr);  // it is in use
  EXPECT_TRUE(Use(*search).ok());
  for (int round = 0; round < 3; ++round) {
    search.reset();
    EXPECT_EQ(alive, 1);
    EXPECT_EQ(pool_.Take(2), nullptr);  // of another kind
    search = pool_.Take(1);
    ASSERT_NE(search, nullptr);
    EXPECT_EQ(Number(*search), 10);
    EXPECT_EQ(pool_.idle(), 0u);
  }
}

TEST_F(SearchPoolTest, KeepsTheLatest) {
  for (int key = 0; key < 5; ++key) pool_.Lend(key, std::make_unique<FakeSearch>(key));
  EXPECT_EQ(pool_.idle(), 2u);
  EXPECT_EQ(alive, 2);
  EXPECT_EQ(pool_.Take(2), nullptr);
  EXPECT_NE(pool_.Take(3), nullptr);
  EXPECT_NE(pool_.Take(4), nullptr);
}

TEST_F(SearchPoolTest, AFailureFreesAll) {
  auto broken = pool_.Lend(1, std::make_unique<FakeSearch>(1, true));
  pool_.Lend(1, std::make_unique<FakeSearch>(2));
  EXPECT_EQ(pool_.idle(), 1u);
  EXPECT_FALSE(Use(*broken).ok());
  broken.reset();
  EXPECT_EQ(pool_.idle(), 0u);
  EXPECT_EQ(alive, 0);
}

TEST_F(SearchPoolTest, DistrustFreesAll) {
  auto wrong = pool_.Lend(1, std::make_unique<FakeSearch>(1));
  pool_.Lend(1, std::make_unique<FakeSearch>(2));
  EXPECT_TRUE(Use(*wrong).ok());
  wrong->Distrust();
  wrong.reset();
  EXPECT_EQ(pool_.idle(), 0u);
  EXPECT_EQ(alive, 0);
}

TEST_F(SearchPoolTest, Trim) {
  auto in_use = pool_.Lend(1, std::make_unique<FakeSearch>(1));
  pool_.Lend(1, std::make_unique<FakeSearch>(2));
  pool_.Trim();
  EXPECT_EQ(alive, 1);
  in_use.reset();
  EXPECT_EQ(pool_.idle(), 1u);
}

TEST(SearchPool, SeveralThreads) {
  SearchPool<int> pool(3);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&pool, t] {
      for (int round = 0; round < 200; ++round) {
        auto search = pool.Take(round % 2);
        if (search == nullptr) search = pool.Lend(round % 2, MakeCpuSearch({}, false));
        if (round % 50 == t) pool.Trim();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(pool.idle(), 3u);
}

}  // namespace
}  // namespace mmp::cuda
