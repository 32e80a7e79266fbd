#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/usage_error.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/open_browser.h"
#include "desk/desk_server.h"
#include "desk/worker.h"
#include "job/parse_number.h"
#include "job/state_folder.h"

namespace stopover {
namespace {

struct DeskFlags {
  std::vector<std::string> data;
  std::string folder = "stopover-desk", state, port = "0", idle = "60", key;
  bool open = false, allow_sql = false, worker = false;
};

// One job, for the desk that started this process; it ends when that one does.
int work(const KeyByName& key_by_name, unsigned threads) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  const Interrupt interrupt;
  const std::string order(std::istreambuf_iterator<char>(std::cin), {});
  WorkerSurroundings around;
  around.tell = [](const std::string& line) {
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
  };
  around.interrupted = Interrupt::asked;
  around.threads = threads;
  around.key_by_name = key_by_name;
  return run_worker(order, around);
}

Status run_desk(const DeskFlags& o, const KeyByName& key_by_name, const Session& session) {
  const Terminal& terminal = session.terminal;
  const Result<std::uint64_t> port = parse_whole_number("port", o.port, 0, 65535);
  if (!port) return port.error();
  const Result<double> idle = parse_decimal("idle", o.idle);
  if (!idle) return idle.error();
  if (!(*idle >= 0.01 && *idle <= 24 * 60))
    return usage_error(fmt::format("`idle` must be from 0.01 to {} minutes, not {}", 24 * 60, o.idle));
  if (!o.key.empty() && !key_by_name) return usage_error("`test_key` is for stopover-lab alone");
  const Result<std::string> state = state_folder(o.state);
  if (!state) return state.error();
  if (state->empty()) terminal.warn(kStateWaived);
  const Result<Folders> folders = Folders::open(o.data.empty() ? std::vector<std::string>{"."} : o.data, o.folder);
  if (!folders) return folders.error();
  std::error_code failed;
  const std::string own = std::filesystem::read_symlink("/proc/self/exe", failed).string();
  if (failed) return Error{Failure::internal, "this program does not find itself"};

  // The threads must not get the signals that end the command.
  sigset_t ends;
  ::sigemptyset(&ends);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&ends, number);
  ::pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  ::signal(SIGPIPE, SIG_IGN);

  Result<std::unique_ptr<DeskServer>> server = DeskServer::listen(static_cast<std::uint16_t>(*port));
  if (!server) return server.error();
  Gate gate((*server)->port(), random_secret(), random_secret());
  Workshop workshop(own, {"desk", "--worker", "--threads", fmt::format("{}", session.threads)});
  Desk desk(gate, *folders, workshop,
            {o.state.empty()  ? std::string()
             : state->empty() ? std::string(kNoStateFolder)
                              : *state,
             o.allow_sql, o.key, *idle, STOPOVER_VERSION});
  (*server)->start(desk);
  const std::string url = fmt::format("{}/?token={}", gate.address(), gate.token());
  if (terminal.json()) {
    terminal.print(nlohmann::ordered_json{{"url", url}, {"folder", folders->own()}, {"data", folders->data()}}.dump());
  } else {
    terminal.print(fmt::format(
        "{}\n  opens the desk once, in one browser of this machine; Ctrl-C ends it\n  drafts, releases and ledgers: {}",
        terminal.paint(Tone::strong, url), folders->own()));
  }
  if (Status s = terminal.flush(); !s) return s;
  if (!o.key.empty()) terminal.warn("releases made here have a key that can be repeated: they protect nobody");
  if (o.open) open_browser(url);

  for (;;) {
    const timespec second{1, 0};
    if (::sigtimedwait(&ends, nullptr, &second) > 0 || desk.closed()) break;
    if ((*server)->idle_seconds() > *idle * 60 && !workshop.busy()) {
      terminal.note(fmt::format("nobody asked anything for {} minutes: the desk is closed; drafts are kept", *idle));
      break;
    }
  }
  (*server)->stop();
  workshop.stop();
  ::pthread_sigmask(SIG_UNBLOCK, &ends, nullptr);
  return {};
}

}  // namespace

void add_desk(Cli& cli, KeyByName key_by_name) {
  const auto o = std::make_shared<DeskFlags>();
  const bool lab = static_cast<bool>(key_by_name);
  CLI::App& app = cli.command(
      {"desk",
       "publish without a shell: the same jobs on a page, on this machine",
       {"stopover desk --open", "stopover desk --open --data /srv/trips --folder /srv/desk"},
       "Prints an address that opens the desk once, in one browser. From there one chooses rows, declares, forecasts, "
       "rehearses, publishes, exports and looks after ledgers; every step shows the command line and the Python that "
       "do "
       "the same. Files are chosen from the folders named here; drafts, releases, ledgers and exports are written to "
       "the desk's own. Only this machine and this user are answered, and nothing is sent anywhere."},
      [o, key_by_name = std::move(key_by_name)](const Session& session) -> Status {
        if (o->worker) std::exit(work(key_by_name, session.threads));
        return run_desk(*o, key_by_name, session);
      });
  options(app, "--data", o->data, "FOLDER", "a folder to choose files from; may be given several times (this one)");
  option(app, "--folder", o->folder, "FOLDER", "where drafts, releases, ledgers and exports go (stopover-desk)");
  flag(app, "--open", o->open, "show the desk in the browser");
  option(app, "--port", o->port, "N", "a free one unless given");
  option(app, "--idle", o->idle, "MINUTES", "close the desk after so long without a question (60)");
  flag(app, "--allow-sql", o->allow_sql, "rows by a DuckDB query too: it can read whatever you can");
  option(app, "--state", o->state, "FOLDER", std::string(kStateHelp));
  Flag key = option(app, "--test-key", o->key, "NAME", "a key that can be repeated: protects nobody");
  if (!lab) key->hidden();
  flag(app, "--worker", o->worker, "one job, from standard input")->hidden();
}

}  // namespace stopover
