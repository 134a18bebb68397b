// The extension module mmp._mmp: the functions of the package mmp.
#include <pybind11/pybind11.h>

#include <string>
#include <utility>
#include <vector>

#include "codec/mmp.h"
#include "cuda/mmp_cuda.h"
#include "tools/python/arrays.h"
#include "tools/python/call.h"
#include "tools/python/keywords.h"
#include "tools/python/reports.h"
#include "tools/python/status_error.h"

namespace py = pybind11;

namespace mmp::python {
namespace {

constexpr const char* kEncodeText =
    R"(The mmp file, as bytes, of a grayscale image.

image: array of uint8, rows by columns, 1 to 65535 each; must not change until this returns. Any
    strides: it is copied only where its rows are not contiguous.
Raises TypeError or ValueError if it is not that, and mmp.Error. Other threads run meanwhile.)";

constexpr const char* kEncodeWithStatsText =
    R"(As encode, but returns the pair (bytes, dictionary of what the encoder did).

Sizes are in pixels or bytes, `seconds_*` in seconds of thread time (only with time_stages), but for
`seconds_total` and, by a device's clock, `seconds_device`. `sum_squared_error` is that of the decoded image. mmp/_mmp.pyi lists the keys.)";

constexpr const char* kEncodeManyText =
    R"(encode_many(jobs, *, threads=0, progress=None)
--

The files of many images, whose tiles are spread over the machine's devices or cores.

jobs: pairs (image, dictionary of the options of encode, but threads and progress).
The result is a list with an entry for each job: bytes or, where the job failed, an mmp.Error; one
that fails does not stop the rest. Other threads run meanwhile.

threads: int: threads of the CPU; 0: one a core
progress: function called now and then with the part done, a float in [0, 1], from any thread; a
    false result but None cancels all jobs that have not ended)";

constexpr const char* kDecodeText =
    R"(The image in an mmp file, an array of uint8, rows by columns.

data: the whole file, in a bytes-like object.
Raises mmp.Error unless every sample is what the encoder saw. Other threads run meanwhile.)";

constexpr const char* kDecodeDamagedText =
    R"(As decode, but leaves damaged tiles gray (128) in place of raising an error.

The result is the pair (image, list of the damaged tiles), each a dictionary of x, y, width, height
in pixels and the reason. Damage to the header raises mmp.Error all the same.)";

constexpr const char* kInfoText =
    R"(info(data)
--

What the header of an mmp file says, as a dictionary; checks all its bytes but decodes nothing.

data: the whole file, in a bytes-like object. Sizes are in pixels, offsets and lengths in bytes; mmp/_mmp.pyi
lists the keys. Raises mmp.Error if the file is damaged or no mmp file.)";

constexpr const char* kReadSizeText =
    R"(read_size(beginning)
--

The pair (width, height) of an mmp file's image, in pixels, from its beginning.

beginning: the first MAX_HEADER_BYTES bytes of the file, or all if there are fewer. Raises mmp.Error
if they are not the header of an mmp file; no checksum is checked.)";

std::pair<py::bytes, EncodeStats> EncodeArray(py::handle image, const py::kwargs& keywords) {
  Arguments<EncodeOptions> arguments = ParseEncodeKeywords(keywords);
  Call call(std::move(arguments.progress));
  arguments.options.progress = [&](double done) { return call.Report(done); };
  const ArraySamples samples(image);
  EncodeStats stats;
  const auto file =
      ValueOrThrow(call.Run([&] { return Encode(samples.View(), arguments.options, &stats); }));
  return {ToBytes(file), stats};
}

py::tuple EncodeWithStats(py::handle image, const py::kwargs& keywords) {
  const auto [file, stats] = EncodeArray(image, keywords);
  return py::make_tuple(file, StatsDict(stats));
}

