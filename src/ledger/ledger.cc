#include "ledger/ledger.h"

#include <fmt/format.h>

namespace stopover {
namespace {

template <typename... Values>
Error refused(fmt::format_string<Values...> text, Values&&... values) {
  return {Failure::privacy, fmt::format(text, std::forward<Values>(values)...)};
}

// Complete and durable under another name first: a ledger without its GENESIS record is never seen.
Status make_ledger(FileSystem& files, const std::string& path, std::optional<Ticks> budget) {
  if (!budget || *budget == 0 || *budget > kMaxTicks) {
    constexpr std::string_view kWhy =
        "It is all that these people will ever be charged. Give it once, as in --budget 1.";
    return Error{Failure::usage, fmt::format("--budget is required: the ledger {} is new\n  {}", path, kWhy)};
  }
  LedgerRecord genesis{RecordKind::genesis, 1, *budget, 1, "-", files.fresh_id()};
  const std::string unborn = path + ".new-" + genesis.note;
  Status made = files.write_file(unborn, encode_record(genesis, LedgerChain().next_previous));
  if (made) made = files.rename(unborn, path);
  if (made) return made;
  (void)files.remove_tree(unborn);
  if (made.error().failure == Failure::output_exists) return {};  // another process was first: open its ledger
  return passed_on(made.error(), {Failure::bad_input,
                                  fmt::format("cannot make the ledger {}\n  {}", path, made.error().message)});
}

}  // namespace

Result<Ledger> Ledger::open(FileSystem& files, const std::string& path, std::optional<Ticks> budget,
                            const std::string& state_dir) {
  if (!files.exists(path)) {
    if (Status s = make_ledger(files, path, budget); !s) return s.error();
  }
  Ledger ledger(files, path, state_dir);
  Result<std::unique_ptr<AppendFile>> file = files.open_append(path);
  if (!file) return file.error();
  ledger.file_ = std::move(*file);
  if (Status s = ledger.load(ledger.file_->read()); !s) return s.error();
  if (budget && *budget != ledger.chain_.budget()) {
    const std::string own = format_epsilon(ledger.chain_.budget());
    return refused("the budget of {} is {}, not {}\n  It is promised for good: leave --budget out, or give {}.", path,
                   own, format_epsilon(*budget), own);
  }
  // What was read may be the unsynced work of a process that died: make it durable before anything builds on it.
  Status durable = ledger.file_->sync();
  if (durable) durable = files.fsync_dir(parent_directory(path));
  if (durable) durable = ledger.keep_head();
  if (durable) return ledger;
  return passed_on(durable.error(), refused("the ledger {} cannot be used\n  {}", path, durable.error().message));
}

Result<LedgerChain> Ledger::read(FileSystem& files, const std::string& path, const std::string& state_dir) {
  Ledger ledger(files, path, state_dir);
  Status loaded = ledger.load(files.read_file(path));
  if (!loaded) loaded = ledger.load(files.read_file(path));  // a writer may have come between ledger and kept head
  if (!loaded) return loaded.error();
  return ledger.chain_;
}

Status Ledger::load(Result<std::string> text) {
  if (!text) return text.error();
  text_ = *text;
  const Result<LedgerChain> chain = read_chain(text_, path_);
  if (!chain) return chain.error();
  chain_ = *chain;
  const std::string kept = state_dir_ + "/heads/" + head().id;
  if (state_dir_.empty() || !files_->exists(kept)) return {};
  text = files_->read_file(kept);
  if (!text) return text.error();
  const Result<LedgerHead> head = parse_head(std::string_view(*text).substr(0, text->find('\n')));
  if (head) return witness(*head, kept);
  return refused("{} is damaged\n  If you are sure that {} is the newest ledger, delete that file.", kept, path_);
}

Status Ledger::keep_head() {
  if (state_dir_.empty()) return {};
  const std::string path = state_dir_ + "/heads/" + head().id;
  Status kept = files_->make_directory(parent_directory(path));
  if (kept) kept = files_->write_file(path + ".new", format_head(head()) + "\n");
  if (kept) kept = files_->replace(path + ".new", path);
  if (kept) return kept;
  return passed_on(kept.error(), refused("{}\n  Make it writable, or set XDG_STATE_HOME.", kept.error().message));
}

Result<Reservation> Ledger::reserve(Ticks ticks, std::string_view purpose, std::string_view time) {
  if (ticks == 0) return Error{Failure::usage, "epsilon must be above 0"};
  if (ticks > chain_.left()) {
    const std::string left = format_epsilon(chain_.left());
    return refused(
        "epsilon {} is more than the ledger {} has left: {} of {}\n"
        "  What is spent stays spent: at most epsilon {} more can be published about these people.",
        format_epsilon(ticks), path_, left, format_epsilon(chain_.budget()), left);
  }
  if (Status s = append({RecordKind::reserve, 0, ticks, 0, one_word(time), one_word(purpose)}); !s) return s.error();
  return chain_.records.back();
}

Status Ledger::commit(const Reservation& reservation, std::string_view content_sha256) {
  STOPOVER_CHECK(is_hex(content_sha256, 64), "a ledger commit takes a SHA-256");
  return append({RecordKind::commit, 0, 0, reservation.number, "-", std::string(content_sha256)});
}

Status Ledger::abort(const Reservation& reservation) { return append({RecordKind::abort, 0, 0, reservation.number}); }

Status Ledger::witness(const LedgerHead& seen, std::string_view where) const {
  if (seen.id != head().id) {
    return refused("{} was paid from another ledger than {}\n  Give ledger {}, or leave that --witness out.", where,
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
  Status written = file_->append(bytes);
  if (written) written = file_->sync();
  if (!written) {
    return passed_on(written.error(), refused("the ledger {} could not be written\n  {}\n  Make room and start again: "
                                              "the epsilon may be spent.", path_, written.error().message));
  }
  text_ += bytes;
  chain_ = *next;
  if (Status s = keep_head(); !s) return s;
  failed_ = false;
  return {};
}

}  // namespace stopover
