// What a release is said to be (release/description.h), from the fields of a face.
#pragma once

#include "job/field_values.h"
#include "release/description.h"

namespace stopover {

// Fails (usage) on a text that is not one line of UTF-8, or longer than 120 bytes (title) or 2,000.
void read_description(FieldReader& fields, Description& description);

}  // namespace stopover
