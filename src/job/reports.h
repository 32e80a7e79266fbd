// What commands tell about things that are there already: as JSON, and as a page of 80 columns for people. Python shows
// the same.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "ledger/ledger.h"
#include "mechanism/mechanism.h"
#include "release/release.h"
#include "text/paper.h"
#include "trust/release_papers.h"

namespace stopover {

std::string ledger_json(const LedgerChain& chain);  // of periods: with the calendar
std::string ledger_text(const std::string& path, const LedgerChain& chain, const Paper& paper);
// Of a ledger of periods, what was spent on each and what may be, for a year to come. Fails (usage) for others.
Result<std::string> calendar_json(const std::string& path, const LedgerChain& chain);
Result<std::string> calendar_text(const std::string& path, const LedgerChain& chain, const Paper& paper);

std::string mechanisms_json(std::span<const Mechanism* const> mechanisms);
std::string mechanism_text(const Mechanism& mechanism, const Paper& paper);

// `content`: the release's content_sha256.
std::string info_json(const Release& release, const std::string& content, const ReleasePapers& papers = {});
std::string info_text(const std::string& path, const Release& release, const std::string& content, const Paper& paper,
                      const ReleasePapers& papers = {});

}  // namespace stopover
