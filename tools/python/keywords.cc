#include "tools/python/keywords.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tools/command_line/name_lists.h"
#include "tools/python/arrays.h"
#include "tools/python/status_error.h"

namespace py = pybind11;

namespace mmp::python {
namespace {

// The value given for a keyword, as what an option needs.
class Value {
 public:
  Value(const char* keyword, py::object value) : keyword_(keyword), value_(std::move(value)) {}

  const py::object& Object() const { return value_; }

  double Number() const {
    if (PyNumber_Check(value_.ptr()) == 0) throw WrongType("a number");
    const double number = PyFloat_AsDouble(value_.ptr());
    if (PyErr_Occurred() == nullptr) return number;
    const py::error_already_set failure;
    if (failure.matches(PyExc_OverflowError)) ThrowInvalid(std::string(keyword_) + " is too large");
    throw WrongType("a number");
  }

  bool Flag() const {
    if (!py::isinstance<py::bool_>(value_) &&
        !py::isinstance(value_, py::module_::import("numpy").attr("bool_")))
      throw WrongType("True or False");
    return py::bool_(value_);
  }

  template <typename T>
  T Integer(T least = std::numeric_limits<T>::min()) const {
    const auto number = py::reinterpret_steal<py::int_>(PyNumber_Index(value_.ptr()));
    if (!number) {
      PyErr_Clear();
      throw WrongType("an integer");
    }
    constexpr T kMost = std::numeric_limits<T>::max();
    if (number < py::int_(least) || number > py::int_(kMost))
      ThrowInvalid(std::string(keyword_) + " must be " + std::to_string(least) + " to " +
                   std::to_string(kMost) + ", not " + Text());
    return number.cast<T>();
  }

  int Threads() const { return Integer<int>(0); }

  template <typename T>
  std::optional<T> IntegerOrNone() const {
    return value_.is_none() ? std::nullopt : std::optional<T>(Integer<T>());
  }

  std::vector<uint8_t> Bytes() const {
    if (PyObject_CheckBuffer(value_.ptr()) == 0) throw WrongType("the bytes of a file");
    const BytesView view(value_);
    return {view.bytes().begin(), view.bytes().end()};
  }

  Metadata MetadataPairs() const {
    Metadata metadata;
    const auto pairs = py::reinterpret_steal<py::object>(PySequence_Tuple(value_.ptr()));
    if (!pairs) PyErr_Clear();
    if (!pairs) throw WrongType("pairs of a kind and bytes");
    for (const py::handle item : pairs) {
      const auto pair = py::reinterpret_steal<py::object>(PySequence_Tuple(item.ptr()));
      if (!pair) PyErr_Clear();
      if (!pair || py::len(pair) != 2) throw WrongType("pairs of a kind and bytes");
      const Value bytes("the bytes of metadata", py::tuple(pair)[1]);
      metadata.push_back({KindOf(py::tuple(pair)[0]), bytes.Bytes()});
    }
    return metadata;
  }

  // The integers, `count` of them, of a tuple or a list; `what` they are, for errors.
  template <size_t count>
  std::array<int, count> Integers(const char* what) const {
    const auto items = py::reinterpret_steal<py::object>(PySequence_Tuple(value_.ptr()));
    if (!items) PyErr_Clear();
    if (!items || py::len(items) != count) throw WrongType(what);
    std::array<int, count> integers;
    for (size_t i = 0; i < count; ++i) {
      const Value value(keyword_, py::tuple(items)[i]);
      if (PyIndex_Check(value.Object().ptr()) == 0) throw WrongType(what);
      integers[i] = value.Integer<int>();
    }
    return integers;
  }

  // The one of `choices` with that name.
  template <typename Choice, size_t n>
  Choice Name(const Choice (&choices)[n], std::string_view (*name_of)(Choice)) const {
    if (!py::isinstance<py::str>(value_)) throw WrongType("a string");
    const auto name = value_.cast<std::string>();
    std::string names;
    for (const Choice choice : choices) {
      if (name == name_of(choice)) return choice;
      names += (names.empty() ? "'" : ", '") + std::string(name_of(choice)) + "'";
    }
    ThrowInvalid(std::string(keyword_) + " must be one of " + names + ", not " + Text());
  }

