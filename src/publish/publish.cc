#include "publish/publish.h"

#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <filesystem>
#include <set>
#include <tuple>

#include "calibrate/calibrate.h"
#include "disk/sha256.h"
#include "privacy/kernel.h"
#include "publish/unfinished_period.h"
#include "release_io/content_hash.h"
#include "release_io/release_io.h"

namespace stopover {
namespace {

std::string name_of(const std::string& output) { return std::filesystem::path(output).filename().string(); }

Status check_witnesses(const PublishRequest& request, const Ledger& ledger, ReleaseStore& store) {
  for (const std::string& path : request.witnesses) {
    const Result<std::string> text = store.ledger_head(path);
    if (!text) return text.error();
    const Result<LedgerHead> head = parse_head(*text);
    if (!head) return head.error();
    if (Status s = ledger.witness(*head, path); !s) return s;
  }
  return {};
}

Status stop_if(const PublishDoors& doors) {
  if (!doors.interrupted()) return {};
  return Error{Failure::interrupted, "interrupted"};
}

// A part on its way: what is built and written.
struct Piece {
  std::string folder;  // below the output; empty: the output itself
  const PublishPart* part;
  const CountSource* source;
  Release release;
  std::int64_t total = 0;  // noisy; where a number of trips is expected
};

std::string below(const std::string& output, const Piece& piece) {
  return piece.folder.empty() ? output : output + "/" + piece.folder;
}

// Where a number of trips is expected, the first of two shares of epsilon is for their total.
ExpectationPrice price_of(const PublishRequest& request) {
  const Ticks first = request.expected ? first_share(request.epsilon) : 0;
  return {first, request.epsilon - first, request.k};
}

// Draws the total of every piece; refuses where they fall short of what is expected.
Status ask_totals(const PublishRequest& request, std::vector<Piece>& pieces, const PublishDoors& doors) {
  doors.phase("asking how many trips there are");
  const ExpectationPrice price = price_of(request);
  std::vector<std::int64_t> totals;
  for (Piece& piece : pieces) {
    const Result<ReleaseKey> key = doors.key();
    if (!key) return key.error();
    const std::unique_ptr<Dice> dice = doors.dice(*key);
    piece.total = draw_total(*piece.source, *dice, price.first, price.k);
    totals.push_back(piece.total);
  }
  return judge_totals(*request.expected, totals, price);
}

Status build(const PublishRequest& request, Piece& piece, const PublishDoors& doors) {
  doors.phase("building the release");
  std::optional<tbb::global_control> limit;
  if (request.threads > 0) limit.emplace(tbb::global_control::max_allowed_parallelism, request.threads);
  const Result<ReleaseKey> key = doors.key();
  if (!key) return key.error();
  const std::unique_ptr<Dice> dice = doors.dice(*key);
  const ExpectationPrice price = price_of(request);
  Kernel kernel(*piece.source, *dice, price.rest, request.k);
  const Ticks probes = request.calibrate ? probe_ticks(*piece.part->mechanism, price.rest, request.probe_share) : 0;
  piece.release = run_probed(*piece.part->mechanism, piece.part->params, kernel, request.unit, probes);
  piece.release.randomness = doors.key.randomness();
  if (request.expected) add_total(piece.release, *request.expected, price.first, piece.total);
  auto& params = piece.release.params;
  params.insert(params.end(), piece.part->marks.begin(), piece.part->marks.end());
  std::sort(params.begin(), params.end());
  return {};
}

// Sees the release and nothing else: what it adds costs nothing. Its numbers come from the hash of the release's own
// counts, so that anyone can make the same table again. A release that nothing can be learned from stays as it is.
Status learn(const PublishRequest& request, Release& release, const PublishDoors& doors) {
  if (!request.calibrate) return {};
  doors.phase("learning the intervals");
  if (release.answer_model != AnswerModel::maps || release.probes) return {};
  std::optional<tbb::global_control> limit;
  if (request.threads > 0) limit.emplace(tbb::global_control::max_allowed_parallelism, request.threads);
  Result<Calibration> table = calibrate(release, {.seed = seed_of(release.tables[0])});
  if (table) release.calibration = *std::move(table);
  return {};
}

// Writes and verifies one release; its content hash.
Result<std::string> write(const Piece& piece, const std::string& partial, const PublishDoors& doors) {
  const std::string folder = below(partial, piece);
  doors.phase("writing the release");
  if (!piece.folder.empty()) {
    if (Status s = doors.files.make_directory(folder); !s) return s.error();
  }
  const Result<std::vector<std::string>> files = doors.store.write(piece.release, folder);
  if (!files) return files.error();
  doors.phase("verifying the release");
  Result<std::string> content = doors.store.verify(piece.release, folder);
  if (!content) return content.error();
  std::set<std::string> folders;
  for (const std::string& file : *files) {
    if (Status s = doors.files.fsync_path(folder + "/" + file); !s) return s.error();
    if (file.find('/') != std::string::npos) folders.insert(parent_directory(folder + "/" + file));
  }
  for (const std::string& inner : folders) {
    if (Status s = doors.files.fsync_dir(inner); !s) return s.error();
  }
  if (Status s = doors.files.fsync_dir(folder); !s) return s.error();
  return content;
}

// From the releases in memory to the output in its place.
Result<std::string> put(const std::vector<Piece>& pieces, const PublishRequest& request, const std::string& partial,
                        const PublishDoors& doors) {
  std::string contents;
  for (const Piece& piece : pieces) {
    const Result<std::string> content = write(piece, partial, doors);
    if (!content) return content.error();
    contents += piece.folder.empty() ? *content : fmt::format("{} {}\n", *content, piece.folder);
  }
  if (!pieces[0].folder.empty()) {
    contents = sha256_of(contents);
    if (Status s = doors.files.fsync_dir(partial); !s) return s.error();
  }
  if (Status s = stop_if(doors); !s) return s.error();
  if (Status s = doors.store.open_folder(partial); !s) return s.error();
  if (Status s = doors.files.rename(partial, request.output); !s) return s.error();
  if (Status s = doors.files.fsync_dir(parent_directory(request.output)); !s) {
    (void)doors.files.rename(request.output, partial);
    return s.error();
  }
  return contents;
}

std::string purpose_of(const std::vector<Piece>& pieces) {
  const auto* const first = pieces[0].part->mechanism;
  const bool same =
      std::all_of(pieces.begin(), pieces.end(), [&](const Piece& p) { return p.part->mechanism == first; });
  return std::string(same ? first->name : "several");
}

// What one publication reserves: once, or a share for the total first.
class Reservations {
 public:
  Reservations(Ledger& ledger, const PublishRequest& request) : ledger_(ledger), request_(request) {}

