// SeriesHistory: which releases a release of a series may lean on, read back from its folder.
//
//   SeriesHistory history(request, series);
//   if (Status s = history.set(one, period); !s) ...      // before it is published: what every part leans on
//
// The last ones of earlier periods, at most History::kMost, never one of the same period or of a later one; before them
// what the request has itself (a public table), where they are fewer. They are
// read from disk each time, so that what a release leans on can be had again from the releases alone, bit for bit. The
// release names them by period and content hash, in `history` among its parameters.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/period.h"
#include "base/result.h"
#include "domain/domain.h"
#include "job/observer.h"
#include "mechanism/history.h"
#include "publish/publish.h"

namespace stopover {

class SeriesHistory {
 public:
  // `folder`: of the series.
  SeriesHistory(std::string folder, const Observer& observer) : folder_(std::move(folder)), observer_(observer) {}

  // Gives the parts of a publication of that period what they lean on, and the marks that say so. `domains`: of the
  // parts. Parts whose mechanism leans on nothing stay as they are. Fails where an earlier release cannot be read.
  Status set(PublishRequest& one, const Period& period, std::span<const Domain> domains);

 private:
  struct Known {
    std::shared_ptr<const PastRelease> past;  // nullptr: of another grid, or without maps
    std::string content;
  };
  Result<Known> known(const std::string& path, const Period& period, const Domain& domain);

  std::string folder_;
  const Observer& observer_;
  std::map<std::string, Known> read_;  // by path
};

}  // namespace stopover
