#include "tests/support/browser.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/support/subprocess.h"

namespace mmp {
namespace {

namespace fs = std::filesystem;

std::string ReadText(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteText(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string Replaced(std::string text, const std::string& mark, const std::string& by) {
  return text.replace(text.find(mark), mark.size(), by);
}

// The text between two marks, empty if they are not there.
std::string Between(const std::string& text, const std::string& open, const std::string& close) {
  const size_t start = text.find(open);
  if (start == text.npos) return "";
  const size_t end = text.find(close, start);
  return end == text.npos ? "" : text.substr(start + open.size(), end - start - open.size());
}

// A line of harness.js.
void TakeResult(const std::string& line, PageOutcome& outcome) {
  if (line.starts_with("value ")) {
    std::istringstream words(line);
    std::string mark, name;
    words >> mark >> name >> std::ws;
    std::getline(words, outcome.values[name]);
  } else if (line.starts_with("ok ")) {
    ++outcome.checks;
  } else if (line.starts_with("FAILED ")) {
    ++outcome.checks;
    outcome.failures.push_back(line);
  } else if (line == "finished") {
    outcome.finished = true;
  }
}

std::vector<std::string> LinesWith(const std::string& text, const std::string& mark) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (line.find(mark) != line.npos) lines.push_back(line);
  return lines;
}

// The page with the scripts behind everything in it.
std::string WithScripts(const std::string& page, const std::string& script) {
  const fs::path folder = MMP_TEST_BROWSER;
  const size_t end = page.rfind("</body>");
  if (end == page.npos) return page;
  return page.substr(0, end) + "<script>" + ReadText(folder / "harness.js") +
         ReadText(folder / script) + "</script>" + page.substr(end);
}

}  // namespace

Browser::Browser() {
  const char* const search = std::getenv("PATH");
  std::istringstream folders(search == nullptr ? "" : search);
  for (std::string folder; std::getline(folders, folder, ':');) {
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
      const std::string path = folder + "/" + name;
      if (path_.empty() && access(path.c_str(), X_OK) == 0) path_ = path;
    }
  }
}

PageOutcome Browser::Check(const std::string& page_path, const std::string& script, int width,
                           int height, PageClock clock) const {
  const fs::path copy = page_path + ".checked.html", frame = page_path + ".frame.html";
  WriteText(copy, WithScripts(ReadText(page_path), script));
  WriteText(frame, Replaced(Replaced(Replaced(ReadText(fs::path(MMP_TEST_BROWSER) / "frame.html"),
                                              "PAGE", copy.filename().string()),
                                     "WIDTH", std::to_string(width)),
                            "HEIGHT", std::to_string(height)));
  // No sandbox, as it does not work for root or in containers, and the page is our own. Containers'
  // /dev/shm is small.
  std::vector<std::string> command = {path_,
                                      "--headless",
                                      "--no-sandbox",
                                      "--disable-gpu",
                                      "--disable-dev-shm-usage",
                                      "--hide-scrollbars",
                                      "--enable-logging=stderr",
                                      "--v=0",
                                      "--user-data-dir=" + page_path + ".profile",
                                      "--window-size=1400,1000",
                                      "--disable-background-timer-throttling",
                                      "--dump-dom"};
  if (clock == PageClock::kVirtual) command.push_back("--virtual-time-budget=30000");
  command.push_back("file://" + fs::absolute(frame).string());
  const Outcome run = RunProgram(command);
  const std::string results = Between(run.out, "<pre id=\"results\">", "</pre>");
  PageOutcome outcome;
  std::istringstream lines(results);
  for (std::string line; std::getline(lines, line);) TakeResult(line, outcome);
  for (const std::string& line : LinesWith(run.err, "CONSOLE")) outcome.console += line + "\n";
  return outcome;
}

}  // namespace mmp
