#include "ledger/ledger.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/commands.h"
#include "job/reports.h"
#include "job/sign_job.h"
#include "job/state_folder.h"

namespace stopover {
namespace {

struct LedgerOptions {
  std::string first, second, state, against;
  bool calendar = false;
  bool heads() const { return !second.empty(); }
};

// Every head, one per line, or whether those published before are still true.
Status tell_heads(const LedgerChain& chain, const LedgerOptions& o, const Session& session) {
  if (o.against.empty()) {
    std::string text = heads_text(chain);
    text.pop_back();
    session.terminal.print(text);
    return {};
  }
  std::ifstream file(o.against, std::ios::binary);
  if (!file) return Error{Failure::bad_input, "cannot read " + o.against};
  const Status same = check_heads(chain, {std::istreambuf_iterator<char>(file), {}}, o.against);
  if (same) session.terminal.print(fmt::format("{}: the ledger still has every head that was published", o.against));
  return same;
}

Status run_ledger(const LedgerOptions& o, const Session& session) {
  if (o.heads() && o.first != "heads") {
    return Error{Failure::usage, fmt::format("\"{} {}\" is one name too many\n  As in: stopover ledger city.ledger, or "
                                             "stopover ledger heads city.ledger",
                                             o.first, o.second)};
  }
  if (!o.heads() && !o.against.empty()) {
    return Error{Failure::usage,
                 "--against goes with heads\n  As in: stopover ledger heads city.ledger --against FILE"};
  }
  const std::string& path = o.heads() ? o.second : o.first;
  if (std::error_code none; std::filesystem::is_directory(path, none)) {
    return Error{Failure::bad_input,
                 fmt::format("{0} is a folder, not a ledger\n  A ledger is a file such as NAME.ledger. "
                             "A release is looked at with: stopover info {0}",
                             path)};
  }
  const Result<std::string> folder = state_folder(o.state);
  if (!folder) return folder.error();
  if (folder->empty()) session.terminal.warn(kStateWaived);
  const std::unique_ptr<FileSystem> files = posix_file_system();
  const Result<LedgerChain> chain = Ledger::read(*files, path, *folder);
  if (!chain) return chain.error();
  if (o.heads()) return tell_heads(*chain, o, session);
  if (o.calendar) {
    const Result<std::string> told =
        session.terminal.json() ? calendar_json(path, *chain) : calendar_text(path, *chain, session.terminal.paper());
    if (!told) return told.error();
    session.terminal.print(*told);
    return {};
  }
  session.terminal.print(session.terminal.json() ? ledger_json(*chain)
                                                 : ledger_text(path, *chain, session.terminal.paper()));
  return {};
}

}  // namespace

void add_ledger(Cli& cli) {
  const auto o = std::make_shared<LedgerOptions>();
  CLI::App& app = cli.command(
      {"ledger",
       "what was spent, and what is left",
       {"stopover ledger city.ledger", "stopover ledger city.ledger --json",
        "stopover ledger heads city.ledger > heads.txt", "stopover ledger heads city.ledger --against heads.txt"},
       "A ledger only grows. Reserved is spent, also when the release failed: nobody can prove that "
       "its noise was not seen. `ledger heads` prints one line per record, to be published: they "
       "tell no count, and show later whether the ledger was rolled back, forked, or hides a release."},
      [o](const Session& session) { return run_ledger(*o, session); });
  option(app, "ledger", o->first, "LEDGER", "the ledger's file")->required();
  option(app, "of", o->second, "OF", "after heads: the ledger's file. Heads are to be published: they tell no count")
      ->hidden();
  option(app, "--against", o->against, "FILE",
         "after heads: whether all heads in FILE, published before, are still true");
  flag(app, "--calendar", o->calendar, "of a series: what was spent on each period, and what may be spent when");
  option(app, "--state", o->state, "FOLDER", std::string(kStateHelp));
}

}  // namespace stopover
