// The standard trained patterns.
#define EMBED_NAME mmp_standard_patterns
#define EMBED_FILE "codec/dictionary/standard_patterns.mmd"
#include "codec/base/embed_file.inc"
