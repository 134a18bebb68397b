// Completion by the shells themselves, and manual pages.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/subprocess.h"
#include "tests/support/temporary_folder.h"
#include "tools/sweep/external/process.h"

namespace mmp {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// The lines, sorted, each up to a tab.
Words Lines(const std::string& text) {
  Words lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line.substr(0, line.find('\t')));
  std::sort(lines.begin(), lines.end());
  return lines;
}

class CompletionTest : public testing::Test {
 protected:
  CompletionTest() {
    WriteText(folder_ / "a photo.png", "");
    WriteText(folder_ / "coded.mmp", "");
    fs::create_directory(folder_ / "results");
  }

  // Makes the script, and returns its path.
  std::string Script(const std::string& shell) {
    const std::string path = scripts_ / shell;
    const Outcome outcome = RunProgram({MMP_PROGRAM, "completion", shell});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
    WriteText(path, outcome.out);
    return path;
  }

  // In the folder.
  Outcome Run(const Words& command) {
    Words here = {FindProgram("env"), "-C", folder_.path()};
    here.insert(here.end(), command.begin(), command.end());
    return RunProgram(here);
  }

  TemporaryFolder folder_;
  TemporaryFolder scripts_;
};

const Words kCommands = {"compare", "completion", "decode", "devices", "encode",
                         "info",    "inspect",    "sweep",  "train"};

TEST_F(CompletionTest, Bash) {
  const std::string script = Script("bash");
  // The words as bash splits them: "=" is one.
  const auto complete = [&](const Words& words) {
    Words command = {"bash", "-c",
                     "compopt() { :; }; source " + script +
                         "; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _mmp; "
                         "[ ${#COMPREPLY[@]} = 0 ] || printf '%s\\n' \"${COMPREPLY[@]}\"",
                     "bash"};
    command.insert(command.end(), words.begin(), words.end());
    const Outcome outcome = Run(command);
    EXPECT_EQ(outcome.err, "");
    return Lines(outcome.out);
  };
  EXPECT_EQ(complete({"mmp", ""}), kCommands);
  EXPECT_EQ(complete({"mmp", "co"}), (Words{"compare", "completion"}));
  EXPECT_EQ(complete({"mmp", "--"}), (Words{"--help", "--version"}));
  EXPECT_EQ(complete({"mmp", "encode", "--target"}),
            (Words{"--target-bpp", "--target-psnr", "--target-size"}));
  EXPECT_EQ(complete({"mmp", "sweep", "--target"}), Words());
  for (const char* command : {"encode", "decode"}) {
    EXPECT_EQ(complete({"mmp", command, "--forc"}), Words{"--force"});
    EXPECT_EQ(complete({"mmp", command, "--keep-e"}), Words{"--keep-extension"});
  }
  EXPECT_EQ(complete({"mmp", "encode", "--preset", ""}),
            (Words{"best", "fast", "quick", "thesis"}));
  EXPECT_EQ(complete({"mmp", "encode", "--preset", "="}),
            (Words{"best", "fast", "quick", "thesis"}));
  EXPECT_EQ(complete({"mmp", "encode", "--preset", "=", "f"}), Words{"fast"});
  EXPECT_EQ(complete({"mmp", "encode", "--lambda", ""}), Words());
  EXPECT_EQ(complete({"mmp", "sweep", "--preset", "fast,t"}), Words{"fast,thesis"});
  EXPECT_EQ(complete({"mmp", "sweep", "--against", "x26"}), (Words{"x264", "x265"}));
  EXPECT_EQ(complete({"mmp", "encode", ""}), (Words{"a photo.png", "coded.mmp", "results"}));
  EXPECT_EQ(complete({"mmp", "encode", "--verify", "a"}), Words{"a photo.png"});
  EXPECT_EQ(complete({"mmp", "sweep", "-o", ""}), Words{"results"});
  EXPECT_EQ(complete({"mmp", "completion", ""}), (Words{"bash", "fish", "zsh"}));
  EXPECT_EQ(complete({"mmp", "devices", ""}), Words());
}

// Registered, too.
TEST_F(CompletionTest, BashKnowsTheFunction) {
  const Outcome outcome = Run({"bash", "-c", "source " + Script("bash") + "; complete -p mmp"});
  EXPECT_EQ(outcome.out, "complete -F _mmp mmp\n");
  EXPECT_EQ(outcome.err, "");
}

