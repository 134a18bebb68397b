// Runs a program whose file system fails. The library that does this, of failing_files.cc, is
// MMP_FAILING_FILES, which a test that includes this is compiled with.
#ifndef MMP_TESTS_SUPPORT_FAILING_FILES_H_
#define MMP_TESTS_SUPPORT_FAILING_FILES_H_

#include <stdlib.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/support/subprocess.h"
#include "tests/support/temporary_folder.h"

namespace mmp {

constexpr int kKill = 0;  // in the place of an errno

struct FileFailure {
  int after;               // calls that do what they should
  int error;               // errno of the one behind them, or kKill
  bool all_after = false;  // and of all after that: a full disk stays full

  std::string Name() const {
    return std::string(error == kKill ? "killed at" : std::to_string(error) + " of") + " call " +
           std::to_string(after) + (all_after ? " and all after it" : "");
  }
};

struct FailedRun {
  Outcome outcome;
  std::string call;  // the one that failed; empty if the program made no more than `after`
};

// `folder` is where calls fail that change something; its path is absolute and without symbolic
// links. `elsewhere` is a folder outside it.
inline FailedRun RunWithFailure(const std::vector<std::string>& command, const std::string& folder,
                                const std::string& elsewhere, const FileFailure& failure) {
  const std::string report = elsewhere + "/failing_call";
  std::filesystem::remove(report);
  const std::map<std::string, std::string> settings = {
      {"LD_PRELOAD", MMP_FAILING_FILES},
      {"MMP_FAILING_FOLDER", folder},
      {"MMP_FAILING_AFTER", std::to_string(failure.after)},
      {"MMP_FAILING_ERROR", std::to_string(failure.error)},
      {"MMP_FAILING_ON", failure.all_after ? "1" : "0"},
      {"MMP_FAILING_REPORT", report}};
  std::vector<std::string> with_settings = {"/usr/bin/env"};
  for (const auto& [name, value] : settings) with_settings.push_back(name + "=" + value);
  with_settings.insert(with_settings.end(), command.begin(), command.end());
  FailedRun run;
  run.outcome = RunProgram(with_settings);
  run.call = ReadText(report);
  return run;
}

}  // namespace mmp

#endif  // MMP_TESTS_SUPPORT_FAILING_FILES_H_