  Status reserve(Ticks ticks, std::string_view purpose) {
    const Result<Reservation> made =
        ledger_.reserve(ticks, purpose, request_.time, name_of(request_.output), request_.note, request_.at);
    if (!made) return made.error();
    made_.push_back(*made);
    return {};
  }
  Status commit(const std::string& content) {
    const bool own = request_.at && request_.at->size() == 1;  // the only release of its period
    for (const Reservation& reservation : made_) {
      if (Status s = own ? ledger_.close(reservation, content) : ledger_.commit(reservation, content); !s) return s;
    }
    return {};
  }
  // Ends them all. Nothing is given back.
  Error failed(const Error& error) {
    if (made_.empty()) return error;
    Ticks spent = 0;
    for (const Reservation& reservation : made_) {
      (void)ledger_.abort(reservation);
      spent += reservation.ticks;
    }
    const LedgerChain& chain = ledger_.chain();
    if (request_.at) {
      return {error.failure, fmt::format("{}\n  Nothing was published, but epsilon {} for {} is spent in {}.",
                                         error.message, format_epsilon(spent), request_.at->name(), request_.ledger)};
    }
    return {error.failure, fmt::format("{}\n  Nothing was published, but epsilon {} is spent: {} of {} is left in {}.",
                                       error.message, format_epsilon(spent), format_epsilon(chain.left()),
                                       format_epsilon(chain.budget()), request_.ledger)};
  }
  // Of the last one.
  std::uint64_t number() const { return made_.back().number; }

