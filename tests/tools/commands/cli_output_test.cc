// What becomes of outputs: of files that are there, on full disks, without memory, after a signal.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/tools/commands/cli.h"

namespace mmp {
namespace {

TEST_F(Cli, DecodingDoesNotReplaceTheOriginal) {
  fs::copy(kSmallImage, Path("a.png"));
  ASSERT_EQ(Mmp({"encode", Path("a.png"), "--lambda", "300"}).exit_code, kSuccess);
  ExpectError(Mmp({"decode", Path("a.mmp")}), kUsage,
              "'" + Path("a.png") + "' exists already; --force replaces it");
  EXPECT_TRUE(ReadText(Path("a.png")) == ReadText(kSmallImage));
  EXPECT_EQ(Mmp({"decode", Path("a.mmp"), "--force"}).exit_code, kSuccess);
  EXPECT_FALSE(ReadText(Path("a.png")) == ReadText(kSmallImage));
  // A name that was given is meant.
  fs::copy(kSmallImage, Path("b.png"));
  EXPECT_EQ(Mmp({"decode", Path("a.mmp"), "-o", Path("b.png")}).exit_code, kSuccess);
  EXPECT_TRUE(ReadText(Path("b.png")) == ReadText(Path("a.png")));
}

TEST_F(Cli, EncodingReplacesOnlyWhatIsNamed) {
  fs::copy(kSmallImage, Path("a.png"));
  WriteText(Path("a.mmp"), "older");
  ExpectError(Mmp({"encode", Path("a.png")}), kUsage, "--force replaces it");
  ExpectError(Mmp({"encode", Path("a.png"), "-o", folder_}), kUsage, "--force replaces it");
  EXPECT_EQ(ReadText(Path("a.mmp")), "older");
  EXPECT_EQ(Mmp({"encode", Path("a.png"), "--force"}).exit_code, kSuccess);
  EXPECT_NE(ReadText(Path("a.mmp")), "older");
  WriteText(Path("a.mmp"), "older");
  EXPECT_EQ(Mmp({"encode", Path("a.png"), "-o", Path("a.mmp")}).exit_code, kSuccess);
  EXPECT_NE(ReadText(Path("a.mmp")), "older");
}

TEST_F(Cli, TheInputIsNotReplacedByForce) {
  fs::copy(kSmallImage, Path("a.png"));
  ExpectError(Mmp({"encode", Path("a.png"), "--force", "-o", Path("a.png")}), kUsage, "replace");
  EXPECT_TRUE(ReadText(Path("a.png")) == ReadText(kSmallImage));
}

TEST_F(Cli, TheInputIsNotReplaced) {
  fs::copy(kSmallImage, Path("a.png"));
  fs::create_symlink("a.png", Path("b.mmp"));
  const std::string before = ReadText(Path("a.png"));
  ExpectError(Mmp({"encode", Path("a.png"), "-o", Path("a.png")}), kUsage, "replace");
  ExpectError(Mmp({"encode", Path("a.png"), "-o", Path("b.mmp")}), kUsage, "replace");
  ExpectError(Mmp({"decode", Path("b.mmp"), "-o", Path("./a.png")}), kUsage, "replace");
  EXPECT_TRUE(ReadText(Path("a.png")) == before);
}

// A slip of mmp decode, which would make an .mmp file of the picture that is there.
TEST_F(Cli, EncodingDoesNotReplaceAnImage) {
  fs::copy(kSmallImage, Path("a.png"));
  for (const char* name : {"a.png", "new.TIF"}) {
    ExpectError(Mmp({"encode", kTinyImage, "-o", Path(name)}), kUsage, "called like an image");
    ExpectError(Mmp({"encode", kTinyImage, "-o", Path(name), "--force"}), kUsage, "like an image");
  }
  EXPECT_TRUE(ReadText(Path("a.png")) == ReadText(kSmallImage));
  EXPECT_EQ(Names().size(), 1u);
  fs::create_directory(Path("folder.png"));
  EXPECT_EQ(Mmp({"encode", kTinyImage, "-o", Path("folder.png")}).exit_code, kSuccess);
  EXPECT_TRUE(fs::exists(Path("folder.png/odd-1x1.mmp")));
}

// Encoding what is encoded, and decoding what is an image.
TEST_F(Cli, InputsOfTheOtherCommand) {
  Encode(kTinyImage, Path("a.mmp"));
  fs::copy(kTinyImage, Path("a.png"));
  ExpectError(Mmp({"encode", Path("a.mmp")}), kUsage,
              "'" + Path("a.mmp") + "' is called like an .mmp file already; mmp decode makes");
  ExpectError(Mmp({"encode", Path("a.mmp"), "-o", Path("b.mmp")}), kNotAcceptable,
              "is an .mmp file, not an image; mmp decode makes one of it");
  ExpectError(Mmp({"decode", Path("a.png")}), kUsage,
              "'" + Path("a.png") +
                  "' is called like an image, not like an .mmp file; did you mean "
                  "mmp encode?");
  ExpectError(Mmp({"decode", Path("a.png"), "-o", Path("b.png")}), kNotAcceptable,
              "'" + Path("a.png") + "' is a PNG file, not an .mmp file; did you mean mmp encode?");
  EXPECT_EQ(Names().size(), 2u);
}

// As of a variable that is not set.
TEST_F(Cli, AnEmptyNameIsNoOutput) {
  ExpectError(Mmp({"encode", kTinyImage, "-o", ""}), kUsage, "--output: the name is empty");
  Encode(kTinyImage, Path("a.mmp"));
  ExpectError(Mmp({"decode", Path("a.mmp"), "-o", ""}), kUsage, "--output: the name is empty");
  EXPECT_EQ(Names().size(), 1u);
}

TEST_F(Cli, OutputsNamedLikeInputs) {
  ExpectError(Mmp({"encode", kTinyImage, Path("a.mmp")}), kUsage,
              "there is no file '" + Path("a.mmp") + "'; if it is the output, name it with -o");
  Encode(kTinyImage, Path("a.mmp"));
  ExpectError(Mmp({"decode", Path("a.mmp"), Path("a.png")}), kUsage, "name it with -o");
  EXPECT_EQ(Names().size(), 1u);
}

TEST_F(Cli, FullDisk) {
  Encode(kSmallImage, Path("a.mmp"));
  ExpectError(Mmp({"encode", kSmallImage, "-o", "/dev/full"}), kFailure, "/dev/full");
  ExpectError(Mmp({"encode", kSmallImage, "-o", "-"}, {.stdout_path = "/dev/full"}), kFailure,
              "standard output");
  ExpectError(Mmp({"decode", Path("a.mmp"), "-o", "-"}, {.stdout_path = "/dev/full"}), kFailure,
              "standard output");
  ExpectError(Mmp({"info", Path("a.mmp")}, {.stdout_path = "/dev/full"}), kFailure,
              "standard output");
  ExpectError(Mmp({"--help"}, {.stdout_path = "/dev/full"}), kFailure, "standard output");
}

TEST_F(Cli, UnwritableOutput) {
  fs::copy(kSmallImage, Path("file"));
  ExpectError(Mmp({"encode", kSmallImage, "-o", Path("file/a.mmp")}), kFailure, "file/a.mmp");
  ExpectError(Mmp({"encode", kSmallImage, "-o", Path("missing/a.mmp")}), kFailure, "missing/a.mmp");
  ExpectError(Mmp({"encode", kSmallImage, kLargeImage, "-o", Path("file")}), kUsage,
              "'" + Path("file") + "' is a file; several files need a folder");
  ExpectError(Mmp({"encode", kSmallImage, kLargeImage, "-o", Path("file/sub")}), kFailure,
              "file/sub");
  EXPECT_TRUE(ReadText(Path("file")) == ReadText(kSmallImage));
  EXPECT_EQ(Names().size(), 1u);
}

TEST_F(Cli, FailureLeavesAnOlderOutputAsItWas) {
  WriteText(Path("a.mmp"), "older");
  WriteText(Path("cut.png"), ReadText(kSmallImage).substr(0, 50));
  EXPECT_EQ(Mmp({"encode", Path("cut.png"), "-o", Path("a.mmp")}).exit_code, kDamaged);
  EXPECT_EQ(ReadText(Path("a.mmp")), "older");
  Encode(kSmallImage, Path("a.mmp"));
  EXPECT_GT(fs::file_size(Path("a.mmp")), 5u);
  EXPECT_EQ(Names().size(), 2u);
}

#ifndef MMP_SANITIZED  // sanitizers take all addresses

// Runs the program with so many KiB of address space.
Outcome MmpWithin(int kib, const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {
      "/bin/sh",           "-c",       "ulimit -v $1 && shift && exec \"$@\"", "sh",
      std::to_string(kib), MMP_PROGRAM};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return RunProgram(command);
}

TEST_F(Cli, OutOfMemoryHasACodeOfItsOwn) {
  // A file of 256 MB, which takes no room on the disk.
  WriteText(Path("large.pgm"), "P5 16000 16000 255\n");
  fs::resize_file(Path("large.pgm"), fs::file_size(Path("large.pgm")) + 16000 * 16000);
  ExpectError(MmpWithin(250'000, {"encode", Path("large.pgm")}), kOutOfMemory, "not enough memory");
  EXPECT_EQ(Names().size(), 1u);
  EXPECT_NE(Mmp({"--help"}).out.find("\n  7  there is not enough memory"), std::string::npos);
}

// Wherever it happens, no signal ends the program, and no temporary file stays.
TEST_F(Cli, OutOfMemoryAnywhere) {
  WriteText(Path("a.pgm"), Crop(64));
  Encode(Path("a.pgm"), Path("a.mmp"), {"--tile", "16x16", "--preset", "fast"});
  const std::vector<std::vector<std::string>> commands = {
      {"encode", Path("a.pgm"), "-o", Path("b.mmp"), "--preset", "fast", "--tile", "16x16",
       "--threads", "4", "--backend", "cpu"},
      {"decode", Path("a.mmp"), "-o", Path("b.png"), "--threads", "4"}};
  int failures = 0;
  for (const std::vector<std::string>& command : commands) {
    for (int kib = 24'000; kib < 400'000; kib += kib / 4) {
      SCOPED_TRACE(command[0] + " within " + std::to_string(kib));
      const Outcome outcome = MmpWithin(kib, command);
      // 127: not even the libraries could be loaded.
      EXPECT_TRUE(outcome.exit_code == kSuccess || outcome.exit_code == kOutOfMemory ||
                  outcome.exit_code == 127)
          << outcome.exit_code << ", signal " << outcome.signal << ": " << outcome.err;
      if (outcome.exit_code == kOutOfMemory) {
        ++failures;
        EXPECT_TRUE(outcome.err.starts_with("mmp: error: ")) << outcome.err;
      }
      for (const std::string& name : Names()) EXPECT_FALSE(name.starts_with('.')) << name;
    }
  }
  EXPECT_GT(failures, 0);
}

#endif

TEST_F(Cli, TerminationLeavesNothingBehind) {
  Subprocess encode({MMP_PROGRAM, "encode", kLargeImage, "-o", Path("a.mmp"), "--lambda", "0",
                     "--threads", "1", "--backend", "cpu"});
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (Names().empty() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // into the search
  encode.Kill(SIGTERM);
  const Outcome outcome = encode.Wait();
  EXPECT_EQ(outcome.signal, SIGTERM);
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(Names().empty());
}

// Makes a pipe, encodes what comes out of it, and lets that be an image, but only when a progress
// line is due.
Outcome EncodeSlowInput(const std::string& pipe, const std::string& output, Streams streams) {
  EXPECT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  Subprocess encode({MMP_PROGRAM, "encode", pipe, "-o", output}, std::move(streams));
  std::ofstream image(pipe, std::ios::binary);  // waits for the program to read
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  image << Crop(24);
  image.close();
  return encode.Wait();
}

TEST_F(Cli, NoProgressLineInAPipe) {
  const Outcome outcome = EncodeSlowInput(Path("pipe"), Path("a.mmp"), {});
  EXPECT_EQ(outcome.exit_code, kSuccess);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out.find_first_of("\r\033"), std::string::npos) << outcome.out;
}

TEST_F(Cli, ProgressLineOnATerminalIsCleared) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) {
    GTEST_SKIP() << "no pseudo-terminals here";
  }
  const int held =
      open(ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);  // keeps what was written
  const Outcome outcome =
      EncodeSlowInput(Path("pipe"), Path("a.mmp"), {.stderr_path = ptsname(terminal)});
  EXPECT_EQ(outcome.exit_code, kSuccess);
  std::string shown;
  for (char c; read(terminal, &c, 1) == 1;) shown += c;
  close(held);
  close(terminal);
  EXPECT_TRUE(shown.starts_with("\r\033[Kencoding ")) << shown;
  EXPECT_TRUE(shown.ends_with("\r\033[K")) << shown;
}

}  // namespace
}  // namespace mmp
