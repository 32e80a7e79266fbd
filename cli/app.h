// Cli: the frame around the commands: global flags, help, exit codes, suggestions.
//
//   Cli cli("stopover", "publishes trips through stops with differential privacy");
//   add_publish(cli, ...);                 // one file per command
//   return cli.run(argc, argv);
//
// A command declares its options on the CLI11 app it gets and is run afterwards with a Session. What it returns becomes
// the exit code (base/result.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/guide_page.h"
#include "cli/terminal.h"
#include "job/field_values.h"

namespace CLI {  // CLI11 is slow to compile: only app.cc, completion.cc and help.cc see it
class App;
class Option;
}  // namespace CLI

namespace stopover {

// What every command is given.
struct Session {
  Terminal terminal;
  unsigned threads = 0;  // 0: all the machine's
};

struct CommandText {
  std::string name;
  std::string summary;                // one line, no full stop
  std::vector<std::string> examples;  // shown first in its help; a '\n' inside breaks a long one
  std::string more;                   // a paragraph after the options; may be empty
};

class Cli {
 public:
  Cli(std::string name, std::string summary);
  ~Cli();

  using Run = std::function<Status(const Session&)>;
  // The app to declare options on; lives as long as the Cli.
  CLI::App& command(CommandText text, Run run);

  // A flag that is called otherwise now: it goes on working, typed and in a settings file, with a note.
  void renamed(const std::string& command, const std::string& flag, const std::string& now) {
    renamed_[{command, flag}] = now;
  }

  // A flag that there is not but people try, and what to type instead.
  void guessed(const std::string& command, const std::string& flag, const std::string& instead) {
    guessed_[{command, flag}] = instead;
  }

  // Parses, runs, prints errors; the process's exit code.
  int run(int argc, char** argv);

  CLI::App& app() { return *app_; }
  // REQUIRES: there is such a command.
  const CommandText& text(const std::string& command) const { return texts_.at(command); }
  // What `help` calls a page of the guide: "zones", but "plan.md", because plan is a command.
  std::string topic_name(const GuidePage& page) const;

 private:
  class Config;

  int parse_failed(const std::exception& error, const Terminal& plain);
  Error parse_error(const std::exception& error) const;
  Error with_place(Error error, const std::string& command) const;
  Error unexpected() const;
  Error no_command(const std::string& name) const;
  Error no_topic(const std::string& name) const;
  Status understand_help(int argc, char** argv) const;
  std::string help(const CLI::App& app) const;
  Result<Session> session() const;

  std::unique_ptr<CLI::App> app_;
  std::map<std::string, CommandText> texts_;
  std::map<std::string, Run> runs_;
  std::vector<std::string> with_new_names(int argc, char** argv);

  std::map<std::pair<std::string, std::string>, std::string> renamed_;  // command and flag: what it is called now
  std::map<std::pair<std::string, std::string>, std::string> guessed_;  // command and flag: what to type instead
  std::vector<std::string> notes_;                                      // to be told once there is somebody to tell
  std::map<std::pair<std::string, std::string>, std::string> set_in_;   // section and flag: file and line of its value
  bool json_ = false;
  bool quiet_ = false;
  std::string progress_ = "auto";
  std::string private_notes_ = "auto";
  std::string color_ = "auto";
  std::string threads_ = "0";
};

class Flag {
 public:
  explicit Flag(CLI::Option* option) : option_(option) {}
  Flag* operator->() { return this; }
  void required();
  void hidden();  // not in the help

 private:
  CLI::Option* option_;
};

// The option with a name for its value, as in --matrix FILE; without dashes in `names` an argument by position.
Flag option(CLI::App& app, const std::string& names, std::string& value, const std::string& value_name,
            const std::string& help);
// The same, to be given any number of times, one value each.
Flag options(CLI::App& app, const std::string& names, std::vector<std::string>& values, const std::string& value_name,
             const std::string& help);
// The heading in the help of what is declared from here on.
void section(CLI::App& app, const std::string& title);
// Without a value: sets `given`.
Flag flag(CLI::App& app, const std::string& names, bool& given, const std::string& help);

// The same for fields of a job: what is given stands in `values` as a text, under the name of the flag with underscores
// (max_trips_per_user), or under `field`.
Flag option(CLI::App& app, const std::string& names, FieldValues& values, const std::string& value_name,
            const std::string& help, const std::string& field = "");
Flag options(CLI::App& app, const std::string& names, FieldValues& values, const std::string& value_name,
             const std::string& help, const std::string& field = "");
// Stands there as `meaning`.
Flag flag(CLI::App& app, const std::string& names, FieldValues& values, const std::string& help,
          const std::string& field = "", bool meaning = true);
// As help shows them: "-o, --output FILE"; of an argument by position its name in capitals.
std::string option_names(const CLI::Option& option);

// The first word from `at` on that is neither a flag of every command nor such a flag's value; argc if there is none.
int word_at(int at, int argc, char** argv);

// In which voice an error is told before the command line is understood: as JSON where --json stands in it.
TerminalOptions error_options(int argc, char** argv);

}  // namespace stopover
