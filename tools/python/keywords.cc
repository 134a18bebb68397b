#include "tools/python/keywords.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

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
    return py::float_(value_);
  }

  bool Flag() const {
    if (!py::isinstance<py::bool_>(value_)) throw WrongType("True or False");
    return value_.cast<bool>();
  }

  template <typename T>
  T Integer() const {
    const auto number = py::reinterpret_steal<py::int_>(PyNumber_Index(value_.ptr()));
    if (!number) {
      PyErr_Clear();
      throw WrongType("an integer");
    }
    using Limits = std::numeric_limits<T>;
    if (number < py::int_(Limits::min()) || number > py::int_(Limits::max()))
      throw py::value_error(std::string(keyword_) + " is out of range");
    return number.cast<T>();
  }

  template <typename T>
  std::optional<T> IntegerOrNone() const {
    return value_.is_none() ? std::nullopt : std::optional<T>(Integer<T>());
  }

  std::vector<uint8_t> Bytes() const {
    if (!py::isinstance<py::bytes>(value_)) throw WrongType("bytes");
    const std::string_view bytes = value_.cast<std::string_view>();
    return {bytes.begin(), bytes.end()};
  }

  // The two integers of a tuple or a list.
  std::pair<int, int> Pair() const {
    if (!py::isinstance<py::sequence>(value_) || py::len(value_) != 2)
      throw WrongType("two integers");
    const auto pair = value_.cast<py::sequence>();
    const auto item = [&](int i) { return Value(keyword_, pair[i]).Integer<int>(); };
    return {item(0), item(1)};
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
    throw py::value_error(std::string(keyword_) + " must be one of " + names + ", not '" + name +
                          "'");
  }

 private:
  py::type_error WrongType(const char* wanted) const {
    return py::type_error(std::string(keyword_) + " must be " + wanted + ", not " +
                          py::repr(value_).cast<std::string>());
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
using DecodeArguments = Arguments<DecodeOptions>;

constexpr Keyword<EncodeOptions> kEncodeKeywords[] = {
    {"lambda_", "10.0",
     "float, 0 to 65536: the squared error that a bit may cost; larger is smaller, 0 is lossless",
     [](EncodeArguments& a, const Value& v) { a.options.lambda = v.Number(); }},
    {"exact_lambda", "False",
     "bool: keep to lambda_; False: an image of few gray levels is also tried losslessly, and what "
     "costs less is kept (presets but 'thesis')",
     [](EncodeArguments& a, const Value& v) { a.options.exact_lambda = v.Flag(); }},
    {"preset", "'best'", "'best', 'fast' or 'thesis' (the reference configuration)",
     [](EncodeArguments& a, const Value& v) {
       a.options.preset = v.Name({Preset::kThesis, Preset::kFast, Preset::kBest}, PresetName);
     }},
    {"dictionary_size", "None",
     "int, 69 to 65536: most patterns a level; None: as the preset says, as for the next three",
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
     "filter, 8 mixed models",
     [](EncodeArguments& a, const Value& v) { a.options.tools = v.IntegerOrNone<uint32_t>(); }},
    {"dictionary_file", "b''",
     "bytes of a file of mmp train, to start with in place of the standard patterns; decode needs "
     "it, too",
     [](EncodeArguments& a, const Value& v) { a.options.dictionary_file = v.Bytes(); }},
    {"tile", "(0, 0)",
     "(width, height) of the tiles in pixels, multiples of 16; (0, 0): one tile up to 2**20 "
     "pixels, 1024x1024 above",
     [](EncodeArguments& a, const Value& v) {
       std::tie(a.options.tile_width, a.options.tile_height) = v.Pair();
     }},
    {"threads", "0", "int: threads of the CPU; 0: one a core",
     [](EncodeArguments& a, const Value& v) { a.options.threads = v.Integer<int>(); }},
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

constexpr Keyword<DecodeOptions> kDecodeKeywords[] = {
    {"dictionary_file", "b''", "bytes of the dictionary file that it was encoded with, if with one",
     [](DecodeArguments& a, const Value& v) { a.options.dictionary_file = v.Bytes(); }},
    {"threads", "0", "int: 0: one a core",
     [](DecodeArguments& a, const Value& v) { a.options.threads = v.Integer<int>(); }},
    {"max_pixels", "268435456",
     "int: larger images are refused before any memory is taken for them",
     [](DecodeArguments& a, const Value& v) { a.options.max_pixels = v.Integer<uint64_t>(); }},
    {"max_multiply_adds", "17592186044416",
     "int: work after which a file is given up; the default is some minutes of one core, which "
     "only files with very large dictionaries need",
     [](DecodeArguments& a, const Value& v) {
       a.options.max_multiply_adds = v.Integer<uint64_t>();
     }},
    {"progress", "None",
     "function called now and then with the part done, a float in [0, 1], from any thread; a false "
     "result but None cancels",
     [](DecodeArguments& a, const Value& v) { a.progress = v.Object(); }},
};

template <typename Options, size_t n>
Arguments<Options> Parse(const Keyword<Options> (&known)[n], const py::dict& given) {
  Arguments<Options> arguments;
  for (const auto& [key, value] : given) {
    const std::string name = py::str(key);
    const auto keyword = std::find_if(std::begin(known), std::end(known),
                                      [&](const Keyword<Options>& k) { return name == k.name; });
    if (keyword == std::end(known)) throw py::type_error("there is no option '" + name + "'");
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
  return Parse(kEncodeKeywords, keywords);
}

Arguments<DecodeOptions> ParseDecodeKeywords(const py::dict& keywords) {
  return Parse(kDecodeKeywords, keywords);
}

std::string EncodeDoc(std::string_view name, std::string_view first, std::string_view text) {
  return Doc(kEncodeKeywords, name, first, text);
}

std::string DecodeDoc(std::string_view name, std::string_view first, std::string_view text) {
  return Doc(kDecodeKeywords, name, first, text);
}

}  // namespace mmp::python
