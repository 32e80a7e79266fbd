#include "job/privacy_answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/grouped.h"
#include "query/coverage_claim.h"
#include "release_io/guarantee_card.h"

namespace stopover {
namespace {

// " The release covers 12 months: ..."; "" of any but one over several periods.
std::string person_in_all_answer(const Release& r) {
  const std::optional<PersonInAll> all = person_in_all(r);
  if (!all) return "";
  return fmt::format(
      " The release covers {0} {1}s: somebody in all of them is {0} units, with at most {2} trips, and is protected at "
      "{0} times epsilon, {3}.",
      all->periods, to_string(all->kind), all->trips, format_epsilon(all->epsilon));
}

std::string unit_answer(const Release& r) {
  if (r.unit == Unit::trip) {
    return "One trip. Neighbouring data sets differ by one trip added or removed. Somebody with n trips in the data is "
           "protected at n times epsilon.";
  }
  const std::string name = unit_name(r);
  const std::string per = name.starts_with("user-") ? name.substr(5) : "";
  return fmt::format(
      "One person{0}. Neighbouring data sets differ by all trips of one person{0} added or removed, at most {1} of "
      "them.{2}",
      per.empty() ? "" : " in one " + per, r.k, person_in_all_answer(r));
}

std::string bounds_answer(const Release& r) {
  if (r.unit == Unit::trip) {
    return "No bound is needed: a trip adds 1 to one cell, and to nothing else. The number of trips of a person is not "
           "bounded.";
  }
  const std::string name = unit_name(r);
  std::string in = name.starts_with("user-") ? " in each " + name.substr(5) : "";
  if (const std::optional<PersonInAll> all = person_in_all(r))
    in += fmt::format(", {} in the {} {}s of this release", all->trips, all->periods, to_string(all->kind));
  return fmt::format(
      "At most {} trips of a person count{}; which of them, if there are more, is decided by that person's rows alone. "
      "The bound was declared, not taken from the data, and noise is scaled to it.",
      r.k, in);
}

std::string composition_answer(const Release& r) {
  std::uint64_t times = 0;
  for (const Charge& charge : r.charges) times += charge.times;
  const std::optional<PersonInAll> all = person_in_all(r);
  return fmt::format(
      "Within the release: {} charges in {} lines of a receipt. Those at one depth are on boxes that do not overlap, "
      "so "
      "that a trip pays one of them (parallel composition); depths and tables add up (sequential composition). The "
      "most "
      "that any one unit pays is {} of {}{}. Between releases: epsilons add up. A ledger, whose head this release "
      "carries, "
      "keeps the sum and refuses to go beyond the budget.",
      grouped(times), grouped(r.charges.size()), format_epsilon(r.spent), format_epsilon(r.epsilon),
      all ? fmt::format(", and {} for a person in all {} {}s, who is as many units", format_epsilon(all->spent),
                        all->periods, to_string(all->kind))
          : "");
}

std::string mechanism_answer(const Release& r) {
  std::string params;
  for (const auto& [name, value] : r.params) {
    if (!value.empty()) params += fmt::format("{}{}={}", params.empty() ? "" : ", ", name, value);
  }
  return fmt::format(
      "{}{}. It asks a small core that holds the counts: boxes are counted with discrete Laplace noise of scale "
      "K/epsilon of the charge, and where it chooses by the data (where to cut), the choice is noisy and paid for as "
      "well.",
      r.mechanism, params.empty() ? "" : " (" + params + ")");
}

std::string utility_answer(const Release& r) {
  std::string intervals = "It has no likely intervals: noise intervals and bounds only.";
  if (r.has_unread_probes()) {
    intervals = fmt::format(
        "It has no likely intervals that can be read: {}. Ask with the program that published it, or publish again.",
        coverage_claim(r).why_not);
  } else if (r.has_likely_intervals()) {
    const CoverageClaim claim = coverage_claim(r);
    intervals = claim.made ? "Its likely intervals are claimed to hold as often as they say, for questions like those "
                             "that were measured."
                           : fmt::format(
                                 "Its likely intervals are a best guess and not claimed to hold as often as "
                                 "they say: {}.",
                                 claim.why_not);
  }
  return fmt::format(
      "Every answer comes with intervals. {} Noise is as large for a small place or group as for a large one, so that "
      "small numbers are less exact in proportion; estimates are not negative, which makes small ones too large on "
      "average. Rows that were never collected are missing here, too.",
      intervals);
}

}  // namespace

std::vector<PrivacyAnswer> privacy_answers(const Release& r) {
  const std::string epsilon = format_epsilon(r.epsilon);
  std::vector<PrivacyAnswer> answers;
  const auto add = [&](std::string id, std::string point, std::string answer) {
    answers.push_back({std::move(id), std::move(point), std::move(answer)});
  };
  add("definition", "Which definition",
      r.is_private() ? "Pure differential privacy; delta is 0."
                     : fmt::format("None holds: it was {}. What follows would hold under a key of the system.",
                                   r.randomness.warning()));
  add("epsilon", "Epsilon",
      fmt::format("Epsilon is {}{}. {}", epsilon,
                  r.unit == Unit::user && unit_name(r) != "user" ? " for one " + unit_name(r).substr(5) : "",
                  r.is_private() ? fmt::format("{}", fmt::join(belief_sentences(r), " ")) : ""));
  add("unit_of_privacy", "Unit of privacy", unit_answer(r));
  add("bounds_on_contributions", "Bounds on contributions", bounds_answer(r));
  add("trust_model", "Trust model",
      "Central: whoever publishes holds the true trips and is trusted with them, with their noise and with the ledger. "
      "Readers of the release need not be trusted, however many work together and whatever else they know.");
  add("mechanism", "Mechanism", mechanism_answer(r));
  add("composition", "Composition", composition_answer(r));
  add("post_processing", "Post-processing",
      "Estimates that add up and are not negative, intervals, maps, exports and all answers are computed from the "
      "published numbers alone, and cost nothing. The noisy counts are published beside them as they were drawn.");
  add("not_protected", "Told without noise",
      "What was declared: the domain (bounding box, grid, stops, zones), the unit and K, epsilon, the mechanism and "
      "its "
      "parameters, the day, the description. No number of trips, people or rows.");
  add("correctness", "Correctness of the noise",
      "Noise and choices are computed in integers, with exact probabilities: there are no floating point errors in "
      "them. Every mechanism is replayed on neighbouring data sets and its exact likelihood ratio compared with "
      "epsilon. What a file can show is checked by stopover verify: hashes, tiling, and that every path's charges stay "
      "within epsilon.");
  add("randomness", "Source of randomness",
      r.is_private() ? "A fresh key of the operating system, drawn after the budget was reserved and never stored; a "
                       "stream cipher (AES-256 in counter mode) makes the random bits from it."
                     : fmt::format("It was {}.", r.randomness.warning()));
  add("side_channels", "Side channels",
      "Nobody asks the true data interactively: questions are answered from the release, so their time and failures "
      "tell "
      "nothing about it. How long the run of the publisher took and how much memory it used is not covered; neither "
      "stands in the release.");
  add("security", "Security of the data",
      "Not covered by the promise: who can reach the publisher's machine, its copies and its logs. Files with true "
      "counts are readable by their owner alone.");
  add("data_collection", "Exposure by collection",
      "Not covered by the promise: that trips were collected at all, and what else is done with them.");
  add("utility", "Accuracy and bias", utility_answer(r));
  return answers;
}

}  // namespace stopover