TEST_F(CompletionTest, Fish) {
  if (FindProgram("fish").empty()) GTEST_SKIP() << "fish is not installed";
  const std::string script = Script("fish");
  const auto complete = [&](const std::string& line) {
    const Outcome outcome = Run({"env", "HOME=" + folder_.path(), "fish", "-N", "-c",
                                 "source " + script + "; complete -C '" + line + "'"});
    EXPECT_EQ(outcome.err, "");
    return Lines(outcome.out);
  };
  EXPECT_EQ(complete("mmp "), kCommands);
  EXPECT_EQ(complete("mmp encode --target"),
            (Words{"--target-bpp", "--target-psnr", "--target-size"}));
  EXPECT_EQ(complete("mmp encode --preset "), (Words{"best", "fast", "quick", "thesis"}));
  EXPECT_EQ(complete("mmp encode --preset=f"), Words{"--preset=fast"});
  EXPECT_EQ(complete("mmp sweep --preset fast,t"), Words{"fast,thesis"});
  EXPECT_EQ(complete("mmp encode c"), Words{"coded.mmp"});
  EXPECT_EQ(complete("mmp sweep -o r"), Words{"results/"});
  EXPECT_EQ(complete("mmp completion "), (Words{"bash", "fish", "zsh"}));
}

TEST_F(CompletionTest, Zsh) {
  if (FindProgram("zsh").empty()) GTEST_SKIP() << "zsh is not installed";
  const std::string script = Script("zsh");
  // An interactive zsh on a terminal of its own, asked to list what there is; the answer is read
  // until all that is expected has come.
  WriteText(scripts_ / "list.zsh", R"(
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "autoload -U compinit; compinit -D -u; source $1; stty columns 200"
zpty -w shell 'LISTMAX=0; bindkey "^X" list-choices; print -r RE""ADY'
zpty -r shell answer '*READY*'
zpty -w -n shell "$2"$'\x18'
zpty -r shell answer "*$3*"
zpty -d shell
print found
)");
  const auto expect = [&](const std::string& line, const std::string& listed) {
    const Outcome outcome =
        Run({"timeout", "60", "zsh", "-f", scripts_ / "list.zsh", script, line, listed});
    EXPECT_EQ(outcome.out, "found\n") << line << ": no " << listed << outcome.err;
  };
  expect("mmp ", "compare*completion*decode*devices*encode*info*inspect*sweep*train");
  expect("mmp encode --target", "--target-bpp*--target-psnr");
  expect("mmp encode --preset ", "best*fast*quick*thesis");
  expect("mmp sweep --against x", "x264*x265");
  expect("mmp encode ", "coded.mmp");
  expect("mmp completion ", "bash*fish*zsh");
}

TEST_F(CompletionTest, ManualPages) {
  const Outcome outcome = RunProgram({MMP_PROGRAM, "manual", folder_ / "results", "2024-05-31"});
  EXPECT_EQ(outcome.exit_code, 0);
  Words names = {"mmp.1"};
  for (const std::string& command : kCommands) names.push_back("mmp-" + command + ".1");
  for (const std::string& name : names)
    EXPECT_TRUE(fs::exists(folder_ / "results/" + name)) << name;
  EXPECT_EQ(static_cast<size_t>(std::distance(fs::directory_iterator(folder_ / "results"), {})),
            names.size());

  const std::string page = ReadText(folder_ / "results/mmp-encode.1");
  for (const char* part : {".TH MMP\\-ENCODE 1 2024-05-31 \"mmp ", "\n.SH NAME\nmmp\\-encode \\- ",
                           "\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIOUT|DIR\\fR\n",
                           "(one of best, fast, quick, thesis) (default: best)\n", "(0 to 65536)"})
    EXPECT_NE(page.find(part), std::string::npos) << part;

  // A list without spaces may be broken behind its commas.
  EXPECT_NE(page.find("vertical,\\:horizontal,\\:mfv"), std::string::npos);
  if (const std::string groff = FindProgram("groff"); !groff.empty()) {
    for (const std::string& name : names) {
      const Outcome set = RunProgram(
          {groff, "-man", "-T", "utf8", "-w", "w", "-rLL=78n", folder_ / "results/" + name});
      EXPECT_EQ(set.err, "") << name;
    }
  }

  const std::string mandoc = FindProgram("mandoc");
  if (mandoc.empty()) GTEST_SKIP() << "mandoc is not installed";
  for (const std::string& name : names) {
    const Outcome lint =
        RunProgram({mandoc, "-T", "lint", "-W", "warning", folder_ / "results/" + name});
    EXPECT_EQ(lint.exit_code, 0);
    EXPECT_EQ(lint.out + lint.err, "");
    const Outcome text = RunProgram({mandoc, "-T", "ascii", folder_ / "results/" + name});
    EXPECT_GT(text.out.size(), 200U);
  }
}

}  // namespace
}  // namespace mmp
