#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "job/sign_job.h"

namespace stopover {
namespace {

struct SignOptions {
  std::string release, key;
};

Status run_sign(const SignOptions& o, const Session& session) {
  const Result<SecretKey> key = SecretKey::read(o.key);
  if (!key) return key.error();
  const Result<std::string> name = sign_release(o.release, *key, session.threads);
  if (!name) return name.error();
  session.terminal.print(session.terminal.json()
                             ? nlohmann::ordered_json{{"release", o.release}, {"signed_by", *name}}.dump(2)
                             : fmt::format("{}: signed with key {}", o.release, *name));
  return {};
}

Status run_supersede(const SupersedeSpec& spec, const Session& session) {
  const Result<SupersededNote> note = supersede(spec, session.threads);
  if (!note) return note.error();
  if (session.terminal.json()) {
    session.terminal.print(nlohmann::ordered_json{
        {"release", spec.release},
        {"content_sha256", note->release},
        {"by", note->by},
        {"why", note->why},
        {"date", note->date},
        {"signed",
         !spec.key.empty()}}.dump(2));
  } else {
    session.terminal.print(fmt::format("{}: {}{}", spec.release, note->sentence(),
                                       spec.key.empty() ? "\n  The note is not signed: with --key it would be." : ""));
  }
  return {};
}

}  // namespace

void add_sign(Cli& cli) {
  const auto o = std::make_shared<SignOptions>();
  CLI::App& app = cli.command({"sign",
                               "vouch for a release with a key",
                               {"stopover sign city.odr city.key"},
                               "Adds a signature over the content hash and the ledger's head to the folder; several "
                               "keys may sign. `verify --signed-by` checks it, and so does minisign: minisign -Vm "
                               "city.odr/signatures/statement.txt -x city.odr/signatures/KEY.minisig -p city.pub"},
                              [o](const Session& session) { return run_sign(*o, session); });
  option(app, "release", o->release, "RELEASE", "the folder NAME.odr")->required();
  option(app, "key", o->key, "NAME.key", "a secret key that stopover key made")->required();
}

void add_supersede(Cli& cli) {
  const auto o = std::make_shared<SupersedeSpec>();
  CLI::App& app =
      cli.command({"supersede",
                   "leave a note that a release is replaced or withdrawn",
                   {"stopover supersede city.odr better.odr --why \"wrong year\" --key city.key",
                    "stopover supersede city.odr --why \"the box was wrong\""},
                   "The note is put into the folder of the old release and shown by info, verify, the explorer and the "
                   "server; the release itself stays as it is. What was published cannot be called back, and its "
                   "epsilon stays spent."},
                  [o](const Session& session) { return run_supersede(*o, session); });
  option(app, "release", o->release, "OLD", "the folder of the release that is out of date")->required();
  option(app, "by", o->by, "NEW", "the release that replaces it; without it the old one is withdrawn");
  option(app, "--why", o->why, "TEXT", "one line for those who use it")->required();
  option(app, "--key", o->key, "NAME.key", "sign the note with this secret key");
}

}  // namespace stopover
