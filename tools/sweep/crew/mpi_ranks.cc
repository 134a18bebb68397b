#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <set>
#include <thread>
#include <utility>

#include "tools/sweep/crew/ranks.h"

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
  ~MpiRanks() override {
    // A rank that is gone may leave something untaken for ever.
    for (int waits = 0; !sending_.empty() && waits < kMostWaits; ++waits) {
      ForgetSent();
      std::this_thread::sleep_for(kWait);
    }
    for (Transfer& transfer : sending_) MPI_Request_free(&transfer.request);
    MPI_Finalize();
  }

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
    ForgetSent();
    Transfer& transfer = sending_.emplace_back(Transfer{message});
    const std::string& text = transfer.message.text;
    MPI_Isend(text.data(), static_cast<int>(text.size()), MPI_CHAR, message.rank,
              static_cast<int>(message.kind), MPI_COMM_WORLD, &transfer.request);
  }

  std::optional<Message> Receive() override {
    ForgetSent();
    while (BeginReceive()) {
    }
    // In the order of each rank's messages; one that is stuck holds up those of its rank alone.
    std::set<int> stuck;
    for (auto transfer = receiving_.begin(); transfer != receiving_.end(); ++transfer) {
      if (stuck.contains(transfer->message.rank)) continue;
      if (!IsDone(*transfer)) {
        stuck.insert(transfer->message.rank);
        continue;
      }
      Message message = std::move(transfer->message);
      receiving_.erase(transfer);
      return message;
    }
    return std::nullopt;
  }

  [[noreturn]] void EndAll(int exit_code) override {
    MPI_Abort(MPI_COMM_WORLD, exit_code);
    std::abort();
  }

 private:
  // A message under way, which stays where it is in memory. Large ones need the other rank's part.
  struct Transfer {
    Message message;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  static constexpr std::chrono::milliseconds kWait{1};
  static constexpr int kMostWaits = 1000;

  static bool IsDone(Transfer& transfer) {
    int done = 0;
    MPI_Test(&transfer.request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  }

  void ForgetSent() { std::erase_if(sending_, IsDone); }

  // Begins to take a message that has been announced. Returns whether there was one.
  bool BeginReceive() {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
    if (there == 0) return false;
    int length = 0;
    MPI_Get_count(&status, MPI_CHAR, &length);
    Transfer& transfer =
        receiving_.emplace_back(Transfer{{.rank = status.MPI_SOURCE,
                                          .kind = static_cast<MessageKind>(status.MPI_TAG),
                                          .text = std::string(static_cast<size_t>(length), '\0')}});
    MPI_Irecv(transfer.message.text.data(), length, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG,
              MPI_COMM_WORLD, &transfer.request);
    return true;
  }

  std::list<Transfer> sending_, receiving_;
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