// The image and the keywords of a job of encode_many.
std::pair<py::object, py::dict> ParseJob(py::handle job) {
  const auto wrong_type = py::type_error("a job is a tuple (image, dictionary of options)");
  if (!py::isinstance<py::tuple>(job) || py::len(job) != 2) throw wrong_type;
  const auto pair = py::reinterpret_borrow<py::tuple>(job);
  if (!py::isinstance<py::dict>(pair[1])) throw wrong_type;
  const py::dict keywords = pair[1];
  if (keywords.contains("threads") || keywords.contains("progress"))
    throw py::type_error("threads and progress are options of encode_many, not of a job");
  return {pair[0], keywords};
}

py::list EncodeArrays(const py::iterable& jobs, int threads, py::object progress) {
  std::vector<ArraySamples> samples;
  std::vector<EncodeJob> encode_jobs;
  for (const py::handle job : jobs) {
    const auto [image, keywords] = ParseJob(job);
    samples.emplace_back(image);
    encode_jobs.push_back({samples.back().View(), ParseEncodeKeywords(keywords).options});
  }
  Call call(std::move(progress));
  const EncodeManyOptions options = {
      threads, [&](const EncodeManyProgress& done) { return call.Report(done.fraction); }};
  const auto files = call.Run([&] { return EncodeMany(encode_jobs, options); });
  py::list results;
  for (const auto& file : files)
    results.append(file.ok() ? py::object(ToBytes(*file)) : MakeError(file.status()));
  return results;
}

DecodedImage DecodeBytes(py::handle data, bool keep_going, const py::kwargs& keywords) {
  Arguments<DecodeOptions> arguments = ParseDecodeKeywords(keywords);
  Call call(std::move(arguments.progress));
  arguments.options.progress = [&](double done) { return call.Report(done); };
  arguments.options.keep_going = keep_going;
  const BytesView file(data);
  return ValueOrThrow(call.Run([&] { return Decode(file.bytes(), arguments.options); }));
}

py::array DecodeWhole(py::handle data, const py::kwargs& keywords) {
  return ToArray(DecodeBytes(data, false, keywords).image);
}

py::tuple DecodeDamaged(py::handle data, const py::kwargs& keywords) {
  DecodedImage decoded = DecodeBytes(data, true, keywords);
  return py::make_tuple(ToArray(std::move(decoded.image)), DamagedTilesList(decoded.damaged_tiles));
}

py::dict Info(py::handle data) {
  const BytesView file(data);
  return InfoDict(ValueOrThrow(ReadInfo(file.bytes())));
}

py::tuple Size(py::handle beginning) {
  const BytesView bytes(beginning);
  const ImageSize size = ValueOrThrow(ReadSize(bytes.bytes()));
  return py::make_tuple(size.width, size.height);
}

void Define(py::module_& module) {
  EnableCuda();
  py::options options;
  options.disable_function_signatures();  // the docstrings have them
  DefineError(module);
  module.attr("MAX_HEADER_BYTES") = kMaxHeaderBytes;
  module.attr("__version__") = std::to_string(kVersionMajor) + "." + std::to_string(kVersionMinor) +
                               "." + std::to_string(kVersionPatch);
  module.def(
      "encode", [](py::handle image, const py::kwargs& k) { return EncodeArray(image, k).first; },
      py::arg("image"), EncodeDoc("encode", "image", kEncodeText).c_str());
  module.def("encode_with_stats", &EncodeWithStats, py::arg("image"),
             EncodeDoc("encode_with_stats", "image", kEncodeWithStatsText).c_str());
  module.def("encode_many", &EncodeArrays, py::arg("jobs"), py::kw_only(), py::arg("threads") = 0,
             py::arg("progress") = py::none(), kEncodeManyText);
  module.def("decode", &DecodeWhole, py::arg("data"),
             DecodeDoc("decode", "data", kDecodeText).c_str());
  module.def("decode_damaged", &DecodeDamaged, py::arg("data"),
             DecodeDoc("decode_damaged", "data", kDecodeDamagedText).c_str());
  module.def("info", &Info, py::arg("data"), kInfoText);
  module.def("read_size", &Size, py::arg("beginning"), kReadSizeText);
}

}  // namespace
}  // namespace mmp::python

PYBIND11_MODULE(_mmp, module) { mmp::python::Define(module); }
