#include "tools/sweep/crew/crew.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "tools/command_line/terminal.h"
#include "tools/sweep/crew/crew_messages.h"
#include "tools/sweep/crew/shared_tasks.h"
#include "tools/sweep/pictures.h"
#include "tools/sweep/sweep_folder.h"

namespace mmp {
namespace {

namespace fs = std::filesystem;

// Who says what. Rank 0 to another:
//   kPlan   PlanText; then the other is expected to answer
//   kGrant  TaskText: the answer to kAwait and kClaim
//   kEnd    there is nothing more to come, and what is at work is not wanted any more
// The others to rank 0, and only after kPlan:
//   kAwait   a task is wanted; the answer comes when there is one, or when there will be none
//   kClaim   TaskText: one from this on is wanted now
//   kResult  EndText
//   kAlive   the host's name, again and again
//   kLeave   why the rank takes no part or no more

bool Exists(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

}  // namespace

// The leader

// The work of Leader::Measure, and the leader's own source of tasks.
class Leader::Work : public TaskSource {
 public:
  Work(Leader& leader, std::span<const SweepTask> tasks, const MeasureContext& context,
       const MeasureEvents& events)
      : ranks_(leader.ranks_),
        timing_(leader.timing_),
        leader_(leader),
        context_(context),
        events_(events),
        tasks_(InOrderOfStart(tasks, context.curves)),
        ledger_(tasks_.size(), ranks_.size()),
        started_(tasks_.size()) {}

  void Run() {
    const std::string plan = PlanText(tasks_, context_);
    for (int rank = 1; rank < ranks_.size(); ++rank) {
      if (IsIn(rank))
        ranks_.Send({rank, MessageKind::kPlan, plan});
      else
        ledger_.Retire(rank);
    }
    std::thread own([this] {
      do {
        MeasureShared(tasks_, context_, *this);
      } while (ledger_.StepIn(kOwnRank));
      ledger_.Retire(kOwnRank);  // if it was stopped, it has not done all that it had
    });
    while (!ledger_.finished() && !IsInterrupted(context_.request)) {
      if (!HandleMessages()) Wait();
      AnswerWaiting();
    }
    // The others stop what they are at, while our own part ends.
    if (IsInterrupted(context_.request)) LetGo();
    own.join();
    // Ranks that were given up may answer again.
    for (int rank = 1; rank < ranks_.size(); ++rank)
      if (!leader_.workers_[rank].lost) AnswerLast(rank);
  }

  // The leader's own tasks, called from its measuring threads
  std::optional<size_t> Claim(size_t from) override { return Start(ledger_.Claim(from, kOwnRank)); }
  std::optional<size_t> Await() override { return Start(ledger_.Await(kOwnRank)); }
  bool End(size_t task, Result<RdPoint> point) override {
    // The failure is not that of the point, as long as others can have it.
    if (point.status().code() == StatusCode::kUnavailable && ledger_.StandBack(kOwnRank)) {
      WarnOfStandingBack(point.status().message());
      return false;
    }
    return Complete(task, std::move(point));
  }

 private:
  static constexpr int kOwnRank = 0;

  // Returns whether to go on.
  bool Complete(size_t task, Result<RdPoint> point) {
    if (ledger_.Complete(task) && !events_.ended(tasks_[task], std::move(point))) ledger_.Stop();
    return !ledger_.stopped();
  }

  void WarnOfStandingBack(const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(stood_back_, true))
      PrintWarning("rank 0 leaves the points to the others: " + why);
  }

  bool IsIn(int rank) const { return !leader_.workers_[rank].left && !leader_.workers_[rank].lost; }

  std::optional<size_t> Start(std::optional<size_t> task) {
    if (!task) return task;
    {
      const std::lock_guard lock(mutex_);
      if (started_[*task]) return task;  // by a rank that is gone
      started_[*task] = true;
    }
    events_.start(tasks_[*task]);
    return task;
  }

  void Grant(int rank, std::optional<size_t> task) {
    leader_.workers_[rank].waiting = false;
    ranks_.Send({rank, MessageKind::kGrant, TaskText(task)});
  }

  // Returns whether there was any.
  bool HandleMessages() {
    bool any = false;
    while (const std::optional<Message> message = ranks_.Receive()) {
      Handle(*message);
      any = true;
    }
    return any;
  }

