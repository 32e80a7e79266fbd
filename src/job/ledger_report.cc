#include "ledger/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "geo/json_fwd.h"
#include "job/reports.h"

namespace stopover {
namespace {

std::string outcome_of(const LedgerChain& chain, const LedgerRecord& reserve) {
  for (const LedgerRecord& r : chain.records) {
    if (r.ref != reserve.number) continue;
    if (r.kind == RecordKind::commit) return fmt::format("published {:.12}", r.note);
    if (r.kind == RecordKind::abort) return "failed, but spent";
  }
  return "not finished, but spent";
}

// 2025-03-01T09:30:00Z as 2025-03-01 09:30
std::string minute_text(std::string time) {
  if (time.size() != 20) return time;
  time[10] = ' ';
  return time.substr(0, 16);
}

}  // namespace

std::string ledger_json(const LedgerChain& chain) {
  Json records = Json::array();
  for (const LedgerRecord& r : chain.records) {
    Json record = {{"number", r.number}, {"kind", kind_name(r.kind)}};
    if (r.ticks > 0) record["epsilon"] = format_epsilon(r.ticks);
    if (r.kind == RecordKind::commit || r.kind == RecordKind::abort) record["of"] = r.ref;
    if (r.time != "-") record["time"] = r.time;
    if (r.kind == RecordKind::genesis) record["id"] = r.note;
    if (r.kind == RecordKind::reserve) record["mechanism"] = r.note;
    for (const auto& [word, name] : {std::pair{"release", "release"}, std::pair{"comment", "note"}}) {
      if (const auto said = r.words.find(word); said != r.words.end()) record[name] = said->second;
    }
    if (r.kind == RecordKind::commit) record["content_sha256"] = r.note;
    record["hash"] = r.hash;
    records.push_back(record);
  }
  return Json{{"budget", format_epsilon(chain.budget())},
              {"spent", format_epsilon(chain.spent)},
              {"reserved", format_epsilon(chain.reserved)},
              {"left", format_epsilon(chain.left())},
              {"records", records}}
      .dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string ledger_text(const std::string& path, const LedgerChain& chain, const Paper& paper) {
  std::string text = fmt::format("{}\n\n  budget  {:>11}\n  spent   {:>11}", paper.paint(Tone::strong, path),
                                 format_epsilon(chain.budget()), format_epsilon(chain.spent));
  if (chain.reserved > 0) text += fmt::format("   of which {} without a release", format_epsilon(chain.reserved));
  text += fmt::format("\n  left    {:>11}\n", paper.paint(chain.left() > 0 ? Tone::good : Tone::bad,
                                                          fmt::format("{:>11}", format_epsilon(chain.left()))));
  bool headed = false;
  for (const LedgerRecord& r : chain.records) {
    if (r.ticks == 0 || r.kind == RecordKind::genesis) continue;
    if (!headed)
      text +=
          fmt::format("\n  {:>4}  {:<16}  {:>11}  {:<15}  {}\n", "no", "when (UTC)", "epsilon", "mechanism", "outcome");
    headed = true;
    const bool torn = r.kind == RecordKind::repair;
    text += fmt::format("  {:>4}  {:<16}  {:>11}  {:<15}  {}\n", r.number, minute_text(r.time), format_epsilon(r.ticks),
                        torn ? "-" : r.note, torn ? "cut by a crash, but spent" : outcome_of(chain, r));
    for (const char* word : {"release", "comment"}) {
      if (const auto said = r.words.find(word); said != r.words.end())
        text += "        " + wrapped(said->second, 80, 8) + "\n";
    }
  }
  text.pop_back();
  return text;
}

}  // namespace stopover
