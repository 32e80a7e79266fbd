// LedgerChain: the verified content of a ledger file, and what it adds up to. LedgerRecord: one line of it. LedgerHead:
// one line that says how far it had come.
//
//   1 GENESIS ticks=1000000000 ref=2 time=- note=<32 hex> hash=<64 hex>
//   2 RESERVE ticks=100000000 ref=0 time=2025-03-01T09:30:00Z note=daf-entropy nonce=<32 hex> release=a.odr hash=<64
//   hex>
//   3 COMMIT ticks=0 ref=2 time=- note=<64 hex> hash=<64 hex>
//   4 ABORT ticks=0 ref=2 time=- note=- hash=<64 hex>
//   5 REPAIR ticks=0 ref=0 time=- note=<64 hex> hash=<64 hex>
//   6 CLOSE ticks=0 ref=2 time=- note=<64 hex> hash=<64 hex>
//
// The same six words begin every line, `hash` ends it, one space between, one newline at the end, numbers in shortest
// decimal. Between them stand words of format 2, name=text, sorted by name, no name twice; in a text blanks, '%' and
// bytes above 126 are %XX, and control characters cannot stand at all. `hash` is the SHA-256 of the previous record's
// 64 hex digits (64 zeros before the first), one space, and the line up to and without " hash=". There is one way to
// write a record, and any other way is not a record.
//
// Format 3 (GENESIS ref=3) is that of a ledger of periods: GENESIS has its rule (period_account.h) as the words period,
// per_period, per_year, timezone, unit, and ticks=0 where all periods together are not limited. Each RESERVE says which
// periods are charged its ticks, each of them: at=2019-01 or at=2019-01..2019-12. CLOSE ends a reservation as COMMIT
// does, and closes its period, in one record: there is no moment in which a release is out and its period open. It
// cannot be made of another format, nor that of it: what was spent without periods cannot be told apart by them.
//
// Format 2 (GENESIS ref=2): each RESERVE has a `nonce` of 128 random bits, so that two copies of a ledger that go their
// own ways never have a head in common; and it may have the `release` it pays for and the curator's `comment`. A
// ledger of format 1 (ref=1: no such words) is continued with records of format 2 as it is: a program that knows only
// format 1 then refuses the file as corrupt. A word that is not known here is refused too, since it may be a rule that
// the ledger's owner relies on: later formats add words and GENESIS names them.
//
// A head reads <ledger id>:<number of the last record>:<its hash>. Releases carry it ("ledger_head") and the state
// folder keeps it: a ledger that does not hold that record with that hash was put back to an earlier state, or forked.
//
// One kind of damage is expected and healed: the torn end that a crash during an append leaves behind. Such a record
// was never acknowledged, and no noise was drawn for it, since an append is durable before anyone is told. The rule:
//
// * What follows the last good record, up to the end of the file, is *torn* if it has no newline: the newline is the
//   last byte of every append. It stays in the file. The next append first completes that line with " TORN", then adds
//   a REPAIR record with the SHA-256 of the torn bytes; so a torn line can be told from a damaged one for ever.
// * If the torn bytes still show "RESERVE ticks=<n> ", these ticks count as spent all the same (REPAIR's `ticks`): the
//   file may have been cut after it was acknowledged, and spent must not fall. Torn earlier, it counts for nothing.
//   With periods they must be legible too, as far as the blank behind them: REPAIR then has the same `at`.
// * A crash during the repair leaves lines that end with " TORN" and then a torn one: all of it is the torn end.
// * A whole good record that lacks only its newline is a record. Followed by a byte that is neither newline nor zero
//   (zeros are what some file systems leave where a block was never written) it is corruption.
// * Everything else, a whole last line with a wrong hash included, is corruption and refused.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/ticks.h"
#include "ledger/period_account.h"

namespace stopover {

enum class RecordKind { genesis, reserve, commit, abort, repair, close };

// "GENESIS", "RESERVE", "COMMIT", "ABORT", "REPAIR", "CLOSE".
std::string_view kind_name(RecordKind kind);

struct LedgerRecord {
  RecordKind kind = RecordKind::genesis;
  std::uint64_t number = 0;  // 1, 2, 3, ... in the order of the file
  Ticks ticks = 0;           // GENESIS: the total budget; RESERVE, REPAIR: what is charged; else 0
  std::uint64_t ref = 0;   // GENESIS: format version; COMMIT, ABORT, CLOSE: the number of the RESERVE they end; else 0
  std::string time = "-";  // RESERVE: when, UTC
  std::string note = "-";  // GENESIS: id; RESERVE: purpose; COMMIT, CLOSE: content hash; REPAIR: hash of the torn bytes
  std::string hash = {};   // of this record, over the one before
  std::map<std::string, std::string> words = {};  // RESERVE: at, comment, nonce, release; see above

  // What `at` says; nothing where there is none.
  std::optional<PeriodRange> at() const;
};

// The line with its newline; sets `record.hash`.
std::string encode_record(LedgerRecord& record, std::string_view previous_hash);

// The record, if `line` (without newline) is exactly what encode_record writes for one after `previous_hash`.
std::optional<LedgerRecord> decode_record(std::string_view line, std::string_view previous_hash);

struct LedgerHead {
  std::string id;
  std::uint64_t records = 0;
  std::string hash;
};

std::string format_head(const LedgerHead& head);

// The inverse; Failure::bad_input for any text that format_head cannot have written.
Result<LedgerHead> parse_head(std::string_view text);

// The number that `digits` begins with; 0 if there is none or it needs more than 64 bits.
std::uint64_t leading_number(std::string_view digits);

// True for exactly `digits` lower-case hex digits.
bool is_hex(std::string_view text, std::size_t digits);

// One word of at most 64 printable ASCII characters: others, blanks too, become '_', and nothing becomes "-".
std::string one_word(std::string_view text);

struct LedgerChain {
  std::vector<LedgerRecord> records;
  Ticks spent = 0;     // everything ever reserved: committed, open, aborted, or torn by a crash; spent + left = budget
  Ticks reserved = 0;  // the part of `spent` that no COMMIT has ended
  std::map<std::uint64_t, Ticks> open;  // reservations neither committed nor aborted, by number

  // What the next append writes before its own record (empty if the file ends well), and what it continues from.
  std::string mend;
  Ticks torn = 0;  // counted in `spent` for a torn end that is not mended yet
  std::uint64_t next_number = 1;
  std::string next_previous = std::string(64, '0');

  std::optional<PeriodAccount> periods;  // of format 3; `spent` is then the sum over all periods

  bool unlimited() const { return periods && records.front().ticks == 0; }
  Ticks budget() const { return unlimited() ? ~Ticks{0} / 2 : records.front().ticks; }
  Ticks left() const { return spent < budget() ? budget() - spent : 0; }
  LedgerHead head() const { return {records.front().note, records.size(), records.back().hash}; }
};

// Verifies `text`. On success there is at least the GENESIS record and spent <= budget. Otherwise Failure::privacy;
// `path` is for the message.
Result<LedgerChain> read_chain(std::string_view text, const std::string& path);

}  // namespace stopover
