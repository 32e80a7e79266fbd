// The server's paths, questions and replies as OpenAPI 3.1 has them, for programs that write clients.
#pragma once

#include <string>

namespace stopover {

// One JSON document. What it says of replies is tested against real ones (tests/serve/openapi_test.py).
std::string openapi_text();

}  // namespace stopover
