// The keyword arguments of the Python functions.
#ifndef MMP_TOOLS_PYTHON_KEYWORDS_H_
#define MMP_TOOLS_PYTHON_KEYWORDS_H_

#include <pybind11/pybind11.h>

#include <optional>
#include <string>
#include <string_view>

#include "mmp/mmp.h"

namespace mmp::python {

// What a call's keywords say: the library's options, `progress` left empty, the function for that,
// and what is said of the image.
template <typename Options>
struct Arguments {
  Options options;
  pybind11::object progress = pybind11::none();
  std::optional<int> depth = {};  // bits a sample of the image to encode; checked by ArraySamples
};

// Throws TypeError (an unknown keyword, a value of the wrong type) or InvalidArgumentError (a value
// of none of the names there are, or that no option can hold). The library checks the ranges of
// most.
Arguments<EncodeOptions> ParseEncodeKeywords(const pybind11::dict& keywords);
Arguments<EncodeManyOptions> ParseEncodeManyKeywords(const pybind11::dict& keywords);
Arguments<DecodeOptions> ParseDecodeKeywords(const pybind11::dict& keywords);
Arguments<InfoOptions> ParseInfoKeywords(const pybind11::dict& keywords);

// The docstring of the function whose Python signature is NAME(image, jobs or data, *, the
// keywords): the signature as inspect.signature() expects it, `text`, and a line for each keyword.
std::string EncodeDoc(std::string_view name, std::string_view text);
std::string EncodeManyDoc(std::string_view name, std::string_view text);
std::string DecodeDoc(std::string_view name, std::string_view text);
std::string InfoDoc(std::string_view name, std::string_view text);

}  // namespace mmp::python

#endif  // MMP_TOOLS_PYTHON_KEYWORDS_H_
