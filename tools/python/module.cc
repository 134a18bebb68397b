// The extension module mmp._mmp: the functions of the package mmp.
#include <pybind11/pybind11.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mmp/mmp.h"
#include "mmp/mmp_cuda.h"
#include "tools/python/arrays.h"
#include "tools/python/call.h"
#include "tools/python/file_input.h"
#include "tools/python/functions.h"
#include "tools/python/keywords.h"
#include "tools/python/reports.h"
#include "tools/python/status_error.h"

namespace py = pybind11;

namespace mmp::python {
namespace {

constexpr Signature kEncode = {"encode", "image", "lambda_"};
constexpr Signature kEncodeWithStats = {"encode_with_stats", "image", "lambda_"};
constexpr Signature kEncodeMany = {"encode_many", "jobs", "threads"};
constexpr Signature kDecode = {"decode", "data", "threads"};
constexpr Signature kDecodeDamaged = {"decode_damaged", "data", "threads"};
constexpr Signature kInfo = {"info", "data", "check_bytes"};
constexpr Signature kReadSize = {"read_size", "beginning", nullptr};
constexpr Signature kReadMetadata = {"read_metadata", "beginning", nullptr};
constexpr Signature kTrimCuda = {"trim_cuda", nullptr, nullptr};

constexpr const char* kEncodeText =
    R"(The mmp file, as bytes, of a grayscale image.

image: array of uint8, uint16, int8 or int16, rows by columns, 1 to 65535 each; must not change until this
    returns. Any strides and byte order: it is copied only where its rows are not contiguous or its
    samples not in the byte order of the machine.
Raises TypeError or mmp.Error, whose help says when. Other threads run meanwhile.)";

constexpr const char* kEncodeWithStatsText =
    R"(As encode, but returns the pair (bytes, dictionary of what the encoder did).

Sizes are in pixels or bytes, `seconds_*` in seconds of thread time (only with time_stages), but for
`seconds_total` and, by a device's clock, `seconds_device`. `sum_squared_error` is that of the
decoded image. mmp/_mmp.pyi lists the keys.)";

constexpr const char* kEncodeManyText =
    R"(The files of many images, whose tiles are spread over the machine's devices or cores.

jobs: pairs (image, dictionary of the options of encode, but threads and progress).
The result is a list with an entry for each job: bytes or, where the job failed, the exception that
encode would have raised, an mmp.Error or a TypeError; one that fails does not stop the rest. What
is no such pair raises TypeError before anything is encoded. Other threads run meanwhile.)";

constexpr const char* kDecodeText =
    R"(The image in an mmp file, an array of uint8, or uint16 if it has more than 8 bits a sample.

data: the file, as a bytes-like object, its path (str or os.PathLike), or a binary file object that
    can seek, which is taken from its beginning to its end wherever it stands, and left anywhere. Of
    the latter two only what is needed is read: with a region, its tiles alone. Errors of opening
    and reading come through.
Raises mmp.Error unless every sample is what the encoder saw. Other threads run meanwhile.)";

constexpr const char* kDecodeDamagedText =
    R"(As decode, but leaves damaged tiles gray, 2**(depth - 1), in place of raising an error.

The result is the pair (image, list of the damaged tiles), each a dictionary of x, y, width, height
in pixels, of the whole image also if a region is decoded, and the reason. Bytes behind the last of
several tiles give a RuntimeWarning. Damage to the header raises mmp.Error all the same.)";

constexpr const char* kInfoText =
    R"(What the header of an mmp file says, as a dictionary; checks its bytes but decodes nothing.

data: the file, as decode takes it: bytes-like, a path or a binary file object that can seek, which
    is read piece by piece. Sizes are in pixels, offsets and lengths in bytes; mmp/_mmp.pyi lists
    the keys.
Raises mmp.Error if the file is damaged or no mmp file.)";

constexpr const char* kReadSizeText =
    R"(read_size(beginning)
--

The tuple (width, height, depth, signed, metadata_end) of an mmp file's image, in pixels and bits a
sample. The metadata end at byte metadata_end, which is 0 if there are none.

beginning: the first MAX_HEADER_BYTES bytes of the file, or all if there are fewer. Raises mmp.Error
if they are not the header of an mmp file; no checksum is checked.)";

