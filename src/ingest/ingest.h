// Ingest: a source and a request, put together and ready to run on DuckDB.
//
//   Result<Ingest> in = Ingest::open(source, names, request, options);    // every structural fault is told here
//   in->row_facts()                                                        // SECRET, for the curator's screen
//   Result<std::vector<Matrix>> m = in->matrices();                        // or in->write_cells("cells.parquet")
//
// What a row holds never makes any of this fail: see trip_plan.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "ingest/source.h"
#include "ingest/sql_dialect.h"
#include "ingest/trip_plan.h"
#include "ingest/trip_request.h"
#include "ingest/user_bucket.h"
#include "matrix/matrix.h"

namespace stopover {

// The columns as a curator names them. Unset: uid, tid, datetime, lat, lng if the source has them, none if not; for
// trips the points o_lat,o_lng; v1_lat,v1_lng; ...; d_lat,d_lng.
struct ColumnNames {
  std::optional<std::string> user, trip, seq, time, lat, lng;
  std::vector<PointColumns> points;
  // With zones by their ids: one column, or of trips one for every stop, in order.
  std::vector<std::string> zones;
};

struct IngestOptions {
  unsigned threads = 0;  // DEFAULT: 0, all the machine's
  // "4GB", at least 128MB; DEFAULT: 80 % of memory. Three quarters of it are DuckDB's. What does not fit is kept in a
  // private folder on disk; users are worked on in as many buckets as the memory asks for (user_bucket.h). A thread
  // needs 128 MB to work with, so a low limit also means fewer threads.
  std::string memory_limit;
  // Asked by another thread too, see DuckOptions. Ends what takes long with Failure::interrupted.
  std::function<bool()> interrupted = [] { return false; };
  std::string temp_folder = {};  // where the private folder is made; DEFAULT: TMPDIR
  std::uint64_t buckets = 0;     // to begin with; DEFAULT: 0, as many as the memory asks for
};

// SECRET: what was found, in words; for stderr after `private:`.
using PrivateFacts = std::vector<std::pair<std::string, std::uint64_t>>;

class Ingest {
 public:
  // The request's column names are filled in from `names` and the source. Fails (bad_input) on a source that cannot be
  // read, a column that is not there or of a wrong type, (usage) on a request that does not hold together.
  static Result<Ingest> open(const SourceRequest& source, const ColumnNames& names, TripRequest request,
                             const IngestOptions& options);

  const TripRequest& request() const { return request_; }
  // One, or one for each count of stops. No trip is in two of them.
  const std::vector<TripPart>& parts() const { return parts_; }
  const Source& source() const { return source_; }

  // Reads a text source (a Parquet one stays where it is). Called by what follows; for a phase of its own.
  Status load();

  // Counts of rows: read, and unusable for which reason.
  Result<PrivateFacts> row_facts();
  // Counts of users, trips and kept trips. Does all the work once more.
  Result<PrivateFacts> trip_facts();
  // Whole numbers, not negative, row by row, of a query over the plan's views (trip_statistics.h).
  Result<std::vector<std::vector<std::uint64_t>>> figures(const std::string& sql);
  // In the order of parts(); where there are spans of time, those of the first span (of its day types in turn), then
  // of the second, ...
  Result<std::vector<Matrix>> matrices();
  // One file, every cell once, in order.
  Status write_cells(const std::string& path);
  // The same in as many files as there are buckets of users: a cell may stand in several. They are the caller's.
  Result<std::vector<std::string>> write_pieces(const std::string& folder);

  // The plan for an engine, as JSON: {"source": ..., "steps": [{"name": ..., "sql": ...}], "settings": ...}; fails
  // (usage) where Spark cannot read the source.
  Result<std::string> plan_json(SqlDialect::Engine engine) const;
  // The same as SQL to read.
  Result<std::string> plan_sql(SqlDialect::Engine engine) const;
  // Cells that another engine wrote as Parquet files into a folder, made a cells file.
  Status adopt_cells(const std::string& folder, const std::string& path);

 private:
  Ingest(DuckSession duck, Source source) : duck_(std::move(duck)), source_(std::move(source)) {}
  Result<TripPlan> plan(SqlDialect::Engine engine) const;
  Result<PrivateFacts> one_row(const std::string& sql);
  // Makes the view `rows` that of a bucket.
  Status take(const UserBucket& bucket);
  Result<std::uint64_t> first_buckets();
  // Does `work` while the view is that of one bucket after the other; see each_bucket. REQUIRES: loaded.
  Status in_buckets(std::uint64_t first, const std::function<Status(const UserBucket&)>& work);
  Result<std::vector<std::string>> pieces_in(const std::string& folder, std::uint64_t buckets);

  DuckSession duck_;
  Source source_;
  TripRequest request_;
  std::vector<TripPart> parts_;
  TimeZone zone_;
  TripPlan plan_;
  IngestOptions options_;
  std::uint64_t memory_ = 0;  // DuckDB's; 0: no limit
  bool loaded_ = false;
};

}  // namespace stopover
