// Axes and stops of a domain as JSON, the same in the page and in what `serve` tells of a release.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "domain/domain.h"

namespace stopover {

// [{"name": ..., "kind": ..., "cells": ..., "lower": ..., "upper": ..., "labels": [...]}, ...]
nlohmann::ordered_json axes_json(const Domain& domain);
// [{"name": ..., "axes": [numbers]}, ...]
nlohmann::ordered_json stops_json(const Domain& domain);

}  // namespace stopover
