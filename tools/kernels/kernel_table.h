// The table that all kernels are in: functions that exist because they are fast, each beside a
// plain twin, the simplest code that does the same, and what makes inputs for both.
#ifndef MMP_TOOLS_KERNELS_KERNEL_TABLE_H_
#define MMP_TOOLS_KERNELS_KERNEL_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/pictures.h"

namespace mmp::kernels {

// One input, with room for what the kernel or its twin makes of it.
class Case {
 public:
  virtual ~Case() = default;

  // The input in words.
  virtual std::string Describe() const = 0;
  // How many of the kernel's units of work it is.
  virtual double Work() const = 0;
  virtual void RunKernel() = 0;
  virtual void RunTwin() = 0;
  // All that the last run has made, as integers; the room for it is as before that run.
  virtual std::vector<int64_t> TakeOutput() = 0;
  // What element `index` of the output is, in words.
  virtual std::string Place(size_t index) const { return "output " + std::to_string(index); }
};

// What a kernel runs on.
struct Target {
  std::string name;
  // Calls of the kernel run on this target from now on.
  std::function<void()> use;
};

struct Kernel {
  std::string name;  // the function's
  std::vector<Target> targets;
  // Why there are no targets.
  std::string skipped = {};
  std::string unit;  // of work, in the plural
  // --verify makes cases 0, 1, ... of so many.
  int cases;
  std::function<std::unique_ptr<Case>(Random& random, int number)> make;
  // --bench times an input of each size.
  std::string size_name;
  std::vector<int> sizes;
  std::function<std::unique_ptr<Case>(Random& random, int size)> make_sized;
};

// The SIMD targets of this machine, the fastest first.
std::vector<Target> SimdTargetList();
// For what is compiled once for all machines.
std::vector<Target> PortableTarget();

// The kernels by subject; each appends to the table.
void AddChecksumKernels(std::vector<Kernel>& table);
void AddCostKernels(std::vector<Kernel>& table);
void AddCountKernels(std::vector<Kernel>& table);
void AddFlagKernels(std::vector<Kernel>& table);
void AddIndexKernels(std::vector<Kernel>& table);
void AddMatchingKernels(std::vector<Kernel>& table);
void AddNetworkKernels(std::vector<Kernel>& table);
void AddPixelKernels(std::vector<Kernel>& table);
void AddPredictionKernels(std::vector<Kernel>& table);
void AddSatdKernels(std::vector<Kernel>& table);
void AddTermKernels(std::vector<Kernel>& table);
void AddWienerKernels(std::vector<Kernel>& table);
// Those of the CUDA backend; without targets where there is no device.
void AddCudaKernels(std::vector<Kernel>& table);

std::vector<Kernel> AllKernels();

}  // namespace mmp::kernels

#endif  // MMP_TOOLS_KERNELS_KERNEL_TABLE_H_
