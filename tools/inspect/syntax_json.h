// A file's whole syntax as JSON, for other programs. The format is described in docs/inspect.md.
#ifndef MMP_TOOLS_INSPECT_SYNTAX_JSON_H_
#define MMP_TOOLS_INSPECT_SYNTAX_JSON_H_

#include <string>
#include <string_view>

#include "tools/inspect/decoded_syntax.h"

namespace mmp {

// "partition" and so on.
std::string_view ElementName(CodedElement kind);

// What a value of an element means: "leaf", "vertical"; empty for a pattern's index.
std::string_view ValueName(CodedElement kind, int value);

// To 1/10000 of a bit, for short text.
double RoundedBits(double bits);

std::string SyntaxJson(const DecodedSyntax& syntax);

}  // namespace mmp

#endif  // MMP_TOOLS_INSPECT_SYNTAX_JSON_H_
