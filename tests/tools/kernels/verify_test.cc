#include "tools/kernels/verify.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/kernels/bench.h"
#include "tools/kernels/output.h"

namespace mmp::kernels {
namespace {

enum class Fault { kNone, kWrongSum, kWritesBehind, kThrows };

// The sums of the numbers from 1 to k, for k from 1 to `size`.
class SumsCase : public Case {
 public:
  // `fault`: of the target in use.
  SumsCase(int size, std::shared_ptr<const Fault> fault)
      : size_(size), fault_(std::move(fault)), sums_(size) {}

  std::string Describe() const override { return std::to_string(size_) + " sums"; }
  double Work() const override { return size_; }
  void RunKernel() override {
    for (int k = 0; k < size_; ++k) sums_.data()[k] = (k + 1) * (k + 2) / 2;
    if (*fault_ == Fault::kWrongSum && size_ > 5) sums_.data()[5] = 20;
    if (*fault_ == Fault::kWritesBehind) sums_.data()[size_] = 0;
    if (*fault_ == Fault::kThrows) throw std::runtime_error("lost its way");
  }
  void RunTwin() override {
    int sum = 0;
    for (int k = 0; k < size_; ++k) sums_.data()[k] = sum += k + 1;
  }
  std::vector<int64_t> TakeOutput() override { return sums_.Take(); }

 private:
  const int size_;
  const std::shared_ptr<const Fault> fault_;
  Output<int32_t> sums_;
};

// On two targets, the second of which errs.
Kernel Sums(Fault fault) {
  const auto current = std::make_shared<Fault>(Fault::kNone);
  auto make = [=](Random&, int number) { return std::make_unique<SumsCase>(number, current); };
  return {.name = "Sums",
          .targets = {{"first", [=] { *current = Fault::kNone; }},
                      {"second", [=] { *current = fault; }}},
          .unit = "sums",
          .cases = 10,
          .make = make,
          .size_name = "size",
          .sizes = {100},
          .make_sized = make};
}

TEST(Verify, PassesWhatIsEqual) {
  std::ostringstream out;
  EXPECT_EQ(Verify({Sums(Fault::kNone)}, 1, out), 0);
  EXPECT_EQ(out.str(), "Sums: 10 cases, equal on first second\n");
}

TEST(Verify, PrintsTheFirstDifference) {
  std::ostringstream out;
  EXPECT_EQ(Verify({Sums(Fault::kWrongSum)}, 7, out), 1);
  EXPECT_EQ(out.str(),
            "Sums on second is not what its plain twin is:\n"
            "  seed 7, case 6: 6 sums\n"
            "  output 5: 20, expected 21\n"
            "  1 of 22 values differ\n"
            "  again by: mmp_kernels --verify --filter Sums --seed 7\n"
            "Sums: 10 cases, differs on second\n");
}

TEST(Verify, SeesWhatIsWrittenBehindTheOutput) {
  std::ostringstream out;
  EXPECT_EQ(Verify({Sums(Fault::kWritesBehind), Sums(Fault::kNone)}, 1, out), 1);
  EXPECT_NE(out.str().find("case 0: 0 sums\n  output 0: 0, expected"), std::string::npos)
      << out.str();
}

TEST(Verify, SaysWhichKernelFailed) {
  std::ostringstream out;
  try {
    Verify({Sums(Fault::kThrows)}, 1, out);
    FAIL() << "did not throw";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "Sums: lost its way");
  }
}

TEST(Verify, SkipsWhatHasNoTarget) {
  Kernel kernel = Sums(Fault::kWrongSum);
  kernel.targets.clear();
  kernel.skipped = "no abacus";
  std::ostringstream out;
  EXPECT_EQ(Verify({kernel}, 1, out), 0);
  EXPECT_EQ(out.str(), "Sums: skipped, no abacus\n");
}

TEST(Verify, SeedsAndCasesHaveRandomNumbersOfTheirOwn) {
  std::set<uint32_t> first;
  for (uint32_t seed = 0; seed < 20; ++seed)
    for (int number = 0; number < 500; ++number) first.insert(CaseRandom(seed, number).Bits());
  EXPECT_GT(first.size(), 9990u);  // a few may be equal by chance
}

TEST(Bench, PrintsALineATarget) {
  std::ostringstream out;
  Bench({Sums(Fault::kNone)}, 1, out);
  for (const char* target : {"plain twin", "first", "second"})
    EXPECT_NE(out.str().find(target), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("size 100"), std::string::npos) << out.str();
}

// The names are what --filter takes, and every kernel has inputs of both kinds.
TEST(KernelTable, IsWhole) {
  std::set<std::string> names;
  for (const Kernel& kernel : AllKernels()) {
    SCOPED_TRACE(kernel.name);
    EXPECT_TRUE(names.insert(kernel.name).second);
    EXPECT_EQ(kernel.name.find(' '), std::string::npos);
    EXPECT_GT(kernel.cases, 0);
    EXPECT_FALSE(kernel.sizes.empty());
    EXPECT_EQ(kernel.targets.empty(), !kernel.skipped.empty());
  }
}

// What the codec's sources export to be dispatched by SIMD target.
std::set<std::string> SimdFunctions() {
  constexpr std::string_view kExport = "HWY_EXPORT(";
  std::set<std::string> names;
  for (const char* folder : {"/codec", "/common"}) {
    for (const auto& file :
         std::filesystem::recursive_directory_iterator(std::string(MMP_SOURCE_FOLDER) + folder)) {
      if (file.path().extension() != ".cc") continue;
      std::ifstream in(file.path());
      for (std::string line; std::getline(in, line);)
        if (line.starts_with(kExport))
          names.insert(line.substr(kExport.size(), line.find(')') - kExport.size()));
    }
  }
  return names;
}

TEST(KernelTable, HasEverySimdKernel) {
  const std::set<std::string> functions = SimdFunctions();
  EXPECT_GE(functions.size(), 10u);
  std::set<std::string> missing = functions;
  const size_t targets = SimdTargetList().size();
  for (const Kernel& kernel : AllKernels()) {
    const std::string name = kernel.name.substr(0, kernel.name.find('/'));  // without its case
    missing.erase(name);
    if (!functions.contains(name)) continue;
    EXPECT_EQ(kernel.targets.size(), targets) << kernel.name;
  }
  for (const std::string& name : missing) ADD_FAILURE() << name << " is not in the table";
}

}  // namespace
}  // namespace mmp::kernels
