#include "tools/sweep/pictures.h"

#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "common/sha256.h"
#include "tools/command_line/file_jobs.h"
#include "tools/command_line/terminal.h"
#include "tools/text/text.h"

namespace mmp {
namespace {

// As sha256sum prints for the image as a PGM file.
std::string HashOf(const Image& image) {
  Sha256 hash;
  hash.Add(EncodePgm(image.View()));
  return hash.Hex();
}

}  // namespace

Pictures::Pictures(const std::vector<std::string>& paths, const ReadImageOptions& options)
    : options_(options) {
  std::set<std::string> seen;
  for (const std::string& path : paths) {
    if (!seen.insert(path).second) continue;
    const Result<LoadedImage> loaded = ReadImage(path, options_);
    if (!loaded.ok()) {
      failures_.push_back(
          {.image = path, .message = loaded.status().message(), .code = loaded.status().code()});
      continue;
    }
    if (!loaded->notice.empty()) PrintNote(QuotedInput(path) + ": " + loaded->notice);
    const Image& image = loaded->image;
    images_.push_back(
        {.path = path, .hash = HashOf(image), .width = image.width(), .height = image.height()});
  }
  loaded_.resize(images_.size());
  NameImages();
}

Pictures::Pictures(std::vector<SweepImage> images, const ReadImageOptions& options)
    : options_(options), images_(std::move(images)), loaded_(images_.size()) {}

void Pictures::NameImages() {
  std::map<std::string, int> uses;
  for (SweepImage& image : images_) {
    image.name = OneLine(std::filesystem::path(image.path).stem().string());
    ++uses[image.name];
  }
  for (SweepImage& image : images_)
    if (uses[image.name] > 1) image.name = OneLine(image.path);
}

Result<std::shared_ptr<const Image>> Pictures::Get(size_t index) {
  // Held while reading, so that those who need the same image at the same time read it once.
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const Image> image = loaded_[index].lock();
  if (image != nullptr) return image;
  Result<LoadedImage> loaded = ReadImage(images_[index].path, options_);
  if (!loaded.ok()) return loaded.status();
  image = std::make_shared<const Image>(std::move(loaded->image));
  if (HashOf(*image) != images_[index].hash)
    return Status(StatusCode::kIo, QuotedInput(images_[index].path) + " has changed meanwhile");
  loaded_[index] = image;
  return image;
}

}  // namespace mmp
