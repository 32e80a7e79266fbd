#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "job/sign_job.h"

namespace stopover {
namespace {

struct KeyOptions {
  std::string action, name;
};

Status run_key(const KeyOptions& o, const Session& session) {
  if (o.action != "new") {
    return Error{Failure::usage,
                 fmt::format("\"{}\" is not what stopover key does\n  As in: stopover key new -o city", o.action)};
  }
  const Result<KeyFiles> made = new_key(o.name);
  if (!made) return made.error();
  if (session.terminal.json()) {
    session.terminal.print(nlohmann::ordered_json{
        {"secret", made->secret},
        {"public", made->open},
        {"name", made->name},
        {"line", made->line}}.dump(2));
  } else {
    session.terminal.print(fmt::format(
        "Key {}\n  {}: secret. Whoever has it can sign in your name: keep it where your\n  ledger is, and a copy off "
        "the machine.\n  {}: public. Put it where people find it by another way than the release:\n  {}",
        session.terminal.paint(Tone::strong, made->name), made->secret, made->open, made->line));
  }
  return {};
}

}  // namespace

void add_key(Cli& cli) {
  const auto o = std::make_shared<KeyOptions>();
  CLI::App& app = cli.command({"key",
                               "make a key to sign releases with",
                               {"stopover key new -o city"},
                               "Ed25519. The public key is as minisign has them; the secret one is not encrypted and "
                               "readable by you alone."},
                              [o](const Session& session) { return run_key(*o, session); });
  option(app, "action", o->action, "ACTION", "new")->required();
  option(app, "-o,--output", o->name, "NAME", "makes NAME.key (secret) and NAME.pub (public)")->required();
}

}  // namespace stopover
