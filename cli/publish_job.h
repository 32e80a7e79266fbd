// run_publish: from flags to a release, for the command line and for Python.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/commands.h"
#include "cli/declared_domain.h"
#include "cli/ingest_flags.h"
#include "cli/voice.h"
#include "publish/publish.h"

namespace stopover {

// As they are typed.
struct PublishFlags {
  std::string matrix, epsilon, mechanism = "auto", ledger, budget, output, named_key, state, wait, note;
  DomainFlags domain;
  IngestFlags rows;
  std::vector<std::string> params, witnesses;
  bool no_calibration = false;
};

struct Published {
  PublishRequest request;
  std::vector<PublishPart> parts;  // of several; empty for one release
  PublishOutcome outcome;

  std::vector<std::string> releases() const;
  // "anchor", or one name a part.
  std::string mechanisms() const;
  std::string json() const;
};

// `key_by_name`: for --test-key; none in the published program and in Python.
Result<Published> run_publish(const PublishFlags& flags, const KeyByName& key_by_name, const Voice& voice);

}  // namespace stopover
