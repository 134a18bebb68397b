#include "tools/kernels/bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>

#include "tools/kernels/verify.h"

namespace mmp::kernels {
namespace {

using Clock = std::chrono::steady_clock;

double Seconds(const std::function<void()>& run, int64_t times) {
  const auto start = Clock::now();
  for (int64_t k = 0; k < times; ++k) run();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Seconds that a run takes: the least of several measurements, of fewer where one takes long.
double TimeOf(const std::function<void()>& run) {
  constexpr double kEnough = 0.01, kLong = 0.5;  // seconds
  constexpr int kMeasurements = 5;
  run();  // for the caches
  int64_t times = 1;
  double measured = Seconds(run, times);
  while (measured < kEnough) {
    times *= 2;
    measured = Seconds(run, times);
  }
  double least = measured, sum = measured;
  for (int k = 1; k < kMeasurements && sum < kLong; ++k) {
    measured = Seconds(run, times);
    sum += measured;
    least = std::min(least, measured);
  }
  return least / static_cast<double>(times);
}

class Table {
 public:
  explicit Table(std::ostream& out) : out_(out) {
    Print("kernel", "input", "target", "ns a call", "million a second", "times twin");
  }

  void Add(const Kernel& kernel, const std::string& input, const std::string& target, double work,
           double seconds, double twin_seconds) {
    Print(kernel.name, input, target, Number(seconds * 1e9, 1),
          Number(work / seconds / 1e6, 1) + " " + kernel.unit, Number(twin_seconds / seconds, 2));
  }

 private:
  static std::string Number(double value, int digits) {
    char text[64];
    std::snprintf(text, sizeof(text), "%.*f", digits, value);
    return text;
  }

  void Print(const std::string& kernel, const std::string& input, const std::string& target,
             const std::string& time, const std::string& rate, const std::string& gain) {
    char line[256];
    std::snprintf(line, sizeof(line), "%-26s %-16s %-10s %13s %12s  %s", kernel.c_str(),
                  input.c_str(), target.c_str(), time.c_str(), gain.c_str(), rate.c_str());
    out_ << line << std::endl;
  }

  std::ostream& out_;
};

}  // namespace

void Bench(const std::vector<Kernel>& kernels, uint32_t seed, std::ostream& out) {
  Table table(out);
  for (const Kernel& kernel : kernels) {
    for (const int size : kernel.sizes) {
      if (kernel.targets.empty()) continue;
      Random random = CaseRandom(seed, size);
      const std::unique_ptr<Case> input = kernel.make_sized(random, size);
      const std::string name = kernel.size_name + " " + std::to_string(size);
      const double twin_seconds = TimeOf([&] { input->RunTwin(); });
      table.Add(kernel, name, "plain twin", input->Work(), twin_seconds, twin_seconds);
      for (const Target& target : kernel.targets) {
        target.use();
        const double seconds = TimeOf([&] { input->RunKernel(); });
        table.Add(kernel, name, target.name, input->Work(), seconds, twin_seconds);
      }
    }
    if (kernel.targets.empty()) out << kernel.name << ": skipped, " << kernel.skipped << std::endl;
  }
}

}  // namespace mmp::kernels
