#include "demo/demo_city.h"

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/demo_text.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "text/figure_text.h"

namespace stopover {
namespace {

struct DemoOptions {
  std::string output = "stopover-demo", epsilon = "1";
  bool overwrite = false;
};

nlohmann::ordered_json json_of(const DemoCity& city) {
  nlohmann::ordered_json flows = nlohmann::ordered_json::array();
  for (const Flow& flow : city.map.flows) {
    flows.push_back({{"zones", way_of(flow)},
                     {"estimate", rounded(flow.answer.estimate)},
                     {"noise_lower", rounded(flow.answer.noise_lower)},
                     {"noise_upper", rounded(flow.answer.noise_upper)},
                     {"lower", rounded(flow.answer.lower)},
                     {"upper", rounded(flow.answer.upper)},
                     {"calibrated", flow.answer.calibrated},
                     {"claimed", flow.answer.claimed}});
  }
  return {{"release", city.places.release},
          {"matrix", city.places.trips},
          {"ledger", city.places.ledger},
          {"picture", city.places.picture},
          {"content_sha256", city.outcome.content_sha256},
          {"partitions", city.outcome.partitions},
          {"flows", flows}};
}

Status run_demo(const DemoOptions& o, const Session& session) {
  const Terminal& terminal = session.terminal;
  const Result<Ticks> epsilon = parse_epsilon(o.epsilon);
  if (!epsilon) return epsilon.error();
  if (*epsilon > kMaxTicks / 2) return Error{Failure::usage, "--epsilon of the demo must be at most 500"};
  const Interrupt interrupt;
  Progress progress(terminal);
  const Result<DemoCity> city = make_demo({o.output, *epsilon, o.overwrite, session.threads},
                                          {[&](std::string_view name) { progress.phase(name); }, Interrupt::asked});
  if (!city) return city.error();
  progress.pause();
  if (terminal.json()) {
    nlohmann::ordered_json json = json_of(*city);
    if (city->no_page.empty()) json["page"] = city->places.page;
    terminal.print(json.dump(2));
    return {};
  }
  terminal.print(demo_text(*city, terminal.paper()));
  if (!city->no_page.empty()) terminal.note("no page was made: " + city->no_page);
  return {};
}

}  // namespace

void add_demo(Cli& cli) {
  const auto o = std::make_shared<DemoOptions>();
  CLI::App& app = cli.command({"demo",
                               "from nothing to a release, a picture and a page",
                               {"stopover demo", "stopover demo -o demo --overwrite --epsilon 0.1"},
                               "Makes a synthetic city of 300,000 trips with three stops each, publishes it, asks for "
                               "the largest "
                               "flows, draws them and makes a page to explore them. Needs no data and reads none."},
                              [o](const Session& session) { return run_demo(*o, session); });
  option(app, "-o,--output", o->output, "FOLDER", "where it all goes (stopover-demo)");
  option(app, "--epsilon", o->epsilon, "E", "of the release (1)");
  flag(app, "--overwrite", o->overwrite, "replace what an earlier demo left there");
}

}  // namespace stopover