  void Handle(const Message& message) {
    const int rank = message.rank;
    Worker& worker = leader_.workers_[rank];
    worker.silent = {};
    switch (message.kind) {
      case MessageKind::kAwait:
        worker.waiting = true;
        break;
      case MessageKind::kClaim:
        Grant(rank, Start(ledger_.Claim(ReadTask(message.text).value_or(0), rank)));
        break;
      case MessageKind::kResult:
        if (std::optional<TaskEnd> end = ReadEnd(message.text, tasks_.size()))
          Complete(end->task, std::move(end->point));
        else
          GiveUp(rank, "sends what is no result");
        break;
      case MessageKind::kAlive:
        worker.host = message.text;
        break;
      case MessageKind::kLeave:
        worker.left = true;
        ledger_.Retire(rank);
        PrintWarning(leader_.NameOf(rank) + " takes no part: " + message.text);
        break;
      default:
        break;
    }
  }

  // Nothing has come: sleeps, and gives up those that have been silent for too long. Only the time
  // that is slept here counts, so that it does not matter how long the rest of the work takes us.
  void Wait() {
    std::this_thread::sleep_for(timing_.poll);
    for (int rank = 1; rank < ranks_.size(); ++rank) {
      Worker& worker = leader_.workers_[rank];
      worker.silent += timing_.poll;
      if (!IsIn(rank) || worker.silent < timing_.silence) continue;
      GiveUp(rank, "does not answer");
    }
  }

  void GiveUp(int rank, const std::string& why) {
    leader_.workers_[rank].lost = true;
    ledger_.Retire(rank);
    PrintWarning(leader_.NameOf(rank) + " " + why + "; the others do its points");
  }

  void LetGo() {
    ledger_.Stop();
    HandleMessages();  // points that are done
    for (int rank = 1; rank < ranks_.size(); ++rank) {
      if (leader_.workers_[rank].lost) continue;
      leader_.workers_[rank].left = true;
      leader_.End(rank);
    }
  }

  void AnswerWaiting() {
    for (int rank = 1; rank < ranks_.size(); ++rank) {
      if (!leader_.workers_[rank].waiting || !IsIn(rank)) continue;
      const std::optional<size_t> task = Start(ledger_.Claim(0, rank));
      if (task) Grant(rank, task);
    }
  }

  // All is done: waits for the rank's last question, unless it takes no part.
  void AnswerLast(int rank) {
    Worker& worker = leader_.workers_[rank];
    while (IsIn(rank) && !worker.waiting)
      if (!HandleMessages()) Wait();
    if (IsIn(rank)) Grant(rank, std::nullopt);
  }

  Ranks& ranks_;
  const CrewTiming timing_;
  Leader& leader_;
  const MeasureContext& context_;
  const MeasureEvents& events_;
  const std::vector<SweepTask> tasks_;
  TaskLedger ledger_;
  std::mutex mutex_;  // guards what follows
  std::vector<bool> started_;
  bool stood_back_ = false;
};

Leader::Leader(Ranks& ranks, CrewTiming timing)
    : ranks_(ranks), timing_(timing), workers_(ranks.size()) {}

Leader::~Leader() {
  for (int rank = 1; rank < ranks_.size(); ++rank)
    if (!workers_[rank].lost) End(rank);
}

void Leader::End(int rank) {
  if (!std::exchange(workers_[rank].ended, true)) ranks_.Send({rank, MessageKind::kEnd});
}

void Leader::Measure(std::span<const SweepTask> tasks, const MeasureContext& context,
                     const MeasureEvents& events) {
  if (!tasks.empty()) Work(*this, tasks, context, events).Run();
}

bool Leader::lost_any() const { return std::ranges::any_of(workers_, &Worker::lost); }

std::string Leader::NameOf(int rank) const {
  const std::string& host = workers_[rank].host;
  return Format("rank %d", rank) + (host.empty() ? "" : " on " + host);
}

// The others

namespace {

// What a rank needs to measure a plan's tasks.
struct Equipment {
  std::vector<Curve> curves;
  std::vector<SweepImage> images;
  std::vector<SweepTask> tasks = {};
};

Result<Equipment> Prepare(const std::string& plan_text, const Result<SweepRequest>& request) {
  if (!request.ok()) return request.status();
  std::optional<ReceivedPlan> plan = ReadPlan(plan_text, *request);
  if (!plan) return Status(StatusCode::kInvalidArgument, "it was started with other options");
  constexpr char kShared[] =
      "; all ranks need the images and the folder of the results under the same paths";
  const fs::path folder = request->folder;
  if (!Exists(folder / kJournalName))
    return Status(StatusCode::kIo, "there is no '" + folder.string() + "'" + kShared);
  for (const SweepImage& image : plan->images)
    if (!Exists(image.path))
      return Status(StatusCode::kIo, "there is no '" + image.path + "'" + kShared);
  Equipment equipment = {.curves = PlanCurves(*request), .images = std::move(plan->images)};
  std::map<std::string, SweepTask> known;
  for (SweepTask& task : PlanTasks(equipment.images, equipment.curves))
    known.emplace(task.key, std::move(task));
  for (const std::string& key : plan->keys) {
    const auto task = known.find(key);
    if (task == known.end()) {
      return Status(StatusCode::kUnavailable,
                    "its mmp, or a codec to compare with, is not that of rank 0");
    }
    equipment.tasks.push_back(task->second);
  }
  return equipment;
}

// A rank's questions and reports, from its measuring threads to the thread that has the messages.
class Mailbox : public TaskSource {
 public:
  std::optional<size_t> Claim(size_t from) override {
    return Ask({0, MessageKind::kClaim, TaskText(from)});
  }
  std::optional<size_t> Await() override { return Ask({0, MessageKind::kAwait}); }
  bool End(size_t task, Result<RdPoint> point) override {
    const bool left = HasLeft();
    // What fails when we leave may do so as its codec was ended too.
    if (!point.ok() && left) return false;
    // The failure is not that of the point.
    if (point.status().code() == StatusCode::kUnavailable) {
      Leave(point.status().message());
      return false;
    }
    Post({0, MessageKind::kResult, EndText({task, std::move(point)})});
    return !left;
  }
  void Leave(const std::string& reason) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(left_, true)) return;
    outgoing_.push_back({0, MessageKind::kLeave, reason});
    answered_ = true;  // to whoever has asked: nothing
    answer_.reset();
    answer_came_.notify_all();
  }
  bool HasLeft() {
    const std::lock_guard lock(mutex_);
    return left_;
  }

