// Written by tools/train_wiener.
#include "codec/wiener_filter.h"

namespace mmp {

const WienerWeights kWienerWeights = {{
#include "codec/wiener_weights.inc"
}};

}  // namespace mmp
