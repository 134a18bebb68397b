// The HDF5 library that has loaded the plug-in.
//
// There may be several in one process: Python's packages bring their own, hidden from each other.
// The plug-in must call the one that calls it, so it is linked with none and looks the functions
// up.
#ifndef MMP_TOOLS_PLUGINS_HDF5_HDF5_HOST_H_
#define MMP_TOOLS_PLUGINS_HDF5_HDF5_HOST_H_

#include <hdf5.h>

namespace mmp {

struct Hdf5Host {
  decltype(&H5allocate_memory) allocate_memory;
  decltype(&H5free_memory) free_memory;
  decltype(&H5Pget_chunk) get_chunk;
  decltype(&H5Pget_filter2) get_filter;
  decltype(&H5Pget_filter_by_id2) get_filter_by_id;
  decltype(&H5Pmodify_filter) modify_filter;
  decltype(&H5Tget_class) get_class;
  decltype(&H5Tget_order) get_order;
  decltype(&H5Tget_sign) get_sign;
  decltype(&H5Tget_size) get_size;
  decltype(&H5Epush2) push_error;
  const hid_t* error_class;
  const hid_t* pipeline_error;
  const hid_t* filter_error;
};

// Finds the library that `caller`, an address in its code, belongs to. Returns whether it has all
// that is needed; if not, the plug-in cannot be used.
bool FindHdf5Host(const void* caller);

// FindHdf5Host must have returned true.
const Hdf5Host& TheHdf5Host();

// Adds a sentence to the library's errors: the one that explains them.
void PushError(const char* message);

}  // namespace mmp

#endif  // MMP_TOOLS_PLUGINS_HDF5_HDF5_HOST_H_
