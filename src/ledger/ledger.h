// Ledger: the privacy budget of one population, on disk.
//
// A file of hash-chained lines (ledger_chain.h) that only grows. It holds budgets and hashes, never a count or a row.
// Budget is reserved, durably, before the first random bit of a release is drawn; reserved is spent and nothing is ever
// given back, since a crash cannot prove that nobody saw the noise.
//
//   Result<Ledger> ledger = Ledger::open(files, "city.ledger", budget, state_dir);
//   if (!ledger) return ledger.error();
//   for each --witness: ledger->witness(head, name)
//   Result<Reservation> r = ledger->reserve(epsilon, "daf-entropy", "2025-03-01T09:30:00Z");   // returns after fsync
//   ... draw, build, verify, rename; the release carries format_head(ledger->head()) ...
//   ledger->commit(*r, content_sha256);      // or ledger->abort(*r): what was reserved stays spent
//
// A ledger of periods (period_account.h) is opened with its rule, and reserves for periods. ledger->close ends the
// reservation of a period's own release, and the period.
//
// While it lives it holds the file's lock, and with a state folder the lock of all copies of the ledger; one thread
// uses it. Every refusal is Failure::privacy unless said otherwise. After a failed write or fsync the object refuses
// everything: open the file again.
//
// The state folder keeps the ledger's last head in heads/<id>, so that a ledger that was put back or copied is not
// spent twice. The head is compared at opening and swapped with every record, all under the lock heads/<id>.lock, which
// is held until the end:
//
//   1  lock the ledger's file, then heads/<id>.lock; both at once or Failure::locked, so nobody waits for the other
//   2  the ledger must hold the kept head, else it was put back, or is a copy that another one was preferred to
//   3  RESERVE: first its ticks and hash go below the kept head, then the record into the file, then its head replaces
//      both; each step is durable before the next. Only then is the reservation told
//   4  what stands below the head but not in the file (a crash between; or the file is a copy) is charged at the next
//      opening by a REPAIR with that hash: what any copy ever reserved, all that are used later have paid
//
// What it cannot do: another user's or machine's state folder knows nothing of this one, so copies used there are
// noticed only by `witness`, which compares heads from releases. If ledger, releases and state folder are all put back
// together, or the ledger is deleted and begun anew, nothing can tell. The chain is not a signature: it finds accidents
// and forgotten spending, not a forger.
#pragma once

#include "ledger/file_system.h"
#include "ledger/ledger_chain.h"

namespace stopover {

// Its RESERVE record; `number` is never used twice in one ledger.
using Reservation = LedgerRecord;

class Ledger {
 public:
  // Opens and locks the ledger, or makes it. `budget` is required for a new ledger (Failure::usage, naming --budget)
  // and must equal the ledger's own otherwise. `rule` makes a ledger of periods, and must otherwise be that ledger's,
  // but for limits that are 0, which are not asked for; of such a ledger no budget means none. `state_dir`
  // ("$XDG_STATE_HOME/stopover") is made if missing; empty means none. Refuses a corrupt or rolled-back ledger;
  // Failure::locked if another process holds it or, with a state folder, a copy of it. What cannot be opened or made is
  // Failure::bad_input. REQUIRES: `files` outlives the ledger.
  static Result<Ledger> open(FileSystem& files, const std::string& path, std::optional<Ticks> budget,
                             const std::string& state_dir = "", const std::optional<PeriodRule>& rule = {});

  // What `stopover ledger` shows: takes no lock, changes nothing. A missing file is Failure::bad_input.
  static Result<LedgerChain> read(FileSystem& files, const std::string& path, const std::string& state_dir = "");

  // Charges `ticks`, durably, or refuses and says what is left. `purpose` (the mechanism) and `time` (UTC) are kept as
  // one short word each, `release` (its name) and `comment` as one line; empty: none. `at`: the periods that are
  // charged, each of them.
  Result<Reservation> reserve(Ticks ticks, std::string_view purpose, std::string_view time,
                              std::string_view release = "", std::string_view comment = "",
                              const std::optional<PeriodRange>& at = {});

  // Ends a reservation with the hash of what was published. REQUIRES: 64 lower-case hex digits.
  Status commit(const Reservation& reservation, std::string_view content_sha256);

  // The same, and closes its period. REQUIRES: the reservation is of one period.
  Status close(const Reservation& reservation, std::string_view content_sha256);

  // Ends a reservation of which nothing was published. It stays spent.
  Status abort(const Reservation& reservation);

  // Refuses if this ledger does not contain `head`, taken from a release called `where`, or is not the ledger it names.
  Status witness(const LedgerHead& head, std::string_view where) const;

  LedgerHead head() const { return chain_.head(); }
  const LedgerChain& chain() const { return chain_; }  // budget, spent, reserved, left, records

 private:
  Ledger(FileSystem& files, const std::string& path, const std::string& state_dir)
      : files_(&files), path_(path), state_dir_(state_dir) {}
  std::string kept_path() const { return state_dir_ + "/heads/" + head().id; }
  Status load(Result<std::string> text);
  Status lock_copies();
  Status compare_head();
  Status keep_head(const std::string& intent = "");
  Status settle_intent();
  Status append(LedgerRecord record);

  FileSystem* files_;
  std::string path_;
  std::string state_dir_;
  std::unique_ptr<AppendFile> file_, copies_lock_;
  std::string text_;
  std::string kept_;  // what heads/<id> held when it was last read or written; empty: no such file
  LedgerChain chain_;
  bool failed_ = false;
};

// Refuses what reserve would refuse of the ledger `path` that holds this.
Status may_reserve(const LedgerChain& chain, const std::string& path, Ticks ticks,
                   const std::optional<PeriodRange>& at = {});
// Refuses a rule that is not the ledger's, as Ledger::open does.
Status check_rule(const LedgerChain& chain, const std::string& path, const PeriodRule& rule);

}  // namespace stopover
