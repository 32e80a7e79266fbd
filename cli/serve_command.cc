#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/byte_size.h"
#include "cli/commands.h"
#include "cli/open_browser.h"
#include "cli/terminal_observer.h"
#include "job/open_release.h"
#include "job/open_series.h"
#include "job/parse_number.h"
#include "serve/engine_store.h"
#include "serve/server.h"
#include "text/clock.h"

namespace stopover {
namespace {

struct ServeOptions {
  std::vector<std::string> releases;
  std::string address = "127.0.0.1", port = "8080", log = "stderr", memory = "4GB", basemap;
  std::vector<std::string> origins;
  bool open = false;
};

bool is_loopback(const std::string& address) { return address.starts_with("127.") || address == "::1"; }

// Whether the archive says that it covers nothing of where the releases are.
bool lies_elsewhere(const TileArchiveHeader& map, const Shelf& shelf) {
  if (map.east <= map.west || map.north <= map.south) return false;
  bool has_places = false;
  for (const auto& release : shelf.releases) {
    const Domain& domain = release->domain;
    for (const Stop& stop : domain.stops()) {
      bool across = false, up = false;
      for (const std::size_t a : stop.axes) {
        const Axis& axis = domain.axes()[a];
        if (axis.kind == AxisKind::longitude) across = axis.lower < map.east && axis.upper > map.west;
        if (axis.kind == AxisKind::latitude) up = axis.lower < map.north && axis.upper > map.south;
        has_places = has_places || axis.kind == AxisKind::longitude;
      }
      if (across && up) return false;
    }
  }
  return has_places;
}

std::function<void(const AccessRecord&)> access_log(const std::string& where) {
  if (where == "none") return {};
  const auto mutex = std::make_shared<std::mutex>();
  return [mutex](const AccessRecord& r) {
    const std::string line =
        fmt::format("{{\"time\":\"{}\",\"route\":\"{}\",\"status\":{},\"bytes\":{},\"microseconds\":{}}}\n", utc_now(),
                    r.route, r.status, r.bytes, r.microseconds);
    const std::scoped_lock lock(*mutex);
    std::fwrite(line.data(), 1, line.size(), stderr);
  };
}

void warn_of(const Shelf& shelf, const Terminal& terminal) {
  const Observer observer = terminal_observer(terminal, 0);
  for (const auto& release : shelf.releases) warn_unless_private(release->name, release->randomness, observer);
}

Status run_serve(const ServeOptions& o, const Session& session) {
  const Terminal& terminal = session.terminal;
  const Result<std::uint64_t> port = parse_whole_number("port", o.port, 0, 65535);
  if (!port) return port.error();
  if (o.log != "stderr" && o.log != "none") {
    return Error{Failure::usage, fmt::format("--log must be stderr or none, not \"{}\"", o.log)};
  }
  const Result<std::vector<std::string>> paths =
      release_paths(o.releases, terminal_observer(session.terminal, session.threads));
  if (!paths) return paths.error();
  const Result<std::uint64_t> memory = parse_bytes(o.memory);
  if (!memory) return memory.error();
  ShelfLoader loader(*paths, o.basemap, *memory, resident_bytes);
  const Result<std::shared_ptr<const Shelf>> shelf = loader.load();
  if (!shelf) return shelf.error();
  warn_of(**shelf, terminal);

  // The threads must not get the signals that end the command.
  sigset_t ends;
  ::sigemptyset(&ends);
  for (const int number : {SIGINT, SIGTERM}) ::sigaddset(&ends, number);
  ::pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGCHLD, SIG_IGN);

