#include "job/publish_job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/usage_error.h"
#include "job/private_facts.h"
#include "job/publish_borders.h"
#include "job/publish_prior.h"
#include "job/releases_beside.h"
#include "job/series_history.h"
#include "job/sign_job.h"
#include "job/state_folder.h"
#include "mechanism/automatic.h"
#include "text/clock.h"

namespace stopover {
namespace {

Result<PublishPart> part_of(const PublishSpec& spec, const TripPart& trips, const Observer& observer) {
  PublishPart part{"", find_mechanism(spec.mechanism), {}, {}};
  if (spec.mechanism == "auto") {
    const AutomaticChoice choice = choose_mechanism(trips.domain);
    part.mechanism = choice.mechanism;
    observer.note(fmt::format("mechanism {}: {}", choice.mechanism->name, choice.reason));
  }
  if (part.mechanism == nullptr) {
    return usage_error(
        fmt::format("`mechanism {}`: there is no such mechanism\n  Did you mean {}? See stopover mechanisms",
                    spec.mechanism, nearest_mechanism(spec.mechanism)));
  }
  if (Status ok = check_publishes(*part.mechanism); !ok) return ok.error();
  Result<Params> params = read_params(*part.mechanism, spec.params);
  if (!params) return params.error();
  part.params = std::move(*params);
  if (!spec.borders.empty()) {
    // First whether the domain can be at all: a map that is too large is not looked up cell by cell.
    if (Status ok = check_mechanism(*part.mechanism, part.params, trips.domain); !ok) return ok.error();
    Result<PublishBorders> borders = read_borders(spec.borders, trips.domain);
    if (!borders) return borders.error();
    part.params.set_borders(std::move(borders->borders));
    part.marks.emplace_back("borders", std::move(borders->mark));
  }
  if (!spec.prior.empty()) {
    if (!part.mechanism->leans_on_history) {
      return usage_error(
          fmt::format("`prior` is heeded by mechanism anchor, not by {}\n  Use it with a grid (`bbox` and `grid`) and "
                      "two stops or more, or leave it out.",
                      part.mechanism->name));
    }
    if (Status ok = check_mechanism(*part.mechanism, part.params, trips.domain); !ok) return ok.error();
    Result<PublishPrior> prior = read_prior(spec.prior, trips.domain, observer);
    if (!prior) return prior.error();
    auto history = std::make_shared<History>();
    history->past.push_back(std::move(prior->past));
    part.params.set_history(std::move(history));
    part.marks.emplace_back("prior", std::move(prior->mark));
  }
  return part;
}

// Which trips a release holds, and that its epsilon pays for the other parts too.
void mark_parts(std::vector<PublishPart>& parts, const std::vector<TripPart>& trips) {
  std::vector<std::string> counts;
  for (const TripPart& part : trips) counts.push_back(std::to_string(part.stops));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].name = trips[i].name();
    parts[i].marks.emplace_back("trips_with_stops", counts[i]);
    parts[i].marks.emplace_back("one_epsilon_for_stops", fmt::format("{}", fmt::join(counts, ",")));
  }
}

// Which rows count at all is declared, and so public: a release of a part of them says so.
void mark_rows(std::vector<PublishPart>& parts, const RowsSpec& rows, const Series* series) {
  std::vector<std::pair<std::string, std::string>> marks;
  if (!rows.trips.where.empty()) marks.emplace_back("where", rows.trips.where);
  if (series == nullptr) {  // else for each period, series.cc
    if (rows.since) marks.emplace_back("since", Period{PeriodKind::day, *rows.since}.name());
    if (rows.until) marks.emplace_back("until", Period{PeriodKind::day, *rows.until}.name());
  }
  for (PublishPart& part : parts) part.marks.insert(part.marks.end(), marks.begin(), marks.end());
}

constexpr Ticks kLargeEpsilon = 10 * kTicksPerEpsilon;
constexpr std::size_t kLongestNote = 200;
constexpr double kLongestWait = 1e6;

Status check_note(const std::string& note) {
  if (note.size() > kLongestNote) {
    return usage_error(fmt::format("`note` must have at most {} bytes, not {}", kLongestNote, note.size()));
  }
  const bool one_line = std::none_of(note.begin(), note.end(), [](unsigned char c) { return c < ' ' || c == 127; });
  if (one_line) return {};
  return usage_error("`note` must be one line without control characters");
}

