// publish: the one transaction that spends budget and makes a release. The command line and Python both call it.
//
//   check        everything that can be refused is refused before anything is spent: output, mechanism, ledger,
//   witnesses
//   RESERVE      durably in the ledger; from here on epsilon is spent, whatever happens
//                where a number of trips is expected, a hundredth first, for a noisy total, and the rest only if that
//                total is not clearly too small (expectation.h); what was left before had to cover both
//   draw         a fresh key, after the reservation
//   build        the mechanism, over the kernel; then probes of what it made, with the part of epsilon kept for them
//   learn        from the finished release alone, how far its answers may be off (calibrate.h)
//   write        into a private folder beside the output, .NAME.partial-<ledger id>
//   verify       read it all again, compare, check the sums
//   rename       after fsync of every file and the folder; never over something that is there
//   COMMIT       with the release's content hash, every reservation
//
// A crash at any moment leaves either no release or a whole one, and the ledger never forgets a reservation. A failure
// after RESERVE appends ABORT, removes the private folder and says that the epsilon is spent. What a killed run left
// behind is removed by the next one that publishes into the same place: the folder is locked as long as its writer
// lives.
//
// What is published is a list of parts: one, whose release is the output itself, or several disjoint parts of the trips
// (those with two stops, those with three), in one transaction for one epsilon. The output is then a folder with one
// release per part, which appears as a whole or not at all. Every part gets all of epsilon, because a trip is in one
// part only and a unit has k trips in all parts together; the proof is in privacy/AUDIT.md, "Disjoint parts".
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/ticks.h"
#include "ledger/ledger.h"
#include "matrix/count_source.h"
#include "matrix/matrix.h"
#include "mechanism/mechanism.h"
#include "privacy/stream_dice.h"
#include "publish/expectation.h"
#include "publish/key_source.h"
#include "publish/probed.h"
#include "publish/release_store.h"

namespace stopover {

// One of the disjoint parts of the trips.
struct PublishPart {
  std::string name;  // its release goes to OUTPUT/NAME.odr; "" where it is the only one: to OUTPUT
  const Mechanism* mechanism = nullptr;
  Params params;
  std::vector<std::pair<std::string, std::string>> marks;  // public remarks that go beside the mechanism's parameters
};

struct PublishRequest {
  std::vector<PublishPart> parts;
  Ticks epsilon = 0;
  Unit unit = Unit::trip;
  std::uint32_t k = 1;  // the most trips of one unit in the matrix
  std::string output;   // NAME.odr
  std::string ledger;
  std::optional<Ticks> budget;         // required when the ledger is new
  std::string state_dir;               // see Ledger::open
  std::string note;                    // one line for the ledger; may be empty
  Description description;             // of every release
  std::vector<std::string> witnesses;  // releases that were paid from this ledger
  std::string time;                    // UTC, 2025-03-01T09:30:00Z
  unsigned threads = 0;                // DEFAULT: 0, all the machine's
  bool calibrate = true;               // learn intervals, where the mechanism's answers use maps
  // The part of epsilon that buys evidence for them where the mechanism is probed (probed.h), in billionths; 0: none.
  std::uint64_t probe_share = kProbeShare;
  std::optional<Expectation> expected;  // ask for the total first
  // Of a ledger of periods: its rule, and the periods whose trips the matrices hold, each of which is charged epsilon.
  // A single one is closed by its release. (privacy/AUDIT.md, "Periods")
  std::optional<PeriodRule> rule = {};
  std::optional<PeriodRange> at = {};
};

struct PublishDoors {
  FileSystem& files;
  ReleaseStore& store;
  KeySource key;  // also of what the release says about its randomness
  // What a key is thrown with: the proof of a whole publication (expectation_test.cc) records and replays here.
  std::function<std::unique_ptr<Dice>(const ReleaseKey&)> dice = [](const ReleaseKey& drawn) {
    return std::make_unique<StreamDice>(drawn);
  };
  // Told the name of each phase as it begins.
  std::function<void(std::string_view)> phase = [](std::string_view) {};
  // Told what the ledger has spent already, if anything, before more is reserved.
  std::function<void(const LedgerChain&)> spent_before = [](const LedgerChain&) {};
  // Asked while another process holds the ledger: waits a moment and says whether to try again.
  std::function<bool()> try_again = [] { return false; };
  // Asked between phases; true ends the transaction with Failure::interrupted.
  std::function<bool()> interrupted = [] { return false; };
};

struct PublishOutcome {
  std::string content_sha256;    // of parts: SHA-256 of a line "<its content_sha256> <its name>" for each
  std::string ledger_head;       // as the release carries it
  std::uint64_t number = 0;      // of the reservation
  std::uint64_t partitions = 0;  // leaves of table 0, of all parts
  Ticks spent = 0;               // by the whole ledger; of one of periods, of the one that is left least
  Ticks left = 0;
  bool calibrated = false;                 // whether any part got intervals learned from it
  Randomness randomness = {};              // of every part
  std::optional<std::int64_t> total = {};  // noisy, of all parts; where a number of trips was expected
};

// What can be refused without the data: call it before reading them. publish does it again. `domains`: one for each
// part.
Status check_publish(FileSystem& files, const PublishRequest& request, std::span<const Domain> domains);

// The same without a look at the output.
Status check_plan(FileSystem& files, const PublishRequest& request, std::span<const Domain> domains);

// From so many cells in memory on, a mechanism that can (Mechanism::in_passes) passes over them: rows in order for its
// boxes would take more than that.
inline constexpr std::uint64_t kManyCells = std::uint64_t{1} << 22;

// One reservation of request.epsilon for all parts, a key of its own for each. REQUIRES: as many matrices as parts, at
// least one; different names, none empty where there are several; mechanisms with params that were read for them;
// epsilon and k above 0; no trip in two of the matrices, and no unit with more than k trips in all of them together.
Result<PublishOutcome> publish(const PublishRequest& request, std::span<const Matrix> matrices,
                               const PublishDoors& doors);
// The same from sources of counts, which need not have their rows in memory. A pass that fails, or that somebody stops,
// ends the transaction as any failure does. Mechanisms that need rows in memory are refused: check_source.
Result<PublishOutcome> publish(const PublishRequest& request, std::span<const CountSource* const> sources,
                               const PublishDoors& doors);

// Whether a mechanism works on trips of this domain that stay where they are. Fails (usage).
Status check_source(const Mechanism& mechanism, const Domain& domain);

// After a run that was killed between its release and the record of its end: closes the period, if the release at the
// output is the one that its open reservation paid for. REQUIRES: the request of that period, and an output that is
// there.
Status finish_period(const PublishRequest& request, const PublishDoors& doors);

}  // namespace stopover
