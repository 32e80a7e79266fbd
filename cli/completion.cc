#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands.h"

namespace stopover {
namespace {

std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// What may follow help: commands, and pages of the guide.
std::vector<std::string> topics_of(Cli& cli) {
  std::vector<std::string> names;
  for (const CLI::App* sub : cli.app().get_subcommands({})) names.push_back(sub->get_name());
  for (const GuidePage& page : guide_pages()) names.push_back(cli.topic_name(page));
  return names;
}

std::string bash_of(Cli& cli) {
  const CLI::App& app = cli.app();
  const std::string program = app.get_name();
  std::vector<std::string> commands;
  std::string cases;
  for (const CLI::App* sub : app.get_subcommands({})) {
    commands.push_back(sub->get_name());
    cases += fmt::format("    {}) words=\"{}\" ;;\n", sub->get_name(), fmt::join(flags_of(*sub), " "));
  }
  return fmt::format(R"(_{0}() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" command="" word words=""
  for word in "${{COMP_WORDS[@]:1:$((COMP_CWORD - 1))}}"; do
    case "$word" in -*) ;; *) command="$word"; break ;; esac
  done
  case "$command" in
    "") words="{1}" ;;
{2}  esac
  if [[ "$command" == help && "$current" != -* ]]; then
    COMPREPLY=($(compgen -W "{4}" -- "$current"))
  elif [[ -n "$command" && "$current" != -* ]]; then
    COMPREPLY=($(compgen -f -- "$current"))
  else
    COMPREPLY=($(compgen -W "$words {3}" -- "$current"))
  fi
}}
complete -o filenames -F _{0} {0})",
                     program, fmt::join(commands, " "), cases, fmt::join(flags_of(app), " "),
                     fmt::join(topics_of(cli), " "));
}

// The same by zsh's own reading of bash completions. Its first line makes it a file for a folder of $fpath, too; there
// zsh runs the file itself at the first completion, so its last line completes.
std::string zsh_of(Cli& cli) {
  return fmt::format(
      "#compdef {0}\nautoload -U +X bashcompinit && bashcompinit\n{1}\n"
      "[[ ${{funcstack[1]}} != _{0} ]] || _bash_complete -o filenames -F _{0}",
      cli.app().get_name(), bash_of(cli));
}

std::string fish_of(Cli& cli) {
  const CLI::App& app = cli.app();
  const std::string program = app.get_name();
  std::string text = fmt::format("complete -c {} -n __fish_use_subcommand -f", program);
  const auto quoted = [](std::string words) {
    for (std::size_t at = 0; (at = words.find('\'', at)) != std::string::npos; at += 2) words.insert(at, 1, '\\');
    return words;
  };
  for (const CLI::App* sub : app.get_subcommands({})) {
    text += fmt::format("\ncomplete -c {} -n __fish_use_subcommand -a {} -d '{}'", program, sub->get_name(),
                        quoted(sub->get_description()));
    for (const CLI::Option* option : sub->get_options()) {
      if (option->get_group().empty()) continue;
      for (const std::string& name : option->get_lnames()) {
        text += fmt::format("\ncomplete -c {} -n '__fish_seen_subcommand_from {}' -l {} -d '{}'", program,
                            sub->get_name(), name, quoted(option->get_description()));
      }
    }
  }
  text += fmt::format("\ncomplete -c {} -n '__fish_seen_subcommand_from help' -f -a '{}'", program,
                      fmt::join(topics_of(cli), " "));
  return text;
}

Status run_completion(const std::string& shell, Cli& cli, const Session& session) {
  if (shell == "bash") {
    session.terminal.print(bash_of(cli));
  } else if (shell == "zsh") {
    session.terminal.print(zsh_of(cli));
  } else if (shell == "fish") {
    session.terminal.print(fish_of(cli));
  } else {
    return Error{Failure::usage,
                 fmt::format("there is no completion for \"{}\"\n  There is one for bash, zsh and fish.", shell)};
  }
  return {};
}

}  // namespace

void add_completion(Cli& cli) {
  const auto shell = std::make_shared<std::string>();
  CLI::App& app = cli.command(
      {"completion",
       "let the shell complete commands and flags",
       {"source <(stopover completion bash)", "stopover completion zsh > ~/.stopover.zsh && source ~/.stopover.zsh",
        "stopover completion fish | source"},
       ""},
      [shell, &cli](const Session& session) { return run_completion(*shell, cli, session); });
  option(app, "shell", *shell, "SHELL", "bash, zsh or fish")->required();
}

}  // namespace stopover
