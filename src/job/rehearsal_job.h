// run_rehearsal: publish --dry-run, Reads the input and tells the curator alone what would
// be counted and spent; spends, writes and draws nothing.
#pragma once

#include <string>

#include "base/field_words.h"
#include "base/result.h"
#include "ingest/ingest.h"
#include "job/publish_job.h"
#include "publish/rehearsal.h"

namespace stopover {

// SECRET: true counts. Both texts say so.
struct DryRun {
  Published published;               // what would be, without an outcome
  std::vector<TripPart> trips;       // of every part
  std::vector<std::string> periods;  // of a series
  // Of a part of the rehearsal: its period, and its day type where there are several. REQUIRES: a series.
  std::string period_of_part(std::size_t part) const;
  Rehearsal rehearsal;
  PrivateFacts rows, users;  // empty for cells
  std::vector<std::string> left_out;

  std::string json() const;
  // A page of 80 columns, every line marked, in the words of a face.
  std::string text(Face face) const;
};

Result<DryRun> run_rehearsal(const PublishSpec& spec, const Observer& observer, const KeyByName& key_by_name = nullptr);

}  // namespace stopover