constexpr const char* kReadMetadataText =
    R"(read_metadata(beginning)
--

The undamaged metadata of an mmp file: pairs of a kind and bytes, as encode takes them.

beginning: the file's first metadata_end bytes, see read_size. Raises mmp.Error if they are not.)";

constexpr const char* kTrimCudaText =
    R"(trim_cuda()
--

Frees the memory that is kept on CUDA devices for the next encode.

So that something else can use it; the next encode is slower by what it takes to get it again.
Encodes that run meanwhile keep theirs. Does nothing where there is no CUDA device.)";

std::pair<py::bytes, EncodeStats> EncodeArray(const Given& given) {
  Arguments<EncodeOptions> arguments = ParseEncodeKeywords(given.options);
  Call call(std::move(arguments.progress));
  arguments.options.progress = [&](double done) { return call.Report(done); };
  const ArraySamples samples(given.first, arguments.depth);
  arguments.options.is_signed = samples.is_signed();
  EncodeStats stats;
  const auto file =
      ValueOrThrow(call.Run([&] { return Encode(samples.View(), arguments.options, &stats); }));
  return {ToBytes(file), stats};
}

py::object EncodeFile(const Given& given) { return EncodeArray(given).first; }

py::object EncodeWithStats(const Given& given) {
  const auto [file, stats] = EncodeArray(given);
  return py::make_tuple(file, StatsDict(stats));
}

// The jobs of encode_many.
class Jobs {
 public:
  // Throws TypeError if `jobs` are no pairs of anything and a dictionary.
  explicit Jobs(const py::object& jobs) {
    const auto all = py::reinterpret_steal<py::iterator>(PyObject_GetIter(jobs.ptr()));
    if (!all) {
      PyErr_Clear();
      throw py::type_error("jobs are pairs (image, dictionary of options) in a list or the like");
    }
    for (const py::handle job : all) pairs_.push_back(CheckPair(job, pairs_.size()));
  }

  // One entry a job, by encode(jobs to do), which are those without a fault of their own.
  template <typename EncodeJobs>
  py::list Results(EncodeJobs encode) {
    py::list results;
    for (const py::tuple& pair : pairs_) results.append(Prepare(pair));
    const auto files = encode(std::span<const EncodeJob>(jobs_));
    size_t next = 0;
    for (size_t i = 0; i < pairs_.size(); ++i)
      if (results[i].is_none()) results[i] = FileOrError(files[next++]);
    return results;
  }

 private:
  static py::tuple CheckPair(py::handle job, size_t number) {
    if (!py::isinstance<py::tuple>(job) || py::len(job) != 2 ||
        !py::isinstance<py::dict>(py::reinterpret_borrow<py::tuple>(job)[1]))
      throw py::type_error("a job is a tuple (image, dictionary of options), which jobs[" +
                           std::to_string(number) + "] is not");
    return py::reinterpret_borrow<py::tuple>(job);
  }

  // Makes it a job to do: None, or the exception that it fails with.
  py::object Prepare(const py::tuple& pair) {
    try {
      const py::dict keywords = pair[1];
      if (keywords.contains("threads") || keywords.contains("progress"))
        throw py::type_error("threads and progress are options of encode_many, not of a job");
      Arguments<EncodeOptions> arguments = ParseEncodeKeywords(keywords);
      samples_.emplace_back(pair[0], arguments.depth);
      arguments.options.is_signed = samples_.back().is_signed();
      jobs_.push_back({samples_.back().View(), std::move(arguments.options)});
      return py::none();
    } catch (...) {
      return CaughtFailure();
    }
  }

  static py::object FileOrError(const Result<std::vector<uint8_t>>& file) {
    try {
      return file.ok() ? ToBytes(*file) : MakeError(file.status());
    } catch (...) {
      return CaughtFailure();
    }
  }

  std::vector<py::tuple> pairs_;
  std::vector<ArraySamples> samples_;  // of jobs_
  std::vector<EncodeJob> jobs_;
};

