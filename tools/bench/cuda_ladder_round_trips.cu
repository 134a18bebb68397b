// The reference's round trip for each prediction node, with one stream and with many, against what
// keeps a macroblock on the device: one launch, and barriers within it.
#include <algorithm>
#include <cuda/atomic>
#include <latch>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cuda/kernels/group_barrier.cuh"
#include "tools/bench/cuda_ladder.h"

namespace mmp::cuda {
namespace {

// A 4x4 node: the residuals of ten modes in, the best match of each sub-block out.
constexpr int kNodeInputs = 10 * 16, kNodeOutputs = 10 * 49;

__global__ void SpreadInput(const int16_t* input, int32_t* spread) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kNodeOutputs) spread[i] = 3 * input[i % kNodeInputs];
}
__global__ void WriteOutput(const int32_t* spread, int64_t* output) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kNodeOutputs) output[i] = spread[i] + i;
}
__global__ void Count(uint32_t* count) {
  if (threadIdx.x == 0) ++*count;
}
__global__ void Stamp(uint32_t* stamp, uint32_t value) {
  if (threadIdx.x == 0)
    ::cuda::atomic_ref<uint32_t, ::cuda::thread_scope_system>(*stamp).store(
        value, ::cuda::memory_order_release);
}

// `rounds` barriers. With `progress`, one of each thread block, they are also checked: whoever is
// past barrier i sees the next block there or, at most, on the way to the one after.
template <bool kCluster>
__global__ void Barriers(uint32_t* arrivals, uint32_t rounds, volatile uint32_t* progress,
                         uint32_t* errors) {
  GroupBarrier<kCluster> barrier(arrivals, gridDim.x);
  for (uint32_t i = 1; i <= rounds; ++i) {
    const bool check = progress != nullptr && threadIdx.x == 0;
    if (check) progress[blockIdx.x] = i;
    barrier.Sync();
    if (check && progress[(blockIdx.x + 1) % gridDim.x] - i > 1) atomicAdd(errors, 1);
  }
}

// One node at a time, as the reference does: copy in, two kernels, copy out, wait.
class NodeTrips {
 public:
  NodeTrips() {
    Must(stream_.Create());
    Must(host_input_.Allocate(kNodeInputs * sizeof(int16_t)));
    Must(host_output_.Allocate(kNodeOutputs * sizeof(int64_t)));
    Must(input_.Allocate(kNodeInputs));
    Must(spread_.Allocate(kNodeOutputs));
    Must(output_.Allocate(kNodeOutputs));
    std::fill_n(static_cast<int16_t*>(host_input_.data()), kNodeInputs, int16_t{0});
  }

  // Number `round`: another input each time, so that an old output is noticed.
  void Make(int round) {
    const int at = round % kNodeInputs;
    const auto value = static_cast<int16_t>(round % 1000 + 1);
    static_cast<int16_t*>(host_input_.data())[at] = value;
    Must(cudaMemcpyAsync(input_.data(), host_input_.data(), input_.bytes(), cudaMemcpyHostToDevice,
                         stream_.get()),
         "copy to the device");
    constexpr int kThreads = 128, kBlocks = (kNodeOutputs + kThreads - 1) / kThreads;
    SpreadInput<<<kBlocks, kThreads, 0, stream_.get()>>>(input_.data(), spread_.data());
    MustLaunch();
    WriteOutput<<<kBlocks, kThreads, 0, stream_.get()>>>(spread_.data(), output_.data());
    MustLaunch();
    Must(cudaMemcpyAsync(host_output_.data(), output_.data(), output_.bytes(),
                         cudaMemcpyDeviceToHost, stream_.get()),
         "copy from the device");
    Must(cudaStreamSynchronize(stream_.get()), "make a round trip");
    if (static_cast<const int64_t*>(host_output_.data())[at] != 3 * value + at)
      Fail("a round trip returned a wrong value");
  }

 private:
  Stream stream_;
  PinnedBuffer host_input_, host_output_;
  DeviceBuffer<int16_t> input_;
  DeviceBuffer<int32_t> spread_;
  DeviceBuffer<int64_t> output_;
};

// The mean time of a node when so many threads make round trips, a stream each.
double NodeTripMicroseconds(int threads) {
  std::vector<std::pair<Clock::time_point, Clock::time_point>> spans(threads);
  std::latch ready(threads);
  std::vector<std::thread> pool;
  for (int t = 0; t < threads; ++t)
    pool.emplace_back([&, t] {
      NodeTrips trips;
      for (int i = 0; i < kNodeInputs; ++i) trips.Make(i);
      ready.arrive_and_wait();
      const Clock::time_point begin = Clock::now();
      for (int i = 0; i < kRounds; ++i) trips.Make(kNodeInputs + i);
      spans[t] = {begin, Clock::now()};
    });
  for (std::thread& thread : pool) thread.join();
  auto begin = spans[0].first, end = spans[0].second;
  for (const auto& span : spans) {
    begin = std::min(begin, span.first);
    end = std::max(end, span.second);
  }
  return Microseconds(end - begin) / (1.0 * threads * kRounds);
}

