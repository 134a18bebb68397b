// The weights of the network filter's large network.
#define EMBED_NAME mmp_network_weights
#define EMBED_FILE MMP_NETWORK_WEIGHTS
#include "codec/base/embed_file.inc"
