#include "publish/publish.h"

#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <exception>
#include <filesystem>

#include "privacy/kernel.h"
#include "privacy/stream_dice.h"

namespace stopover {
namespace {

std::string partial_folder(const std::string& output, const std::string& ledger_id) {
  const std::string name = std::filesystem::path(output).filename().string();
  return fmt::format("{}/.{}.partial-{}", parent_directory(output), name, ledger_id);
}

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

Result<Release> build(const PublishRequest& request, const Matrix& matrix, const PublishDoors& doors) {
  doors.phase("building the release");
  std::optional<tbb::global_control> limit;
  if (request.threads > 0) limit.emplace(tbb::global_control::max_allowed_parallelism, request.threads);
  const Result<ReleaseKey> key = doors.key();
  if (!key) return key.error();
  StreamDice dice(*key);
  Kernel kernel(matrix, dice, request.epsilon, request.k);
  Release release = run_mechanism(*request.mechanism, request.params, kernel, request.unit);
  release.params.insert(release.params.end(), request.marks.begin(), request.marks.end());
  std::sort(release.params.begin(), release.params.end());
  return release;
}

// From the release in memory to the release in its place.
Result<std::string> put(const Release& release, const PublishRequest& request, const std::string& partial,
                        const PublishDoors& doors) {
  doors.phase("writing the release");
  const Result<std::vector<std::string>> files = doors.store.write(release, partial);
  if (!files) return files.error();
  doors.phase("verifying the release");
  Result<std::string> content = doors.store.verify(release, partial);
  if (!content) return content.error();
  for (const std::string& file : *files) {
    if (Status s = doors.files.fsync_path(partial + "/" + file); !s) return s.error();
  }
  if (Status s = doors.files.fsync_dir(partial); !s) return s.error();
  if (Status s = stop_if(doors); !s) return s.error();
  if (Status s = doors.store.open_folder(partial); !s) return s.error();
  if (Status s = doors.files.rename(partial, request.output); !s) return s.error();
  if (Status s = doors.files.fsync_dir(parent_directory(request.output)); !s) {
    (void)doors.files.rename(request.output, partial);
    return s.error();
  }
  return content;
}

Result<PublishOutcome> spend(const PublishRequest& request, const Matrix& matrix, const PublishDoors& doors, Ledger& ledger,
                             const std::string& partial) {
  doors.phase("reserving the budget");
  const Result<Reservation> reservation = ledger.reserve(request.epsilon, request.mechanism->name, request.time);
  if (!reservation) return reservation.error();

  const auto failed = [&](const Error& error) {
    (void)ledger.abort(*reservation);
    return Error{error.failure, fmt::format("{}\n  Nothing was published, but epsilon {} is spent: {} of {} is left in {}.",
                                            error.message, format_epsilon(request.epsilon),
                                            format_epsilon(ledger.chain().left()), format_epsilon(ledger.chain().budget()),
                                            request.ledger)};
  };
  try {
    if (Status s = stop_if(doors); !s) return failed(s.error());
    Result<Release> release = build(request, matrix, doors);
    if (!release) return failed(release.error());
    if (Status s = stop_if(doors); !s) return failed(s.error());
    release->number = reservation->number;
    release->ledger_head = format_head(ledger.head());
    release->date = request.time.substr(0, 10);
    const Result<std::string> content = put(*release, request, partial, doors);
    if (!content) return failed(content.error());

    PublishOutcome outcome{*content, release->ledger_head, release->number, 0, ledger.chain().spent, ledger.chain().left()};
    const std::vector<bool> leaves = release->tables.front().leaves();
    outcome.partitions = static_cast<std::uint64_t>(std::count(leaves.begin(), leaves.end(), true));
    if (Status s = ledger.commit(*reservation, *content); !s) {
      return Error{s.error().failure, fmt::format("{} is published and paid for, but the ledger has no record of its end\n  {}",
                                                  request.output, s.error().message)};
    }
    return outcome;
  } catch (const std::exception& error) {
    return failed({Failure::internal, fmt::format("the release could not be built: {}", error.what())});
  }
}

}  // namespace

Status check_publish(FileSystem& files, const PublishRequest& request, const Domain& domain) {
  if (request.output.empty() || request.output.ends_with('/')) {
    return Error{Failure::usage, fmt::format("the output needs a name such as city.odr, not \"{}\"", request.output)};
  }
  if (files.exists(request.output)) {
    return Error{Failure::output_exists, fmt::format("{} is there already\n  A release is never replaced: nothing was spent. "
                                                     "Choose another name.", request.output)};
  }
  if (!files.exists(parent_directory(request.output))) {
    return Error{Failure::usage, fmt::format("there is no folder {} for {}\n  Make it first; nothing was spent.",
                                             parent_directory(request.output), request.output)};
  }
  if (Status s = check_mechanism(*request.mechanism, request.params, domain); !s) return s;
  if (request.budget && request.epsilon > *request.budget && !files.exists(request.ledger)) {
    return Error{Failure::privacy, fmt::format("epsilon {} is more than the whole budget of {}\n  Ask for less; the ledger {} "
                                               "was not made.", format_epsilon(request.epsilon),
                                               format_epsilon(*request.budget), request.ledger)};
  }
  return {};
}

Result<PublishOutcome> publish(const PublishRequest& request, const Matrix& matrix, const PublishDoors& doors) {
  doors.phase("checking");
  if (Status s = check_publish(doors.files, request, matrix.domain()); !s) return s.error();
  Result<Ledger> ledger = Ledger::open(doors.files, request.ledger, request.budget, request.state_dir);
  if (!ledger) return ledger.error();
  if (Status s = check_witnesses(request, *ledger, doors.store); !s) return s.error();
  if (ledger->chain().spent > 0) doors.spent_before(ledger->chain());
  // Refuses, and writes nothing.
  if (request.epsilon > ledger->chain().left()) return ledger->reserve(request.epsilon, "", "").error();
  if (Status s = stop_if(doors); !s) return s.error();

  const std::string partial = partial_folder(request.output, ledger->head().id);
  Status made = doors.files.remove_tree(partial);
  if (made) made = doors.files.make_directory(partial);
  if (made) made = doors.store.close_folder(partial);
  if (!made) return Error{made.error().failure, made.error().message + "\n  Nothing was spent."};
  Result<PublishOutcome> outcome = spend(request, matrix, doors, *ledger, partial);
  if (!outcome) (void)doors.files.remove_tree(partial);
  return outcome;
}

}  // namespace stopover