 private:
  Ledger& ledger_;
  const PublishRequest& request_;
  std::vector<Reservation> made_;
};

// Spent and left of the period that has least.
std::pair<Ticks, Ticks> account_of(const PeriodAccount& account, const PeriodRange& at) {
  Ticks spent = 0;
  for (Period p = at.first; p <= at.last; p = p.plus(1)) spent = std::max(spent, account.spent_on(p));
  return {spent, account.rule.each - std::min(account.rule.each, spent)};
}

Result<PublishOutcome> spend(const PublishRequest& request, std::vector<Piece>& pieces, const PublishDoors& doors,
                             Ledger& ledger, const std::string& partial) {
  const ExpectationPrice price = price_of(request);
  Reservations reservations(ledger, request);
  const auto failed = [&](const Error& error) { return reservations.failed(error); };
  try {
    if (request.expected) {
      if (Status s = reservations.reserve(price.first, "expect"); !s) return s.error();
      if (Status s = ask_totals(request, pieces, doors); !s) return failed(s.error());
      if (Status s = stop_if(doors); !s) return failed(s.error());
    }
    doors.phase("reserving the budget");
    if (Status s = reservations.reserve(price.rest, purpose_of(pieces)); !s) return failed(s.error());

    PublishOutcome outcome{"", format_head(ledger.head()), reservations.number(),
                           0,  ledger.chain().spent,       ledger.chain().left()};
    if (request.at) std::tie(outcome.spent, outcome.left) = account_of(*ledger.chain().periods, *request.at);
    outcome.randomness = doors.key.randomness();
    for (Piece& piece : pieces) {
      if (Status s = stop_if(doors); !s) return failed(s.error());
      if (Status s = build(request, piece, doors); !s) return failed(s.error());
      piece.release.number = outcome.number;
      piece.release.ledger_head = outcome.ledger_head;
      piece.release.date = request.time.substr(0, 10);
      piece.release.description = request.description;
      if (request.expected) outcome.total = outcome.total.value_or(0) + piece.total;
      if (Status s = learn(request, piece.release, doors); !s) return failed(s.error());
      outcome.calibrated = outcome.calibrated || piece.release.has_likely_intervals();
      const std::vector<bool> leaves = piece.release.tables.front().leaves();
      outcome.partitions += static_cast<std::uint64_t>(std::count(leaves.begin(), leaves.end(), true));
    }
    if (Status s = stop_if(doors); !s) return failed(s.error());
    Result<std::string> content = put(pieces, request, partial, doors);
    if (!content) return failed(content.error());
    outcome.content_sha256 = std::move(*content);
    if (Status s = reservations.commit(outcome.content_sha256); !s) {
      return Error{s.error().failure,
                   fmt::format("{} is published and paid for, but the ledger has no record of its end\n  {}",
                               request.output, s.error().message)};
    }
    return outcome;
  } catch (const SourceFailure& failure) {
    return failed(failure.error());
  } catch (const std::exception& error) {
    return failed({Failure::internal, fmt::format("the release could not be built: {}", error.what())});
  }
}

Status check_output(FileSystem& files, const PublishRequest& request) {
  if (request.output.empty() || request.output.ends_with('/')) {
    return Error{Failure::usage, fmt::format("the output needs a name such as city.odr, not \"{}\"", request.output)};
  }
  if (files.exists(request.output)) {
    return Error{Failure::output_exists,
                 fmt::format("{} is there already\n  A release is never replaced: nothing was spent. "
                             "Choose another name.",
                             request.output)};
  }
  if (!files.exists(parent_directory(request.output))) {
    return Error{Failure::usage, fmt::format("there is no folder {} for {}\n  Make it first; nothing was spent.",
                                             parent_directory(request.output), request.output)};
  }
  return {};
}

Status check_budget(FileSystem& files, const PublishRequest& request) {
  if (request.expected && request.epsilon < 2) {
    return Error{
        Failure::usage,
        "epsilon 0.000000001 cannot be shared between a total and the rest\n  Leave `expect_trips` out, or give more."};
  }
  if (files.exists(request.ledger)) return {};
  if (request.rule && request.rule->each > 0 && request.epsilon > request.rule->each) {
    return Error{Failure::privacy,
                 fmt::format("epsilon {} is more than one {} may be charged: {}\n  Ask for less; the ledger {} was not "
                             "made.",
                             format_epsilon(request.epsilon), to_string(request.rule->kind),
                             format_epsilon(request.rule->each), request.ledger)};
  }
  if (!request.budget || request.epsilon <= *request.budget) return {};
  return Error{Failure::privacy,
               fmt::format("epsilon {} is more than the whole budget of {}\n  Ask for less; the ledger {} "
                           "was not made.",
                           format_epsilon(request.epsilon), format_epsilon(*request.budget), request.ledger)};
}

Result<Ledger> open_ledger(const PublishRequest& request, const PublishDoors& doors) {
  for (;;) {
    Result<Ledger> ledger = Ledger::open(doors.files, request.ledger, request.budget, request.state_dir, request.rule);
    if (ledger || ledger.error().failure != Failure::locked || !doors.try_again()) return ledger;
    if (Status s = stop_if(doors); !s) return s.error();
  }
}

// What is about to be removed as left behind says which runs never came to a release: that is written down first.
Status end_unfinished(const PublishRequest& request, const PublishDoors& doors, Ledger& ledger) {
  if (!ledger.chain().periods) return {};
  for (const LedgerRecord& fallen : fallen_in(parent_directory(request.output), ledger.chain(), doors.files)) {
    if (Status s = ledger.abort(Reservation(fallen)); !s) return s;
  }
  if (!request.at || request.at->size() > 1) return {};
  return check_finished(ledger.chain(), request.ledger, request.at->first);
}

// After all checks that need no ledger.
Result<PublishOutcome> transact(const PublishRequest& request, std::vector<Piece> pieces, const PublishDoors& doors) {
  Result<Ledger> ledger = open_ledger(request, doors);
  if (!ledger) return ledger.error();
  if (Status s = check_witnesses(request, *ledger, doors.store); !s) return s.error();
  if (ledger->chain().spent > 0) doors.spent_before(ledger->chain());
  if (Status s = may_reserve(ledger->chain(), request.ledger, request.epsilon, request.at); !s) return s.error();
  if (Status s = stop_if(doors); !s) return s.error();
  if (Status s = end_unfinished(request, doors, *ledger); !s) return s.error();

  const std::string partial = partial_folder(request.output, ledger->head().id);
  Status made = doors.files.remove_tree(partial);
  if (made) made = doors.files.make_directory(partial);
  if (made) made = doors.store.close_folder(partial);
  if (!made) return Error{made.error().failure, made.error().message + "\n  Nothing was spent."};
  Result<PublishOutcome> outcome = spend(request, pieces, doors, *ledger, partial);
  if (!outcome) (void)doors.files.remove_tree(partial);
  return outcome;
}

}  // namespace

Status check_publish(FileSystem& files, const PublishRequest& request, std::span<const Domain> domains) {
  if (Status s = check_output(files, request); !s) return s;
  return check_plan(files, request, domains);
}

Status check_plan(FileSystem& files, const PublishRequest& request, std::span<const Domain> domains) {
  for (std::size_t i = 0; i < request.parts.size(); ++i) {
    if (Status s = check_mechanism(*request.parts[i].mechanism, request.parts[i].params, domains[i]); !s) return s;
  }
  return check_budget(files, request);
}

Status check_source(const Mechanism& mechanism, const Domain& domain) {
  if (mechanism.passes(domain)) return {};
  return Error{Failure::usage, fmt::format("{} needs all counts in memory\n  Use `counts_from memory`, or `mechanism "
                                           "anchor`, which takes them as they come.",
                                           mechanism.name)};
}

Result<PublishOutcome> publish(const PublishRequest& request, std::span<const Matrix> matrices,
                               const PublishDoors& doors) {
  std::deque<MatrixSource> sources;
  std::vector<const CountSource*> pointers;
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    // Of very many rows no copy is made where the mechanism can do without: the release is the same.
    const bool many =
        i < request.parts.size() && request.parts[i].mechanism->in_passes && matrices[i].keys().size() >= kManyCells;
    pointers.push_back(&sources.emplace_back(many ? MatrixSource::in_passes(matrices[i], request.threads)
                                                  : MatrixSource(matrices[i])));
  }
  return publish(request, pointers, doors);
}

