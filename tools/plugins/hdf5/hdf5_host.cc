#include "tools/plugins/hdf5/hdf5_host.h"

#include <dlfcn.h>

namespace mmp {
namespace {

Hdf5Host host;

template <typename Symbol>
bool Find(void* library, const char* name, Symbol& symbol) {
  symbol = reinterpret_cast<Symbol>(dlsym(library, name));
  return symbol != nullptr;
}

// The loaded library or program that an address is in; null if there is none.
void* LibraryOf(const void* address) {
  Dl_info info;
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return nullptr;
  void* const library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  return library != nullptr ? library : dlopen(nullptr, RTLD_LAZY);  // HDF5 is part of the program
}

}  // namespace

bool FindHdf5Host(const void* caller) {
  // Never closed: the library is in use as long as the plug-in is.
  void* const library = LibraryOf(caller);
  return library != nullptr && Find(library, "H5allocate_memory", host.allocate_memory) &&
         Find(library, "H5free_memory", host.free_memory) &&
         Find(library, "H5Pget_chunk", host.get_chunk) &&
         Find(library, "H5Pget_filter2", host.get_filter) &&
         Find(library, "H5Pget_filter_by_id2", host.get_filter_by_id) &&
         Find(library, "H5Pmodify_filter", host.modify_filter) &&
         Find(library, "H5Tget_class", host.get_class) &&
         Find(library, "H5Tget_order", host.get_order) &&
         Find(library, "H5Tget_sign", host.get_sign) &&
         Find(library, "H5Tget_size", host.get_size) &&
         Find(library, "H5Epush2", host.push_error) &&
         Find(library, "H5E_ERR_CLS_g", host.error_class) &&
         Find(library, "H5E_PLINE_g", host.pipeline_error) &&
         Find(library, "H5E_CANTFILTER_g", host.filter_error);
}

const Hdf5Host& TheHdf5Host() { return host; }

void PushError(const char* message) {
  host.push_error(H5E_DEFAULT, "mmp", "mmp", 0, *host.error_class, *host.pipeline_error,
                  *host.filter_error, "%s", message);
}

}  // namespace mmp
