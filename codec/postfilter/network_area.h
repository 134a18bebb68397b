// What the network filter computes in one go.
#ifndef MMP_CODEC_POSTFILTER_NETWORK_AREA_H_
#define MMP_CODEC_POSTFILTER_NETWORK_AREA_H_

namespace mmp {

// A rectangle of positions of 2x2 pixels each, of a tile or of what a network sees of it.
struct NetworkArea {
  int top, bottom, left, right;

  constexpr int rows() const { return bottom - top; }
  constexpr int columns() const { return right - left; }
};

}  // namespace mmp

#endif  // MMP_CODEC_POSTFILTER_NETWORK_AREA_H_
