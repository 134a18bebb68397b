// SIGINT, SIGTERM and SIGHUP, for work that has something to save before they end the program.
#ifndef MMP_TOOLS_COMMAND_LINE_INTERRUPTION_H_
#define MMP_TOOLS_COMMAND_LINE_INTERRUPTION_H_

namespace mmp {

// While there is an Interruption, the first of these signals that comes, unless it is ignored, only
// says so. The next does what it did before, lest someone wait for work that does not end. There
// must be one object at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  // Whether a signal has come. May be called from any thread.
  bool came() const;

  // If one has come, raises it again, now that all is saved: usually it ends the program.
  void Pass() const;
};

}  // namespace mmp

#endif  // MMP_TOOLS_COMMAND_LINE_INTERRUPTION_H_
