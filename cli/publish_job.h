// run_publish: from flags to a release, for the command line and for Python.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/commands.h"
#include "cli/declared_domain.h"
#include "cli/ingest_flags.h"
#include "cli/publish_input.h"
#include "cli/voice.h"
#include "publish/publish.h"

namespace stopover {

// As they are typed.
struct PublishFlags {
  std::string matrix, epsilon, mechanism = "auto", ledger, budget, output, named_key, state, wait, note,
      expect_trips;
  DomainFlags domain;
  IngestFlags rows;
  std::vector<std::string> params, witnesses;
  bool no_calibration = false, dry_run = false, accept_total_only = false;
};

struct Published {
  PublishRequest request;
  std::vector<PublishPart> parts;  // of several; empty for one release
  PublishOutcome outcome;

  std::vector<std::string> releases() const;
  // Who is protected: "one person with up to 4 trips (unit user, K = 4)".
  std::string who() const;
  // "anchor", or one name a part.
  std::string mechanisms() const;
  std::string json() const;
};

// What the flags ask for, before anything is read: all that can be refused by then is.
struct PublishPlan {
  PublishInput input;
  PublishRequest request;
  std::vector<PublishPart> parts;  // one, or several
  std::function<bool()> try_again;  // see PublishDoors
};
Result<PublishPlan> plan_publish(const PublishFlags& flags, const KeyByName& key_by_name, const Voice& voice);

// `key_by_name`: for --test-key; none in the published program and in Python.
Result<Published> run_publish(const PublishFlags& flags, const KeyByName& key_by_name, const Voice& voice);

}  // namespace stopover
