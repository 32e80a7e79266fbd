// The flags by which rows are declared: shared by cells, inspect and publish. job/rows_spec.h says what becomes of
// them.
#pragma once

#include "cli/app.h"

namespace stopover {

struct RowsFlagChoice {
  bool shared_with_matrix = false;  // the command has --stops, --bbox, --unit and --max-trips-per-user already
};
void add_rows_flags(CLI::App& app, FieldValues& values, RowsFlagChoice choice = {});

}  // namespace stopover