// Says whether to try again, after a moment. Nobody is asked twice: the deadline counts from the first time.
Result<std::function<bool()>> patience(double seconds, const std::string& ledger, const Observer& observer) {
  if (!(seconds >= 0 && seconds <= kLongestWait)) {
    return usage_error(fmt::format("`wait` must be from 0 to 1000000 seconds, not {}", seconds));
  }
  using Clock = std::chrono::steady_clock;
  return std::function<bool()>([=, until = std::optional<Clock::time_point>()]() mutable {
    if (!until) {
      until = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
      observer.pause();
      if (seconds > 0)
        observer.note(fmt::format("another process holds {}: waiting up to {} seconds", ledger, seconds));
    }
    if (Clock::now() >= *until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return true;
  });
}

void tell_risks(const PublishRequest& request, FileSystem& files, const Observer& observer) {
  if (request.state_dir.empty()) observer.warn(kStateWaived);
  if (request.epsilon > kLargeEpsilon) {
    observer.warn(fmt::format(
        "epsilon {} is above 10: in the worst case hardly anything is protected\n  Usual are 0.1 to 2; see stopover "
        "plan for what that is good for.",
        format_epsilon(request.epsilon)));
  }
  if (files.exists(request.ledger)) return;
  if (const std::string beside = releases_beside(request.output, request.ledger); !beside.empty())
    observer.warn(beside);
}

Result<PublishRequest> request_of(const PublishSpec& spec, const UnitSpec& unit, const Observer& observer) {
  PublishRequest request;
  if (spec.epsilon == 0) return usage_error("`epsilon` is required: what this release may cost, as in `epsilon 0.5`");
  request.epsilon = spec.epsilon;
  request.budget = spec.budget;
  request.unit = unit.unit.value_or(Unit::trip);
  request.k = unit.k();
  request.output = spec.output;
  while (request.output.size() > 1 && request.output.ends_with('/')) request.output.pop_back();
  if (spec.ledger.empty()) return usage_error("`ledger` is required: the file where these people's budget is kept");
  request.ledger = spec.ledger;
  request.witnesses = spec.witnesses;
  Result<std::string> state = state_folder(spec.state);
  if (!state) return state.error();
  request.state_dir = std::move(*state);
  if (Status s = check_note(spec.note); !s) return s.error();
  request.note = spec.note;
  request.description = spec.description;
  request.time = utc_now();
  request.threads = observer.threads;
  request.calibrate = spec.calibrate;
  const Result<std::uint64_t> share = probe_share_of(spec.probe_share);
  if (!share) return share.error();
  request.probe_share = *share;
  if (spec.expect_trips) {
    request.expected = Expectation{*spec.expect_trips, spec.accept_total_only};
  } else if (spec.accept_total_only) {
    return usage_error("`accept_total_only` goes with `expect_trips N`\n  Without it no total is asked for first.");
  }
  return request;
}

Result<Series> series_of(const PublishSpec& spec, const Observer& observer, FileSystem& files) {
  const auto* rows = std::get_if<RowsSpec>(&spec.data);
  if (rows == nullptr) return usage_error("`period` goes with rows, not with `matrix`\n  Cells have no time.");
  Result<PublishRequest> request = request_of(spec, rows->unit, observer);
  if (!request) return request.error();
  if (rows->trips.model == StopModel::counts) request->parts.resize(rows->trips.counts.size());
  if (!spec.series->day_types.empty()) request->parts.resize(spec.series->day_types.size());
  return plan_series(*spec.series, *rows, *request, files);
}

// What is published already and is left alone: public, as the ledger is.
void tell_series(const Series& series, const Observer& observer) {
  const auto several = [](const std::vector<Period>& list) {
    return list.size() == 1 ? list[0].name() : fmt::format("{} to {}", list.front().name(), list.back().name());
  };
  if (!series.closed.empty()) {
    observer.note(fmt::format("{} {} closed and left alone: rows that came since are late, and dropped",
                              several(series.closed), series.closed.size() == 1 ? "is" : "are"));
  }
  if (!series.present.empty()) {
    observer.warn(
        fmt::format("{}: there is a release already, though the ledger had no record of its end\n  It is left "
                    "as it is, and the record is made up for.",
                    several(series.present)));
  }
  std::vector<std::string> pieces;
  for (const Period& period : series.one_release ? std::vector<Period>() : series.periods) {
    if (!series.cuts_of({period, period}).empty()) pieces.push_back(period.name());
  }
  if (series.one_release && !series.cuts_of(series.range).empty()) pieces.push_back(series.range.name());
  if (!pieces.empty()) {
    observer.warn(fmt::format("{}: `since` and `until` leave a piece of it, and its release says so\n  It has the name "
                              "of the whole, is charged as the whole and closes it.",
                              fmt::join(pieces, ", ")));
  }
  if (series.rule.unit != "trip" && series.rule.year == 0) {
    const std::string_view kind = to_string(series.rule.kind);
    observer.note(
        fmt::format("somebody who travels every {} is protected at the sum of what every {} costs\n  A limit "
                    "for any year: `budget_per_year`, once, with a new ledger.",
                    kind, kind));
  }
}

void tell_unit(const PublishRequest& request, const Observer& observer) {
  if (request.unit == Unit::trip) {
    observer.note(
        "the unit of privacy is one trip: a bare matrix has no user ids\n"
        "  Someone with n trips in it is protected at n times this epsilon. If nobody has\n"
        "  more than k trips, protect people: `unit user` `max_trips_per_user k`");
  } else {
    observer.note(
        fmt::format("a bare matrix has no user ids: that nobody has more than {} trips is taken from\n"
                    "  `max_trips_per_user`, not checked",
                    request.k));
  }
}

void tell_spent(const PublishRequest& request, const LedgerChain& chain, const Observer& observer) {
  if (request.epsilon > chain.left()) return;  // it will be refused, in other words
  observer.note(
      fmt::format("publishing again costs again: {} of {} is spent in {}\n  This release takes {} more and leaves {}.",
                  format_epsilon(chain.spent), format_epsilon(chain.budget()), request.ledger,
                  format_epsilon(request.epsilon), format_epsilon(chain.left() - request.epsilon)));
}

// By public numbers: whether the check can find anything wrong.
void tell_reach(const PublishRequest& request, std::size_t parts, const Observer& observer) {
  const Ticks first = first_share(request.epsilon);
  const std::uint64_t reach = parts * reach_of_total({first, request.epsilon - first, request.k}, parts);
  if (reach < request.expected->trips) return;
  observer.note(
      fmt::format("`expect_trips {}` is within the noise of the first total, about {} trips either way:\n"
                  "  it can hardly find anything wrong. A larger `epsilon`{} would let it.",
                  request.expected->trips, reach, request.k == 1 ? "" : " or a smaller K"));
}

// Before anything is read: what is out already only wants the record of its end.
Status finish_present(const Series& series, const PublishRequest& request, const PublishDoors& doors) {
  for (const Period& period : series.present) {
    if (Status s = finish_period(series.request_of(request, period), doors); !s) return s;
  }
  return series.periods.empty() ? series.all_published(request) : Status();
}

// One transaction for each period, in order: what is published stays, whatever happens later.
Result<Published> publish_each(const Series& series, const PublishRequest& request, std::span<const Matrix> matrices,
                               const PublishDoors& doors, SeriesHistory* history) {
  if (Status s = doors.files.make_directory(request.output); !s) return s.error();
  if (Status s = doors.files.fsync_dir(parent_directory(request.output)); !s) return s.error();
  Published published{request, {}};
  const std::size_t parts = request.parts.size();
  for (std::size_t i = 0; i < series.periods.size(); ++i) {
    PublishRequest one = series.request_of(request, series.periods[i]);
    const std::span<const Matrix> own = matrices.subspan(i * parts, parts);
    std::vector<Domain> domains;
    for (const Matrix& matrix : own) domains.push_back(matrix.domain());
    const Status leans = history == nullptr ? Status() : history->set(one, series.periods[i], domains);
    const Result<PublishOutcome> outcome = leans ? publish(one, own, doors) : Result<PublishOutcome>(leans.error());
    if (!outcome) {
      std::string before = "No period was published before it.";
      if (i > 0) before = fmt::format("Published before it: {} of {}.", i, series.periods.size());
      if (!series.append) before += " To go on: `append`.";
      return Error{outcome.error().failure,
                   fmt::format("{}: {}\n  {}", series.periods[i].name(), outcome.error().message, before)};
    }
    published.outcome = *outcome;
    published.periods.push_back({series.periods[i].name(), std::move(one), *outcome});
  }
  return published;
}

// NAME for the first release, then "NAME 2", ...: no two parts have the same noise.
KeySource repeatable_keys(const KeyByName& key_by_name, const std::string& name) {
  return KeySource::repeatable(
      name, [=, drawn = 0]() mutable { return key_by_name(++drawn == 1 ? name : fmt::format("{} {}", name, drawn)); });
}

Result<Published> publish_one(const PublishRequest& request, const PublishRows& rows, const PublishDoors& doors) {
  std::vector<const CountSource*> sources;
  for (const auto& source : rows.sources) sources.push_back(source.get());
  const Result<PublishOutcome> outcome =
      sources.empty() ? publish(request, rows.matrices, doors) : publish(request, sources, doors);
  if (!outcome) return outcome.error();
  return Published{request, *outcome};
}

// The name of the key.
Result<std::string> sign_all(const std::vector<std::string>& releases, const std::string& file, unsigned threads) {
  std::string name;
  for (const std::string& release : releases) {
    const Result<SecretKey> key = SecretKey::read(file);
    Result<std::string> done = key ? sign_release(release, *key, threads) : Result<std::string>(key.error());
    if (!done) {
      Error error = done.error();
      error.message +=
          fmt::format("\n  {} is published and paid for, but not signed: stopover sign {} {}", release, release, file);
      return error;
    }
    name = *done;
  }
  return name;
}

}  // namespace

