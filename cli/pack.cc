#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/grouped.h"
#include "cli/commands.h"
#include "job/pack_job.h"

namespace stopover {
namespace {

struct PackOptions {
  std::string release, output;
  bool overwrite = false;
};

Status run_pack(const PackOptions& o, const Session& session) {
  const Result<std::uint64_t> bytes = pack(o.release, o.output, o.overwrite, session.threads);
  if (!bytes) return bytes.error();
  if (session.terminal.json()) {
    session.terminal.print(nlohmann::ordered_json{{"output", o.output}, {"bytes", *bytes}}.dump(2));
  } else {
    session.terminal.print(fmt::format("{}: {} bytes, read wherever {} is",
                                       session.terminal.paint(Tone::strong, o.output), grouped(*bytes), o.release));
  }
  return {};
}

}  // namespace

void add_pack(Cli& cli) {
  const auto o = std::make_shared<PackOptions>();
  CLI::App& app = cli.command({"pack",
                               "a release as one file",
                               {"stopover pack city.odr -o city.odrz"},
                               "A ZIP archive of the folder's files as they are, with signatures and notes; the same "
                               "release gives the same bytes. All commands, Python and the server read it as they "
                               "read the folder; unzip -d city.odr city.odrz gives that back."},
                              [o](const Session& session) { return run_pack(*o, session); });
  option(app, "release", o->release, "RELEASE", "the folder NAME.odr")->required();
  option(app, "-o,--output", o->output, "OUT", "the file NAME.odrz")->required();
  flag(app, "--overwrite", o->overwrite, "replace the output if it is there");
}

}  // namespace stopover
