#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "tools/sweep/ranks.h"

namespace mmp {
namespace {

// MPI's functions are not checked: MPI ends the program itself when one fails.
class MpiRanks : public Ranks {
 public:
  MpiRanks() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm host;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &host_rank_);
    MPI_Comm_size(host, &host_size_);
    MPI_Comm_free(&host);
  }
  ~MpiRanks() override { MPI_Finalize(); }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string host() const override {
    std::array<char, MPI_MAX_PROCESSOR_NAME> name;
    int length = 0;
    MPI_Get_processor_name(name.data(), &length);
    return {name.data(), static_cast<size_t>(length)};
  }
  int host_rank() const override { return host_rank_; }
  int host_size() const override { return host_size_; }

  // The kind is MPI's tag.
  void Send(const Message& message) override {
    MPI_Send(message.text.data(), static_cast<int>(message.text.size()), MPI_CHAR, message.rank,
             static_cast<int>(message.kind), MPI_COMM_WORLD);
  }

  std::optional<Message> Receive() override {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
    if (there == 0) return std::nullopt;
    int length = 0;
    MPI_Get_count(&status, MPI_CHAR, &length);
    Message message = {.rank = status.MPI_SOURCE,
                       .kind = static_cast<MessageKind>(status.MPI_TAG),
                       .text = std::string(static_cast<size_t>(length), '\0')};
    MPI_Recv(message.text.data(), length, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG,
             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return message;
  }

  [[noreturn]] void EndAll(int exit_code) override {
    MPI_Abort(MPI_COMM_WORLD, exit_code);
    std::abort();
  }

 private:
  int rank_ = 0, size_ = 1;
  int host_rank_ = 0, host_size_ = 1;
};

// What Open MPI's mpirun, PMIx (srun) and PMI (MPICH, Intel MPI, srun) tell those they start. On
// its own a program must not start MPI: some need a daemon for it.
bool WasLaunched() {
  constexpr std::array kVariables = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};
  return std::ranges::any_of(kVariables,
                             [](const char* name) { return std::getenv(name) != nullptr; });
}

}  // namespace

std::unique_ptr<Ranks> JoinRanks() {
  if (!WasLaunched()) return nullptr;
  auto ranks = std::make_unique<MpiRanks>();
  if (ranks->size() == 1) return nullptr;
  return ranks;
}

}  // namespace mmp
