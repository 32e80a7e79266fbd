#include "ledger/ledger_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "disk/sha256.h"

namespace stopover {
namespace {

constexpr std::array<std::string_view, 6> kKindNames = {"GENESIS", "RESERVE", "COMMIT", "ABORT", "REPAIR", "CLOSE"};
constexpr std::array<std::string_view, 4> kReserveWords = {"at", "comment", "nonce", "release"};
constexpr std::string_view kTorn = " TORN\n";
constexpr std::uint64_t kFormat = 3;

std::string escaped(std::string_view text) {
  std::string word;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte == 127) {
      word += '_';
    } else if (byte == ' ' || byte == '%' || byte > 127) {
      word += fmt::format("%{:02X}", byte);
    } else {
      word += c;
    }
  }
  return word;
}

std::string unescaped(std::string_view word) {
  std::string text;
  for (std::size_t i = 0; i < word.size(); ++i) {
    int byte = word[i];
    if (byte == '%' && i + 2 < word.size()) std::from_chars(&word[i + 1], &word[i] + 3, byte, 16);
    text += static_cast<char>(byte);
    if (word[i] == '%') i += 2;
  }
  return text;
}

bool has_later_words(const LedgerRecord& record) {
  if (record.kind == RecordKind::genesis && record.ref == kFormat) return !PeriodRule::of(record.words);
  if (record.kind == RecordKind::genesis && record.ref > kFormat) return true;
  if (record.kind == RecordKind::repair) return record.words.size() > record.words.count("at");
  if (record.kind != RecordKind::reserve) return !record.words.empty();
  return std::any_of(record.words.begin(), record.words.end(), [](const auto& word) {
    return std::find(kReserveWords.begin(), kReserveWords.end(), word.first) == kReserveWords.end();
  });
}

// Format 1 knows none.
bool has_its_nonce(const LedgerChain& chain, const LedgerRecord& record) {
  const auto nonce = record.words.find("nonce");
  return nonce == record.words.end() ? chain.records.front().ref == 1 : is_hex(nonce->second, 32);
}

// What a repair finds may be more than is left of a period: two copies of the ledger spent at once.
bool charge(LedgerChain& chain, const LedgerRecord& record) {
  const std::optional<PeriodRange> at = record.at();
  if (record.ticks == 0) return true;
  if (at.has_value() != chain.periods.has_value()) return false;
  const bool repair = record.kind == RecordKind::repair;
  if (at && !repair && chain.periods->objection(*at, record.ticks)) return false;
  const Ticks all = record.ticks * static_cast<Ticks>(at ? at->size() : 1);
  if (all > chain.left() && !(at && repair)) return false;
  if (at) chain.periods->charge(*at, record.ticks);
  chain.spent += all;
  chain.reserved += all;
  if (!repair) chain.open[record.number] = all;
  return true;
}

// False: well hashed, but nothing that a ledger of this program holds.
bool add(LedgerChain& chain, const LedgerRecord& record) {
  const bool first = record.kind == RecordKind::genesis;
  if (record.number != chain.next_number || first != chain.records.empty() || has_later_words(record)) return false;
  if (first && (record.ref == 0 || record.ticks > kMaxTicks || !is_hex(record.note, 32))) return false;
  if (first && record.ref == kFormat) chain.periods = PeriodAccount{*PeriodRule::of(record.words), {}, {}};
  if (first && record.ticks == 0 && !chain.periods) return false;
  if (record.kind == RecordKind::reserve && (record.ticks == 0 || !has_its_nonce(chain, record))) return false;
  if (!first && !charge(chain, record)) return false;
  const bool closes = record.kind == RecordKind::close;
  if (closes || record.kind == RecordKind::commit || record.kind == RecordKind::abort) {
    const auto reservation = chain.open.find(record.ref);
    if (reservation == chain.open.end() || record.ticks != 0 || (closes && !chain.periods)) return false;
    if (record.kind != RecordKind::abort) chain.reserved -= reservation->second;
    chain.open.erase(reservation);
    if (closes) chain.periods->closed.insert(chain.records[record.ref - 1].at()->first);
  }
  chain.records.push_back(record);
  chain.next_number = record.number + 1;
  chain.next_previous = record.hash;
  return true;
}

// A reservation that does not fit was not begun by this program.
Ticks legible_ticks(const LedgerChain& chain, std::string_view torn) {
  const std::string start = fmt::format("{} RESERVE ticks=", chain.next_number);
  if (!torn.starts_with(start) || torn.find(' ', start.size()) == std::string_view::npos) return 0;
  const Ticks ticks = leading_number(torn.substr(start.size()));
  return ticks <= chain.left() ? ticks : 0;
}

LedgerRecord repair_of(const LedgerChain& chain, std::string_view torn) {
  LedgerRecord repair{RecordKind::repair, chain.next_number, legible_ticks(chain, torn), 0, "-", sha256_of(torn)};
  if (!chain.periods || repair.ticks == 0) return repair;
  const std::size_t from = std::min(torn.size(), torn.find(" at=") + 4), to = torn.find(' ', from);
  const auto at = to == std::string_view::npos ? std::nullopt : parse_period_range(torn.substr(from, to - from));
  if (at && at->first.kind == chain.periods->rule.kind) {
    repair.words["at"] = at->name();
  } else {
    repair.ticks = 0;
  }
  return repair;
}

bool lost_its_newline(const LedgerChain& chain, std::string_view torn) {
  const std::size_t end = torn.find(" hash=") + 6 + 64;
  return end < torn.size() && torn[end] != '\0' && decode_record(torn.substr(0, end), chain.next_previous);
}

