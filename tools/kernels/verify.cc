#include "tools/kernels/verify.h"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>

namespace mmp::kernels {
namespace {

// An output by a target, which is not `expected`, in words.
std::string Difference(const Case& input, const std::vector<int64_t>& found,
                       const std::vector<int64_t>& expected) {
  if (found.size() != expected.size())
    return std::to_string(found.size()) + " values, expected " + std::to_string(expected.size());
  size_t first = found.size(), count = 0;
  for (size_t k = 0; k < found.size(); ++k) {
    if (found[k] == expected[k]) continue;
    first = std::min(first, k);
    ++count;
  }
  return input.Place(first) + ": " + std::to_string(found[first]) + ", expected " +
         std::to_string(expected[first]) + "\n  " + std::to_string(count) + " of " +
         std::to_string(found.size()) + " values differ";
}

// A kernel on the targets that have not been found to differ yet.
class KernelCheck {
 public:
  KernelCheck(const Kernel& kernel, uint32_t seed, std::ostream& out)
      : kernel_(kernel), seed_(seed), out_(out), differs_(kernel.targets.size(), false) {}

  int Run() {
    for (int number = 0; number < kernel_.cases; ++number) Compare(number);
    const int failures = static_cast<int>(std::count(differs_.begin(), differs_.end(), true));
    out_ << kernel_.name << ": " << kernel_.cases << " cases,"
         << (failures == 0 ? " equal on" : " differs on");
    for (size_t t = 0; t < differs_.size(); ++t)
      if (failures == 0 || differs_[t]) out_ << ' ' << kernel_.targets[t].name;
    out_ << std::endl;
    return failures;
  }

 private:
  void Compare(int number) {
    Random random = CaseRandom(seed_, number);
    const std::unique_ptr<Case> input = kernel_.make(random, number);
    input->RunTwin();
    const std::vector<int64_t> expected = input->TakeOutput();
    for (size_t t = 0; t < kernel_.targets.size(); ++t) {
      if (differs_[t]) continue;
      kernel_.targets[t].use();
      input->RunKernel();
      const std::vector<int64_t> found = input->TakeOutput();
      if (found == expected) continue;
      differs_[t] = true;
      out_ << kernel_.name << " on " << kernel_.targets[t].name
           << " is not what its plain twin is:\n  seed " << seed_ << ", case " << number << ": "
           << input->Describe() << "\n  " << Difference(*input, found, expected)
           << "\n  again by: mmp_kernels --verify --filter " << kernel_.name << " --seed " << seed_
           << std::endl;
    }
  }

  const Kernel& kernel_;
  const uint32_t seed_;
  std::ostream& out_;
  std::vector<bool> differs_;
};

// What fails says in which kernel.
int CheckKernel(const Kernel& kernel, uint32_t seed, std::ostream& out) {
  try {
    return KernelCheck(kernel, seed, out).Run();
  } catch (const std::exception& error) {
    throw std::runtime_error(kernel.name + ": " + error.what());
  }
}

}  // namespace

Random CaseRandom(uint32_t seed, int number) {
  constexpr uint32_t kPrime = 2654435761;  // neighbouring seeds have no cases in common
  return Random(seed * kPrime + static_cast<uint32_t>(number));
}

int Verify(const std::vector<Kernel>& kernels, uint32_t seed, std::ostream& out) {
  int failures = 0;
  for (const Kernel& kernel : kernels) {
    if (kernel.targets.empty())
      out << kernel.name << ": skipped, " << kernel.skipped << std::endl;
    else
      failures += CheckKernel(kernel, seed, out);
  }
  return failures;
}

}  // namespace mmp::kernels