Result<PublishPlan> plan_publish(const PublishSpec& spec, const Observer& observer, const KeyByName& key_by_name) {
  if (!spec.test_key.empty() && !key_by_name) {
    return usage_error(
        "`test_key` makes a release that is not private, so this program has no such flag\n"
        "  stopover-lab has it, for synthetic data.");
  }
  if (!spec.sign.empty()) {  // before anything is spent
    if (const Result<SecretKey> key = SecretKey::read(spec.sign); !key) return key.error();
  }
  const std::unique_ptr<FileSystem> files = posix_file_system();
  std::variant<RowsSpec, MatrixSpec> data = spec.data;
  std::optional<Series> series;
  if (spec.series) {
    Result<Series> planned = series_of(spec, observer, *files);
    if (!planned) return planned.error();
    series = std::move(*planned);
    series->apply(std::get<RowsSpec>(data));
  }
  Result<PublishInput> input = open_publish_input(spec, data, observer);
  if (!input) return input.error();
  Result<PublishRequest> request = request_of(spec, input->unit, observer);
  if (!request) return request.error();
  std::vector<PublishPart>& parts = request->parts;
  std::vector<Domain> domains;
  for (const TripPart& trips : input->parts) {
    Result<PublishPart> part = part_of(spec, trips, observer);
    if (!part) return part.error();
    for (PublishPart& one : series ? series->parts_of(*part) : std::vector<PublishPart>{*part}) {
      parts.push_back(std::move(one));
      domains.push_back(trips.domain);
    }
  }
  if (parts.size() > 1) {
    if (input->parts.size() > 1) mark_parts(parts, input->parts);
    if (request->output.ends_with(".odr")) {
      return usage_error(
          fmt::format("{} parts are {} releases and go into a folder, so `output` must not end in .odr\n  As in "
                      "`output city`, which makes city/{}.odr",
                      parts.size(), parts.size(), parts[0].name));
    }
  }
  if (const auto* own = std::get_if<RowsSpec>(&data)) mark_rows(parts, *own, series ? &*series : nullptr);
  if (series) {
    if (series->one_release) *request = series->request_of(*request, {});
    request->rule = series->rule;
    tell_series(*series, observer);
  }
  if (input->counts_from != CountsFrom::memory) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Status passes = check_source(*parts[i].mechanism, domains[i]);
      if (passes) continue;
      // How many rows there are is no reason to refuse a mechanism that was never streamed.
      if (!input->count_in_memory) return passes.error();
      input->count_in_memory();
      input->counts_from = CountsFrom::memory;
      break;
    }
  }
  const bool folder = series && !series->one_release;
  if (Status s = folder ? check_plan(*files, *request, domains) : check_publish(*files, *request, domains); !s)
    return s.error();
  if (!spec.test_key.empty()) observer.warn("the key of this release can be repeated: it protects nobody and says so");
  Result<std::function<bool()>> again = patience(spec.wait, request->ledger, observer);
  if (!again) return again.error();
  tell_risks(*request, *files, observer);
  if (!input->unit_kept) tell_unit(*request, observer);
  if (request->expected) tell_reach(*request, parts.size(), observer);
  return PublishPlan{std::move(*input), std::move(*request), std::move(*again), std::move(series)};
}

