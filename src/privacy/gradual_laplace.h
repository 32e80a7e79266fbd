// Gradual release: a coarse noisy count now whose refinement may be revealed later, the pair costing the finer rate
// alone.
//
// hidden = DL(fine) stays in the kernel; released = hidden + W. W = 0 with probability p, else W ~ DL(coarse), with
//   p = (a2/a1) ((1 - a1)/(1 - a2))^2,   a1 = exp(-coarse), a2 = exp(-fine).
//
// Claim: released ~ DL(coarse) exactly. Proof: DL(a) has the characteristic function (1-a)^2 / q_a, q_a = 1 - 2a cos t
// + a^2, and q_a2 = (a2/a1) q_a1 + (1 - a2/a1)(1 - a1 a2). So DL(a1)'s divided by DL(a2)'s is
//   ((1-a1)/(1-a2))^2 q_a2 / q_a1 = p + const/q_a1,
// and the value 1 at t = 0 makes the constant (1-p)(1-a1)^2: the characteristic function of W.
//
// Privacy: the pair is a function of count + hidden and of W, which is independent of both; so it costs `fine`, and
// released alone costs `coarse`.
#pragma once

#include <cstdint>

#include "privacy/rate.h"
#include "privacy/stream.h"

namespace stopover {

struct GradualDraw {
  std::int64_t hidden_noise = 0;
  std::int64_t released_noise = 0;
};

// REQUIRES: valid rates of the same den, fine.num >= coarse.num.
GradualDraw gradual_laplace(Stream& stream, Rate fine, Rate coarse);

}  // namespace stopover
