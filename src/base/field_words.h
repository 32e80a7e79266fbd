// Fields in messages: one text for every face. A message names a field of a job between back quotes, alone or with a
// value,
//
//   "`unit user` needs `max_trips_per_user`"
//
// and whoever shows it does so in its own language:
//
//   command line   --unit user needs --max-trips-per-user
//   Python         unit="user" needs max_trips_per_user=
//   JSON           "unit": "user" needs "max_trips_per_user"
//
// Fields that follow each other, "`unit user` `user COLUMN`", are what one types: Python and JSON put commas between
// them. What stands between back quotes and is not a field name (lower case letters, digits, underscores), or a command
// (`stopover info`), is left as it is.
#pragma once

#include <string>
#include <string_view>

namespace stopover {

enum class Face { command_line, python, json };

// The message as a face says it.
std::string in_words_of(Face face, std::string_view message);

// The first field that the first line of a message names, which is the one that is wrong; "" if it names none.
std::string named_field(std::string_view message);

// A field as a face writes it: "--max-trips-per-user", "max_trips_per_user=", "\"max_trips_per_user\"".
std::string field_in_words_of(Face face, std::string_view field);

}  // namespace stopover