Result<Published> run_publish(const PublishSpec& spec, const Observer& observer, const KeyByName& key_by_name) {
  Result<PublishPlan> plan = plan_publish(spec, observer, key_by_name);
  if (!plan) return plan.error();
  PublishRequest& request = plan->request;
  const bool several = plan->series && !plan->series->one_release;
  const std::size_t times = several ? plan->series->periods.size() : 1;
  observer.steps(plan->input.phases +
                 times * (2 + (request.expected ? 1 : 0) + (request.calibrate ? 4 : 3) * request.parts.size()));
  const auto in_passes = [](const PublishPart& part) { return part.mechanism->in_passes; };
  if (plan->input.only_passes && std::ranges::all_of(request.parts, in_passes)) plan->input.only_passes();
  const std::unique_ptr<FileSystem> files = posix_file_system();
  const std::unique_ptr<ReleaseStore> store = release_store(observer.threads);
  PublishDoors doors{*files, *store,
                     spec.test_key.empty() ? KeySource::system() : repeatable_keys(key_by_name, spec.test_key)};
  doors.phase = observer.phase;
  doors.spent_before = [&](const LedgerChain& chain) {
    observer.pause();
    if (!chain.periods) tell_spent(request, chain, observer);
  };
  doors.interrupted = observer.interrupted;
  doors.try_again = plan->try_again;
  if (several) {
    if (Status s = finish_present(*plan->series, request, doors); !s) return s.error();
  }
  const Result<PublishRows> rows = plan->input.read(observer);
  observer.pause();
  if (!rows) return rows.error();
  observer.private_note("");  // whatever was found
  for (const std::string& line : fact_lines(rows->facts, false)) observer.private_note(line);
  for (const std::string& line : rows->left_out) observer.private_note(line);

  SeriesHistory history(request.output, observer);
  const bool alone = !several || plan->series->independent;
  Result<Published> published =
      several ? publish_each(*plan->series, request, rows->matrices, doors, alone ? nullptr : &history)
              : publish_one(request, *rows, doors);
  observer.pause();
  if (!published || spec.sign.empty()) return published;
  const Result<std::string> name = sign_all(published->releases(), spec.sign, observer.threads);
  if (!name) return name.error();
  published->signed_by = *name;
  return published;
}

