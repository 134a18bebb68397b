// The weights of the network filter's second deep network.
#define EMBED_NAME mmp_second_deep_network_weights
#define EMBED_FILE "codec/postfilter/second_deep_network_weights.bin"
#include "codec/base/embed_file.inc"