py::object EncodeArrays(const Given& given) {
  Arguments<EncodeManyOptions> arguments = ParseEncodeManyKeywords(given.options);
  Call call(std::move(arguments.progress));
  arguments.options.progress = [&](const EncodeManyProgress& done) {
    return call.Report(done.fraction);
  };
  return Jobs(given.first).Results([&](std::span<const EncodeJob> jobs) {
    return call.Run([&] { return EncodeMany(jobs, arguments.options); });
  });
}

DecodedImage DecodeBytes(const Given& given, bool keep_going) {
  Arguments<DecodeOptions> arguments = ParseDecodeKeywords(given.options);
  Call call(std::move(arguments.progress));
  arguments.options.progress = [&](double done) { return call.Report(done); };
  arguments.options.keep_going = keep_going;
  FileInput file(given.first, call);
  return ValueOrThrow(call.Run([&] { return file.DecodeBy(arguments.options); }));
}

py::object DecodeWhole(const Given& given) {
  DecodedImage decoded = DecodeBytes(given, false);
  return ToArray(std::move(decoded.image), decoded.is_signed);
}

py::object DecodeDamaged(const Given& given) {
  DecodedImage decoded = DecodeBytes(given, true);
  if (decoded.trailing_bytes > 0 &&
      PyErr_WarnEx(PyExc_RuntimeWarning, "there are bytes behind the last tile", 1) < 0)
    throw py::error_already_set();
  return py::make_tuple(ToArray(std::move(decoded.image), decoded.is_signed),
                        DamagedTilesList(decoded.damaged_tiles));
}

py::object Info(const Given& given) {
  const Arguments<InfoOptions> arguments = ParseInfoKeywords(given.options);
  Call call{py::none()};
  FileInput file(given.first, call);
  return InfoDict(ValueOrThrow(call.Run([&] { return file.InfoBy(arguments.options); })));
}

py::object Size(const Given& given) {
  const BytesView bytes(given.first);
  const ImageSize size = ValueOrThrow(ReadSize(bytes.bytes()));
  return py::make_tuple(size.width, size.height, size.depth, size.is_signed, size.metadata_end);
}

py::object MetadataOf(const Given& given) {
  const BytesView bytes(given.first);
  return MetadataList(ValueOrThrow(ReadMetadata(bytes.bytes())));
}

py::object Trim(const Given& /*given*/) {
  {
    const py::gil_scoped_release release;
    TrimCuda();
  }
  return py::none();
}

void DefineFunctions(py::module_& module) {
  // Python keeps pointers to all of these.
  static const std::string encode = EncodeDoc(kEncode.name, kEncodeText);
  static const std::string with_stats = EncodeDoc(kEncodeWithStats.name, kEncodeWithStatsText);
  static const std::string encode_many = EncodeManyDoc(kEncodeMany.name, kEncodeManyText);
  static const std::string decode = DecodeDoc(kDecode.name, kDecodeText);
  static const std::string damaged = DecodeDoc(kDecodeDamaged.name, kDecodeDamagedText);
  static const std::string info = InfoDoc(kInfo.name, kInfoText);
  static PyMethodDef functions[] = {
      Method<kEncode, EncodeFile>(encode.c_str()),
      Method<kEncodeWithStats, EncodeWithStats>(with_stats.c_str()),
      Method<kEncodeMany, EncodeArrays>(encode_many.c_str()),
      Method<kDecode, DecodeWhole>(decode.c_str()),
      Method<kDecodeDamaged, DecodeDamaged>(damaged.c_str()),
      Method<kInfo, Info>(info.c_str()),
      Method<kReadSize, Size>(kReadSizeText),
      Method<kReadMetadata, MetadataOf>(kReadMetadataText),
      Method<kTrimCuda, Trim>(kTrimCudaText),
      {nullptr, nullptr, 0, nullptr},
  };
  if (PyModule_AddFunctions(module.ptr(), functions) != 0) throw py::error_already_set();
}

void Define(py::module_& module) {
  EnableCuda();
  DefineErrors(module);
  DefineFunctions(module);
  module.attr("MAX_HEADER_BYTES") = kMaxHeaderBytes;
  module.attr("__version__") = std::to_string(kVersionMajor) + "." + std::to_string(kVersionMinor) +
                               "." + std::to_string(kVersionPatch);
}

}  // namespace
}  // namespace mmp::python

PYBIND11_MODULE(_mmp, module) { mmp::python::Define(module); }
