// Findings: what the paper states about its experiments, held against the measured figures.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "eval/reproduction.h"
#include "eval/result_table.h"

namespace stopover {

enum class Verdict { confirmed, refuted, unclear };

struct Finding {
  std::string claim;  // the paper's, in our words
  Verdict verdict = Verdict::unclear;
  std::string measured;  // our figures
};

std::string_view to_string(Verdict verdict);

// Errors are the mean relative errors of the plain estimates, as the paper has them; ratios are geometric means over
// data sets and epsilons with 95 % bootstrap intervals over data sets. A claim "A below B" is confirmed where the
// interval of A/B lies below 1, refuted where it lies above, else unclear.
std::vector<Finding> paper_findings(std::span<const ResultRow> rows, std::span<const Scene> scenes);

}  // namespace stopover