 private:
  // A number, or one of the names.
  uint8_t KindOf(const py::object& kind) const {
    if (!py::isinstance<py::str>(kind)) {
      return Value("a kind of metadata", kind).Integer<uint8_t>(1);
    }
    const auto name = kind.cast<std::string>();
    for (uint8_t known = 1; known <= static_cast<uint8_t>(MetadataKind::kOmeXml); ++known)
      if (name == MetadataKindName(known)) return known;
    ThrowInvalid("there is no kind of metadata '" + name + "'");
  }

  std::string Text() const { return py::repr(value_).cast<std::string>(); }

  py::type_error WrongType(const char* wanted) const {
    return py::type_error(std::string(keyword_) + " must be " + wanted + ", not " + Text());
  }

  const char* keyword_;
  py::object value_;
};

template <typename Options>
struct Keyword {
  const char* name;
  const char* default_text;  // as Python source
  const char* meaning;       // type, unit, range
  void (*set)(Arguments<Options>& arguments, const Value& value);
};

using EncodeArguments = Arguments<EncodeOptions>;
using EncodeManyArguments = Arguments<EncodeManyOptions>;
using DecodeArguments = Arguments<DecodeOptions>;
using InfoArguments = Arguments<InfoOptions>;

constexpr Keyword<EncodeOptions> kEncodeKeywords[] = {
    {"lambda_", "10.0",
     "float, 0 to 65536: the squared error that a bit may cost, of samples scaled to 0 to 255; "
     "larger "
     "is smaller, 0 is lossless",
     [](EncodeArguments& a, const Value& v) { a.options.lambda = v.Number(); }},
    {"max_error", "None",
     "int, 0 to 2**depth - 1: no sample is off by more; 0 is lossless. It is given in place of "
     "lambda_",
     [](EncodeArguments& a, const Value& v) { a.options.max_error = v.IntegerOrNone<int>(); }},
    {"depth", "None",
     "int: bits a sample, whose values are 0 to 2**depth - 1; 1 to 8 for uint8, 1 to 16 for "
     "uint16; None: 8 or 16",
     [](EncodeArguments& a, const Value& v) { a.depth = v.IntegerOrNone<int>(); }},
    {"coder", "'auto'",
     "'patterns', 'pixels' (lossless, or with a bound on every sample's error) or 'auto': "
     "whichever "
     "makes the better file",
     [](EncodeArguments& a, const Value& v) {
       a.options.coder = v.Name({Coder::kAuto, Coder::kPatterns, Coder::kPixels}, CoderName);
     }},
    {"metadata", "()",
     "pairs of a kind ('icc_profile', 'exif', 'xmp', 'resolution', 'text', 'geotiff', 'ome_xml', "
     "or "
     "a number of 1 to 255) and bytes, as info has them",
     [](EncodeArguments& a, const Value& v) { a.options.metadata = v.MetadataPairs(); }},
    {"exact_lambda", "False",
     "bool: keep to lambda_; False: an image of few gray levels is also tried losslessly, and what "
     "costs less is kept (presets but 'thesis')",
     [](EncodeArguments& a, const Value& v) { a.options.exact_lambda = v.Flag(); }},
    {"preset", "'best'", "'best', 'fast', 'quick' or 'thesis' (the reference configuration)",
     [](EncodeArguments& a, const Value& v) { a.options.preset = v.Name(kPresets, PresetName); }},
    {"effort", "None",
     "int, 1 (fastest) to 9 (smallest files): how much is tried, in place of presets 'quick', "
     "'fast' and 'best', which are 2, 5 and 9; None: as the preset says",
     [](EncodeArguments& a, const Value& v) { a.options.effort = v.IntegerOrNone<int>(); }},
    {"dictionary_size", "None",
     "int, 69 to 65536: most patterns a level; None: as the effort says, as for the next three",
     [](EncodeArguments& a, const Value& v) {
       a.options.dictionary_size = v.IntegerOrNone<int>();
     }},
    {"prediction_level", "None", "int, 0 to 25: smallest level predicted; 25: no splits",
     [](EncodeArguments& a, const Value& v) {
       a.options.prediction_level = v.IntegerOrNone<int>();
     }},
    {"modes", "None", "int: bit m allows prediction mode m; mode 2 is always on",
     [](EncodeArguments& a, const Value& v) { a.options.modes = v.IntegerOrNone<uint32_t>(); }},
    {"tools", "None",
     "int: bits of the coding tools to use, as in docs/format.md: 1 trained patterns, 4 the Wiener "
     "filter, 8 mixed models, 16 corrections of the filter's weights, 32 the network filter, 64 "
     "flags by network, 128 small networks in place of large ones, 256 a second one beside the "
     "first",
     [](EncodeArguments& a, const Value& v) { a.options.tools = v.IntegerOrNone<uint32_t>(); }},
    {"dictionary_file", "b''",
     "bytes-like, a file of mmp train, to start with in place of the standard patterns; decode "
     "needs "
     "it, too",
     [](EncodeArguments& a, const Value& v) { a.options.dictionary_file = v.Bytes(); }},
    {"tile", "(0, 0)",
     "(width, height) of the tiles in pixels, multiples of 16; (0, 0): one tile up to 2**20 "
     "pixels, equal ones of at most 1024x1024 above",
     [](EncodeArguments& a, const Value& v) {
       const auto [width, height] = v.Integers<2>("two integers");
       a.options.tile_width = width;
       a.options.tile_height = height;
     }},
    {"order", "'auto'",
     "'raster', 'wavefront' (many macroblocks of an image at a time) or 'auto': wave fronts, but "
     "for drawings, print and preset 'thesis'",
     [](EncodeArguments& a, const Value& v) {
       a.options.order =
           v.Name({MacroblockOrder::kAuto, MacroblockOrder::kRaster, MacroblockOrder::kWavefront},
                  OrderName);
     }},
    {"preview", "False",
     "bool: add a picture of an eighth of the width and height, about a hundredth of the bytes",
     [](EncodeArguments& a, const Value& v) { a.options.preview = v.Flag(); }},
    {"threads", "0", "int: threads of the CPU; 0: one a core",
     [](EncodeArguments& a, const Value& v) { a.options.threads = v.Threads(); }},
    {"backend", "'auto'", "'auto' (CUDA where there is a device, else the CPU), 'cpu' or 'cuda'",
     [](EncodeArguments& a, const Value& v) {
       a.options.backend = v.Name({Backend::kAuto, Backend::kCpu, Backend::kCuda}, BackendName);
     }},
    {"time_stages", "False", "bool: take the time of each stage, for the statistics",
     [](EncodeArguments& a, const Value& v) { a.options.time_stages = v.Flag(); }},
    {"progress", "None",
     "function called now and then with the part done, a float in [0, 1], from any thread; a false "
     "result but None cancels",
     [](EncodeArguments& a, const Value& v) { a.progress = v.Object(); }},
};

constexpr Keyword<EncodeManyOptions> kEncodeManyKeywords[] = {
    {"threads", "0", "int: threads of the CPU; 0: one a core",
     [](EncodeManyArguments& a, const Value& v) { a.options.threads = v.Threads(); }},
    {"progress", "None",
     "function called now and then with the part done, a float in [0, 1], from any thread; a false "
     "result but None cancels all jobs that have not ended",
     [](EncodeManyArguments& a, const Value& v) { a.progress = v.Object(); }},
};

constexpr Keyword<DecodeOptions> kDecodeKeywords[] = {
    {"dictionary_file", "b''",
     "bytes-like, the dictionary file that it was encoded with, if with one",
     [](DecodeArguments& a, const Value& v) { a.options.dictionary_file = v.Bytes(); }},
    {"threads", "0", "int: 0: one a core",
     [](DecodeArguments& a, const Value& v) { a.options.threads = v.Threads(); }},
    {"region", "None",
     "(x, y, width, height) in pixels: these alone are decoded, and read; None: the whole image",
     [](DecodeArguments& a, const Value& v) {
       if (v.Object().is_none()) return;
       const auto [x, y, width, height] = v.Integers<4>("four integers");
       a.options.region = Region{x, y, width, height};
     }},
    {"preview", "False",
     "bool: decode, and read, the preview alone, of at least 8 bits a sample; an error with code "
     "'unsupported' if there is none",
     [](DecodeArguments& a, const Value& v) { a.options.preview = v.Flag(); }},
    {"max_pixels", "268435456",
     "int: larger images are refused before any memory is taken for them",
     [](DecodeArguments& a, const Value& v) { a.options.max_pixels = v.Integer<uint64_t>(); }},
    {"max_work", "None",
     "int: work after which a file is given up, in units of a 25th of a nanosecond or so; the "
     "default is ten times what the slowest files of the presets need",
     [](DecodeArguments& a, const Value& v) { a.options.max_work = v.IntegerOrNone<uint64_t>(); }},
    {"max_memory", "None",
     "int: bytes of memory that decoding may take beside the file: it works on fewer tiles at a "
     "time, or refuses the file; the default is 2^28, 16 a pixel and 2^15 times the dictionary's "
     "size",
     [](DecodeArguments& a, const Value& v) {
       a.options.max_memory = v.IntegerOrNone<uint64_t>();
     }},
    {"progress", "None",
     "function called now and then with the part done, a float in [0, 1], from any thread; a false "
     "result but None cancels",
     [](DecodeArguments& a, const Value& v) { a.progress = v.Object(); }},
};

constexpr Keyword<InfoOptions> kInfoKeywords[] = {
    {"check_bytes", "True",
     "bool: compare all checksums of bytes; if not, only header, metadata and tile table are read: "
     "damage behind them is not noticed",
     [](InfoArguments& a, const Value& v) { a.options.check_bytes = v.Flag(); }},
};

// What other codecs and our own program call it, and what to write here.
struct OtherWord {
  std::string_view word;
  std::string_view advice;
};

constexpr OtherWord kOtherWords[] = {
    {"lambda", "lambda is a word of Python's own: write lambda_"},
    {"lossless", "lambda_=0 is lossless"},
    {"quality",
     "lambda_ says what may be lost: 0 nothing, 10 hardly anything that is seen, 300 is coarse"},
};

// What to write in place of `name`.
template <typename Options, size_t n>
std::string Advice(const Keyword<Options> (&known)[n], const std::string& name) {
  if constexpr (std::is_same_v<Options, EncodeOptions>) {
    for (const OtherWord& other : kOtherWords)
      if (name == other.word) return std::string(other.advice);
  }
  py::list names;
  std::string all;
  for (const auto& k : known) {
    names.append(k.name);
    all += (all.empty() ? "" : ", ") + std::string(k.name);
  }
  const py::list near = py::module_::import("difflib").attr("get_close_matches")(name, names, 1);
  if (near.empty()) return "there are " + all;
  return "did you mean '" + near[0].cast<std::string>() + "'?";
}

template <typename Options, size_t n>
Arguments<Options> Parse(const Keyword<Options> (&known)[n], const py::dict& given) {
  Arguments<Options> arguments;
  for (const auto& [key, value] : given) {
    const std::string name = py::str(key);
    const auto keyword = std::find_if(std::begin(known), std::end(known),
                                      [&](const Keyword<Options>& k) { return name == k.name; });
    if (keyword == std::end(known))
      throw py::type_error("there is no option '" + name + "'; " + Advice(known, name));
    keyword->set(arguments, Value(keyword->name, py::reinterpret_borrow<py::object>(value)));
  }
  return arguments;
}

template <typename Options, size_t n>
std::string Doc(const Keyword<Options> (&keywords)[n], std::string_view name,
                std::string_view first, std::string_view text) {
  std::string doc = std::string(name) + "(" + std::string(first) + ", *";
  for (const auto& k : keywords) doc += std::string(", ") + k.name + "=" + k.default_text;
  doc += ")\n--\n\n" + std::string(text) + "\n";
  for (const auto& k : keywords) doc += std::string("\n") + k.name + ": " + k.meaning;
  return doc;
}

}  // namespace

Arguments<EncodeOptions> ParseEncodeKeywords(const py::dict& keywords) {
  Arguments<EncodeOptions> arguments = Parse(kEncodeKeywords, keywords);
  if (arguments.options.max_error && keywords.contains("lambda_"))
    ThrowInvalid("max_error is in place of lambda_; give one of them");
  return arguments;
}

Arguments<EncodeManyOptions> ParseEncodeManyKeywords(const py::dict& keywords) {
  return Parse(kEncodeManyKeywords, keywords);
}

Arguments<DecodeOptions> ParseDecodeKeywords(const py::dict& keywords) {
  return Parse(kDecodeKeywords, keywords);
}

Arguments<InfoOptions> ParseInfoKeywords(const py::dict& keywords) {
  return Parse(kInfoKeywords, keywords);
}

std::string EncodeDoc(std::string_view name, std::string_view text) {
  return Doc(kEncodeKeywords, name, "image", text);
}

std::string EncodeManyDoc(std::string_view name, std::string_view text) {
  return Doc(kEncodeManyKeywords, name, "jobs", text);
}

std::string DecodeDoc(std::string_view name, std::string_view text) {
  return Doc(kDecodeKeywords, name, "data", text);
}

std::string InfoDoc(std::string_view name, std::string_view text) {
  return Doc(kInfoKeywords, name, "data", text);
}

}  // namespace mmp::python
