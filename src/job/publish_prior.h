// The public table of a publication (`prior`): what a release may lean on where there are no earlier ones, at no cost.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "domain/domain.h"
#include "job/observer.h"
#include "mechanism/past_release.h"

namespace stopover {

struct PublishPrior {
  std::shared_ptr<const PastRelease> past;
  std::string mark;  // for the release: the hash of the file
};

// A file as read_public_flows takes it; tells how many of its rows do not lie in the domain. Fails (usage, bad_input)
// as that does.
Result<PublishPrior> read_prior(const std::string& path, const Domain& domain, const Observer& observer);

}  // namespace stopover
