// The page for people who decide, to be read in a minute: what was published, its strongest flows on a map and by
// name, how exact and how safe they are, what it cost and how to check it. One sheet of A4, without scripts. Made from
// the release, its declared description and the balance of its ledger: nothing of it comes from rows.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "job/info_form.h"
#include "ledger/ledger_chain.h"

namespace stopover {

// What the ledger says that the release names.
struct BoardLedger {
  std::string name;  // of its file
  LedgerChain chain;
};

// `series`: all releases of the series that this is the latest of, in their order, itself included; or itself alone.
std::string board_page(const InfoSource& source, std::span<const Release> series,
                       const std::optional<BoardLedger>& ledger);

}  // namespace stopover
