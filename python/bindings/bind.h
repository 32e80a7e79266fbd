// What both extension modules offer: stopover._core, which users have, and _lab, which tests have and whose keys can be
// repeated.
#pragma once

#include <nanobind/nanobind.h>

#include "job/publish_job.h"

namespace stopover {

// `key_by_name`: none in _core, which then refuses test_key.
void bind_stopover(nanobind::module_& module, const KeyByName& key_by_name);

}  // namespace stopover
