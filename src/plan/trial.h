// Trial: one release made from a synthetic city through the ordinary kernel, and how good it turned out.
//
// No ledger: the data are public. The key is an argument and comes from the system (privacy/entropy.h), as for any
// release; the same trial is made again with other noise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/ticks.h"
#include "mechanism/mechanism.h"
#include "plan/synthetic_city.h"
#include "privacy/entropy.h"

namespace stopover {

// How wrong answers to questions of one size are.
struct SizeError {
  double side = 0;       // of the square, in the map's unit of length
  double truth = 0;      // median of the true answers, in trips
  double median_re = 0;  // median of |estimate - truth|/truth; 0.1 is 10 %
  double p90_re = 0;     // one answer in ten is worse
  bool operator==(const SizeError&) const = default;
};

struct Trial {
  std::uint64_t partitions = 0;
  // By stop: the side of the partition that half of the trips lie in a smaller one than (the square root of its area).
  std::vector<double> sides;
  std::vector<double> map_sides;  // the same of the stop's own map; empty where the mechanism makes none
  double noise_95 = 0;            // of a partition's count: half of the trips lie in one with less
  std::vector<SizeError> one_stop, all_stops;
  bool operator==(const Trial&) const = default;
};

// What a trial stands for: `times` as many trips as the city has (less than 1: so much fewer), with `epsilon`; it is
// run with epsilon times `times`, and counts (noise_95, truth) are told as for the larger city.
struct TrialSpec {
  Ticks epsilon = 0;
  std::uint32_t k = 1;
  double times = 1;  // above 0
};

// Fails where check_mechanism or the query engine does. REQUIRES: epsilon and k above 0.
Result<Trial> run_trial(const SyntheticCity& city, const Mechanism& mechanism, const Params& params,
                        const TrialSpec& spec, const ReleaseKey& key);

// As JSON text and back; nothing when the text is not one.
std::string encode_trial(const Trial& trial);
std::optional<Trial> decode_trial(const std::string& text);

}  // namespace stopover
