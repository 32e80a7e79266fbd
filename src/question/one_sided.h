// One side of an answer: how sure one may be of more, what it is at least and at most. Internal to this room.
//
// A likely interval of level L misses on either side with (1 - L)/2, so its lower end alone holds with (1 + L)/2; noise
// alone, where nothing is cut, does so too. Where there are only bounds, an end holds with L at least.
#pragma once

#include <functional>

#include "question/question.h"
#include "question/reply.h"

namespace stopover {

// `at` gives the answer at any level that check_level passes; longer intervals at higher ones.
OneSided one_sided(const Question& question, const std::function<Answer(double)>& at);

}  // namespace stopover
