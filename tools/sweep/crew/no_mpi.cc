// Stands in for mpi_ranks.cc where mmp is built without MPI: every process is on its own.
#include "tools/sweep/crew/ranks.h"

namespace mmp {

std::unique_ptr<Ranks> JoinRanks() { return nullptr; }

}  // namespace mmp
