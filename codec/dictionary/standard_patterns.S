// The standard trained patterns.
#define EMBED_NAME mmp_standard_patterns
#define EMBED_FILE MMP_STANDARD_PATTERNS
#include "codec/base/embed_file.inc"
