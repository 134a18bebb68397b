// Writes the test images into a folder. Usage: generate_testimages FOLDER
#include <cstdio>
#include <string>

#include "common/image_files/image_io.h"
#include "testimages/scenes.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "Usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  for (const mmp::testimages::TestImage& test_image : mmp::testimages::MakeAll()) {
    const std::string path = std::string(argv[1]) + "/" + test_image.name + ".png";
    const mmp::Status status = mmp::WriteImage(path, test_image.image.View());
    if (!status.ok()) {
      std::fprintf(stderr, "%s\n", status.message().c_str());
      return 1;
    }
  }
  return 0;
}
