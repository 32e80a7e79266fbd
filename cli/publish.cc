#include "publish/publish.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "cli/clock.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/publish_input.h"
#include "cli/state_folder.h"
#include "mechanism/automatic.h"

namespace stopover {
namespace {

struct Options {
  std::string matrix, epsilon, mechanism = "auto", ledger, budget, output, named_key;
  DomainFlags domain;
  IngestFlags rows;
  std::vector<std::string> params, witnesses;
  bool no_calibration = false;
};

Error usage(std::string message) { return {Failure::usage, std::move(message)}; }

Status read_unit(const Options& o, const PublishInput& input, PublishRequest& request) {
  if (input.unit_known) {
    request.unit = input.max_trips_per_user ? Unit::user : Unit::trip;
    request.k = input.max_trips_per_user.value_or(1);
    return {};
  }
  const Result<Unit> unit = parse_unit(o.rows.unit.empty() ? "trip" : o.rows.unit);
  if (!unit) return unit.error();
  request.unit = *unit;
  if (*unit == Unit::trip) {
    if (o.rows.most_trips.empty()) return {};
    return usage("--max-trips-per-user goes with --unit user\n  With --unit trip one trip is protected, not a person.");
  }
  if (o.rows.most_trips.empty()) {
    return usage("--unit user needs --max-trips-per-user\n  The most trips that any one person has in the matrix, as declared, "
                 "not as counted.");
  }
  const Result<std::uint64_t> k = parse_whole_number("--max-trips-per-user", o.rows.most_trips, 1, 1'000'000);
  if (!k) return k.error();
  request.k = static_cast<std::uint32_t>(*k);
  return {};
}

Result<PublishPart> read_part(const Options& o, const TripPart& trips, const Terminal& terminal) {
  PublishPart part{trips.name(), find_mechanism(o.mechanism), {}, {}};
  if (o.mechanism == "auto") {
    const AutomaticChoice choice = choose_mechanism(trips.domain);
    part.mechanism = choice.mechanism;
    terminal.note(fmt::format("mechanism {}: {}", choice.mechanism->name, choice.reason));
  }
  if (part.mechanism == nullptr) {
    return usage(fmt::format("there is no mechanism {}\n  Did you mean {}? See stopover mechanisms", o.mechanism,
                             nearest_mechanism(o.mechanism)));
  }
  if (has_grids(part.mechanism->kind)) {
    return usage(fmt::format("{} is for stopover evaluate alone: what it publishes could not be asked\n  Use another one; see stopover mechanisms",
                             o.mechanism));
  }
  std::vector<std::pair<std::string, std::string>> given;
  for (const std::string& text : o.params) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return usage(fmt::format("--param must be name=value, not \"{}\"", text));
    }
    given.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  Result<Params> params = read_params(*part.mechanism, given);
  if (!params) return params.error();
  part.params = std::move(*params);
  return part;
}

// Which trips a release holds, and that its epsilon pays for the other parts too.
void mark_parts(std::vector<PublishPart>& parts, const std::vector<TripPart>& trips) {
  std::vector<std::string> counts;
  for (const TripPart& part : trips) counts.push_back(std::to_string(part.stops));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].marks = {{"trips_with_stops", counts[i]}, {"one_epsilon_for_stops", fmt::format("{}", fmt::join(counts, ","))}};
  }
}

Result<PublishRequest> read_request(const Options& o, const PublishInput& input, const Session& session) {
  PublishRequest request;
  const Result<Ticks> epsilon = parse_epsilon(o.epsilon);
  if (!epsilon) return epsilon.error();
  request.epsilon = *epsilon;
  if (!o.budget.empty()) {
    const Result<Ticks> budget = parse_epsilon(o.budget, "budget");
    if (!budget) return budget.error();
    request.budget = *budget;
  }
  if (Status s = read_unit(o, input, request); !s) return s.error();
  request.output = o.output;
  while (request.output.size() > 1 && request.output.ends_with('/')) request.output.pop_back();
  request.ledger = o.ledger;
  request.witnesses = o.witnesses;
  request.state_dir = state_folder();
  request.time = utc_now();
  request.threads = session.threads;
  request.calibrate = !o.no_calibration;
  return request;
}

void tell_unit(const PublishRequest& request, const Terminal& terminal) {
  if (request.unit == Unit::trip) {
    terminal.note("the unit of privacy is one trip: a bare matrix has no user ids\n"
                  "  Someone with n trips in it is protected at n times this epsilon. If nobody has\n"
                  "  more than k trips, protect people: --unit user --max-trips-per-user k");
  } else {
    terminal.note(fmt::format("a bare matrix has no user ids: that nobody has more than {} trips is taken from\n"
                              "  --max-trips-per-user, not checked", request.k));
  }
}

