#include <memory>
#include <string>

#include "tools/command_line/command_line.h"
#include "tools/command_line/shell_completion.h"
#include "tools/command_line/terminal.h"
#include "tools/commands/commands.h"

namespace mmp {
namespace {

constexpr char kCompletionFooter[] = R"(
Installed by cmake --install, or by hand:

  bash  mmp completion bash > ~/.local/share/bash-completion/completions/mmp
  zsh   mmp completion zsh > DIR/_mmp, with DIR in fpath before compinit
  fish  mmp completion fish > ~/.config/fish/completions/mmp.fish
)";

std::string ScriptFor(const std::string& shell, const CommandInfo& program) {
  if (shell == "bash") return BashCompletion(program);
  if (shell == "zsh") return ZshCompletion(program);
  return FishCompletion(program);
}

}  // namespace

Command AddCompletionCommand(CLI::App& program) {
  CLI::App* const app = program.add_subcommand(
      "completion", "Print the script by which a shell completes mmp's command lines");
  app->footer(kCompletionFooter);
  const auto shell = std::make_shared<std::string>();
  app->add_option("SHELL", *shell, "Which shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  return {app, [shell, &program] {
            const std::string script = ScriptFor(*shell, DescribeCommand(program));
            std::fwrite(script.data(), 1, script.size(), stdout);
            return ExitCode::kSuccess;
          }};
}

}  // namespace mmp
