// How much is tried of the filter.
#ifndef MMP_CODEC_ENCODER_FILTER_FILTER_EFFORT_H_
#define MMP_CODEC_ENCODER_FILTER_FILTER_EFFORT_H_

namespace mmp {

struct FilterEffort {
  int sampling = 1;  // corrections of the Wiener filter's weights: see SumCorrections
  // Networks at one level of noise, the Wiener filter by trained weights only where these do not
  // pay, fewer maps of gray levels.
  bool is_hurried = false;
};

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_FILTER_FILTER_EFFORT_H_
