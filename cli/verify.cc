#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/progress.h"
#include "release_io/release_io.h"

namespace stopover {
namespace {

struct VerifyOptions {
  std::string release;
  bool accept_repeatable = false;
};

Status run_verify(const VerifyOptions& o, const Session& session) {
  Progress progress(session.terminal);
  progress.phase("verifying");
  const Result<Randomness> ok =
      verify_release(o.release, session.threads, o.accept_repeatable ? Accept::repeatable : Accept::private_only);
  progress.pause();
  if (session.terminal.json() && (ok || ok.error().failure == Failure::check_failed)) {
    nlohmann::ordered_json answer = {{"release", o.release}, {"pass", static_cast<bool>(ok)}};
    if (ok) {
      answer["private"] = ok->is_private();
      answer["randomness"] = ok->text();
    } else {
      answer["reason"] = ok.error().message;
    }
    session.terminal.print(answer.dump(2));
  } else if (ok) {
    session.terminal.print(
        fmt::format("{}: {}\n  Hashes, structure, nesting, tiling and sums are right, and every "
                    "path's\n  charges stay within epsilon.",
                    o.release, session.terminal.paint(Tone::good, "verified")));
    if (!ok->is_private()) {
      session.terminal.print(
          "  " + session.terminal.paint(Tone::bad,
                                        wrapped("Not private, and accepted as such: " + ok->warning() + ".", 80, 2)));
    }
  }
  if (!ok) return ok.error();
  return {};
}

}  // namespace

void add_verify(Cli& cli) {
  const auto o = std::make_shared<VerifyOptions>();
  CLI::App& app = cli.command({"verify",
                               "read a release again and check all its rules",
                               {"stopover verify city.odr"},
                               "Exit code 0 if all is right; 5 if the release is damaged, breaks a rule or was made "
                               "with a key that can be repeated, "
                               "which protects nobody; 3 if there is none."},
                              [o](const Session& session) { return run_verify(*o, session); });
  option(app, "release", o->release, "RELEASE", "the folder NAME.odr")->required();
  flag(app, "--accept-test-key", o->accept_repeatable,
       "accept a test release (made with a key that can be repeated), and say so");
}

}  // namespace stopover
