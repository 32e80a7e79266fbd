#include "ledger/ledger.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/commands.h"
#include "job/reports.h"
#include "job/state_folder.h"

namespace stopover {
namespace {

Status run_ledger(const std::string& path, const std::string& state, const Session& session) {
  if (std::error_code none; std::filesystem::is_directory(path, none)) {
    return Error{Failure::bad_input,
                 fmt::format("{0} is a folder, not a ledger\n  A ledger is a file such as NAME.ledger. "
                             "A release is looked at with: stopover info {0}",
                             path)};
  }
  const Result<std::string> folder = state_folder(state);
  if (!folder) return folder.error();
  if (folder->empty()) session.terminal.warn(kStateWaived);
  const std::unique_ptr<FileSystem> files = posix_file_system();
  const Result<LedgerChain> chain = Ledger::read(*files, path, *folder);
  if (!chain) return chain.error();
  session.terminal.print(session.terminal.json() ? ledger_json(*chain)
                                                 : ledger_text(path, *chain, session.terminal.paper()));
  return {};
}

}  // namespace

void add_ledger(Cli& cli) {
  const auto path = std::make_shared<std::string>(), state = std::make_shared<std::string>();
  CLI::App& app =
      cli.command({"ledger",
                   "what was spent, and what is left",
                   {"stopover ledger city.ledger", "stopover ledger city.ledger --json"},
                   "A ledger only grows. Reserved is spent, also when the release failed: nobody can prove that "
                   "its noise was not seen."},
                  [path, state](const Session& session) { return run_ledger(*path, *state, session); });
  option(app, "ledger", *path, "LEDGER", "the ledger's file")->required();
  option(app, "--state", *state, "FOLDER", std::string(kStateHelp));
}

}  // namespace stopover
