// The weights of the network filter's large network.
#define EMBED_NAME mmp_network_weights
#define EMBED_FILE "codec/postfilter/network_weights.bin"
#include "codec/base/embed_file.inc"
