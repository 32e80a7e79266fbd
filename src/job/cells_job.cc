#include "job/cells_job.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/usage_error.h"
#include "job/output.h"
#include "job/private_facts.h"
#include "job/spark_job.h"
#include "ledger/file_system.h"

namespace stopover {
namespace {

CellsMade made_of(const CellsSpec& spec, const Ingest& in) { return {spec.output, in.parts(), spec.rows.unit}; }

Result<PrivateFacts> count(Ingest& in, const std::string& path, const Observer& observer) {
  observer.phase("reading");
  if (Status s = in.load(); !s) return s.error();
  if (Status s = observer.check(); !s) return s.error();
  observer.phase("counting cells");
  if (Status s = in.write_cells(path); !s) return s.error();
  if (Status s = observer.check(); !s) return s.error();
  observer.phase("looking at what was left out");
  return in.row_facts();
}

Status check_name(const std::string& output) {
  if (output.empty()) return usage_error("`output` is needed\n  As in `output cells.parquet`");
  if (output.ends_with(".parquet")) return {};
  return usage_error(fmt::format("`output {}`: cells are Parquet\n  Give it a name that ends in .parquet.", output));
}

}  // namespace

Result<CellsSpec> read_cells(const FieldValues& values) {
  FieldReader fields(values);
  CellsSpec spec;
  read_rows(fields, spec.rows);
  fields.text("output", spec.output).truth("overwrite", spec.overwrite).text("spark_master", spec.spark_master);
  fields.parsed("engine", spec.engine, parse_engine);
  if (Status s = fields.done(); !s) return s.error();
  return spec;
}

Result<CellsMade> run_cells(const CellsSpec& spec, const Observer& observer) {
  if (Status s = check_name(spec.output); !s) return s.error();
  const bool spark = spec.engine == SqlDialect::Engine::spark;
  observer.steps(spark ? 2 : 4);
  observer.phase("opening");
  Result<Ingest> in = open_rows(spec.rows, observer);
  if (!in) return in.error();
  const std::unique_ptr<FileSystem> files = posix_file_system();
  Result<Output> output = Output::begin(*files, spec.output, spec.overwrite);
  if (!output) return output.error();
  if (spark) observer.phase("counting cells on Spark");
  const Result<PrivateFacts> facts = spark ? run_spark_job(*in, spec.spark_master, output->path(), observer.interrupted)
                                           : count(*in, output->path(), observer);
  if (!facts) return facts.error();
  observer.pause();
  for (const std::string& line : fact_lines(*facts, false)) observer.private_note(line);
  if (Status s = observer.check(); !s) return s.error();
  if (Status s = output->finish(); !s) return s.error();
  return made_of(spec, *in);
}

Result<std::string> explain_cells(const CellsSpec& spec, bool json, const Observer& observer) {
  const Result<Ingest> in = open_rows(spec.rows, observer);
  if (!in) return in.error();
  return json ? in->plan_json(spec.engine) : in->plan_sql(spec.engine);
}

Result<CellsMade> adopt_cells(const CellsSpec& spec, const std::string& folder, const Observer& observer) {
  if (Status s = check_name(spec.output); !s) return s.error();
  Result<Ingest> in = open_rows(spec.rows, observer);
  if (!in) return in.error();
  const std::unique_ptr<FileSystem> files = posix_file_system();
  Result<Output> output = Output::begin(*files, spec.output, spec.overwrite);
  if (!output) return output.error();
  if (Status s = in->adopt_cells(folder, output->path()); !s) return s.error();
  if (Status s = output->finish(); !s) return s.error();
  return made_of(spec, *in);
}

std::string CellsMade::json() const {
  return nlohmann::ordered_json{{"file", output},
                                {"shape", shapes_text(parts)},
                                {"unit", to_string(unit.unit.value_or(Unit::trip))},
                                {"k", unit.k()},
                                {"private", true}}
      .dump(2);
}

}  // namespace stopover
