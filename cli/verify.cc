#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/progress.h"
#include "release_io/release_io.h"

namespace stopover {
namespace {

Status run(const std::string& path, const Session& session) {
  Progress progress(session.terminal);
  progress.phase("verifying");
  const Status ok = verify_release(path, session.threads);
  progress.pause();
  if (session.terminal.json() && (ok || ok.error().failure == Failure::check_failed)) {
    nlohmann::ordered_json answer = {{"release", path}, {"pass", static_cast<bool>(ok)}};
    if (!ok) answer["reason"] = ok.error().message;
    session.terminal.print(answer.dump(2));
  } else if (ok) {
    session.terminal.print(fmt::format("{}: {}\n  Hashes, structure, nesting, tiling and sums are right, and every "
                                       "path's\n  charges stay within epsilon.", path, session.terminal.paint(Tone::good, "verified")));
  }
  return ok;
}

}  // namespace

void add_verify(Cli& cli) {
  const auto path = std::make_shared<std::string>();
  CLI::App& app = cli.command({"verify",
                               "read a release again and check all its rules",
                               {"stopover verify city.odr"},
                               "Exit code 5 if the release is damaged or breaks a rule, 3 if there is none."},
                              [path](const Session& session) { return run(*path, session); });
  option(app, "release", *path, "RELEASE", "the folder NAME.odr")->required();
}

}  // namespace stopover
