// The weights of the network filter's third deep network.
#define EMBED_NAME mmp_third_deep_network_weights
#define EMBED_FILE "codec/postfilter/third_deep_network_weights.bin"
#include "codec/base/embed_file.inc"
