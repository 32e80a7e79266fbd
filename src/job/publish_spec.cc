#include "job/publish_spec.h"

#include <fmt/format.h>

#include "base/usage_error.h"
#include "job/description_spec.h"

namespace stopover {
namespace {

constexpr std::uint64_t kMostTrips = 1'000'000'000'000;

MatrixSpec read_matrix_spec(FieldReader& fields) {
  MatrixSpec spec;
  fields.text("matrix", spec.path);
  for (const std::string& field : fields_of_rows_alone()) {
    if (!fields.has(field)) continue;
    fields.fail(usage_error(
        fmt::format("`{}` goes with rows, not with `matrix`\n  Cells carry their own domain, or it is declared with "
                    "`shape`, `stops` and `bbox`.",
                    field)));
  }
  read_domain(fields, spec.domain);
  read_unit(fields, spec.unit);
  read_text_form(fields, spec.form);
  return spec;
}

RowsSpec read_rows_spec(FieldReader& fields) {
  RowsSpec spec;
  if (fields.has("shape")) {
    fields.fail(usage_error("`shape` goes with `matrix`\n  Rows get their shape from `stops`, `bbox` and `grid`."));
  }
  read_rows(fields, spec);
  return spec;
}

void read_params(FieldReader& fields, std::vector<std::pair<std::string, std::string>>& params) {
  std::vector<std::string> texts;
  fields.texts("params", texts);
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      fields.fail(usage_error(fmt::format("`params` must be name=value, not \"{}\"", text)));
    } else {
      params.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
  }
}

// Rows that Spark makes cells of are counted there.
void read_spark(FieldReader& fields, PublishSpec& spec) {
  const bool rows = std::holds_alternative<RowsSpec>(spec.data);
  fields.parsed("engine", spec.engine, parse_engine).text("spark_master", spec.spark_master);
  const bool engine = spec.engine == SqlDialect::Engine::spark, counts = spec.counts_from == CountsFrom::spark;
  if (fields.has("engine") && !rows) {
    fields.fail(usage_error(
        "`engine` goes with rows, not with `matrix`\n  Cells are counted on Spark with `counts_from spark`."));
  } else if (rows && counts && !engine) {
    fields.fail(usage_error("`counts_from spark` of rows goes with `engine spark`"));
  } else if (engine && !counts && spec.counts_from != CountsFrom::automatic) {
    fields.fail(usage_error("`engine spark` counts on Spark as well\n  Leave out `counts_from`, or make cells first."));
  } else if (fields.has("spark_master") && !engine && !counts) {
    fields.fail(usage_error("`spark_master` goes with `counts_from spark`, or of rows with `engine spark`"));
  }
  if (engine) spec.counts_from = CountsFrom::spark;
}

void read_counts(FieldReader& fields, PublishSpec& spec) {
  fields.parsed("counts_from", spec.counts_from, [](const std::string& name) -> Result<CountsFrom> {
    if (name == "auto") return CountsFrom::automatic;
    if (name == "memory") return CountsFrom::memory;
    if (name == "stream") return CountsFrom::stream;
    if (name == "spark") return CountsFrom::spark;
    return usage_error(fmt::format("`counts_from` must be auto, memory, stream or spark, not \"{}\"", name));
  });
  read_spark(fields, spec);
  fields.text("temp_folder", spec.temp_folder);
  if (auto* rows = std::get_if<RowsSpec>(&spec.data)) {
    spec.memory_limit = rows->memory_limit;
  } else {
    fields.text("memory_limit", spec.memory_limit);
  }
}

}  // namespace

Result<PublishSpec> read_publish(const FieldValues& values, bool in_memory) {
  FieldReader fields(values);
  PublishSpec spec;
  const bool rows = in_memory || fields.has("input") || fields.has("sql");
  if (rows == fields.has("matrix")) {
    return usage_error("name what to publish: rows (`input` or `sql`) or cells (`matrix FILE`)");
  }
  if (rows) {
    spec.data = read_rows_spec(fields);
  } else {
    spec.data = read_matrix_spec(fields);
  }
  read_counts(fields, spec);
  fields.epsilon("epsilon", spec.epsilon).epsilon("budget", spec.budget);
  fields.text("output", spec.output).text("ledger", spec.ledger).text("state", spec.state).text("note", spec.note);
  read_description(fields, spec.description);
  fields.decimal("wait", spec.wait).texts("witnesses", spec.witnesses).text("sign", spec.sign);
  fields.text("borders", spec.borders).text("prior", spec.prior);
  fields.text("mechanism", spec.mechanism).truth("calibrate", spec.calibrate).decimal("probe_share", spec.probe_share);
  read_params(fields, spec.params);
  fields.whole("expect_trips", spec.expect_trips, 1, kMostTrips).truth("accept_total_only", spec.accept_total_only);
  read_series(fields, spec.series);
  fields.text("test_key", spec.test_key);
  if (Status s = fields.done(); !s) return s.error();
  return spec;
}

}  // namespace stopover
