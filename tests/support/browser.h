// Opens pages that the program wrote in a real browser, for tests.
#ifndef MMP_TESTS_SUPPORT_BROWSER_H_
#define MMP_TESTS_SUPPORT_BROWSER_H_

#include <map>
#include <string>
#include <vector>

namespace mmp {

// What came of a page and the checks that were run in it.
struct PageOutcome {
  bool finished = false;              // all checks were run
  int checks = 0;                     // that held or failed
  std::vector<std::string> failures;  // of checks
  // What the checks handed over by reportValue, by name.
  std::map<std::string, std::string> values;
  std::string console;  // what the browser's console says, if anything
};

// The time of a page. By the virtual clock nothing waits longer than it must, and 30 seconds are
// all there is; workers, which it does not wait for, need the real one.
enum class PageClock { kVirtual, kReal };

class Browser {
 public:
  // Looks for Chromium on the PATH.
  Browser();

  bool found() const { return !path_.empty(); }

  // Loads a copy of the page as a file into a frame of the size given (pixels), with
  // tests/support/browser_pages/harness.js and the named script of that folder added, which checks
  // it.
  PageOutcome Check(const std::string& page_path, const std::string& script, int width, int height,
                    PageClock clock = PageClock::kVirtual) const;

 private:
  std::string path_;
};

}  // namespace mmp

#endif  // MMP_TESTS_SUPPORT_BROWSER_H_
