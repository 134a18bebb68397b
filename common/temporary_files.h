// Temporary files that must not outlive the process.
#ifndef MMP_COMMON_TEMPORARY_FILES_H_
#define MMP_COMMON_TEMPORARY_FILES_H_

#include <string>
#include <string_view>

namespace mmp {

// A name that no file is likely to have yet, for what is to become the file of this name in the
// same folder: ".photo.mmp.k3x7qa.tmp".
std::string TemporaryName(const std::string& name);
// Whether TemporaryName makes such names. Files that have one and that nobody is writing were left
// behind by a process that was killed.
bool IsTemporaryName(std::string_view name);

// From now on SIGINT, SIGTERM and SIGHUP (those not ignored) first remove all registered temporary
// files, then act as by default. For programs, not for libraries: call it once, early in main.
void RemoveTemporariesOnSignal();

// Removes all registered temporary files now. For a process that is about to end at once: others
// that it registers meanwhile, or that are being registered, may stay. Neither allocates nor locks.
void RemoveTemporaries();

// Registers a file that is about to be created. Returns a number for UnregisterTemporary, or -1 if
// the registry is full or the path too long: the file then stays behind if a signal ends the
// process.
int RegisterTemporary(const std::string& path);

// To be called once the file is removed or renamed. Ignores -1.
void UnregisterTemporary(int slot);

}  // namespace mmp

#endif  // MMP_COMMON_TEMPORARY_FILES_H_
