// Calls of the library that take long.
#ifndef MMP_TOOLS_PYTHON_CALL_H_
#define MMP_TOOLS_PYTHON_CALL_H_

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <utility>

namespace mmp::python {

// Lets other Python threads run while the library works, reports its progress to a Python function,
// and stops it when that raises an exception or a signal handler does (Ctrl-C).
class Call {
 public:
  // `progress` is None or takes the part done in [0, 1]; it cancels by returning something false
  // that is not None. Throws TypeError if it is neither.
  explicit Call(pybind11::object progress);

  // For the library's progress callbacks: false once the work must stop. Without the GIL.
  bool Report(double done);

  // Stops the work for a failure of what else it called in Python; with the GIL. The first counts.
  void Stop(std::exception_ptr failure);
  bool stopped() const { return stopped_; }

  // work(), on a thread of its own, without the GIL. Throws what stopped it, if something in Python
  // did.
  template <typename Work>
  auto Run(Work work) {
    auto result = std::async(std::launch::async, std::move(work));
    while (!EndsSoon(result)) CheckSignals();
    if (failure_) std::rethrow_exception(failure_);
    return result.get();
  }

 private:
  template <typename Future>
  static bool EndsSoon(const Future& result) {
    const pybind11::gil_scoped_release release;
    return result.wait_for(std::chrono::milliseconds(50)) == std::future_status::ready;
  }

  void CheckSignals();

  pybind11::object progress_;
  std::atomic<bool> stopped_ = false;
  std::exception_ptr failure_;  // what stopped the work; changed with the GIL only
};

}  // namespace mmp::python

#endif  // MMP_TOOLS_PYTHON_CALL_H_
