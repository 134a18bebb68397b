// A macroblock's input to a whole device and its result back, as the encoder sends it, against what
// could send it: a graph, and a kernel that stays until it is told to end.
#include <atomic>
#include <cuda/atomic>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "cuda/kernels/group_barrier.cuh"
#include "cuda/kernels/warp.cuh"
#include "tools/bench/cuda_ladder.h"

namespace mmp::cuda {
namespace {

constexpr uint32_t kInputBytes = 64 << 10, kValues = kInputBytes / 4 - 3;

struct alignas(16) Input {
  uint32_t arrivals;  // at the barrier of a launch; 0 at its start
  uint32_t stamp;     // of this macroblock: 1, 2, ...
  uint32_t sum;       // of the values that have been added up; 0 at the start
  uint32_t values[kValues];
};
static_assert(sizeof(Input) == kInputBytes);

struct Output {
  uint32_t sum, stamp;
};

// The state of a resident kernel; zeros at its start.
struct Control {
  uint32_t arrivals;  // at its barrier
  uint32_t number;    // the last one that the host raised
};
constexpr uint32_t kEnd = ~0u;  // the number that ends it

// The part of 0, ..., count - 1 that falls to this block, and of that to this thread.
template <typename Do>
__device__ void ForOwn(uint32_t count, Do act) {
  const uint32_t end = count * (blockIdx.x + 1) / gridDim.x;
  for (uint32_t k = count * blockIdx.x / gridDim.x + threadIdx.x; k < end; k += blockDim.x) act(k);
}

// In place of a search: all blocks add up the input's values, and one tells the host.
__device__ void Work(Input& input, Output& output, GroupBarrier<false>& barrier) {
  uint32_t sum = 0;
  ForOwn(kValues, [&](uint32_t k) { sum += input.values[k]; });
  sum = WarpSum(static_cast<int32_t>(sum));
  if (threadIdx.x % 32 == 0 && sum != 0) atomicAdd(&input.sum, sum);
  barrier.Sync();
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  output.sum = input.sum;
  // Once the host sees it, it may replace the input: all reads of that are over.
  ::cuda::atomic_ref<uint32_t, ::cuda::thread_scope_system>(output.stamp)
      .store(input.stamp, ::cuda::memory_order_release);
}

__global__ void WorkOnce(Input* input, Output* output) {
  GroupBarrier<false> barrier(&input->arrivals, gridDim.x);
  Work(*input, *output, barrier);
}

// Waits until the host raises another number than `last`; kEnd if it does not for some seconds.
__device__ uint32_t Watch(uint32_t& raised, uint32_t last) {
  constexpr int64_t kPatience = 8'000'000'000;  // cycles
  const ::cuda::atomic_ref<uint32_t, ::cuda::thread_scope_system> number(raised);
  const int64_t begin = clock64();
  while (clock64() - begin < kPatience) {
    const uint32_t now = number.load(::cuda::memory_order_acquire);
    if (now != last) return now;
  }
  return kEnd;
}

// Works once for each number that is raised. The host has copied the input by then, or the blocks
// copy it from `mapped`, the host's memory.
__global__ void WorkUntilEnd(Input* input, const Input* mapped, Output* output, uint32_t* raised,
                             Control* control) {
  GroupBarrier<false> barrier(&control->arrivals, gridDim.x);
  for (;;) {
    // The next number is written only once all have come to Work's barrier, having read this one.
    if (blockIdx.x == 0 && threadIdx.x == 0) control->number = Watch(*raised, control->number);
    barrier.Sync();
    if (control->number == kEnd) return;
    if (mapped != nullptr) {
      // Past the caches: nothing tells them what the host writes.
      ForOwn(kInputBytes / sizeof(uint4), [&](uint32_t k) {
        reinterpret_cast<uint4*>(input)[k] = __ldcv(reinterpret_cast<const uint4*>(mapped) + k);
      });
      barrier.Sync();
    }
    Work(*input, *output, barrier);
  }
}

// What goes to the device and comes back.
class Exchange {
 public:
  Exchange() {
    Must(device_input_.Allocate(1));
    uint32_t(&values)[kValues] = input_.host().values;
    std::iota(std::begin(values), std::end(values), 1);
    sum_ = std::accumulate(std::begin(values), std::end(values), 0u);
  }

  // The next macroblock's input, another value of it changed each time, so that an old one is
  // noticed.
  void FillInput() {
    Input& input = input_.host();
    ++input.stamp;
    input.values[input.stamp * 1009 % kValues] += input.stamp;
    sum_ += input.stamp;
  }
  void CopyInput(cudaStream_t stream) const {
    Must(cudaMemcpyAsync(device_input_.data(), &input_.host(), device_input_.bytes(),
                         cudaMemcpyHostToDevice, stream),
         "copy to the device");
  }
  // Waits for what `stream` makes of it.
  void CheckOutput(cudaStream_t stream) const {
    Await(output_.host().stamp, stamp(), stream);
    if (output_.host().sum != sum_) Fail("the device worked on a wrong input");
  }

