// Sweep journals with arbitrary bytes, in a file that exists in memory only: opening finds the same
// points after another was appended and the journal closed, and that point, too.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tests/fuzz/fuzz_input.h"
#include "tools/sweep/journal.h"
#include "tools/sweep/point_json.h"
#include "tools/text/json.h"
#include "tools/text/json_parser.h"

namespace mmp {
namespace {

class MemoryFile {
 public:
  explicit MemoryFile(std::span<const uint8_t> bytes)
      : descriptor_(memfd_create("journal", MFD_CLOEXEC)) {
    Promise(descriptor_ >= 0);
    Promise(write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  const int descriptor_;
};

std::string Text(const RdPoint& point) {
  JsonWriter json(JsonLayout::kCompact);
  json.BeginObject();
  WritePoint(point, json);
  json.EndObject();
  return json.text();
}

// The last point under each key, as text.
std::map<std::string, std::string> PointsOf(std::string_view text) {
  std::map<std::string, std::string> points;
  for (size_t end; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1)) {
    const std::optional<Json> line = ReadJson(text.substr(0, end));
    const std::optional<RdPoint> point = line ? ReadPoint(*line) : std::nullopt;
    if (point) points[(*line)["key"].text] = Text(*point);
  }
  return points;
}

void ExpectPoints(const Journal& journal, const std::map<std::string, std::string>& points) {
  for (const auto& [key, text] : points) {
    const RdPoint* const point = journal.Find(key);
    Promise(point != nullptr && Text(*point) == text);
  }
}

void Run(std::span<const uint8_t> bytes) {
  const MemoryFile file(bytes);
  auto points = PointsOf(AsText(bytes));
  RdPoint added;
  added.bytes = bytes.size();
  added.psnr = 40;
  {
    const auto journal = Journal::Open(file.path());
    Promise(journal.ok());
    ExpectPoints(**journal, points);
    Promise((*journal)->Append("added", "image", "codec", added).ok());
  }
  points["added"] = Text(added);
  const auto journal = Journal::Open(file.path());
  Promise(journal.ok());
  ExpectPoints(**journal, points);
}

}  // namespace
}  // namespace mmp

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  mmp::Run({data, size});
  return 0;
}