double LaunchAndWaitMicroseconds() {
  Stream stream;
  Must(stream.Create());
  DeviceBuffer<uint32_t> count;
  Upload(std::vector<uint32_t>(1), count);
  uint32_t launches = 0;
  const double microseconds = MeanMicroseconds([&] {
    Count<<<1, 32, 0, stream.get()>>>(count.data());
    MustLaunch();
    Must(cudaStreamSynchronize(stream.get()), "run a kernel");
    ++launches;
  });
  if (Download(count)[0] != launches) Fail("launches were lost");
  return microseconds;
}

double LaunchAndPollMicroseconds() {
  Stream stream;
  Must(stream.Create());
  const Mapped<uint32_t> stamp;
  uint32_t value = 0;
  const double microseconds = MeanMicroseconds([&] {
    Stamp<<<1, 32, 0, stream.get()>>>(stamp.device(), ++value);
    MustLaunch();
    Await(stamp.host(), value, stream.get());
  });
  Must(cudaStreamSynchronize(stream.get()), "run a kernel");
  return microseconds;
}

// `blocks`: of the group, at once on the device.
template <bool kCluster>
double BarrierMicroseconds(uint32_t blocks) {
  constexpr uint32_t kBarriers = 10000;
  Stream stream;
  Must(stream.Create());
  DeviceBuffer<uint32_t> arrivals, progress, errors;
  Upload(std::vector<uint32_t>(1), arrivals);
  Upload(std::vector<uint32_t>(blocks), progress);
  Upload(std::vector<uint32_t>(1), errors);
  if (kCluster)
    Must(
        cudaFuncSetAttribute(Barriers<kCluster>, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
        "use large clusters");
  GroupAttributes attributes;
  const cudaLaunchConfig_t config = GroupLaunch(kCluster, blocks, 1, 0, stream.get(), attributes);
  auto launch = [&](volatile uint32_t* checked) {
    Must(cudaMemsetAsync(arrivals.data(), 0, arrivals.bytes(), stream.get()), "clear memory");
    Must(cudaLaunchKernelEx(&config, Barriers<kCluster>, arrivals.data(), kBarriers, checked,
                            errors.data()),
         "launch a kernel");
  };
  launch(progress.data());
  Must(cudaStreamSynchronize(stream.get()), "run a kernel");
  if (Download(errors)[0] > 0 || std::ranges::count(Download(progress), kBarriers) != blocks)
    Fail("a barrier did not hold back its thread blocks");
  return DeviceMicroseconds(stream.get(), [&] { launch(nullptr); }) / kBarriers;
}

}  // namespace

Table RoundTripLadder(const cudaDeviceProp& device) {
  constexpr int kMacroblocks = 1024, kNodes = 661 * kMacroblocks;  // lena, P = 8
  constexpr int kStepBarriers = 3, kBarriersOfImage = 32 * kStepBarriers * kMacroblocks;
  Table table({"how host and device meet", "us", "times in lena", "lena s"});
  auto add = [&](const std::string& what, double microseconds, int times) {
    table.Add(
        {what, Text(microseconds, 3), std::to_string(times), Text(1e-6 * microseconds * times, 3)});
  };
  for (const int threads : {1, 2, 8, 32})
    add("copies + two kernels + wait, a node, streams: " + std::to_string(threads),
        MedianOfSeries([&] { return NodeTripMicroseconds(threads); }), kNodes);
  add("launch + wait, a node", MedianOfSeries(LaunchAndWaitMicroseconds), kNodes);
  const double polled = MedianOfSeries(LaunchAndPollMicroseconds);
  add("launch polled in host memory, a node", polled, kNodes);
  add("launch polled in host memory, a macroblock", polled, kMacroblocks);
  add("barrier of a grid of " + std::to_string(device.multiProcessorCount) + " blocks, 3 a step",
      BarrierMicroseconds<false>(device.multiProcessorCount), kBarriersOfImage);
  if (device.major >= 9) {
    const int blocks = device.major < 12 ? 16 : 8;
    add("barrier of a cluster of " + std::to_string(blocks) + " blocks, 3 a step",
        BarrierMicroseconds<true>(blocks), kBarriersOfImage);
  }
  return table;
}

}  // namespace mmp::cuda