void tell_spent(const PublishRequest& request, const LedgerChain& chain, const Terminal& terminal) {
  if (request.epsilon > chain.left()) return;  // it will be refused, in other words
  terminal.note(fmt::format("publishing again costs again: {} of {} is spent in {}\n  This release takes {} more and leaves {}.",
                            format_epsilon(chain.spent), format_epsilon(chain.budget()), request.ledger,
                            format_epsilon(request.epsilon), format_epsilon(chain.left() - request.epsilon)));
}

void show(const PublishRequest& request, const std::vector<PublishPart>& parts, const PublishOutcome& outcome, const Terminal& terminal) {
  std::vector<std::string> releases, mechanisms;
  for (const PublishPart& part : parts) {
    releases.push_back(fmt::format("{}/{}.odr", request.output, part.name));
    mechanisms.emplace_back(part.mechanism->name);
  }
  if (parts.empty()) mechanisms.emplace_back(request.mechanism->name);
  if (terminal.json()) {
    nlohmann::ordered_json told{{"release", request.output},
                                {"mechanism", fmt::format("{}", fmt::join(mechanisms, ", "))},
                                {"epsilon", format_epsilon(request.epsilon)},
                                {"unit", to_string(request.unit)},
                                {"k", request.k},
                                {"partitions", outcome.partitions},
                                {"number", outcome.number},
                                {"ledger_head", outcome.ledger_head},
                                {"content_sha256", outcome.content_sha256},
                                {"calibrated", outcome.calibrated},
                                {"spent", format_epsilon(outcome.spent)},
                                {"left", format_epsilon(outcome.left)}};
    if (!parts.empty()) told["parts"] = releases;
    terminal.print(told.dump(2));
    return;
  }
  terminal.print(fmt::format("{} is published: {} partition{}, epsilon {}, {}\n{}  {}: {} spent, {} left\n  Next: stopover info {}",
                             terminal.paint(Tone::strong, request.output), grouped(outcome.partitions),
                             outcome.partitions == 1 ? "" : "s", format_epsilon(request.epsilon), fmt::join(mechanisms, ", "),
                             parts.empty() ? "" : fmt::format("  in {}\n", fmt::join(releases, ", ")), request.ledger,
                             format_epsilon(outcome.spent), format_epsilon(outcome.left), parts.empty() ? request.output : releases[0]));
}

// NAME for the first release, then "NAME 2", ...: no two parts have the same noise.
KeySource repeatable_keys(const KeyByName& key_by_name, const std::string& name) {
  return [=, drawn = 0]() mutable { return key_by_name(++drawn == 1 ? name : fmt::format("{} {}", name, drawn))(); };
}

Status run(const Options& o, const KeyByName& key_by_name, const Session& session) {
  const Terminal& terminal = session.terminal;
  if (!o.named_key.empty() && !key_by_name) {
    return usage("--test-key makes a release that is not private, so this program has no such flag\n"
                 "  Use stopover-lab publish --test-key ... with made-up data.");
  }
  const Interrupt interrupt;
  const Result<PublishInput> input = open_publish_input(o.matrix, o.domain, o.rows, session);
  if (!input) return input.error();
  Result<PublishRequest> request = read_request(o, *input, session);
  if (!request) return request.error();
  std::vector<PublishPart> parts;
  std::vector<Domain> domains;
  for (const TripPart& trips : input->parts) {
    Result<PublishPart> part = read_part(o, trips, terminal);
    if (!part) return part.error();
    parts.push_back(std::move(*part));
    domains.push_back(trips.domain);
  }
  const bool several = parts.size() > 1;
  if (several) mark_parts(parts, input->parts);
  if (several && request->output.ends_with(".odr")) {
    return usage(fmt::format("{} parts are {} releases and go into a folder, so -o must not end in .odr\n  As in -o {}, which makes {}/{}.odr",
                             parts.size(), parts.size(), "city", "city", parts[0].name));
  }
  request->mechanism = parts[0].mechanism;
  request->params = parts[0].params;
  const std::unique_ptr<FileSystem> files = posix_file_system();
  if (Status s = check_publish(*files, *request, parts, domains); !s) return s;
  if (!o.named_key.empty()) {
    request->marks = {{"test_key", o.named_key}};
    terminal.warn("the key of this release can be repeated: it protects nobody and says so");
  }
  if (!input->unit_known) tell_unit(*request, terminal);

  Progress progress(terminal);
  progress.steps(input->phases + 2 + (request->calibrate ? 4 : 3) * parts.size());
  const Result<std::vector<Matrix>> matrices = input->read(progress);
  progress.pause();
  if (!matrices) return matrices.error();

  const std::unique_ptr<ReleaseStore> store = release_store(session.threads);
  PublishDoors doors{*files, *store, o.named_key.empty() ? KeySource(draw_release_key) : repeatable_keys(key_by_name, o.named_key)};
  doors.phase = [&](std::string_view name) { progress.phase(name); };
  doors.spent_before = [&](const LedgerChain& chain) {
    progress.pause();
    tell_spent(*request, chain, terminal);
  };
  doors.interrupted = Interrupt::asked;
  const Result<PublishOutcome> outcome =
      several ? publish_parts(*request, parts, *matrices, doors) : publish(*request, matrices->front(), doors);
  progress.pause();
  if (!outcome) return outcome.error();
  show(*request, several ? parts : std::vector<PublishPart>(), *outcome, terminal);
  return {};
}

}  // namespace

