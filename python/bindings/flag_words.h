// FlagWords: the flags of a command as Python gives them, texts by name, put into the structures that the command line fills.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "cli/ingest_flags.h"
#include "cli/plan_job.h"
#include "cli/publish_job.h"

namespace stopover {

using FlagWords = std::map<std::string, std::variant<bool, std::string, std::vector<std::string>>>;

// All fail (usage) on a name that is no flag.
Result<PublishFlags> publish_flags(const FlagWords& words, std::shared_ptr<const ArrowRows> rows);
Result<IngestFlags> ingest_flags(const FlagWords& words, std::shared_ptr<const ArrowRows> rows);
Result<PlanFlags> plan_flags(const FlagWords& words);

}  // namespace stopover
