// The processes that mpirun or srun started a program as, and messages between them.
#ifndef MMP_TOOLS_SWEEP_CREW_RANKS_H_
#define MMP_TOOLS_SWEEP_CREW_RANKS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace mmp {

// What a message is about: see crew.cc.
enum class MessageKind : uint8_t { kPlan, kAwait, kClaim, kGrant, kResult, kAlive, kLeave, kEnd };

struct Message {
  int rank = 0;  // whom it comes from, or goes to
  MessageKind kind = MessageKind::kEnd;
  std::string text = {};
};

// This process as one of them. To be used by one thread.
class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual int rank() const = 0;  // of this process, in [0, size())
  virtual int size() const = 0;  // at least 2
  // The machine, and which of its ranks this is.
  virtual std::string host() const = 0;
  virtual int host_rank() const = 0;  // in [0, host_size())
  virtual int host_size() const = 0;

  // Messages to one rank arrive in the order in which they were sent. Does not wait for it to take
  // the message: it may never do so.
  virtual void Send(const Message& message) = 0;
  // One that has arrived; none if there is none yet.
  virtual std::optional<Message> Receive() = 0;

  // Ends the program with all its ranks, some of which do not answer any more.
  [[noreturn]] virtual void EndAll(int exit_code) = 0;
};

// Null if the process was started on its own, or without MMP_MPI. To be called once.
std::unique_ptr<Ranks> JoinRanks();

}  // namespace mmp

#endif  // MMP_TOOLS_SWEEP_CREW_RANKS_H_
