// Questions in numbers of cells ("box", "cells", Question.box): on another grid the same numbers are other places.
// Internal to this room.
#pragma once

#include <string>

#include "base/result.h"
#include "domain/domain.h"
#include "question/question.h"

namespace stopover {

bool asks_in_cells(const Question& question);

// Fails (usage) where a question in cells is asked of two domains that differ. `other`: what has the second, "2019-02".
Status check_cells(const Question& question, const Domain& one, const Domain& two, const std::string& other);

}  // namespace stopover