  uint32_t stamp() const { return input_.host().stamp; }
  Input* mapped_input() const { return input_.device(); }
  Input* input() const { return device_input_.data(); }
  Output* output() const { return output_.device(); }

 private:
  Mapped<Input> input_;
  Mapped<Output> output_;
  DeviceBuffer<Input> device_input_;
  uint32_t sum_;
};

// The mean time of a macroblock that `start` starts, to be worked on on `stream`.
template <typename Start>
double MacroblockMicroseconds(Exchange& exchange, cudaStream_t stream, Start start) {
  return MeanMicroseconds([&] {
    exchange.FillInput();
    start();
    exchange.CheckOutput(stream);
  });
}

double LaunchMicroseconds(uint32_t blocks, bool as_graph) {
  Exchange exchange;
  Stream stream;
  Must(stream.Create());
  GroupAttributes attributes;
  const cudaLaunchConfig_t config = GroupLaunch(false, blocks, 1, 0, stream.get(), attributes);
  auto launch = [&] {
    exchange.CopyInput(stream.get());
    Must(cudaLaunchKernelEx(&config, WorkOnce, exchange.input(), exchange.output()),
         "launch a kernel");
  };
  const Graph graph(stream.get(), launch);
  const double microseconds = MacroblockMicroseconds(exchange, stream.get(), [&] {
    if (as_graph)
      graph.Launch(stream.get());
    else
      launch();
  });
  Must(cudaStreamSynchronize(stream.get()), "run a kernel");
  return microseconds;
}

// How a resident kernel gets its input, and the number that announces it.
enum class Feed {
  kAwaitedCopy,  // the host waits for the copy's end, then raises the number in its own memory
  kTwoCopies,    // the number is copied to the device behind the input
  kNoCopy,       // the kernel reads both in the host's memory
};

double ResidentMicroseconds(uint32_t blocks, Feed feed) {
  Exchange exchange;
  const Mapped<uint32_t> number;
  DeviceBuffer<uint32_t> copied_number;
  DeviceBuffer<Control> control;
  Upload(std::vector<uint32_t>(1), copied_number);
  Upload(std::vector<Control>(1), control);
  Stream stream, copies;
  Must(stream.Create());
  Must(copies.Create());
  auto raise = [&](uint32_t value) {
    std::atomic_ref(number.host()).store(value, std::memory_order_release);
    if (feed != Feed::kTwoCopies) return;
    Must(cudaMemcpyAsync(copied_number.data(), &number.host(), copied_number.bytes(),
                         cudaMemcpyHostToDevice, copies.get()),
         "copy to the device");
  };
  GroupAttributes attributes;
  const cudaLaunchConfig_t config = GroupLaunch(false, blocks, 1, 0, stream.get(), attributes);
  // Until it has ended, nothing may be called that waits for the whole device.
  Must(cudaLaunchKernelEx(
           &config, WorkUntilEnd, exchange.input(),
           feed == Feed::kNoCopy ? exchange.mapped_input() : nullptr, exchange.output(),
           feed == Feed::kTwoCopies ? copied_number.data() : number.device(), control.data()),
       "launch a kernel");
  const double microseconds = MacroblockMicroseconds(exchange, stream.get(), [&] {
    if (feed != Feed::kNoCopy) exchange.CopyInput(copies.get());
    if (feed == Feed::kAwaitedCopy) Must(cudaStreamSynchronize(copies.get()), "copy to the device");
    raise(exchange.stamp());
  });
  raise(kEnd);
  Must(cudaStreamSynchronize(stream.get()), "end a kernel");
  Must(cudaStreamSynchronize(copies.get()), "copy to the device");
  return microseconds;
}

}  // namespace

Table MacroblockLadder(const cudaDeviceProp& device) {
  const uint32_t blocks = device.multiProcessorCount;
  Table table(
      {"a macroblock's 64 KB to a grid of " + std::to_string(blocks) + " blocks, and back", "us"});
  auto add = [&](const std::string& what, auto measure) {
    table.Add({what, Text(MedianOfSeries(measure), 3)});
  };
  add("copy + launch, polled in host memory", [&] { return LaunchMicroseconds(blocks, false); });
  add("copy + launch as a graph, polled", [&] { return LaunchMicroseconds(blocks, true); });
  const std::string stays = "a kernel that stays, polled: ";
  add(stays + "input read in host memory",
      [&] { return ResidentMicroseconds(blocks, Feed::kNoCopy); });
  add(stays + "copy + wait + number in host memory",
      [&] { return ResidentMicroseconds(blocks, Feed::kAwaitedCopy); });
  add(stays + "copy + copy of the number",
      [&] { return ResidentMicroseconds(blocks, Feed::kTwoCopies); });
  return table;
}

}  // namespace mmp::cuda