  ServerOptions options;
  options.address = o.address;
  options.port = static_cast<std::uint16_t>(*port);
  options.threads = session.threads == 0 ? std::max(2u, std::thread::hardware_concurrency()) : session.threads;
  options.log = access_log(o.log);
  if (!is_loopback(o.address)) options.limits.hosts.clear();
  for (const std::string& origin : o.origins) {
    const std::size_t name = origin.find("://") == std::string::npos ? 0 : origin.find("://") + 3;
    if (origin == "*" || (name > 0 && name < origin.size() && origin.find('/', name) == std::string::npos)) continue;
    return Error{Failure::usage,
                 fmt::format("--allow-origin must be like https://example.org, without a path, or *, not "
                             "\"{}\"",
                             origin)};
  }
  options.limits.origins = o.origins;
  const Result<std::unique_ptr<Server>> server = Server::start(*shelf, options);
  if (!server) return server.error();
  const std::string host = o.address.find(':') == std::string::npos ? o.address : "[" + o.address + "]";
  const std::string url = fmt::format("http://{}:{}/", host, (*server)->port());
  if (terminal.json()) {
    terminal.print(nlohmann::ordered_json{{"url", url}, {"releases", (*shelf)->releases.size()}}.dump());
  } else {
    terminal.print(fmt::format("{}\n  {} release{}; Ctrl-C ends it", terminal.paint(Tone::strong, url),
                               (*shelf)->releases.size(), (*shelf)->releases.size() == 1 ? "" : "s"));
  }
  if (Status s = terminal.flush(); !s) return s;
  if (!is_loopback(o.address))
    terminal.note("whoever reaches this address can read the releases: they are public, but is this machine?");
  if ((*shelf)->tiles != nullptr && lies_elsewhere((*shelf)->tiles->header(), **shelf)) {
    const TileArchiveHeader& map = (*shelf)->tiles->header();
    terminal.warn(
        fmt::format("{} covers nothing of where the releases are: {:.4g} to {:.4g} east, {:.4g} to {:.4g} north",
                    o.basemap, map.west, map.east, map.south, map.north));
  }
  if ((*shelf)->on_page < (*shelf)->releases.size()) {
    terminal.note(fmt::format("the page shows the first {} releases; all {} are answered at /api", (*shelf)->on_page,
                              (*shelf)->releases.size()));
  }
  if (o.open) open_browser(url);

  for (;;) {
    const timespec second{1, 0};
    if (::sigtimedwait(&ends, nullptr, &second) > 0) break;
    const ShelfChange change = loader.reload();
    for (const Error& e : change.refused) {
      terminal.warn(fmt::format("{}; serving what was there before", e.message.substr(0, e.message.find('\n'))));
    }
    if (change.shelf == nullptr) continue;
    (*server)->replace(change.shelf);
    terminal.note("serving what was replaced");
    warn_of(*change.shelf, terminal);
  }
  (*server)->stop();
  ::pthread_sigmask(SIG_UNBLOCK, &ends, nullptr);
  return {};
}

}  // namespace

void add_serve(Cli& cli) {
  const auto o = std::make_shared<ServeOptions>();
  CLI::App& app = cli.command(
      {"serve",
       "the explorer's page and a JSON API, on this machine",
       {"stopover serve city.odr --open", "stopover serve 2024.odr 2025.odr --port 9000",
        "stopover serve city.odr --basemap city.pmtiles"},
       "POST /api/query takes the question that `stopover query --spec` takes; GET /api/releases lists what "
       "there is, and GET /api/openapi.json describes it all for programs. A release that is replaced on disk is taken "
       "up within a second or two. Only this machine is "
       "answered unless another address is typed out."},
      [o](const Session& session) { return run_serve(*o, session); });
  options(app, "release", o->releases, "RELEASE", "the folders NAME.odr, or a series: a folder of them")->required();
  option(app, "--port", o->port, "N", "8080; 0 for a free one");
  option(app, "--address", o->address, "ADDRESS",
         "127.0.0.1 (this machine alone); any other lets other machines connect");
  option(app, "--basemap", o->basemap, "FILE.pmtiles",
         "a background map: PMTiles 3 with vector, PNG, JPEG or WebP tiles");
  options(app, "--allow-origin", o->origins, "ORIGIN",
          "whose pages may read the API from a browser, as https://example.org; * for any (none)");
  option(app, "--log", o->log, "WHERE", "stderr or none: one line per request, without what was asked");
  option(app, "--memory-limit", o->memory, "SIZE",
         "of all the server: releases asked last stay ready while there is room, others are read again (4GB)");
  flag(app, "--open", o->open, "show the page in the browser");
}

}  // namespace stopover
