// The options of `mmp encode`.
#ifndef MMP_TOOLS_ENCODE_ENCODE_OPTIONS_H_
#define MMP_TOOLS_ENCODE_ENCODE_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "mmp/mmp.h"
#include "mmp/status.h"
#include "tools/encode/encode_file.h"

namespace mmp {

// What the command line says.
struct EncodeArguments {
  std::vector<std::string> inputs;
  std::string output;
  EncodeRequest request;  // only the parts that need no more than CLI11's conversions
  std::string preset = std::string(PresetName(Preset::kBest));
  std::string backend = std::string(BackendName(Backend::kAuto));
  std::string coder = std::string(CoderName(Coder::kAuto));
  std::string order = std::string(OrderName(MacroblockOrder::kAuto));
  std::string prediction_level;  // this and the next four: empty if not given
  std::string modes;
  std::string tools;
  std::string tile;
  std::string dictionary_file;
  std::optional<double> target_psnr;  // dB
  std::optional<double> target_bpp;
  std::string target_size;
  bool keep_extension = false;
  bool force = false;
  bool stats = false;
  bool json = false;
};

// Lets `app` parse into `arguments`, which must outlive it.
void AddEncodeOptions(CLI::App& app, EncodeArguments& arguments);

// arguments.request, completed from the other options. Errors: kInvalidArgument.
Result<EncodeRequest> MakeRequest(const EncodeArguments& arguments);

}  // namespace mmp

#endif  // MMP_TOOLS_ENCODE_ENCODE_OPTIONS_H_
