#include <string>

#include "mmp/mmp.h"
#include "mmp/mmp_c.h"

namespace mmp {

std::string_view Version() {
  static const std::string version = std::to_string(kVersionMajor) + "." +
                                     std::to_string(kVersionMinor) + "." +
                                     std::to_string(kVersionPatch);
  return version;
}

}  // namespace mmp

const char* mmp_version(void) { return mmp::Version().data(); }
