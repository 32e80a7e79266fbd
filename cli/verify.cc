#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/progress.h"
#include "job/sign_job.h"
#include "release_io/release_io.h"

namespace stopover {
namespace {

struct VerifyOptions {
  std::string release, heads;
  std::vector<std::string> signed_by;
  bool accept_repeatable = false;
};

// What is known of who vouches for it.
std::vector<std::string> trust_lines(const VerifyOptions& o, const ReleasePapers& papers) {
  std::vector<std::string> lines;
  if (!o.signed_by.empty()) {
    lines.push_back(fmt::format(
        "Signed by {}.", o.signed_by.size() == 1 ? "the owner of the key given"
                                                 : fmt::format("the owners of all {} keys given", o.signed_by.size())));
  } else if (!papers.signatures.empty()) {
    lines.push_back(
        fmt::format("It has signatures of key {}: whether they are good only the public key tells "
                    "(--signed-by NAME.pub).",
                    fmt::join(papers.signed_by(), ", ")));
  }
  if (!papers.old_signatures.empty()) {
    lines.push_back(fmt::format("Signed before the upgrade from format 1, by key {}.",
                                fmt::join(papers.signed_before_upgrade(), ", ")));
  }
  if (!o.heads.empty()) lines.push_back("Its ledger's head is among those published.");
  return lines;
}

Status run_verify(const VerifyOptions& o, const Session& session) {
  Progress progress(session.terminal);
  progress.phase("verifying");
  Result<Randomness> ok =
      verify_release(o.release, session.threads, o.accept_repeatable ? Accept::repeatable : Accept::private_only);
  Result<ReleasePapers> papers = ReleasePapers();
  if (ok) papers = check_trust({o.release, o.signed_by, o.heads}, session.threads);
  if (!papers) ok = papers.error();
  progress.pause();
  if (session.terminal.json() && (ok || ok.error().failure == Failure::check_failed)) {
    nlohmann::ordered_json answer = {{"release", o.release}, {"pass", static_cast<bool>(ok)}};
    if (ok) {
      answer["private"] = ok->is_private();
      answer["randomness"] = ok->text();
      if (!papers->signatures.empty()) answer["signed_by"] = papers->signed_by();
      if (!papers->old_signatures.empty()) answer["signed_before_upgrade"] = papers->signed_before_upgrade();
      if (!o.signed_by.empty()) answer["signatures_checked"] = o.signed_by.size();
      if (papers->note) answer["superseded"] = papers->note->sentence();
    } else {
      answer["reason"] = ok.error().message;
    }
    session.terminal.print(answer.dump(2));
  } else if (ok) {
    session.terminal.print(
        fmt::format("{}: {}\n  Hashes, structure, nesting, tiling and sums are right, and every "
                    "path's\n  charges stay within epsilon.",
                    o.release, session.terminal.paint(Tone::good, "verified")));
    for (const std::string& line : trust_lines(o, *papers)) session.terminal.print("  " + wrapped(line, 80, 2));
    if (papers->note) {
      session.terminal.print(
          "  " + session.terminal.paint(Tone::bad, wrapped("It was " + papers->note->sentence() + ".", 80, 2)));
    }
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
  CLI::App& app =
      cli.command({"verify",
                   "read a release again and check all its rules",
                   {"stopover verify city.odr", "stopover verify city.odr --signed-by city.pub --heads heads.txt"},
                   "Exit code 0 if all is right; 5 if the release is damaged, breaks a rule or was made "
                   "with a key that can be repeated, "
                   "which protects nobody; 3 if there is none."},
                  [o](const Session& session) { return run_verify(*o, session); });
  option(app, "release", o->release, "RELEASE", "the folder NAME.odr, or NAME.odrz")->required();
  options(app, "--signed-by", o->signed_by, "NAME.pub",
          "a public key (a file, or its line) that must have signed it; several: all of them");
  option(app, "--heads", o->heads, "FILE", "published heads of the ledger (stopover ledger heads): its own is there");
  flag(app, "--accept-test-key", o->accept_repeatable,
       "accept a test release (made with a key that can be repeated), and say so");
}

}  // namespace stopover
