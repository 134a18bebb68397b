// The weights of the network filter's first small network.
#define EMBED_NAME mmp_first_small_network_weights
#define EMBED_FILE "codec/postfilter/first_small_network_weights.bin"
#include "codec/base/embed_file.inc"
