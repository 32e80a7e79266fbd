#include "base/field_words.h"
#include "cli/commands.h"
#include "cli/terminal_observer.h"
#include "job/open_release.h"
#include "job/open_series.h"
#include "job/reports.h"
#include "job/series_report.h"
#include "release_io/release_io.h"
#include "trust/release_papers.h"

namespace stopover {
namespace {

Status run_info(const std::string& path, const Session& session) {
  if (is_series_folder(path)) {
    const Result<OpenSeries> series = OpenSeries::open(path, terminal_observer(session.terminal, session.threads));
    if (!series) return series.error();
    session.terminal.print(session.terminal.json() ? series_json(*series)
                                                   : series_text(*series, session.terminal.paper()));
    return {};
  }
  const Result<Release> release = open_release(path, terminal_observer(session.terminal, session.threads));
  if (!release) return release.error();
  const Result<std::string> content = content_sha256(*release);
  if (!content) return content.error();
  const Result<ReleasePapers> papers = papers_of(path, *release);
  if (!papers) return papers.error();
  session.terminal.print(
      session.terminal.json()
          ? info_json(*release, *content, *papers)
          : in_words_of(Face::command_line, info_text(path, *release, *content, session.terminal.paper(), *papers)));
  return {};
}

}  // namespace

void add_info(Cli& cli) {
  const auto path = std::make_shared<std::string>();
  CLI::App& app = cli.command(
      {"info", "what a release promises and holds", {"stopover info city.odr", "stopover info city.odr --json"}, ""},
      [path](const Session& session) { return run_info(*path, session); });
  option(app, "release", *path, "RELEASE", "the folder NAME.odr, or NAME.odrz; or a series, a folder of them")->required();
}

}  // namespace stopover
