// fields_of_json: the fields of a job as JSON has them, one member per field.
//
//   Result<FieldValues> values = fields_of_json(R"({"input": "trips.csv", "grid": [64, 64], "epsilon": 0.5})");
//   Result<PublishSpec> spec = read_publish(*values);
#pragma once

#include <string_view>

#include "base/result.h"
#include "job/field_values.h"

namespace stopover {

// Texts, numbers, true and false; lists of texts or of numbers. null is as if the member were not there. Fails
// (bad_input) on what is not valid JSON, (usage) on what is no object and on a member that has another kind of value.
Result<FieldValues> fields_of_json(std::string_view text);

}  // namespace stopover
