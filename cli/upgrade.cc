#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "job/upgrade_job.h"

namespace stopover {
namespace {

struct UpgradeOptions {
  std::string release, output;
};

Status run_upgrade(const UpgradeOptions& o, const Session& session) {
  const Result<Upgraded> done = upgrade(o.release, o.output, session.threads);
  if (!done) return done.error();
  if (session.terminal.json()) {
    session.terminal.print(
        nlohmann::ordered_json{{"output", o.output}, {"upgraded_from", done->from}, {"content_sha256", done->content}}
            .dump(2));
  } else {
    session.terminal.print(fmt::format("{}: format 2 of {}\n  content {}\n  before  {}",
                                       session.terminal.paint(Tone::strong, o.output), o.release, done->content,
                                       done->from));
  }
  return {};
}

}  // namespace

void add_upgrade(Cli& cli) {
  const auto o = std::make_shared<UpgradeOptions>();
  CLI::App& app = cli.command(
      {"upgrade",
       "rewrite a release of format 1 as format 2",
       {"stopover upgrade old.odr -o new.odr"},
       "The numbers stay as they are, and the old release too. The new one has what format 2 has (a Data Package, "
       "GeoParquet) and keeps the old content hash as upgraded_from, which every reader recomputes; signatures over "
       "the "
       "old hash are kept and verify as signed before the upgrade."},
      [o](const Session& session) { return run_upgrade(*o, session); });
  option(app, "release", o->release, "OLD", "the folder NAME.odr, or NAME.odrz")->required();
  option(app, "-o,--output", o->output, "NEW", "the folder to make")->required();
}

}  // namespace stopover
