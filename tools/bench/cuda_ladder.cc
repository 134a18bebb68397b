// Measures on one device what each step from the reference's GPU encoder to ours gains.
#include "tools/bench/cuda_ladder.h"

#include <CLI/CLI.hpp>

int main(int argc, char** argv) {
  using mmp::cuda::Must;
  CLI::App app{
      "Times, on the first CUDA device, how the reference matches residual blocks and meets with\n"
      "the host, and how this encoder does. Results are checked first; a wrong one ends the run.\n"
      "Matching: J and index of the cheapest of 1024 patterns, for the blocks of one size in 10\n"
      "residuals of 16x16 pixels (a node in the reference's modes) and in 200 (twenty nodes).\n"
      "Reuse: every block matched, or equal ones found by a hash table and matched once, all of\n"
      "which is timed; in 200 residuals and, as these take little longer than launches, in 2000.\n"
      "Meeting: a node's round trip, a launch, a barrier, and what each makes of 'lena'.\n"
      "Macroblocks: 64 KB in and a stamp back, by a launch, by a graph, by a kernel that stays.\n"};
  bool csv = false;
  app.add_flag("--csv", csv, "Print comma-separated values, an empty line behind each table");
  CLI11_PARSE(app, argc, argv);

  // Waiting threads give way: there may be more of them than cores.
  Must(cudaSetDeviceFlags(cudaDeviceScheduleYield), "use a device");
  cudaDeviceProp device;
  Must(cudaSetDevice(0), "use a device");
  Must(cudaGetDeviceProperties(&device, 0), "use a device");
  if (!csv) std::printf("%s, %d multiprocessors\n\n", device.name, device.multiProcessorCount);
  mmp::cuda::MatchingLadder(device).Print(csv);
  mmp::cuda::ReuseLadder(device).Print(csv);
  mmp::cuda::RoundTripLadder(device).Print(csv);
  mmp::cuda::MacroblockLadder(device).Print(csv);
}
