#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/field_words.h"
#include "cli/commands.h"
#include "doctor/examination.h"

namespace stopover {
namespace {

Tone tone_of(Health health) {
  return health == Health::ok ? Tone::good : health == Health::bad ? Tone::bad : Tone::accent;
}

std::string json_of(const std::vector<Finding>& findings) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Finding& f : findings) {
    list.push_back({{"name", f.name},
                    {"health", health_text(f.health)},
                    {"found", f.found},
                    {"used", in_words_of(Face::command_line, f.used)}});
    if (!f.get.empty()) list.back()["get"] = in_words_of(Face::command_line, f.get);
  }
  return nlohmann::ordered_json({{"fit", is_fit(findings)}, {"findings", list}}).dump(2);
}

std::string text_of(const std::vector<Finding>& findings, const Paper& paper) {
  constexpr std::size_t kIndent = 28;
  std::string text;
  for (const Finding& f : findings) {
    const std::string health = fmt::format("{:<9}", health_text(f.health));
    text += fmt::format("{}{:<{}}{}\n", paper.paint(tone_of(f.health), health), f.name, kIndent - health.size(),
                        wrapped(f.found, 80, kIndent));
    if (f.health == Health::ok) continue;
    for (const std::string& more : {"For: " + f.used, "Do:  " + f.get}) {
      text += std::string(kIndent, ' ') + wrapped(in_words_of(Face::command_line, more), 80, kIndent + 5) + "\n";
    }
  }
  return text;
}

Status run_doctor(const Session& session) {
  const std::vector<Finding> findings = examine({STOPOVER_VERSION});
  const bool fit = is_fit(findings);
  if (session.terminal.json()) {
    session.terminal.print(json_of(findings));
  } else {
    session.terminal.print(
        text_of(findings, session.terminal.paper()) +
        (fit ? "\nAll that is needed is here. Try: stopover demo" : "\nSomething needed is not here."));
  }
  if (!fit)
    return Error{Failure::check_failed,
                 "something that stopover needs is not here\n  The lines marked bad say what to do."};
  return {};
}

}  // namespace

void add_doctor(Cli& cli) {
  cli.command(
      {"doctor",
       "what this machine has for stopover, what it lacks and how to get it",
       {"stopover doctor", "stopover doctor --json"},
       "Exit code 5 if something is bad: then releases cannot be made or read here. What is only lacking is used "
       "by single commands. Nothing is written, and no data are read."},
      run_doctor);
}

}  // namespace stopover
