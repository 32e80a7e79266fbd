// PublishSpec: all that a publication is told. Typed: faces read their own texts into it (read_publish), a program
// fills it in.
//
//   PublishSpec spec;
//   spec.data = rows;                              // a RowsSpec, or a MatrixSpec
//   spec.epsilon = kTicksPerEpsilon / 2;
//   spec.ledger = "city.ledger"; spec.budget = 2 * kTicksPerEpsilon;
//   spec.output = "city.odr";
//   Result<Published> published = run_publish(spec, observer);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/ticks.h"
#include "ingest/text_form.h"
#include "job/domain_spec.h"
#include "job/field_values.h"
#include "job/rows_spec.h"
#include "job/series.h"
#include "job/unit_spec.h"
#include "release/description.h"

namespace stopover {

// Cells instead of rows: a cells file, which says itself which domain and unit it has (what is declared besides must
// agree), or a bare matrix of cell indices, which is what is declared here.
struct MatrixSpec {
  std::string path;
  DomainSpec domain;
  UnitSpec unit;
  TextForm form;  // of a CSV file
};

// Where the kernel has its counts from while it works: the same release from any of them.
enum class CountsFrom {
  automatic,  // memory where they fit into the limit, else streamed
  memory,
  stream,  // from Parquet files, read anew for every pass
  spark,   // on Spark, by its executors
};

struct PublishSpec {
  std::variant<RowsSpec, MatrixSpec> data;

  Ticks epsilon = 0;   // required
  std::string output;  // NAME.odr; a folder for several parts
  std::string ledger;
  std::optional<Ticks> budget;         // required when the ledger is new
  std::string state;                   // see state_folder.h
  std::string note;                    // one line for the ledger
  Description description;             // what the release says it is
  double wait = 0;                     // seconds for a ledger that another process holds
  std::vector<std::string> witnesses;  // releases that were paid from this ledger
  std::string sign;                    // file of a secret key to sign the release with; "": it is not signed

  CountsFrom counts_from = CountsFrom::automatic;
  SqlDialect::Engine engine = SqlDialect::Engine::duckdb;  // who makes cells of rows; spark counts them too
  std::string spark_master = "local[*]";
  std::string memory_limit;  // "4GB", of all the process; DEFAULT: half of the machine's
  std::string temp_folder;   // for what does not fit into memory; DEFAULT: TMPDIR

  std::string mechanism = "auto";
  std::vector<std::pair<std::string, std::string>> params;
  std::string borders;  // a file of public areas whose edges the cuts follow
  std::string prior;    // a file of public flows to lean on
  bool calibrate = true;
  double probe_share = 0.05;  // of epsilon, for evidence about intervals (publish/probed.h)
  std::optional<std::uint64_t> expect_trips;
  bool accept_total_only = false;
  std::optional<SeriesSpec> series;  // a release for each period; with rows
  std::string test_key;              // a key that can be repeated: only where there are such keys
};

// From the fields of a face. Rows in memory are put into the spec afterwards; with `in_memory` neither input nor matrix
// is expected. Fails (usage, privacy).
Result<PublishSpec> read_publish(const FieldValues& values, bool in_memory = false);

}  // namespace stopover