std::vector<std::string> Published::releases() const {
  std::vector<std::string> names;
  for (const PublishedPeriod& period : periods) {
    const std::vector<std::string> own = Published{period.request, {}}.releases();
    names.insert(names.end(), own.begin(), own.end());
  }
  for (const PublishPart& part : periods.empty() ? request.parts : std::vector<PublishPart>()) {
    names.push_back(part.name.empty() ? request.output : fmt::format("{}/{}.odr", request.output, part.name));
  }
  return names;
}

std::string Published::who() const {
  if (request.rule && request.unit == Unit::user) {
    const std::string_view kind = to_string(request.rule->kind);
    const std::string all =
        request.at && request.at->size() > 1
            ? fmt::format("; epsilon {} for a person in all {} {}s",
                          format_epsilon(request.epsilon * static_cast<Ticks>(request.at->size())), request.at->size(),
                          kind)
            : "";
    return fmt::format("what one person does in one {0}, with up to {1} trip{2} (unit {3}, K = {1}){4}", kind,
                       request.k, request.k == 1 ? "" : "s", request.rule->unit, all);
  }
  return request.unit == Unit::trip ? "one trip, not a person (unit trip, K = 1)"
                                    : fmt::format("one person with up to {0} trip{1} (unit user, K = {0})", request.k,
                                                  request.k == 1 ? "" : "s");
}

std::string Published::mechanisms() const {
  std::vector<std::string> names;
  for (const PublishPart& part : request.parts) {
    if (names.empty() || names.back() != part.mechanism->name) names.emplace_back(part.mechanism->name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string Published::json() const {
  nlohmann::ordered_json told{{"release", request.output},
                              {"unit", request.rule ? request.rule->unit : to_string(request.unit)},
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
  if (!signed_by.empty()) told["signed_by"] = signed_by;
  if (request.parts.size() > 1 && periods.empty()) told["parts"] = releases();
  if (request.at) told["period"] = request.at->name();
  for (const PublishedPeriod& period : periods) {
    nlohmann::ordered_json one = nlohmann::ordered_json::parse(Published{period.request, period.outcome}.json());
    told["periods"].push_back(std::move(one));
  }
  if (!periods.empty()) {
    for (const char* own : {"partitions", "number", "ledger_head", "content_sha256", "calibrated", "expect_total"})
      told.erase(own);
  }
  return told.dump(2);
}

}  // namespace stopover