  void Answer(std::optional<size_t> task) {
    const std::lock_guard lock(mutex_);
    if (left_) return;
    answer_ = task;
    answered_ = true;
    answer_came_.notify_all();
  }
  std::vector<Message> TakeOutgoing() {
    const std::lock_guard lock(mutex_);
    return std::exchange(outgoing_, {});
  }

 private:
  void Post(Message message) {
    const std::lock_guard lock(mutex_);
    outgoing_.push_back(std::move(message));
  }

  std::optional<size_t> Ask(Message question) {
    const std::lock_guard one_at_a_time(asking_);
    std::unique_lock lock(mutex_);
    if (left_) return std::nullopt;
    outgoing_.push_back(std::move(question));
    answered_ = false;
    answer_came_.wait(lock, [this] { return answered_; });
    return answer_;
  }

  std::mutex asking_;
  std::mutex mutex_;  // guards what follows
  std::vector<Message> outgoing_;
  bool left_ = false;
  bool answered_ = false;
  std::optional<size_t> answer_;
  std::condition_variable answer_came_;
};

void MeasurePlan(const std::string& plan, const Result<SweepRequest>& request, Mailbox& mailbox) {
  const Result<Equipment> equipment = Prepare(plan, request);
  if (!equipment.ok()) return mailbox.Leave(equipment.status().message());
  Pictures pictures(equipment->images, request->read);
  MeasureShared(equipment->tasks, {*request, equipment->curves, pictures}, mailbox);
}

}  // namespace

void WorkForLeader(Ranks& ranks, const Result<SweepRequest>& request, CrewTiming timing) {
  using Clock = std::chrono::steady_clock;
  Mailbox mailbox;
  std::atomic<bool> ended{false};
  Result<SweepRequest> own_request = request;
  if (request.ok()) {
    own_request->interrupted = [&] { return ended || IsInterrupted(*request); };
  }
  std::thread measuring;
  Clock::time_point next_alive = Clock::now();
  const auto leave_if_interrupted = [&] {
    if (measuring.joinable() && request.ok() && IsInterrupted(*request))
      mailbox.Leave("it was interrupted");
  };
  const auto stay_alive = [&] {
    if (!measuring.joinable() || Clock::now() < next_alive) return;
    ranks.Send({0, MessageKind::kAlive, ranks.host()});
    next_alive = Clock::now() + timing.alive;
  };
  while (true) {
    const std::optional<Message> message = ranks.Receive();
    if (!message) {
      stay_alive();
      leave_if_interrupted();
      for (const Message& outgoing : mailbox.TakeOutgoing()) ranks.Send(outgoing);
      std::this_thread::sleep_for(timing.poll);
    } else if (message->kind == MessageKind::kPlan) {
      measuring =
          std::thread(MeasurePlan, message->text, std::cref(own_request), std::ref(mailbox));
    } else if (message->kind == MessageKind::kGrant) {
      mailbox.Answer(ReadTask(message->text));
    } else {
      break;
    }
  }
  ended = true;
  mailbox.Leave("the sweep has ended");  // whoever asks for more work
  if (measuring.joinable()) measuring.join();
}

}  // namespace mmp
