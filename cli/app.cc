#include "cli/app.h"

#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>

#include "base/field_words.h"
#include "base/nearest.h"
#include "base/usage_error.h"
#include "cli/config_file.h"
#include "cli/interrupt.h"
#include "cli/version_text.h"
#include "job/parse_number.h"
#include "job/protect.h"

namespace stopover {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kNames = 26;
constexpr std::array<std::string_view, 5> kValued = {"--progress", "--private-notes", "--color", "--threads",
                                                     "--config"};

std::string row(const std::string& names, const std::string& description) {
  std::string line = "  " + names;
  if (line.size() + 2 > kNames) {
    line += "\n" + std::string(kNames, ' ');
  } else {
    line.resize(kNames, ' ');
  }
  return line + wrapped(description, kWidth, kNames) + "\n";
}

std::string option_rows(const CLI::App& app, std::string_view title) {
  std::string rows;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) rows += row(option_names(*option), option->get_description());
  }
  return rows.empty() ? "" : fmt::format("\n{}\n{}", title, rows);
}

std::vector<std::string> long_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// Keys of a settings file for an app: flags without their dashes, and arguments.
std::vector<std::string> config_keys(const CLI::App& app) {
  std::vector<std::string> keys;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_configurable() || option->get_group().empty()) continue;
    const std::vector<std::string>& names = option->get_lnames();
    keys.insert(keys.end(), names.begin(), names.end());
    if (!option->nonpositional()) keys.push_back(option->get_name(true));
  }
  return keys;
}

std::string meant(const std::string& near, std::string_view otherwise) {
  return near.empty() ? std::string(otherwise) : fmt::format("Did you mean {}?", near);
}

// All that must be given and is not, each with its help.
std::string missing_text(const CLI::App& app) {
  std::string names, lines;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_required() || option->count() > 0) continue;
    const std::string name = option->nonpositional() ? option->get_name() : option_names(*option);
    names += (names.empty() ? "" : ", ") + name.substr(name.rfind(',') + 1);
    lines += "\n" + row(option_names(*option), option->get_description());
    lines.pop_back();
  }
  return "missing: " + names + lines;
}

// The option that came without its value; nullptr when that is not what went wrong.
const CLI::Option* lacking_value(const std::exception& error, const CLI::App& app) {
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr) return nullptr;
  const std::string text = error.what();
  const CLI::Option* option = app.get_option_no_throw(text.substr(0, text.find(':')));
  return option != nullptr && !option->get_lnames().empty() && option->count() == 0 ? option : nullptr;
}

// A fault of the settings file on its way through CLI11.
struct ConfigFault : CLI::ConfigError {
  explicit ConfigFault(stopover::Error fault) : ConfigError(fault.message), error(std::move(fault)) {}
  stopover::Error error;
};

}  // namespace

std::string option_names(const CLI::Option& option) {
  if (!option.nonpositional()) {
    std::string name = option.get_name(true);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return name;
  }
  std::string names;
  for (const std::string& name : option.get_snames()) names += (names.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames()) names += (names.empty() ? "--" : ", --") + name;
  const std::string value = option.get_type_name();
  return value.empty() ? names : names + " " + value;
}

int word_at(int at, int argc, char** argv) {
  while (at < argc && argv[at][0] == '-') {
    at += std::find(kValued.begin(), kValued.end(), std::string_view(argv[at])) != kValued.end() ? 2 : 1;
  }
  return std::min(at, argc);
}

// The settings file, for CLI11. It is looked at whole before CLI11 sees any of it.
class Cli::Config : public CLI::Config {
 public:
  explicit Config(Cli& cli) : cli_(cli) {}

  std::string to_config(const CLI::App*, bool, bool, std::string) const override { return ""; }

