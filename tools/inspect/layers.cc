#include "tools/inspect/layers.h"

#include "tools/inspect/pictures.h"

namespace mmp {
namespace {

Status ShowFilterLayers(const DecodedSyntax& syntax,
                        const std::function<Status(const Layer&)>& show) {
  MMP_RETURN_IF_ERROR(show({std::string(kFilterLayers[0]), 1, syntax.reconstruction.View()}));
  return show({std::string(kFilterLayers[1]), 1, FilterPicture(syntax).View()});
}

}  // namespace

Status ShowLayers(const DecodedSyntax& syntax, const std::function<Status(const Layer&)>& show) {
  const int scale = PictureScale(syntax.info);
  MMP_RETURN_IF_ERROR(show({"Decoded", 1, syntax.decoded.View()}));
  MMP_RETURN_IF_ERROR(show({"Prediction", 1, syntax.prediction.View()}));
  MMP_RETURN_IF_ERROR(show({"Residual", 1, ResidualPicture(syntax).View()}));
  if (HasFilter(syntax.info)) MMP_RETURN_IF_ERROR(ShowFilterLayers(syntax, show));
  MMP_RETURN_IF_ERROR(show({"Segmentation", scale, SegmentationPicture(syntax)}));
  MMP_RETURN_IF_ERROR(show({"Modes", scale, ModePicture(syntax)}));
  return show({"Bits", scale, BitsPicture(syntax)});
}

}  // namespace mmp
