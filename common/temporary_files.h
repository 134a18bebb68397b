// Temporary files that must not outlive the process.
#ifndef MMP_COMMON_TEMPORARY_FILES_H_
#define MMP_COMMON_TEMPORARY_FILES_H_

#include <string>

namespace mmp {

// From now on SIGINT, SIGTERM and SIGHUP (those not ignored) first remove all registered temporary
// files, then act as by default. For programs, not for libraries: call it once, early in main.
void RemoveTemporariesOnSignal();

// Registers a file that is about to be created. Returns a number for UnregisterTemporary, or -1 if
// the registry is full or the path too long: the file then stays behind if a signal ends the
// process.
int RegisterTemporary(const std::string& path);

// To be called once the file is removed or renamed. Ignores -1.
void UnregisterTemporary(int slot);

}  // namespace mmp

#endif  // MMP_COMMON_TEMPORARY_FILES_H_
