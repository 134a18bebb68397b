// The keywords by which PNG files have text that is more than text.
#ifndef MMP_COMMON_IMAGE_FILES_PNG_KEYWORDS_H_
#define MMP_COMMON_IMAGE_FILES_PNG_KEYWORDS_H_

namespace mmp {

inline constexpr char kPngXmpKeyword[] = "XML:com.adobe.xmp";
inline constexpr char kPngOmeKeyword[] = "OME-XML";

}  // namespace mmp

#endif  // MMP_COMMON_IMAGE_FILES_PNG_KEYWORDS_H_
