// What the library reports, as Python dictionaries named field by field as in mmp/mmp.h.
#ifndef MMP_TOOLS_PYTHON_REPORTS_H_
#define MMP_TOOLS_PYTHON_REPORTS_H_

#include <pybind11/pybind11.h>

#include <vector>

#include "mmp/mmp.h"

namespace mmp::python {

// Pairs of a kind, its name where it has one, and bytes.
pybind11::list MetadataList(const Metadata& metadata);

pybind11::dict InfoDict(const FileInfo& info);
pybind11::dict StatsDict(const EncodeStats& stats);
pybind11::list DamagedTilesList(const std::vector<DamagedTile>& tiles);

}  // namespace mmp::python

#endif  // MMP_TOOLS_PYTHON_REPORTS_H_
