#include "publish/unfinished_period.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace stopover {
namespace {

bool is_of(const LedgerRecord& record, const Period& period) {
  const std::optional<PeriodRange> at = record.at();
  return at && at->size() == 1 && at->first == period;
}

std::string release_of(const LedgerRecord& record) {
  const auto release = record.words.find("release");
  return release == record.words.end() ? "" : release->second;
}

}  // namespace

std::string partial_folder(const std::string& output, const std::string& ledger_id) {
  return fmt::format("{}/.{}.partial-{}", parent_directory(output), std::filesystem::path(output).filename().string(),
                     ledger_id);
}

// A run may have reserved twice, with the same time: for a total first. Where older runs for the same period are open
// as well, the folder is that of the last one.
std::vector<LedgerRecord> fallen_in(const std::string& place, const LedgerChain& chain, FileSystem& files) {
  std::vector<LedgerRecord> fallen;
  for (const auto& [number, ticks] : chain.open) {
    const LedgerRecord& record = chain.records[number - 1];
    const std::optional<PeriodRange> at = record.at();
    const std::string release = release_of(record);
    if (!at || at->size() > 1 || release.empty()) continue;
    const LedgerRecord* last = unfinished(chain, at->first);
    if (last->time != record.time || release_of(*last) != release) continue;
    if (files.exists(partial_folder(place + "/" + release, chain.head().id))) fallen.push_back(record);
  }
  return fallen;
}

const LedgerRecord* unfinished(const LedgerChain& chain, const Period& period,
                               const std::vector<LedgerRecord>& fallen) {
  const auto fell = [&](std::uint64_t number) {
    return std::any_of(fallen.begin(), fallen.end(), [&](const LedgerRecord& r) { return r.number == number; });
  };
  for (auto open = chain.open.rbegin(); open != chain.open.rend(); ++open) {
    const LedgerRecord& record = chain.records[open->first - 1];
    if (is_of(record, period) && !fell(record.number)) return &record;
  }
  return nullptr;
}

Status check_finished(const LedgerChain& chain, const std::string& ledger, const Period& period,
                      const std::vector<LedgerRecord>& fallen) {
  const LedgerRecord* open = unfinished(chain, period, fallen);
  if (open == nullptr) return {};
  const std::string release = release_of(*open);
  return Error{Failure::privacy,
               fmt::format("{}: the run that reserved for it did not end, so its release may be out\n  {} has it as "
                           "record {}{}. No period is opened again. If that release\n  is there, `append` with its "
                           "folder as `output` makes up for the record; else name other periods.",
                           period.name(), ledger, open->number, release.empty() ? "" : fmt::format(" ({})", release))};
}

}  // namespace stopover
