// Fits corrections of the Wiener filter's weights to a tile.
#ifndef MMP_CODEC_ENCODER_FILTER_FIT_CORRECTIONS_H_
#define MMP_CODEC_ENCODER_FILTER_FIT_CORRECTIONS_H_

#include "codec/base/lambda.h"
#include "codec/encoder/filter/correction_sums.h"
#include "codec/postfilter/wiener_filter.h"
#include "common/task_pool.h"

namespace mmp {

// Those of the base that have about the least cost D + lambda R; no sets if none is worth its bits.
// They are the same on every machine: sums are integers, the rest is + - * / of doubles in a fixed
// order. The pool shares the work.
WienerCorrections FitCorrections(const CorrectionSums& sums, int strength, Lambda lambda,
                                 WienerBase base = WienerBase::kTrained,
                                 TaskPool& pool = TaskPool::Alone());

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_FILTER_FIT_CORRECTIONS_H_
