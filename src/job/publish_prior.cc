#include "job/publish_prior.h"

#include <fmt/format.h>

#include "base/grouped.h"
#include "disk/sha256.h"
#include "ingest/public_flows.h"
#include "mechanism/prior.h"

namespace stopover {

Result<PublishPrior> read_prior(const std::string& path, const Domain& domain, const Observer& observer) {
  const Result<PublicFlows> flows = read_public_flows(path, domain);
  if (!flows) return flows.error();
  const Result<std::string> hash = sha256_of_file(path);
  if (!hash) return hash.error();
  if (flows->outside > 0) {
    observer.note(fmt::format("{} of the {} rows of {} do not lie in the bounding box, and are left out",
                              grouped(flows->outside), grouped(flows->outside + flows->weights.size()), path));
  }
  return PublishPrior{past_of_table(domain, flows->cells, flows->weights), "public table:" + *hash};
}

}  // namespace stopover
