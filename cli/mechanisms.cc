#include <fmt/format.h>

#include "base/field_words.h"
#include "cli/commands.h"
#include "job/reports.h"
#include "mechanism/mechanism.h"

namespace stopover {
namespace {

Status run_mechanisms(const std::string& name, const Session& session) {
  std::vector<const Mechanism*> chosen;
  for (const Mechanism& m : mechanisms()) chosen.push_back(&m);
  if (!name.empty()) {
    const Mechanism* found = find_mechanism(name);
    if (found == nullptr) {
      return Error{Failure::usage,
                   fmt::format("there is no mechanism {}\n  Did you mean {}?", name, nearest_mechanism(name))};
    }
    chosen = {found};
  }
  if (session.terminal.json()) {
    session.terminal.print(mechanisms_json(chosen));
    return {};
  }
  std::string text;
  for (const Mechanism* m : chosen) text += (text.empty() ? "" : "\n") + mechanism_text(*m, session.terminal.paper());
  text.pop_back();
  session.terminal.print(in_words_of(Face::command_line, text));
  return {};
}

}  // namespace

void add_mechanisms(Cli& cli) {
  const auto name = std::make_shared<std::string>();
  CLI::App& app = cli.command({"mechanisms",
                               "the ways to make a release, and their parameters",
                               {"stopover mechanisms", "stopover mechanisms daf-entropy", "stopover mechanisms --json"},
                               ""},
                              [name](const Session& session) { return run_mechanisms(*name, session); });
  option(app, "name", *name, "NAME", "only this one");
}

}  // namespace stopover
