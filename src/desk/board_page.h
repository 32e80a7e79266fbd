// The page for people who decide: what was published, why it is safe, what it is good for; one sheet, then the whole
// guarantee card. Made from the release and its declared description alone, without scripts.
#pragma once

#include <cstddef>
#include <string>

#include "job/info_form.h"

namespace stopover {

// `releases`: how many releases of a series this is the first of; 1 where it is alone.
std::string board_page(const InfoSource& source, std::size_t releases);

}  // namespace stopover
