// Written by tools/train_wiener.
#include "codec/postfilter/wiener_filter.h"

namespace mmp {

const WienerWeights kWienerWeights = {{
#include "codec/postfilter/wiener_weights.inc"
}};

}  // namespace mmp
