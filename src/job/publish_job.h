// run_publish: from a spec to a release.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "job/observer.h"
#include "job/publish_input.h"
#include "job/publish_spec.h"
#include "job/series.h"
#include "publish/publish.h"

namespace stopover {

// One of a series.
struct PublishedPeriod {
  std::string name;  // 2019-01
  PublishRequest request;
  PublishOutcome outcome;
};

struct Published {
  PublishRequest request;  // of a series: what its publications share; the output is their folder
  PublishOutcome outcome;  // of a series: of its last one
  std::vector<PublishedPeriod> periods = {};
  std::string signed_by = {};  // name of the key; "" where it is not signed

  std::vector<std::string> releases() const;
  // Who is protected: "one person with up to 4 trips (unit user, K = 4)".
  std::string who() const;
  // "anchor", or one name per part.
  std::string mechanisms() const;
  std::string json() const;
};

// Where a test key's name becomes a key. Programs that users have none.
using KeyByName = std::function<Result<ReleaseKey>(const std::string& name)>;

// What the spec asks for, before anything is read: all that can be refused by then is.
struct PublishPlan {
  PublishInput input;
  PublishRequest request;
  std::function<bool()> try_again;  // see PublishDoors
  std::optional<Series> series = {};
};
Result<PublishPlan> plan_publish(const PublishSpec& spec, const Observer& observer,
                                 const KeyByName& key_by_name = nullptr);

Result<Published> run_publish(const PublishSpec& spec, const Observer& observer,
                              const KeyByName& key_by_name = nullptr);

}  // namespace stopover
