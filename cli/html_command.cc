#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "base/grouped.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/terminal_observer.h"
#include "job/open_release.h"
#include "job/open_series.h"
#include "job/output.h"
#include "page/html_page.h"
#include "trust/release_papers.h"

namespace stopover {
namespace {

struct HtmlOptions {
  std::vector<std::string> releases;
  std::string output;
  bool overwrite = false;
};

Status run_html(const HtmlOptions& o, const Session& session) {
  const std::unique_ptr<FileSystem> files = posix_file_system();
  Result<Output> output = Output::begin(*files, o.output, o.overwrite);
  if (!output) return output.error();
  Progress progress(session.terminal);
  progress.phase("reading the release");
  const Result<std::vector<std::string>> paths =
      release_paths(o.releases, terminal_observer(session.terminal, session.threads));
  if (!paths) return paths.error();
  std::vector<Release> releases;
  std::vector<std::string> superseded;
  for (const std::string& path : *paths) {
    Result<Release> release = open_release(path, terminal_observer(session.terminal, session.threads));
    if (!release) return release.error();
    const Result<ReleasePapers> papers = papers_of(path, *release);
    if (!papers) return papers.error();
    superseded.push_back(papers->note ? papers->note->sentence() : "");
    releases.push_back(std::move(*release));
  }
  progress.phase("making the page");
  const Result<std::string> page = html_page(*paths, releases, superseded);
  if (!page) return page.error();
  if (Status s = files->write_file(output->path(), *page); !s) return s;
  if (Status s = output->finish(); !s) return s;
  progress.pause();
  if (session.terminal.json()) {
    session.terminal.print(nlohmann::ordered_json{{"output", o.output}, {"bytes", page->size()}}.dump(2));
  } else {
    session.terminal.print(fmt::format("{}: {} bytes, opens in any browser without a network",
                                       session.terminal.paint(Tone::strong, o.output), grouped(page->size())));
  }
  return {};
}

}  // namespace

void add_html(Cli& cli) {
  const auto o = std::make_shared<HtmlOptions>();
  CLI::App& app =
      cli.command({"html",
                   "one file that shows a release in any browser, offline",
                   {"stopover html city.odr -o city.html", "stopover html before.odr after.odr -o both.html",
                    "stopover html 2019/ -o 2019.html"},
                   "The page holds the release, the query engine and all it needs: it loads nothing and sends "
                   "nothing. Its answers are those of `stopover query`."},
                  [o](const Session& session) { return run_html(*o, session); });
  options(app, "release", o->releases, "RELEASE", "the folder NAME.odr, or a series; several share one page")
      ->required();
  option(app, "-o,--output", o->output, "FILE", "the page to write")->required();
  flag(app, "--overwrite", o->overwrite, "replace the output if it is there");
}

}  // namespace stopover
