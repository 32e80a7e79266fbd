#include "bindings/flag_words.h"

namespace stopover {
namespace {

class Taker {
 public:
  explicit Taker(const FlagWords& words) : words_(words) {}

  template <typename T>
  Taker& take(const char* name, T& value) {
    const auto found = words_.find(name);
    if (found == words_.end()) return *this;
    if (const T* given = std::get_if<T>(&found->second)) {
      value = *given;
      ++taken_;
    }
    return *this;
  }
  // Whether every word was a flag, and of its kind.
  Status all() const {
    if (taken_ == words_.size()) return {};
    std::string names;
    for (const auto& [name, value] : words_) names += (names.empty() ? "" : ", ") + name;
    return Error{Failure::usage, "some of these are no flags or have values of another kind: " + names};
  }

 private:
  const FlagWords& words_;
  std::size_t taken_ = 0;
};

// What rows need besides what a matrix needs too.
void take_rows(Taker& taker, IngestFlags& f) {
  taker.take("input", f.input).take("sql", f.sql).take("extension", f.extensions).take("shape-of", f.shape_of);
  taker.take("user", f.user).take("trip", f.trip).take("seq", f.seq).take("time", f.time).take("lat", f.lat).take("lng", f.lng);
  taker.take("point", f.points).take("more-stops", f.more_stops).take("stop-names", f.stop_names).take("frames", f.frames);
  taker.take("timezone", f.timezone).take("time-unit", f.time_unit).take("axis", f.axes).take("bbox-from", f.bbox_from);
  taker.take("grid", f.grid).take("bound-key", f.bound_key).take("stay-metres", f.stay_metres);
  taker.take("stay-minutes", f.stay_minutes).take("run-gap-hours", f.run_gap_hours).take("cut", f.cut);
  taker.take("cut-hours", f.cut_hours).take("memory-limit", f.memory_limit);
  taker.take("encoding", f.encoding).take("delimiter", f.delimiter).take("decimal-comma", f.decimal_comma);
  taker.take("unit", f.unit).take("max-trips-per-user", f.most_trips);
}

}  // namespace

Result<PublishFlags> publish_flags(const FlagWords& words, std::shared_ptr<const ArrowRows> rows) {
  PublishFlags f;
  Taker taker(words);
  taker.take("matrix", f.matrix).take("shape", f.domain.shape).take("stops", f.domain.stops).take("bbox", f.domain.bbox);
  taker.take("epsilon", f.epsilon).take("output", f.output).take("ledger", f.ledger).take("budget", f.budget);
  taker.take("mechanism", f.mechanism).take("param", f.params).take("witness", f.witnesses).take("test-key", f.named_key);
  taker.take("no-calibration", f.no_calibration).take("state", f.state).take("wait", f.wait).take("note", f.note);
  taker.take("dry-run", f.dry_run);
  taker.take("expect-trips", f.expect_trips).take("accept-total-only", f.accept_total_only);
  take_rows(taker, f.rows);
  if (Status s = taker.all(); !s) return s.error();
  f.rows.arrow = std::move(rows);
  return f;
}

Result<IngestFlags> ingest_flags(const FlagWords& words, std::shared_ptr<const ArrowRows> rows) {
  IngestFlags f;
  Taker taker(words);
  taker.take("stops", f.stops).take("bbox", f.bbox);
  take_rows(taker, f);
  if (Status s = taker.all(); !s) return s.error();
  f.arrow = std::move(rows);
  return f;
}

Result<PlanFlags> plan_flags(const FlagWords& words) {
  PlanFlags f;
  Taker taker(words);
  taker.take("n", f.n).take("people", f.people).take("trips-per-person", f.trips_per_person).take("stops", f.stops).take("grid", f.grid).take("extent-km", f.extent).take("bbox", f.bbox);
  taker.take("epsilon", f.epsilon).take("unit", f.unit).take("max-trips-per-user", f.k).take("mechanism", f.mechanism);
  taker.take("query-side", f.queries).take("seed", f.seed).take("formulas", f.formulas).take("refresh", f.refresh);
  if (Status s = taker.all(); !s) return s.error();
  return f;
}

}  // namespace stopover
