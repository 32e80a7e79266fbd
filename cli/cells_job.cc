#include "cli/cells_job.h"

#include <nlohmann/json.hpp>

#include "cli/ingest_flags.h"

namespace stopover {

Status run_cells(Ingest& in, const std::string& path, const Voice& voice) {
  const auto stopped = [&]() -> Status { return voice.interrupted() ? Status(Error{Failure::interrupted, "interrupted"}) : Status(); };
  voice.phase("reading");
  if (Status s = in.load(); !s) return s;
  if (Status s = stopped(); !s) return s;
  voice.phase("counting cells");
  if (Status s = in.write_cells(path); !s) return s;
  if (Status s = stopped(); !s) return s;
  voice.phase("looking at what was left out");
  const Result<PrivateFacts> facts = in.row_facts();
  if (!facts) return facts.error();
  voice.pause();
  for (const std::string& line : fact_lines(*facts, false)) voice.private_note(line);
  return stopped();
}

std::string cells_json(const Ingest& in, const std::string& file) {
  const auto& k = in.request().max_trips_per_user;
  return nlohmann::ordered_json{
      {"file", file}, {"shape", shapes_text(in.parts())}, {"unit", k ? "user" : "trip"}, {"k", k.value_or(1)}, {"private", true}}
      .dump(2);
}

}  // namespace stopover
