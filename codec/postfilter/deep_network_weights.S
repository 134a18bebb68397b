// The weights of the network filter's deep network.
#define EMBED_NAME mmp_deep_network_weights
#define EMBED_FILE "codec/postfilter/deep_network_weights.bin"
#include "codec/base/embed_file.inc"
