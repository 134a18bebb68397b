// What the parts of mmp_cuda_ladder share: failing, memory, launches, timing, tables.
#ifndef MMP_TOOLS_BENCH_CUDA_LADDER_H_
#define MMP_TOOLS_BENCH_CUDA_LADDER_H_

#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "cuda/backend/device_memory.h"
#include "cuda/kernels/group_launch.h"

namespace mmp::cuda {

class Table;

// Matching the blocks of some residuals with 1024 patterns of a level, in several ways.
Table MatchingLadder(const cudaDeviceProp& device);
// The same by tensor cores: every block matched, against equal ones found and matched once.
Table ReuseLadder(const cudaDeviceProp& device);
// How long host and device, or thread blocks, take to meet, and what that makes of an image.
Table RoundTripLadder(const cudaDeviceProp& device);
// A macroblock's round trip: a launch, a graph, and a kernel that stays resident for all
// macroblocks.
Table MacroblockLadder(const cudaDeviceProp& device);

// May be called from any thread.
[[noreturn]] inline void Fail(const std::string& message) {
  std::fflush(stdout);
  std::fprintf(stderr, "mmp_cuda_ladder: %s\n", message.c_str());
  std::_Exit(1);
}
inline void Must(const Status& status) {
  if (!status.ok()) Fail(status.message());
}
inline void Must(cudaError_t error, const char* what) { Must(ToStatus(error, what)); }
inline void MustLaunch() { Must(cudaGetLastError(), "launch a kernel"); }

inline double Median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + values.size() / 2);
  return values[values.size() / 2];
}

// Allocates and fills; once it returns, any stream may use it.
template <typename T>
void Upload(const std::vector<T>& values, DeviceBuffer<T>& buffer) {
  Must(buffer.Allocate(values.size()));
  Must(cudaMemcpy(buffer.data(), values.data(), buffer.bytes(), cudaMemcpyHostToDevice),
       "copy to the device");
  Must(cudaDeviceSynchronize(), "copy to the device");
}
// What is there when nothing runs.
template <typename T>
std::vector<T> Download(const DeviceBuffer<T>& buffer) {
  std::vector<T> values(buffer.bytes() / sizeof(T));
  Must(cudaMemcpy(values.data(), buffer.data(), buffer.bytes(), cudaMemcpyDeviceToHost),
       "copy from the device");
  return values;
}

// A T that host and device both reach; zeros at first.
template <typename T>
class Mapped {
 public:
  Mapped() {
    Must(buffer_.Allocate(sizeof(T)));
    host() = T{};
    void* device = nullptr;
    Must(cudaHostGetDevicePointer(&device, buffer_.data(), 0), "reach the host's memory");
    device_ = static_cast<T*>(device);
  }
  T& host() const { return *static_cast<T*>(buffer_.data()); }
  T* device() const { return device_; }

 private:
  PinnedBuffer buffer_;
  T* device_;
};

// What `start` starts on a stream, as a graph.
class Graph {
 public:
  template <typename Start>
  Graph(cudaStream_t stream, Start start) {
    cudaGraph_t graph;
    Must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "make a graph");
    start();
    Must(cudaStreamEndCapture(stream, &graph), "make a graph");
    Must(cudaGraphInstantiate(&executable_, graph, 0), "make a graph");
    Must(cudaGraphDestroy(graph), "free a graph");
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() { cudaGraphExecDestroy(executable_); }

  void Launch(cudaStream_t stream) const {
    Must(cudaGraphLaunch(executable_, stream), "launch a graph");
  }

 private:
  cudaGraphExec_t executable_;
};

using Clock = std::chrono::steady_clock;

// Until the device has written `value` to `stamp`, in the host's memory. Ends the program if it
// does not within some seconds; `stream` is then asked why.
inline void Await(uint32_t& stamp, uint32_t value, cudaStream_t stream) {
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(5);
  while (std::atomic_ref(stamp).load(std::memory_order_acquire) != value) {
    if (Clock::now() < deadline) continue;
    const cudaError_t error = cudaStreamQuery(stream);
    if (error != cudaErrorNotReady) Must(error, "run a kernel");
    Fail("the device's result never came");
  }
}

inline constexpr int kSeries = 5;     // medians of so many means
inline constexpr int kRounds = 2000;  // over so many rounds

inline double Microseconds(Clock::duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

template <typename Round>
double MeanMicroseconds(Round round) {
  for (int i = 0; i < kRounds; ++i) round();
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < kRounds; ++i) round();
  return Microseconds(Clock::now() - begin) / kRounds;
}
template <typename Measure>
double MedianOfSeries(Measure measure) {
  std::vector<double> series;
  for (int i = 0; i < kSeries; ++i) series.push_back(measure());
  return Median(std::move(series));
}

// The median time of what `run` starts on the stream.
template <typename Run>
double DeviceMicroseconds(cudaStream_t stream, Run run) {
  constexpr int kSamples = 31;
  cudaEvent_t begin, end;
  Must(cudaEventCreate(&begin), "create an event");
  Must(cudaEventCreate(&end), "create an event");
  for (int i = 0; i < kSamples; ++i) run();  // clocks and caches warm up
  std::vector<double> samples;
  for (int i = 0; i < kSamples; ++i) {
    Must(cudaEventRecord(begin, stream), "record an event");
    run();
    Must(cudaEventRecord(end, stream), "record an event");
    Must(cudaEventSynchronize(end), "run a kernel");
    float milliseconds = 0;
    Must(cudaEventElapsedTime(&milliseconds, begin, end), "read a time");
    samples.push_back(1e3 * milliseconds);
  }
  Must(cudaEventDestroy(begin), "free an event");
  Must(cudaEventDestroy(end), "free an event");
  return Median(std::move(samples));
}

class Table {
 public:
  using Row = std::vector<std::string>;
  explicit Table(Row head) : rows_{std::move(head)} {}

  void Add(Row row) { rows_.push_back(std::move(row)); }
  // In columns, the first one's text to the left, the others' to the right; or as comma-separated
  // values.
  void Print(bool csv) const {
    for (const Row& row : rows_) {
      for (size_t c = 0; c < row.size(); ++c) {
        size_t width = 0;
        for (const Row& other : rows_) width = std::max(width, other[c].size());
        if (csv)
          std::printf(c == 0 ? "\"%s\"" : ",%s", row[c].c_str());
        else
          std::printf("%*s  ", static_cast<int>(width) * (c == 0 ? -1 : 1), row[c].c_str());
      }
      std::puts("");
    }
    std::puts("");
    std::fflush(stdout);
  }

 private:
  std::vector<Row> rows_;
};

inline std::string Text(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", decimals, value);
  return text;
}

}  // namespace mmp::cuda

#endif  // MMP_TOOLS_BENCH_CUDA_LADDER_H_