// `text` from `at` on is not a record: steps over a repaired torn end, or the torn end of the file. False: it is
// neither.
bool step_over_torn(LedgerChain& chain, std::string_view text, std::size_t& at) {
  const std::size_t start = at;
  if (lost_its_newline(chain, text.substr(start))) return false;
  for (std::size_t newline = text.find('\n', at); newline != std::string_view::npos; newline = text.find('\n', at)) {
    std::string_view torn = text.substr(start, newline + 1 - start);
    if (!torn.ends_with(kTorn)) return false;
    torn.remove_suffix(kTorn.size());
    at = newline + 1;
    LedgerRecord repair = repair_of(chain, torn);
    const std::string line = encode_record(repair, chain.next_previous);
    if (!text.substr(at).starts_with(line)) continue;
    at += line.size();
    return add(chain, repair);
  }
  LedgerRecord repair = repair_of(chain, text.substr(start));
  chain.mend = std::string(kTorn) + encode_record(repair, chain.next_previous);
  chain.next_number = repair.number + 1;
  chain.next_previous = repair.hash;
  chain.torn = repair.ticks;
  at = text.size();
  return charge(chain, repair);
}

// Reads on from `at`, which ends where something is wrong.
bool read_records(LedgerChain& chain, std::string_view text, std::size_t& at) {
  while (at < text.size()) {
    const std::size_t newline = std::min(text.size(), text.find('\n', at));
    if (const auto record = decode_record(text.substr(at, newline - at), chain.next_previous)) {
      if (!add(chain, *record)) return false;
      if (newline == text.size()) chain.mend.assign(1, '\n');
      at = newline + 1;
    } else if (chain.records.empty() || !step_over_torn(chain, text, at)) {
      return false;
    }
  }
  return !chain.records.empty();
}

}  // namespace

std::optional<PeriodRange> LedgerRecord::at() const {
  const auto word = words.find("at");
  return word == words.end() ? std::nullopt : parse_period_range(word->second);
}

std::string_view kind_name(RecordKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

std::string encode_record(LedgerRecord& record, std::string_view previous_hash) {
  std::string body = fmt::format("{} {} ticks={} ref={} time={} note={}", record.number, kind_name(record.kind),
                                 record.ticks, record.ref, record.time, record.note);
  for (const auto& [name, text] : record.words) body += fmt::format(" {}={}", name, escaped(text));
  record.hash = sha256_of(fmt::format("{} {}", previous_hash, body));
  return fmt::format("{} hash={}\n", body, record.hash);
}

std::optional<LedgerRecord> decode_record(std::string_view line, std::string_view previous_hash) {
  std::array<std::string_view, 6> words;
  std::string_view rest = line;
  const auto next_word = [&] {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    return word;
  };
  for (std::string_view& word : words) {
    word = next_word();
    word.remove_prefix(word.find('=') + 1);  // npos + 1 is 0
  }
  const auto kind = std::find(kKindNames.begin(), kKindNames.end(), words[1]);
  if (kind == kKindNames.end()) return std::nullopt;
  LedgerRecord record{static_cast<RecordKind>(kind - kKindNames.begin()), leading_number(words[0])};
  record.ticks = leading_number(words[2]);
  record.ref = leading_number(words[3]);
  record.time = words[4];
  record.note = words[5];
  while (!rest.empty() && !rest.starts_with("hash=")) {
    const std::string_view word = next_word();
    const std::size_t equals = std::min(word.size(), word.find('='));
    record.words.emplace(word.substr(0, equals), unescaped(word.substr(std::min(word.size(), equals + 1))));
  }
  const std::string written = encode_record(record, previous_hash);
  if (line != std::string_view(written).substr(0, written.size() - 1)) return std::nullopt;
  return record;
}

std::string format_head(const LedgerHead& head) { return fmt::format("{}:{}:{}", head.id, head.records, head.hash); }

Result<LedgerHead> parse_head(std::string_view text) {
  const std::size_t colon = std::min(text.size(), text.find(':'));
  LedgerHead head{std::string(text.substr(0, colon)), 0, ""};
  head.records = leading_number(text.substr(std::min(text.size(), colon + 1)));
  head.hash = text.substr(text.rfind(':') + 1);
  if (is_hex(head.id, 32) && is_hex(head.hash, 64) && head.records > 0 && format_head(head) == text) return head;
  return Error{Failure::bad_input, fmt::format("\"{}\" is not a ledger head", one_word(text))};
}

std::uint64_t leading_number(std::string_view digits) {
  std::uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

bool is_hex(std::string_view text, std::size_t digits) {
  return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string one_word(std::string_view text) {
  std::string word(text.substr(0, 64));
  for (char& c : word) c = c > ' ' && c <= '~' ? c : '_';
  return word.empty() ? "-" : word;
}

Result<LedgerChain> read_chain(std::string_view text, const std::string& path) {
  LedgerChain chain;
  std::size_t at = 0;
  if (read_records(chain, text, at)) return chain;
  const std::size_t number = 1 + std::count(text.begin(), text.begin() + at, '\n');
  const std::string_view line = text.substr(at, std::min(text.size(), text.find('\n', at)) - at);
  if (const auto record = decode_record(line, chain.next_previous); record && has_later_words(*record)) {
    constexpr std::string_view kWhy = "holds what this one does not know. Use that version.";
    return Error{
        Failure::privacy,
        fmt::format("the ledger {} was written by a newer version of this program\n  Line {} {}", path, number, kWhy)};
  }
  return Error{
      Failure::privacy,
      fmt::format("the ledger {} is corrupt: line {} is not what was written there\n"
                  "  What was spent can no longer be known from it.\n  Put back your newest copy of it and name your "
                  "latest releases with `witnesses RELEASE.odr`: a copy too old is then noticed.",
                  path, number)};
}

}  // namespace stopover
