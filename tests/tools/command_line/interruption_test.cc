#include "tools/command_line/interruption.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <optional>
#include <utility>

namespace mmp {
namespace {

using testing::ExitedWithCode;
using testing::KilledBySignal;

class InterruptionTest : public testing::TestWithParam<int> {};

TEST_P(InterruptionTest, TheFirstSignalIsNotedTheSecondEndsTheProgram) {
  const auto raise_twice = [] {
    const Interruption interruption;
    if (interruption.came()) _exit(2);
    raise(GetParam());
    if (!interruption.came()) _exit(3);
    raise(GetParam());
    _exit(4);
  };
  EXPECT_EXIT(raise_twice(), KilledBySignal(GetParam()), "");
}

TEST_P(InterruptionTest, ItIsPassedOnOnceAllIsSaved) {
  const auto pass = [] {
    const Interruption interruption;
    interruption.Pass();  // nothing has come
    raise(GetParam());
    interruption.Pass();
    _exit(2);
  };
  EXPECT_EXIT(pass(), KilledBySignal(GetParam()), "");
}

TEST_P(InterruptionTest, AfterwardsSignalsDoWhatTheyDidBefore) {
  const auto raise_afterwards = [] {
    signal(GetParam(), [](int) { _exit(7); });
    std::optional<Interruption> interruption(std::in_place);
    interruption.reset();
    raise(GetParam());
    _exit(2);
  };
  EXPECT_EXIT(raise_afterwards(), ExitedWithCode(7), "");
}

TEST_P(InterruptionTest, OneThatIsIgnoredStaysIgnored) {
  const auto ignore = [] {
    signal(GetParam(), SIG_IGN);
    const Interruption interruption;
    raise(GetParam());
    interruption.Pass();
    _exit(interruption.came() ? 2 : 0);
  };
  EXPECT_EXIT(ignore(), ExitedWithCode(0), "");
}

INSTANTIATE_TEST_SUITE_P(Signals, InterruptionTest, testing::Values(SIGINT, SIGTERM, SIGHUP));

}  // namespace
}  // namespace mmp
