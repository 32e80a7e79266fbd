// Any bytes as a question to a release: the reply is always JSON, and its intervals are in order.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "geo/json.h"
#include "question/question_json.h"
#include "release/sample_release.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stopover;
  static const QueryEngine engine = *QueryEngine::make(sample::city());
  const std::string reply = answer_question(engine, std::string_view(reinterpret_cast<const char*>(data), size));
  const Json json = parse_json(reply);
  if (!json.is_object()) std::abort();
  if (const Json* estimate = member(json, "estimate"); estimate != nullptr && estimate->is_number()) {
    if (!(json["bounds_lower"].get<double>() <= json["bounds_upper"].get<double>())) std::abort();
    if (!(json["noise_lower"].get<double>() <= json["noise_upper"].get<double>())) std::abort();
  }
  return 0;
}
