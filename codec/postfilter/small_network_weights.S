// The weights of the network filter's small network.
#define EMBED_NAME mmp_small_network_weights
#define EMBED_FILE MMP_SMALL_NETWORK_WEIGHTS
#include "codec/base/embed_file.inc"