  std::vector<CLI::ConfigItem> from_config(std::istream&) const override {
    Result<ConfigFile> file = read_config(cli_.app_->get_config_ptr()->as<std::string>());
    if (!file) throw ConfigFault(file.error());
    for (ConfigFlag& flag : file->flags) use_new_name(*file, flag);
    if (Status s = check(*file); !s) throw ConfigFault(s.error());
    std::vector<CLI::ConfigItem> found;
    for (const ConfigFlag& flag : file->flags) {
      const CLI::App* app = app_of(flag.section);
      if (!has_flags(*app)) continue;
      if (option_of(*app, flag.name)->empty()) cli_.set_in_[{flag.section, flag.name}] = file->place(flag.line);
      CLI::ConfigItem& item = found.emplace_back();
      if (!flag.section.empty()) item.parents = {flag.section};
      item.name = flag.name;
      item.inputs = flag.values;
    }
    return found;
  }

 private:
  const CLI::App* app_of(const std::string& section) const {
    if (section.empty()) return cli_.app_.get();
    for (const CLI::App* sub : cli_.app_->get_subcommands({})) {
      if (sub->get_name() == section) return sub;
    }
    return nullptr;
  }
  static const CLI::Option* option_of(const CLI::App& app, const std::string& name) {
    const CLI::Option* found = app.get_option_no_throw("--" + name);
    return found != nullptr ? found : app.get_option_no_throw(name);
  }
  void use_new_name(const ConfigFile& file, ConfigFlag& flag) const {
    const auto found = cli_.renamed_.find({flag.section, "--" + flag.name});
    if (found == cli_.renamed_.end()) return;
    const std::string now = found->second.substr(2);
    const std::vector<CLI::App*> chosen = cli_.app_->get_subcommands();
    if (!chosen.empty() && chosen.front()->get_name() == flag.section) {
      cli_.notes_.push_back(fmt::format("{}: {} is called {} now", file.place(flag.line), flag.name, now));
    }
    flag.name = now;
  }
  // A command of the other program has none here: that program looks at its section.
  static bool has_flags(const CLI::App& app) { return !config_keys(app).empty(); }

  Status check(const ConfigFile& file) const {
    std::vector<std::string> commands;
    for (const CLI::App* sub : cli_.app_->get_subcommands({})) commands.push_back(sub->get_name());
    for (const ConfigSection& section : file.sections) {
      if (app_of(section.name) != nullptr) continue;
      const std::string near = nearest(section.name, commands);
      return usage_error(
          fmt::format("{}: there is no command {}\n  {}", file.place(section.line), section.name,
                      meant(near.empty() ? "" : "[" + near + "]",
                            "A section is named as the command whose flags it holds, as in [publish].")));
    }
    for (const ConfigFlag& flag : file.flags) {
      if (Status s = check(file, flag, *app_of(flag.section)); !s) return s;
    }
    return {};
  }

  Status check(const ConfigFile& file, const ConfigFlag& flag, const CLI::App& app) const {
    if (!has_flags(app)) return {};
    const auto wrong = [&](const std::string& text) {
      return usage_error(fmt::format("{}: {}", file.place(flag.line), text));
    };
    const std::vector<std::string> keys = config_keys(app);
    if (std::find(keys.begin(), keys.end(), flag.name) == keys.end()) {
      if (!flag.section.empty()) {
        const std::string see = fmt::format("See {} {} --help", cli_.app_->get_name(), flag.section);
        return wrong(
            fmt::format("{} has no flag {}\n  {}", flag.section, flag.name, meant(nearest(flag.name, keys), see)));
      }
      for (const CLI::App* sub : cli_.app_->get_subcommands()) {
        if (option_of(*sub, flag.name) != nullptr) {
          return wrong(fmt::format("{0} is a flag of {1}\n  Put it under a line [{1}].", flag.name, sub->get_name()));
        }
      }
      return wrong(
          fmt::format("there is no flag {}\n  {}", flag.name,
                      meant(nearest(flag.name, keys), "A command's own flags stand under its name, as in [publish].")));
    }
    const CLI::Option& option = *option_of(app, flag.name);
    const bool truth = option.get_expected_min() == 0;
    if (truth != (flag.kind == ConfigFlag::Kind::truth)) {
      return wrong(
          fmt::format("{} {}", flag.name, truth ? "must be true or false" : "needs a value, not true or false"));
    }
    if (flag.kind == ConfigFlag::Kind::list && option.get_expected_max() < 2) {
      return wrong(fmt::format("{} takes one value, not a list", flag.name));
    }
    return {};
  }

