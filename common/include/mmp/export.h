// MMP_EXPORT: what a shared libmmp shows. All else is hidden.
#ifndef MMP_EXPORT_H_
#define MMP_EXPORT_H_

// Defined where libmmp is a static library: its CMake target and pkg-config say so.
#if !defined(MMP_STATIC_DEFINE) && defined(__GNUC__)
#define MMP_EXPORT __attribute__((visibility("default")))
#else
#define MMP_EXPORT
#endif

#endif  // MMP_EXPORT_H_
