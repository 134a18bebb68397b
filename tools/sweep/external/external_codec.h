// Other codecs, as installed programs.
#ifndef MMP_TOOLS_SWEEP_EXTERNAL_EXTERNAL_CODEC_H_
#define MMP_TOOLS_SWEEP_EXTERNAL_EXTERNAL_CODEC_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mmp/image.h"
#include "mmp/status.h"

namespace mmp {

// How a program gets the picture; each is a file in the folder where it runs.
enum class PictureFile {
  kPgm,     // picture.pgm
  kPng,     // picture.png
  kY4m,     // picture.y4m, monochrome
  kYuv420,  // picture.yuv: luma, then chroma that is all 128
};

// A codec that is tuned for PSNR and codes the gray samples as they are, as luma, without the
// conversion of range that video programs apply to RGB.
//
// Commands are words with a space between. In them, {quality} stands for the parameter's value,
// {ratio} for 8 / quality, {width} and {height} for the picture's size.
struct ExternalCodec {
  std::string_view name;            // on the command line and in results
  std::string_view parameter_name;  // what `qualities` are
  std::vector<double> qualities;
  std::string_view debian_packages;  // that have its programs
  std::string_view version_command;
  PictureFile input;
  std::string_view encode;
  std::string_view finish = {};  // run after `encode`, its time not counted; may be empty
  std::string_view coded_file;
  std::string_view decode;
  std::string_view decoded_file;  // .pgm, or raw: luma first
};

// All that are known.
std::span<const ExternalCodec> ExternalCodecs();

// Error: kInvalidArgument, with the names of those that there are.
Result<const ExternalCodec*> FindExternalCodec(std::string_view name);

// Whether all of its programs are installed. Error: kUnavailable, with the Debian packages that
// they are in.
Status CheckInstalled(const ExternalCodec& codec);

// "x265 3.5+1-f0c1022b6": the encoder's program and what it says is its version.
std::string VersionOf(const ExternalCodec& codec);

// All commands as they are in the table: codecs with equal commands give equal results.
std::string DescribeCommands(const ExternalCodec& codec);

struct ExternalCoding {
  std::vector<uint8_t> bytes;  // of the coded file
  Image decoded;
  double encode_seconds = 0;  // wall clock, with the programs' start
  double decode_seconds = 0;
  std::string command;  // for a shell, in a folder that has the picture
};

// Codes and decodes `picture` in `folder`, which is empty and stays behind with all files. `stop`
// is that of RunProcess. Errors: of WriteFile, RunProcess and ReadImage; kUnsupported if a program
// does not take the picture; kCorrupt if what is decoded is not of its size.
Result<ExternalCoding> RunExternalCodec(const ExternalCodec& codec, const ImageView& picture,
                                        double quality, const std::string& folder,
                                        const std::function<bool()>& stop = {});

}  // namespace mmp

#endif  // MMP_TOOLS_SWEEP_EXTERNAL_EXTERNAL_CODEC_H_
