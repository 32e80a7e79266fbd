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

void read_counts(FieldReader& fields, PublishSpec& spec) {
  fields.parsed("counts_from", spec.counts_from, [](const std::string& name) -> Result<CountsFrom> {
    if (name == "auto") return CountsFrom::automatic;
    if (name == "memory") return CountsFrom::memory;
    if (name == "stream") return CountsFrom::stream;
    return usage_error(fmt::format("`counts_from` must be auto, memory or stream, not \"{}\"", name));
  });
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
  fields.text("borders", spec.borders);
  fields.text("mechanism", spec.mechanism).truth("calibrate", spec.calibrate).decimal("probe_share", spec.probe_share);
  read_params(fields, spec.params);
  fields.whole("expect_trips", spec.expect_trips, 1, kMostTrips).truth("accept_total_only", spec.accept_total_only);
  read_series(fields, spec.series);
  fields.text("test_key", spec.test_key);
  if (Status s = fields.done(); !s) return s.error();
  return spec;
}

}  // namespace stopover
