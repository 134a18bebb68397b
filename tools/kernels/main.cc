// mmp_kernels: compares every kernel with a plain twin on everything that this machine can run it
// on
// (--verify), and times them (--bench).
#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "tools/command_line/exit_code.h"
#include "tools/kernels/bench.h"
#include "tools/kernels/kernel_table.h"
#include "tools/kernels/verify.h"

namespace mmp::kernels {
namespace {

struct Arguments {
  bool list = false, verify = false, bench = false;
  std::string filter;
  uint32_t seed = 1;
};

std::vector<Kernel> Chosen(const std::string& filter) {
  std::vector<Kernel> kernels = AllKernels();
  std::erase_if(kernels, [&](const Kernel& k) { return k.name.find(filter) == std::string::npos; });
  return kernels;
}

void List(const std::vector<Kernel>& kernels) {
  for (const Kernel& kernel : kernels) {
    std::cout << kernel.name << ':';
    for (const Target& target : kernel.targets) std::cout << ' ' << target.name;
    if (kernel.targets.empty()) std::cout << " skipped, " << kernel.skipped;
    std::cout << '\n';
  }
}

ExitCode Run(const Arguments& arguments) {
  const std::vector<Kernel> kernels = Chosen(arguments.filter);
  if (kernels.empty()) {
    std::cerr << "mmp_kernels: no kernel's name contains '" << arguments.filter
              << "'; --list names them all\n";
    return ExitCode::kUsage;
  }
  if (arguments.list) List(kernels);
  int failures = 0;
  if (arguments.verify) failures = Verify(kernels, arguments.seed, std::cout);
  if (arguments.bench) Bench(kernels, arguments.seed, std::cout);
  return failures == 0 ? ExitCode::kSuccess : ExitCode::kFailure;
}

int Main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Compares the codec's kernels with plain twins, and times them.", "mmp_kernels");
  auto* what = app.add_option_group("what to do");
  what->add_flag("--list", arguments.list, "Name the kernels and what they run on here");
  what->add_flag("--verify", arguments.verify, "Compare every kernel with its twin on each target");
  what->add_flag("--bench", arguments.bench, "Time every kernel on each target, and its twin");
  what->require_option(1, 3);
  app.add_option("--filter", arguments.filter, "Only kernels whose name contains this");
  app.add_option("--seed", arguments.seed, "What the random inputs are made from")
      ->capture_default_str();
  try {
    app.parse(argc, argv);
    return static_cast<int>(Run(arguments));
  } catch (const CLI::ParseError& error) {  // --help, too
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::kUsage);
  } catch (const std::exception& error) {
    std::cerr << "mmp_kernels: " << error.what() << '\n';
    return static_cast<int>(ExitCode::kFailure);
  }
}

}  // namespace
}  // namespace mmp::kernels

int main(int argc, char** argv) { return mmp::kernels::Main(argc, argv); }
