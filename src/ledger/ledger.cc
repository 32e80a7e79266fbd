#include "ledger/ledger.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/disk_full.h"

namespace stopover {
namespace {

constexpr std::string_view kOtherFolder = "Make that folder writable, or name another one: `state FOLDER`.";

template <typename... Values>
Error refused(fmt::format_string<Values...> text, Values&&... values) {
  return {Failure::privacy, fmt::format(text, std::forward<Values>(values)...)};
}

// Complete and durable under another name first: a ledger without its GENESIS record is never seen.
Status make_ledger(FileSystem& files, const std::string& path, std::optional<Ticks> budget,
                   const std::optional<PeriodRule>& rule) {
  if (rule && rule->each == 0) {
    return Error{Failure::usage,
                 fmt::format("`budget_per_period` is required: the ledger {} is new\n  It is all that "
                             "may ever be spent on one {}. Give it once, as in `budget_per_period 0.5`.",
                             path, to_string(rule->kind))};
  }
  if (!rule && (!budget || *budget == 0 || *budget > kMaxTicks)) {
    constexpr std::string_view kWhy =
        "It is all that these people will ever be charged. Give it once, as in `budget 1`.";
    return Error{Failure::usage, fmt::format("`budget` is required: the ledger {} is new\n  {}", path, kWhy)};
  }
  LedgerRecord genesis{RecordKind::genesis, 1, budget.value_or(0), rule ? 3U : 2U, "-", files.fresh_id()};
  if (rule) genesis.words = rule->words();
  const std::string unborn = path + ".new-" + genesis.note;
  Status made = files.write_file(unborn, encode_record(genesis, LedgerChain().next_previous));
  if (made) made = files.rename(unborn, path);
  if (made) return made;
  (void)files.remove_tree(unborn);
  if (made.error().failure == Failure::output_exists) return {};  // another process was first: open its ledger
  return passed_on(made.error(),
                   {Failure::bad_input, fmt::format("cannot make the ledger {}\n  {}", path, made.error().message)});
}

// What stands below a kept head while a reservation is under way.
std::string intent_of(const LedgerRecord& record) {
  const std::optional<PeriodRange> at = record.at();
  return fmt::format("{} {} {}{}\n", record.number, record.ticks, at ? at->name() + " " : "", record.hash);
}

std::optional<LedgerRecord> parse_intent(const std::string& text) {
  LedgerRecord record{RecordKind::reserve, leading_number(text)};
  record.ticks = leading_number(std::string_view(text).substr(std::min(text.size(), text.find(' ') + 1)));
  record.hash = text.substr(std::min(text.size(), text.rfind(' ') + 1), 64);
  const std::size_t ticks_end = text.find(' ', text.find(' ') + 1), last = text.rfind(' ');
  if (last != std::string::npos && ticks_end < last)
    record.words["at"] = text.substr(ticks_end + 1, last - ticks_end - 1);
  if (record.words.contains("at") && !record.at()) return std::nullopt;
  if (is_hex(record.hash, 64) && intent_of(record) == text) return record;
  return std::nullopt;
}

}  // namespace

Result<Ledger> Ledger::open(FileSystem& files, const std::string& path, std::optional<Ticks> budget,
                            const std::string& state_dir, const std::optional<PeriodRule>& rule) {
  if (!files.exists(path)) {
    if (Status s = make_ledger(files, path, budget, rule); !s) return s.error();
  }
  Ledger ledger(files, path, state_dir);
  Result<std::unique_ptr<AppendFile>> file = files.open_append(path);
  if (!file) return file.error();
  ledger.file_ = std::move(*file);
  Status loaded = ledger.load(ledger.file_->read());
  if (loaded) loaded = ledger.lock_copies();
  if (loaded) loaded = ledger.compare_head();
  if (loaded && rule) loaded = check_rule(ledger.chain_, path, *rule);
  if (!loaded) return loaded.error();
  if (budget && *budget != ledger.chain_.budget()) {
    const std::string own = ledger.chain_.unlimited() ? "no limit" : format_epsilon(ledger.chain_.budget());
    return refused("the budget of {} is {}, not {}\n  It is promised for good: leave `budget` out, or give {}.", path,
                   own, format_epsilon(*budget), own);
  }
  // What was read may be the unsynced work of a process that died: make it durable before anything builds on it.
  Status durable = ledger.file_->sync();
  if (durable) durable = files.fsync_dir(parent_directory(path));
  if (durable) durable = ledger.settle_intent();
  if (durable) return ledger;
  return passed_on(durable.error(), refused("the ledger {} cannot be used\n  {}", path, durable.error().message));
}

Result<LedgerChain> Ledger::read(FileSystem& files, const std::string& path, const std::string& state_dir) {
  Ledger ledger(files, path, state_dir);
  Status loaded;
  for (int i = 0; i < 2; ++i) {  // a writer may have come between ledger and kept head
    loaded = ledger.load(files.read_file(path));
    if (loaded) loaded = ledger.compare_head();
    if (loaded) return ledger.chain_;
  }
  return loaded.error();
}

Status Ledger::load(Result<std::string> text) {
  if (!text) return text.error();
  text_ = *text;
  const Result<LedgerChain> chain = read_chain(text_, path_);
  if (!chain) return chain.error();
  chain_ = *chain;
  return {};
}

Status Ledger::lock_copies() {
  if (state_dir_.empty()) return {};
  const std::string path = kept_path() + ".lock";
  Status made = files_->make_directory(parent_directory(path));
  if (made && !files_->exists(path)) made = files_->write_file(path, "");
  if (!made) return passed_on(made.error(), refused("{}\n  {}", made.error().message, kOtherFolder));
  Result<std::unique_ptr<AppendFile>> lock = files_->open_append(path);
  if (lock) {
    copies_lock_ = std::move(*lock);
    // The names of folders just made, up to one that cannot be synced: that one was there before.
    for (std::string at = path; at != parent_directory(at) && files_->fsync_dir(parent_directory(at));) {
      at = parent_directory(at);
    }
    return {};
  }
  if (lock.error().failure != Failure::locked) return refused("{}\n  {}", lock.error().message, kOtherFolder);
  return Error{Failure::locked, fmt::format("a copy of {} is locked by another process\n  Wait until that one has "
                                            "ended (`wait 60`), then use the copy that it has written.",
                                            path_)};
}

Status Ledger::compare_head() {
  kept_.clear();
  if (state_dir_.empty() || !files_->exists(kept_path())) return {};
  const Result<std::string> text = files_->read_file(kept_path());
  if (!text) return text.error();
  kept_ = *text;
  const std::size_t line = std::min(kept_.size(), kept_.find('\n') + 1);
  const Result<LedgerHead> head = parse_head(std::string_view(kept_).substr(0, kept_.find('\n')));
  if (head && (line == kept_.size() || parse_intent(kept_.substr(line)))) return witness(*head, kept_path());
  return refused("{} is damaged\n  If you are sure that {} is the newest ledger, delete that file.", kept_path(),
                 path_);
}

// Compare and swap: what is there must be what this object read or wrote last.
Status Ledger::keep_head(const std::string& intent) {
  if (state_dir_.empty()) return {};
  const std::string path = kept_path();
  const Result<std::string> now = files_->exists(path) ? files_->read_file(path) : Result<std::string>("");
  if (now && *now != kept_) {
    return refused("{} was changed while {} was open\n  A copy of this ledger was used at the same time. Start again.",
                   path, path_);
  }
  const std::string content = format_head(head()) + "\n" + intent;
  Status kept = now ? files_->write_file(path + ".new", content) : now.error();
  if (kept) kept = files_->replace(path + ".new", path);
  if (kept) kept = files_->fsync_dir(parent_directory(path));
  if (!kept) return passed_on(kept.error(), refused("{}\n  {}", kept.error().message, kOtherFolder));
  kept_ = content;
  return {};
}

Status Ledger::settle_intent() {
  const auto intent = parse_intent(kept_.substr(std::min(kept_.size(), kept_.find('\n') + 1)));
  const auto holds_it = [&](const LedgerRecord& r) { return r.hash == intent->hash || r.note == intent->hash; };
  if (!intent || std::any_of(chain_.records.begin(), chain_.records.end(), holds_it)) return keep_head();
  const bool torn_here = chain_.torn == intent->ticks && chain_.next_number == intent->number + 1;
  if (torn_here) return keep_head();
  LedgerRecord repair{RecordKind::repair, 0, intent->ticks, 0, "-", intent->hash};
  if (!chain_.periods) repair.ticks = std::min(intent->ticks, chain_.left());
  repair.words = intent->words;
  return append(repair);
}

Result<Reservation> Ledger::reserve(Ticks ticks, std::string_view purpose, std::string_view time,
                                    std::string_view release, std::string_view comment,
                                    const std::optional<PeriodRange>& at) {
  if (Status s = may_reserve(chain_, path_, ticks, at); !s) return s.error();
  LedgerRecord record{RecordKind::reserve, 0, ticks, 0, one_word(time), one_word(purpose)};
  if (at) record.words["at"] = at->name();
  record.words["nonce"] = files_->fresh_id();
  if (!release.empty()) record.words["release"] = release;
  if (!comment.empty()) record.words["comment"] = comment;
  if (Status s = append(record); !s) return s.error();
  return chain_.records.back();
}

Status Ledger::commit(const Reservation& reservation, std::string_view content_sha256) {
  STOPOVER_CHECK(is_hex(content_sha256, 64), "a ledger commit takes a SHA-256");
  return append({RecordKind::commit, 0, 0, reservation.number, "-", std::string(content_sha256)});
}

Status Ledger::close(const Reservation& reservation, std::string_view content_sha256) {
  STOPOVER_CHECK(is_hex(content_sha256, 64) && reservation.at() && reservation.at()->size() == 1,
                 "a period is closed by its own release");
  return append({RecordKind::close, 0, 0, reservation.number, "-", std::string(content_sha256)});
}

Status Ledger::abort(const Reservation& reservation) { return append({RecordKind::abort, 0, 0, reservation.number}); }

Status Ledger::witness(const LedgerHead& seen, std::string_view where) const {
  if (seen.id != head().id) {
    return refused("{} was paid from another ledger than {}\n  Give ledger {}, or leave that `witnesses` out.", where,
                   path_, seen.id);
  }
  const std::size_t last = chain_.records.size();
  if (seen.records > 0 && seen.records <= last && chain_.records[seen.records - 1].hash == seen.hash) return {};
  return refused(
      "the ledger {} was rolled back, or is a copy that went its own way\n"
      "  {} has seen its record {} with hash {:.12}..., which is not among the {} here.\n"
      "  Use the newest ledger file: this one has forgotten what was spent since it was copied.",
      path_, where, seen.records, seen.hash, last);
}

Status Ledger::append(LedgerRecord record) {
  if (failed_) return refused("the ledger {} is closed after a failed write\n  Start again.", path_);
  record.number = chain_.next_number;
  const std::string bytes = chain_.mend + encode_record(record, chain_.next_previous);
  const Result<LedgerChain> next = read_chain(text_ + bytes, path_);  // never write what would not be read back
  if (!next) return Error{Failure::internal, fmt::format("reservation {} is not open in {}", record.ref, path_)};
  failed_ = true;
  if (record.kind == RecordKind::reserve) {
    if (Status s = keep_head(intent_of(record)); !s) return s;
  }
  Status written = file_->append(bytes);
  if (written) written = file_->sync();
  if (!written) {
    const Result<std::string> now = file_->read();
    if (now && *now == text_) (void)keep_head();  // not a byte of it arrived: there is no intent any more
    return passed_on(written.error(), refused("the ledger {} could not be written\n  {}\n  Make room and start again: "
                                              "the epsilon may be spent.",
                                              path_, written.error().message));
  }
  text_ += bytes;
  chain_ = *next;
  if (Status s = keep_head(); !s) return s;
  failed_ = false;
  return {};
}

Status check_rule(const LedgerChain& chain, const std::string& path, const PeriodRule& rule) {
  if (!chain.periods) {
    return refused(
        "the ledger {} has one budget for all time, not one for each {}\n  What it has spent cannot be told "
        "apart by {}s. Begin another one for the series, and let what is\n  left here be its `budget`.",
        path, to_string(rule.kind), to_string(rule.kind));
  }
  PeriodRule asked = rule;
  const PeriodRule& own = chain.periods->rule;
  if (asked.each == 0) asked.each = own.each;
  if (asked.year == 0) asked.year = own.year;
  if (asked == own) return {};
  return refused(
      "the ledger {} was begun with other terms\n  They are promised for good: `period {}`, `timezone {}`, `unit {}`, "
      "`budget_per_period {}`{}.",
      path, to_string(own.kind), own.timezone, own.unit, format_epsilon(own.each),
      own.year > 0 ? fmt::format(", `budget_per_year {}`", format_epsilon(own.year)) : ", no `budget_per_year`");
}

Status may_reserve(const LedgerChain& chain, const std::string& path, Ticks ticks,
                   const std::optional<PeriodRange>& at) {
  if (ticks == 0) return Error{Failure::usage, "epsilon must be above 0"};
  if (at.has_value() != chain.periods.has_value()) {
    return refused("the ledger {} has {}", path,
                   at ? "one budget for all time, not one for each period"
                      : fmt::format("a budget for each {}, so say which are published\n  With `period`, or for one "
                                    "release of them all `one_release`.",
                                    to_string(chain.periods->rule.kind)));
  }
  if (at) {
    if (const std::optional<std::string> why = chain.periods->objection(*at, ticks)) {
      return refused(
          "epsilon {} for {} is more than the ledger {} allows: {}\n  What is spent stays spent. What may be "
          "spent when: `stopover ledger` with `calendar`.",
          format_epsilon(ticks), at->name(), path, *why);
    }
    ticks *= static_cast<Ticks>(at->size());
  }
  if (ticks > chain.left()) {
    const std::string left = format_epsilon(chain.left());
    return refused(
        "epsilon {} is more than the ledger {} has left: {} of {}\n"
        "  What is spent stays spent: at most epsilon {} more can be published about these people.",
        format_epsilon(ticks), path, left, format_epsilon(chain.budget()), left);
  }
  return {};
}

}  // namespace stopover
