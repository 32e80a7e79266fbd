#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/field_words.h"
#include "base/usage_error.h"
#include "cli/commands.h"
#include "cli/terminal_observer.h"
#include "job/info_form.h"
#include "job/open_release.h"
#include "job/open_series.h"
#include "job/reports.h"
#include "job/series_report.h"
#include "release_io/release_io.h"
#include "trust/release_papers.h"

namespace stopover {
namespace {

struct InfoOptions {
  std::string release, as, url;
};

Status print_form(const InfoOptions& o, const InfoSource& source, const Session& session) {
  const Result<InfoForm> form = info_as(o.as, source);
  if (!form) return form.error();
  if (session.terminal.json()) {
    session.terminal.print(
        nlohmann::ordered_json{{"release", o.release}, {"as", o.as}, {"text", form->text}, {"missing", form->missing}}
            .dump(2));
    return {};
  }
  for (const std::string& missing : form->missing) {
    session.terminal.note("missing: " + in_words_of(Face::command_line, missing));
  }
  session.terminal.print(form->text.substr(0, form->text.size() - 1));
  return {};
}

Status run_info(const InfoOptions& o, const Session& session) {
  if (o.as.empty() && !o.url.empty()) return usage_error("`url` goes with `as dcat` or `as registry`");
  if (is_series_folder(o.release)) {
    if (!o.as.empty())
      return usage_error("`as` is for one release, and " + o.release + " is a series\n  Name one of its releases.");
    const Result<OpenSeries> series = OpenSeries::open(o.release, terminal_observer(session.terminal, session.threads));
    if (!series) return series.error();
    session.terminal.print(session.terminal.json() ? series_json(*series)
                                                   : series_text(*series, session.terminal.paper()));
    return {};
  }
  const Result<Release> release = open_release(o.release, terminal_observer(session.terminal, session.threads));
  if (!release) return release.error();
  const Result<std::string> content = content_sha256(*release);
  if (!content) return content.error();
  const Result<ReleasePapers> papers = papers_of(o.release, *release);
  if (!papers) return papers.error();
  if (!o.as.empty()) return print_form(o, {o.release, *release, *content, *papers, o.url}, session);
  session.terminal.print(session.terminal.json()
                             ? info_json(*release, *content, *papers)
                             : in_words_of(Face::command_line, info_text(o.release, *release, *content,
                                                                         session.terminal.paper(), *papers)));
  return {};
}

}  // namespace

void add_info(Cli& cli) {
  const auto o = std::make_shared<InfoOptions>();
  CLI::App& app = cli.command(
      {"info",
       "what a release promises and holds",
       {"stopover info city.odr", "stopover info city.odr --json", "stopover info city.odr --as html > card.html",
        "stopover info city.odr --as dcat --url https://example.org/city.odrz"},
       "markdown and html are the guarantee card with answers to NIST SP 800-226; dcat is JSON-LD for data portals "
       "(DCAT, mobilityDCAT-AP), registry an entry for the Differential Privacy Deployments Registry. What they ask "
       "for "
       "and nobody declared (publish --title, --about, ...) is told."},
      [o](const Session& session) { return run_info(*o, session); });
  option(app, "release", o->release, "RELEASE", "the folder NAME.odr, or NAME.odrz; or a series, a folder of them")
      ->required();
  option(app, "--as", o->as, "FORM", fmt::format("{}; text unless told", fmt::join(info_forms(), ", ")));
  option(app, "--url", o->url, "URL", "dcat, registry: where the release can be had");
}

}  // namespace stopover
