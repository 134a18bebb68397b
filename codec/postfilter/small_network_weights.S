// The weights of the network filter's small network.
#define EMBED_NAME mmp_small_network_weights
#define EMBED_FILE "codec/postfilter/small_network_weights.bin"
#include "codec/base/embed_file.inc"
