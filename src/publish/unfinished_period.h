// Unfinished period: one that a run reserved for, alone, and of whose end the ledger has no record.
//
// The run was killed, or is still under way. If it was killed after it had moved its release into place, that release
// is out: so the period is taken for published, and nobody reserves for it again. Two things say more:
//
//   the release is in its place              finish_period (publish.h) makes up for the record of its end
//   the private folder of the run is there   it has not become a release, since that is what is moved: nothing is out.
//                                            Such a reservation is ended as one that failed, before the folder goes
//
// What was reserved stays spent in any case.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/ledger.h"

namespace stopover {

// The private folder where the release at `output` is written.
std::string partial_folder(const std::string& output, const std::string& ledger_id);

// The reservations of runs that died in the folder `place` before anything was out.
std::vector<LedgerRecord> fallen_in(const std::string& place, const LedgerChain& chain, FileSystem& files);

// The open reservation of this period alone, the last one if it is not among the `fallen`.
const LedgerRecord* unfinished(const LedgerChain& chain, const Period& period,
                               const std::vector<LedgerRecord>& fallen = {});

// Refuses (privacy) where there is one. `ledger` is for the message.
Status check_finished(const LedgerChain& chain, const std::string& ledger, const Period& period,
                      const std::vector<LedgerRecord>& fallen = {});

}  // namespace stopover