  Cli& cli_;
};

void Flag::required() { option_->required(); }

void Flag::hidden() { option_->group(""); }

void section(CLI::App& app, const std::string& title) { app.option_defaults()->group(title); }

Flag option(CLI::App& app, const std::string& names, std::string& value, const std::string& value_name,
            const std::string& help) {
  return Flag(app.add_option(names, value, help)->type_name(value_name));
}

Flag options(CLI::App& app, const std::string& names, std::vector<std::string>& values, const std::string& value_name,
             const std::string& help) {
  return Flag(app.add_option(names, values, help)->type_name(value_name)->allow_extra_args(!names.starts_with('-')));
}

Flag flag(CLI::App& app, const std::string& names, bool& given, const std::string& help) {
  return Flag(app.add_flag(names, given, help));
}

namespace {

// "-o,--output" is the field output, "release" the field release.
std::string field_of(const std::string& names, const std::string& field) {
  if (!field.empty()) return field;
  std::string name = names.substr(names.rfind(',') + 1);
  name.erase(0, name.find_first_not_of('-'));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace

Flag option(CLI::App& app, const std::string& names, FieldValues& values, const std::string& value_name,
            const std::string& help, const std::string& field) {
  return Flag(
      app.add_option_function<std::string>(
             names, [&values, name = field_of(names, field)](const std::string& text) { values[name] = text; }, help)
          ->type_name(value_name));
}

Flag options(CLI::App& app, const std::string& names, FieldValues& values, const std::string& value_name,
             const std::string& help, const std::string& field) {
  return Flag(
      app.add_option_function<std::vector<std::string>>(
             names,
             [&values, name = field_of(names, field)](const std::vector<std::string>& texts) { values[name] = texts; },
             help)
          ->type_name(value_name)
          ->allow_extra_args(!names.starts_with('-')));
}

Flag flag(CLI::App& app, const std::string& names, FieldValues& values, const std::string& help,
          const std::string& field, bool meaning) {
  return Flag(app.add_flag_callback(
      names, [&values, name = field_of(names, field), meaning] { values[name] = meaning; }, help));
}

TerminalOptions error_options(int argc, char** argv) {
  TerminalOptions options;
  options.json = std::find(argv, argv + argc, std::string_view("--json")) != argv + argc;
  return options;
}

Cli::Cli(std::string name, std::string summary)
    : app_(std::make_unique<CLI::App>(std::move(summary), std::move(name))) {
  app_->fallthrough();
  app_->set_help_flag("-h,--help", "this text");
  app_->set_version_flag("-V,--version", fmt::format("{} {}", app_->get_name(), STOPOVER_VERSION),
                         "the version; as JSON also what it was built from");
  flag(*app_, "--json", json_, "the result as JSON on stdout");
  flag(*app_, "-q,--quiet", quiet_, "no notes, no progress");
  option(*app_, "--progress", progress_, "WHEN", "auto, always, never or json (on stderr)");
  option(*app_, "--private-notes", private_notes_, "WHEN",
         "true figures on stderr: auto (only on a screen), always, never");
  option(*app_, "--color", color_, "WHEN", "auto, always or never; auto also heeds NO_COLOR");
  option(*app_, "--threads", threads_, "N", "0 (all) or a number; never changes the result");
  app_->set_config("--config", "", "read flags from a TOML file, one [command] per section")->type_name("FILE");
  app_->allow_config_extras(CLI::config_extras_mode::error);
  app_->config_formatter(std::make_shared<Config>(*this));
  app_->formatter_fn([this](const CLI::App* app, std::string, CLI::AppFormatMode) { return help(*app); });
}

Cli::~Cli() = default;

CLI::App& Cli::command(CommandText text, Run run) {
  const std::string name = text.name;
  CLI::App* app = app_->add_subcommand(name, text.summary);
  app->set_help_flag("-h,--help", "this text");
  app->formatter_fn([this](const CLI::App* a, std::string, CLI::AppFormatMode) { return help(*a); });
  texts_[name] = std::move(text);
  runs_[name] = std::move(run);
  return *app;
}

std::string Cli::help(const CLI::App& app) const {
  if (&app == app_.get()) {
    std::string text = fmt::format("{} {}: {}\n\nCommands\n", app.get_name(), STOPOVER_VERSION, app.get_description());
    for (const CLI::App* sub : app.get_subcommands({}))
      text += row(sub->get_name(), texts_.at(sub->get_name()).summary);
    text += option_rows(app, "Flags of every command");
    text += fmt::format("\nPages of the guide: {} help TOPIC\n", app.get_name());
    for (const GuidePage& page : guide_pages()) text += row(topic_name(page), std::string(page.title()));
    text +=
        "\n" + wrapped(fmt::format("Start with `stopover demo`, or see `{} help COMMAND`. Words of the glossary are "
                                   "topics, too.\n",
                                   app.get_name()),
                       kWidth, 0);
    return text;
  }
  const CommandText& about = texts_.at(app.get_name());
  const std::string program = app_->get_name() + " " + about.name;
  std::string text = wrapped(program + ": " + about.summary, kWidth, 2) + "\n\nExamples\n";
  for (const std::string& example : about.examples) {
    std::string indented = "  " + example + "\n";
    for (std::size_t at = 0; (at = indented.find('\n', at)) + 1 < indented.size(); at += 3)
      indented.replace(at, 1, " \\\n      ");
    text += indented;
  }
  std::string positionals;
  std::vector<std::pair<std::string, std::string>> sections;  // in the order of their first flag
  for (const CLI::Option* o : app.get_options()) {
    if (o->get_group().empty()) continue;
    const std::string line = row(option_names(*o), o->get_description());
    if (!o->nonpositional()) {
      positionals += line;
      continue;
    }
    const std::string title = o->get_group() == "Options" ? "Flags" : o->get_group();
    auto at = std::find_if(sections.begin(), sections.end(), [&](const auto& s) { return s.first == title; });
    if (at == sections.end()) at = sections.insert(at, {title, ""});
    at->second += line;
  }
  if (!positionals.empty()) text += "\nArguments\n" + positionals;
  std::stable_partition(sections.begin(), sections.end(), [](const auto& s) { return s.first != "Flags"; });
  for (const auto& [title, rows] : sections) text += "\n" + title + "\n" + rows;
  text += fmt::format(
      "  and --json, --quiet, --progress, --private-notes, --color, --threads, --config\n  (see {} --help)\n",
      app_->get_name());
  if (!about.more.empty()) text += "\n" + wrapped(about.more, kWidth, 0) + "\n";
  if (find_topic(about.name).is_page) {
    text += fmt::format("\nMore: {} help {}.md, a page of the guide.\n", app_->get_name(), about.name);
  }
  return text;
}

std::string Cli::topic_name(const GuidePage& page) const {
  const std::string name(page.name);
  return texts_.contains(name) ? name + ".md" : name;
}

Error Cli::unexpected() const {
  const std::vector<std::string> left = app_->remaining(true);
  const std::string text = left.empty() ? "" : left.front();
  const std::vector<CLI::App*> chosen = app_->get_subcommands();
  if (!chosen.empty() || text.starts_with("-")) {
    const CLI::App& at = chosen.empty() ? *app_ : *chosen.front();
    const std::string where = chosen.empty() ? app_->get_name() : app_->get_name() + " " + at.get_name();
    if (!text.starts_with("-")) {
      return usage_error(fmt::format("{} does not know what to do with \"{}\"\n  See {} --help", where, text, where));
    }
    std::vector<std::string> names = long_names(at);
    const std::vector<std::string> shared = long_names(*app_);
    names.insert(names.end(), shared.begin(), shared.end());
    const std::string flag = text.substr(0, text.find('='));
    if (const auto guess = guessed_.find({at.get_name(), flag}); guess != guessed_.end()) {
      return usage_error(fmt::format("{} has no flag {}\n  Type {}", where, flag, guess->second));
    }
    const std::string near = nearest(flag, names);
    return usage_error(fmt::format("{} has no flag {}\n  {}", where, text,
                                   near.empty() ? "See " + where + " --help" : "Did you mean " + near + "?"));
  }
  return no_command(text);
}

Error Cli::no_command(const std::string& name) const {
  std::vector<std::string> names;
  for (const CLI::App* sub : app_->get_subcommands({})) names.push_back(sub->get_name());
  return usage_error(fmt::format("there is no command {}\n  {}", name,
                                 meant(nearest(name, names), "See " + app_->get_name() + " help")));
}

Error Cli::no_topic(const std::string& name) const {
  std::vector<std::string> names;
  for (const CLI::App* sub : app_->get_subcommands({})) names.push_back(sub->get_name());
  for (const GuidePage& page : guide_pages()) names.push_back(topic_name(page));
  return usage_error(fmt::format("there is no command {0}, and no topic\n  {1}", name,
                                 meant(nearest(name, names), "See " + app_->get_name() + " help")));
}

// `help` becomes `--help`, and `help COMMAND` becomes `COMMAND --help`: CLI11 would take it for two commands. What is
// left to the command `help` itself is the manual page, and topics.
Status Cli::understand_help(int argc, char** argv) const {
  static char flag[] = "--help";
  const int at = word_at(1, argc, argv);
  if (at == argc || std::string_view(argv[at]) != "help") return {};
  const auto given = [&](std::string_view name) { return std::find(argv, argv + argc, name) != argv + argc; };
  const int which = word_at(at + 1, argc, argv);
  if (which == argc) {
    if (!given("--man") && !given("-h") && !given("--help")) argv[at] = flag;
    return {};
  }
  if (const int more = word_at(which + 1, argc, argv); more != argc) {
    return usage_error(
        fmt::format("help takes one command or topic, not also \"{}\"\n  See {} help", argv[more], app_->get_name()));
  }
  const bool command = texts_.count(argv[which]) > 0;
  if (!command && !find_topic(argv[which])) return no_topic(argv[which]);
  if (given("--man")) {
    return usage_error(
        fmt::format("--man shows all commands, not {} alone\n  Leave {} out.", argv[which], argv[which]));
  }
  if (!command) return {};
  argv[at] = argv[which];
  argv[which] = flag;
  return {};
}

int Cli::parse_failed(const std::exception& error, const Terminal& plain) {
  if (plain.json() && dynamic_cast<const CLI::CallForVersion*>(&error) != nullptr) {
    plain.print(version_json(app_->get_name()));
    return 0;
  }
  if (dynamic_cast<const CLI::CallForHelp*>(&error) != nullptr ||
      dynamic_cast<const CLI::CallForVersion*>(&error) != nullptr) {
    app_->exit(dynamic_cast<const CLI::ParseError&>(error));
    return 0;
  }
  const Error told = parse_error(error);
  plain.error(told);
  return static_cast<int>(told.failure);
}

Error Cli::parse_error(const std::exception& error) const {
  if (const auto* fault = dynamic_cast<const ConfigFault*>(&error)) return fault->error;
  if (dynamic_cast<const CLI::FileError*>(&error) != nullptr) {
    return {Failure::bad_input, fmt::format("cannot read {}\n  --config needs a file that is there.",
                                            app_->get_config_ptr()->as<std::string>())};
  }
  const bool missing = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr || (missing && !app_->remaining(true).empty()))
    return unexpected();
  const std::vector<CLI::App*> chosen = app_->get_subcommands();
  const std::string where = app_->get_name() + (chosen.empty() ? "" : " " + chosen.front()->get_name());
  const std::string help = fmt::format("\n  See {} --help", where);
  if (missing && !chosen.empty()) return usage_error(missing_text(*chosen.front()) + help);
  if (const CLI::Option* option = lacking_value(error, chosen.empty() ? *app_ : *chosen.front())) {
    return usage_error(fmt::format("--{} needs a value: {}\n  {}{}", option->get_lnames().front(),
                                   option->get_type_name(), option->get_description(), help));
  }
  return usage_error(error.what() + help);
}

// A bad value names its flag first; if it stands in a file, then also where.
Error Cli::with_place(Error error, const std::string& command) const {
  if (error.failure != Failure::usage) return error;
  const std::string field = named_field(error.message);
  std::string name = field.empty() ? error.message.substr(0, error.message.find_first_of(" \n"))
                                   : field_in_words_of(Face::command_line, field);
  name.erase(0, name.find_first_not_of('-'));
  for (const std::string& section : {command, std::string()}) {
    if (const auto found = set_in_.find({section, name}); found != set_in_.end())
      error.message += "\n  It is set in " + found->second;
  }
  return error;
}

Result<Session> Cli::session() const {
  TerminalOptions options;
  options.json = json_;
  options.quiet = quiet_;
  const std::map<std::string, ProgressMode> modes = {{"auto", ProgressMode::automatic},
                                                     {"always", ProgressMode::always},
                                                     {"never", ProgressMode::never},
                                                     {"json", ProgressMode::json}};
  const auto mode = modes.find(progress_);
  if (mode == modes.end()) {
    return usage_error(fmt::format("--progress must be auto, always, never or json, not \"{}\"", progress_));
  }
  options.progress = mode->second;
  if (private_notes_ != "auto" && private_notes_ != "always" && private_notes_ != "never") {
    return usage_error(fmt::format("--private-notes must be auto, always or never, not \"{}\"", private_notes_));
  }
  options.private_notes = private_notes_ == "always" || (private_notes_ == "auto" && isatty(STDERR_FILENO) == 1);
  if (color_ != "auto" && color_ != "always" && color_ != "never") {
    return usage_error(fmt::format("--color must be auto, always or never, not \"{}\"", color_));
  }
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool dumb = term != nullptr && std::string_view(term) == "dumb";
  const bool wanted = color_ == "auto" && !dumb && (no_color == nullptr || *no_color == '\0');
  options.color_out = color_ == "always" || (wanted && isatty(STDOUT_FILENO) == 1);
  options.color_err = color_ == "always" || (wanted && isatty(STDERR_FILENO) == 1);
  options.live_err = isatty(STDERR_FILENO) == 1 && !dumb;
  const Result<std::uint64_t> threads = parse_whole_number("threads", threads_, 0, 4096);
  if (!threads) return threads.error();
  return Session{Terminal(options), static_cast<unsigned>(*threads)};
}

std::vector<std::string> Cli::with_new_names(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  std::string command;
  for (std::string& word : words) {
    if (command.empty() && texts_.contains(word)) command = word;
    const std::size_t equals = std::min(word.find('='), word.size());
    const auto found = renamed_.find({command, word.substr(0, equals)});
    if (found == renamed_.end()) continue;
    notes_.push_back(fmt::format("{} is called {} now", found->first.second, found->second));
    word = found->second + word.substr(equals);
  }
  return words;
}

int Cli::run(int argc, char** argv) {
  protect_process();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like a full disk, not the end
  const Terminal plain(error_options(argc, argv));
  if (const Status s = understand_help(argc, argv); !s) {
    plain.error(s.error());
    return static_cast<int>(s.error().failure);
  }
  try {
    std::vector<std::string> words = with_new_names(argc, argv);
    std::reverse(words.begin(), words.end());  // as CLI11 wants them
    app_->parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    return parse_failed(error, plain);
  }
  const std::vector<CLI::App*> chosen = app_->get_subcommands();
  if (chosen.empty()) {
    if (plain.json()) {
      plain.error(usage_error(fmt::format("name a command\n  See {} --help", app_->get_name())));
    } else {
      std::fputs(app_->help().c_str(), stderr);
    }
    return static_cast<int>(Failure::usage);
  }
  const std::string command = chosen.front()->get_name();
  Result<Session> with = session();
  if (!with) {
    plain.error(with_place(with.error(), command));
    return static_cast<int>(with.error().failure);
  }
  for (const std::string& note : notes_) with->terminal.note(note);
  Status done = runs_.at(command)(*with);
  if (done) done = with->terminal.flush();
  if (done) return 0;
  (void)with->terminal.flush();
  with->terminal.error(with_place(done.error(), command));
  return done.error().failure == Failure::interrupted ? Interrupt::exit_code() : static_cast<int>(done.error().failure);
}

}  // namespace stopover