Result<PublishOutcome> publish(const PublishRequest& request, std::span<const CountSource* const> sources,
                               const PublishDoors& doors) {
  const std::vector<PublishPart>& parts = request.parts;
  STOPOVER_CHECK(!parts.empty() && parts.size() == sources.size(), "every part has its matrix");
  doors.phase("checking");
  std::vector<Domain> domains;
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    STOPOVER_CHECK(parts.size() == 1 || !parts[i].name.empty(), "one of several parts needs a name");
    domains.push_back(sources[i]->domain());
    if (sources[i]->matrix() == nullptr) {
      if (Status s = check_source(*parts[i].mechanism, domains[i]); !s) return s.error();
    }
    pieces.push_back({parts[i].name.empty() ? "" : parts[i].name + ".odr", &parts[i], sources[i], {}});
  }
  if (Status s = check_publish(doors.files, request, domains); !s) return s.error();
  return transact(request, std::move(pieces), doors);
}

Status finish_period(const PublishRequest& request, const PublishDoors& doors) {
  Result<Ledger> ledger = open_ledger(request, doors);
  if (!ledger) return ledger.error();
  std::string contents;
  LedgerHead head;
  for (const PublishPart& part : request.parts) {
    const std::string name = part.name.empty() ? "" : part.name + ".odr";
    const std::string folder = name.empty() ? request.output : request.output + "/" + name;
    const Result<std::string> text = doors.store.ledger_head(folder);
    const Result<std::string> content = text ? doors.store.content(folder) : text.error();
    if (!content) return content.error();
    const Result<LedgerHead> own = parse_head(*text);
    if (!own) return own.error();
    if (Status s = ledger->witness(*own, folder); !s) return s;
    head = *own;
    contents += name.empty() ? *content : fmt::format("{} {}\n", *content, name);
  }
  if (request.parts.size() > 1) contents = sha256_of(contents);
  const LedgerRecord& paid = ledger->chain().records[head.records - 1];
  if (!ledger->chain().open.contains(paid.number) || paid.at() != request.at) return {};
  if (Status s = doors.files.fsync_dir(parent_directory(request.output)); !s) return s;
  return ledger->close(Reservation(paid), contents);
}

}  // namespace stopover
