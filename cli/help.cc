#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/commands.h"
#include "text/page_text.h"

namespace stopover {
namespace {

// Of the commands as the page shows them. Readers want a date; the day of the build would make no two pages alike.
constexpr std::string_view kDate = "2026-11-16";

constexpr std::size_t kPageWidth = 50;  // before escapes: lines of the page stay within 80

constexpr std::array<std::pair<int, std::string_view>, 10> kExits = {{
    {0, "done"},
    {1, "internal: a bug, or an impossible answer of the system"},
    {2, "usage: a flag or argument has a bad value"},
    {3, "bad input: a file cannot be read or is not what it should be"},
    {4, "refused for privacy: the guarantee would not hold"},
    {5, "a check failed: verify or audit said no"},
    {6, "the output exists"},
    {7, "locked: another process holds the ledger; the same command may work later"},
    {8, "disk full"},
    {130, "interrupted (129 after SIGHUP, 143 after SIGTERM)"},
}};

// Text as roff shows it: nothing in it is taken for a request or an escape.
std::string roff(std::string_view text) {
  std::string safe;
  bool fresh = true;  // at the beginning of a line
  for (const char c : text) {
    if (fresh && (c == '.' || c == '\'')) safe += "\\&";
    fresh = c == '\n';
    switch (c) {
      case '\\':
        safe += "\\e";
        break;
      case '-':
        safe += "\\-";
        break;
      case '\'':
        safe += "\\(aq";
        break;
      case '`':
        safe += "\\(ga";
        break;
      case '^':
        safe += "\\(ha";
        break;
      case '~':
        safe += "\\(ti";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string capitals(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

std::string entry(const std::string& names, std::string_view meaning) {
  return fmt::format(".TP\n.B {}\n{}\n", roff(names), roff(wrapped(meaning, kPageWidth, 0)));
}

std::string entries(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) text += entry(option_names(*option), option->get_description());
  }
  return text;
}

// An example of several lines as it is typed.
std::string typed(std::string_view example) {
  std::string text;
  for (const char c : example) text += c == '\n' ? std::string(" \\\n    ") : std::string(1, c);
  return roff(text);
}

std::string section_of(const CLI::App& app, const CommandText& about) {
  std::string text =
      fmt::format(".SS {}\n{}\n.PP\n.EX\n", roff(about.name), roff(wrapped(about.summary, kPageWidth, 0)));
  for (const std::string& example : about.examples) text += typed(example) + "\n";
  text += ".EE\n" + entries(app);
  if (!about.more.empty()) text += ".PP\n" + roff(wrapped(about.more, kPageWidth, 0)) + "\n";
  return text;
}

std::string man_page(Cli& cli) {
  const CLI::App& app = cli.app();
  const std::string name = app.get_name();
  const std::string other = name == "stopover" ? "stopover-lab" : "stopover";
  std::string text =
      fmt::format(".TH {} 1 {} \"stopover {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", roff(capitals(name)), kDate,
                  STOPOVER_VERSION, roff(name), roff(app.get_description()));
  text += fmt::format(".SH SYNOPSIS\n.B {0}\nCOMMAND [FLAGS]\n.PP\n.B {0} help\n[TOPIC]\n.SH COMMANDS\n", roff(name));
  for (const CLI::App* sub : app.get_subcommands({})) text += section_of(*sub, cli.text(sub->get_name()));
  text += ".SH OPTIONS\nEvery command takes these.\n" + entries(app);
  text += ".SH \"EXIT STATUS\"\n";
  for (const auto& [code, meaning] : kExits) text += entry(std::to_string(code), meaning);
  return text + fmt::format(".SH \"SEE ALSO\"\n.BR {} (1)", roff(other));
}

// A page of the guide, or a word of its glossary.
void show_topic(const Topic& topic, const Session& session) {
  if (session.terminal.json()) {
    session.terminal.print(nlohmann::ordered_json({{"topic", topic.name}, {"markdown", topic.markdown}}).dump(2));
  } else {
    session.terminal.print(page_text(topic.markdown, session.terminal.paper()));
  }
}

}  // namespace

void add_help(Cli& cli) {
  const auto man = std::make_shared<bool>(false);
  const auto topic = std::make_shared<std::string>();
  CLI::App& app =
      cli.command({"help",
                   "this list, the flags of a command, or a page of the guide",
                   {"stopover help", "stopover help publish", "stopover help answers | less", "stopover help epsilon",
                    "stopover help --man | man -l -"},
                   "stopover help COMMAND shows what stopover COMMAND --help shows; a page of the same name "
                   "is asked for with its ending, as in stopover help publish.md. The pages are inside the "
                   "program: no network is needed."},
                  [man, topic, &cli](const Session& session) -> Status {
                    if (*man) {
                      session.terminal.print(man_page(cli));
                    } else {
                      show_topic(find_topic(*topic), session);  // all else has become --help (app.cc)
                    }
                    return {};
                  });
  option(app, "topic", *topic, "TOPIC", "a command, a page of the guide, or a word of its glossary");
  flag(app, "--man", *man, "the manual page of all commands, for man or mandoc");
}

}  // namespace stopover