void add_publish(Cli& cli, KeyByName key_by_name) {
  const auto o = std::make_shared<Options>();
  const bool lab = static_cast<bool>(key_by_name);
  CLI::App& app = cli.command(
      {"publish",
       "spend budget, write a release",
       {"stopover publish --matrix g4.parquet --shape 32x32x32x32 --epsilon 0.1\n"
        "--mechanism daf-entropy --ledger g4.ledger --budget 1 -o g4.odr",
        "stopover publish --matrix city3.parquet --shape 1000x1000x1000x1000\n"
        "--stops origin,destination --bbox -122.6,37.6,-122.3,37.9\n"
        "--epsilon 0.5 --unit user --max-trips-per-user 4\n"
        "--ledger city.ledger --budget 2 -o city.odr",
        "stopover publish trips.csv.gz --trip trip_id --user user_id --seq seq\n"
        "--lng lon --bbox -122.8,37.4,-122.0,38.0 --grid 1000x1000\n"
        "--unit user --max-trips-per-user 4 --epsilon 0.5\n"
        "--ledger city.ledger --budget 2 -o city.odr"},
       "Rows become cells as stopover cells makes them; a cells file holds its own domain, unit and bound. A bare matrix is a table of cell indices: columns a0, a1, ... and, if a row stands for several trips, count. Rows that do "
       "not fit are dropped and counted on stderr. Everything is checked before the budget is touched; from then on epsilon is "
       "spent, even if the release fails."},
      [o, key_by_name = std::move(key_by_name)](const Session& session) { return run(*o, key_by_name, session); });
  option(app, "--matrix", o->matrix, "FILE", "cells instead of rows: .parquet, .csv or .csv.gz");
  option(app, "--shape", o->domain.shape, "WxW...", "cells of every axis, as in 32x32x32x32");
  option(app, "--epsilon", o->epsilon, "E", "what this release may cost, as in 0.1")->required();
  option(app, "-o,--output", o->output, "NAME.odr", "the release to make")->required();
  option(app, "--ledger", o->ledger, "FILE", "where these people's budget is kept")->required();
  option(app, "--budget", o->budget, "E", "all that may ever be spent; for a new ledger");
  option(app, "--mechanism", o->mechanism, "NAME", "how; default auto: multigrid for one stop, anchor for more");
  options(app, "--param", o->params, "NAME=VALUE", "of the mechanism; repeatable");
  flag(app, "--no-calibration", o->no_calibration, "do not learn intervals from the finished release (quicker)");
  option(app, "--unit", o->rows.unit, "UNIT", "who is protected: user or trip (default of a bare matrix)");
  option(app, "--max-trips-per-user", o->rows.most_trips, "K", "with --unit user: so many of a user's trips are kept");
  option(app, "--stops", o->domain.stops, "A,B,...", "rows: od (default), od+N, first-mid-last, frames, first, last, or counts of stops, a part each (2,3); bare matrix: names of the stops");
  option(app, "--bbox", o->domain.bbox, "W,S,E,N", "the declared bounding box of every stop");
  options(app, "--witness", o->witnesses, "NAME.odr", "a release paid from this ledger; repeatable");
  add_ingest_flags(app, o->rows, {.shared_with_matrix = true});
  Flag key = option(app, "--test-key", o->named_key, "NAME", "a key that can be repeated: protects nobody");
  if (!lab) key->hidden();
}

}  // namespace stopover
