#include "cli/publish_job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/clock.h"
#include "cli/publish_input.h"
#include "cli/releases_beside.h"
#include "cli/state_folder.h"
#include "mechanism/automatic.h"

namespace stopover {
namespace {

Error usage(std::string message) { return {Failure::usage, std::move(message)}; }

Status read_unit(const PublishFlags& o, const PublishInput& input, PublishRequest& request) {
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

Result<PublishPart> read_part(const PublishFlags& o, const TripPart& trips, const Voice& voice) {
  PublishPart part{trips.name(), find_mechanism(o.mechanism), {}, {}};
  if (o.mechanism == "auto") {
    const AutomaticChoice choice = choose_mechanism(trips.domain);
    part.mechanism = choice.mechanism;
    voice.note(fmt::format("mechanism {}: {}", choice.mechanism->name, choice.reason));
  }
  if (part.mechanism == nullptr) {
    return usage(fmt::format("there is no mechanism {}\n  Did you mean {}? See stopover mechanisms", o.mechanism,
                             nearest_mechanism(o.mechanism)));
  }
  if (Status ok = check_publishes(*part.mechanism); !ok) return ok.error();
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

constexpr Ticks kLargeEpsilon = 10 * kTicksPerEpsilon;
constexpr std::size_t kLongestNote = 200;
constexpr double kLongestWait = 1e6;

Status read_note(const std::string& note, PublishRequest& request) {
  request.note = note;
  if (note.size() > kLongestNote) {
    return usage(fmt::format("--note must have at most {} bytes, not {}", kLongestNote, note.size()));
  }
  const bool one_line = std::none_of(note.begin(), note.end(), [](unsigned char c) { return c < ' ' || c == 127; });
  if (one_line) return {};
  return usage("--note must be one line without control characters");
}

// Says whether to try again, after a moment. Nobody is asked twice: the deadline counts from the first time.
Result<std::function<bool()>> read_wait(const std::string& text, const std::string& ledger, const Voice& voice) {
  const Result<double> seconds = text.empty() ? 0.0 : parse_decimal("--wait", text);
  if (!seconds) return seconds.error();
  if (*seconds < 0 || *seconds > kLongestWait) return usage(fmt::format("--wait must be from 0 to 1000000 seconds, not {}", text));
  using Clock = std::chrono::steady_clock;
  return std::function<bool()>([=, until = std::optional<Clock::time_point>()]() mutable {
    if (!until) {
      until = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*seconds));
      voice.pause();
      if (*seconds > 0) voice.note(fmt::format("another process holds {}: waiting up to {} seconds", ledger, text));
    }
    if (Clock::now() >= *until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return true;
  });
}

void tell_risks(const PublishRequest& request, FileSystem& files, const Voice& voice) {
  if (request.state_dir.empty()) voice.warn(kStateWaived);
  if (request.epsilon > kLargeEpsilon) {
    voice.warn(fmt::format("epsilon {} is above 10: in the worst case hardly anything is protected\n  Usual are 0.1 to 2; see stopover "
                           "plan for what that is good for.", format_epsilon(request.epsilon)));
  }
  if (files.exists(request.ledger)) return;
  if (const std::string beside = releases_beside(request.output, request.ledger); !beside.empty()) voice.warn(beside);
}

Result<PublishRequest> read_request(const PublishFlags& o, const PublishInput& input, const Voice& voice) {
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
  Result<std::string> state = state_folder(o.state);
  if (!state) return state.error();
  request.state_dir = std::move(*state);
  if (Status s = read_note(o.note, request); !s) return s.error();
  request.time = utc_now();
  request.threads = voice.threads;
  request.calibrate = !o.no_calibration;
  if (!o.expect_trips.empty()) {
    const Result<std::uint64_t> trips = parse_whole_number("--expect-trips", o.expect_trips, 1, 1'000'000'000'000);
    if (!trips) return trips.error();
    request.expected = Expectation{*trips, o.accept_total_only};
  } else if (o.accept_total_only) {
    return usage("--accept-total-only goes with --expect-trips N\n  Without it no total is asked for first.");
  }
  return request;
}

void tell_unit(const PublishRequest& request, const Voice& voice) {
  if (request.unit == Unit::trip) {
    voice.note("the unit of privacy is one trip: a bare matrix has no user ids\n"
                  "  Someone with n trips in it is protected at n times this epsilon. If nobody has\n"
                  "  more than k trips, protect people: --unit user --max-trips-per-user k");
  } else {
    voice.note(fmt::format("a bare matrix has no user ids: that nobody has more than {} trips is taken from\n"
                              "  --max-trips-per-user, not checked", request.k));
  }
}

void tell_spent(const PublishRequest& request, const LedgerChain& chain, const Voice& voice) {
  if (request.epsilon > chain.left()) return;  // it will be refused, in other words
  voice.note(fmt::format("publishing again costs again: {} of {} is spent in {}\n  This release takes {} more and leaves {}.",
                            format_epsilon(chain.spent), format_epsilon(chain.budget()), request.ledger,
                            format_epsilon(request.epsilon), format_epsilon(chain.left() - request.epsilon)));
}

// By public numbers: whether the check can find anything wrong.
void tell_reach(const PublishRequest& request, std::size_t parts, const Voice& voice) {
  const Ticks first = first_share(request.epsilon);
  const std::uint64_t reach = parts * reach_of_total({first, request.epsilon - first, request.k}, parts);
  if (reach < request.expected->trips) return;
  voice.note(fmt::format("--expect-trips {} is within the noise of the first total, about {} trips either way:\n"
                         "  it can hardly find anything wrong. A larger --epsilon{} would let it.",
                         request.expected->trips, reach, request.k == 1 ? "" : " or a smaller K"));
}

// NAME for the first release, then "NAME 2", ...: no two parts have the same noise.
KeySource repeatable_keys(const KeyByName& key_by_name, const std::string& name) {
  return KeySource::repeatable(name, [=, drawn = 0]() mutable {
    return key_by_name(++drawn == 1 ? name : fmt::format("{} {}", name, drawn));
  });
}

}  // namespace

Result<PublishPlan> plan_publish(const PublishFlags& o, const KeyByName& key_by_name, const Voice& voice) {
  if (!o.named_key.empty() && !key_by_name) {
    return usage("--test-key makes a release that is not private, so this program has no such flag\n"
                 "  Use stopover-lab publish --test-key ... with made-up data.");
  }
  Result<PublishInput> input = open_publish_input(o.matrix, o.domain, o.rows, voice);
  if (!input) return input.error();
  Result<PublishRequest> request = read_request(o, *input, voice);
  if (!request) return request.error();
  std::vector<PublishPart> parts;
  std::vector<Domain> domains;
  for (const TripPart& trips : input->parts) {
    Result<PublishPart> part = read_part(o, trips, voice);
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
  if (Status s = check_publish(*files, *request, parts, domains); !s) return s.error();
  if (!o.named_key.empty()) voice.warn("the key of this release can be repeated: it protects nobody and says so");
  Result<std::function<bool()>> again = read_wait(o.wait, request->ledger, voice);
  if (!again) return again.error();
  tell_risks(*request, *files, voice);
  if (!input->unit_known) tell_unit(*request, voice);
  if (request->expected) tell_reach(*request, parts.size(), voice);
  return PublishPlan{std::move(*input), std::move(*request), std::move(parts), std::move(*again)};
}

Result<Published> run_publish(const PublishFlags& o, const KeyByName& key_by_name, const Voice& voice) {
  Result<PublishPlan> plan = plan_publish(o, key_by_name, voice);
  if (!plan) return plan.error();
  PublishRequest& request = plan->request;
  std::vector<PublishPart>& parts = plan->parts;
  const bool several = parts.size() > 1;
  voice.steps(plan->input.phases + 2 + (request.expected ? 1 : 0) + (request.calibrate ? 4 : 3) * parts.size());
  const Result<PublishRows> rows = plan->input.read(voice);
  voice.pause();
  if (!rows) return rows.error();
  voice.private_note("");  // whatever was found
  for (const std::string& line : fact_lines(rows->facts, false)) voice.private_note(line);
  for (const std::string& line : rows->left_out) voice.private_note(line);

  const std::unique_ptr<FileSystem> files = posix_file_system();
  const std::unique_ptr<ReleaseStore> store = release_store(voice.threads);
  PublishDoors doors{*files, *store, o.named_key.empty() ? KeySource::system() : repeatable_keys(key_by_name, o.named_key)};
  doors.phase = voice.phase;
  doors.spent_before = [&](const LedgerChain& chain) {
    voice.pause();
    tell_spent(request, chain, voice);
  };
  doors.interrupted = voice.interrupted;
  doors.try_again = plan->try_again;
  const Result<PublishOutcome> outcome =
      several ? publish_parts(request, parts, rows->matrices, doors) : publish(request, rows->matrices.front(), doors);
  voice.pause();
  if (!outcome) return outcome.error();
  return Published{std::move(request), several ? std::move(parts) : std::vector<PublishPart>(), *outcome};
}

std::vector<std::string> Published::releases() const {
  if (parts.empty()) return {request.output};
  std::vector<std::string> names;
  for (const PublishPart& part : parts) names.push_back(fmt::format("{}/{}.odr", request.output, part.name));
  return names;
}

std::string Published::who() const {
  return request.unit == Unit::trip
             ? "one trip, not a person (unit trip, K = 1)"
             : fmt::format("one person with up to {0} trip{1} (unit user, K = {0})", request.k, request.k == 1 ? "" : "s");
}

std::string Published::mechanisms() const {
  if (parts.empty()) return std::string(request.mechanism->name);
  std::vector<std::string> names;
  for (const PublishPart& part : parts) names.emplace_back(part.mechanism->name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string Published::json() const {
  nlohmann::ordered_json told{{"release", request.output},
                              {"unit", to_string(request.unit)},
                              {"k", request.k},
                              {"who", who()},
                              {"randomness", outcome.randomness.text()},
                              {"mechanism", mechanisms()},
                              {"epsilon", format_epsilon(request.epsilon)},
                              {"partitions", outcome.partitions},
                              {"number", outcome.number},
                              {"ledger_head", outcome.ledger_head},
                              {"content_sha256", outcome.content_sha256},
                              {"calibrated", outcome.calibrated},
                              {"spent", format_epsilon(outcome.spent)},
                              {"left", format_epsilon(outcome.left)}};
  if (outcome.total) {
    told["expect_trips"] = request.expected->trips;
    told["expect_total"] = *outcome.total;
  }
  if (!parts.empty()) told["parts"] = releases();
  return told.dump(2);
}

}  // namespace stopover
