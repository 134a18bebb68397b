// The weights of the network filter's first deep network.
#define EMBED_NAME mmp_first_deep_network_weights
#define EMBED_FILE "codec/postfilter/first_deep_network_weights.bin"
#include "codec/base/embed_file.inc"
