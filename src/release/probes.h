// Probes: evidence about how far a release's answers are off, bought with a share of epsilon, and the tails read from
// it.
//
// A lattice of boxes is laid over all trips; the release answers each box with a centre c and a scale s
// (query/probed_interval.h). The trips of a box have the ranks 1, 2, ... n. Counted, with noise, is how many ranks of
// all boxes lie how far from c, in units of s: one trip is one rank, so one trip moves one entry per lattice. Entries
// are kept apart by group (0: every stop is asked for; 1: some stop is left free) and by class of signal (estimate over
// scale). From them src/calibrate fits how far truths lie above and below what the release says.
//
// Distances mean what they say only beside the centre and the scale that they were counted by. So `scale` says which
// these were, and a program that knows others alone has no likely interval and no certificate from such probes. A
// change of probe_centre or probe_scale (query/probed_interval.h) is a new kScale.
//
// `missed_above` and `missed_below` are what the histogram proves whatever the data (calibrate/probe_certificate.h):
// per group, class and edge z of the bands, the most that boxes can weigh whose truth lies more than z scales above the
// centre (below it), of the probed boxes that trips drawn from the release hit. All of it holds at once with a
// probability of 1 - kDoubt over the noise.
//
// `below` and `above` hold, per group, class and tail probability p: how many scales from c on the truth was found with
// no more than p beyond. They are read between classes in logarithms of signal and distance.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "base/ticks.h"

namespace stopover {

struct Probes {
  // Classes of signal begin at these.
  static constexpr std::array<double, 7> kClassFrom = {0, 0.1, 0.3, 1, 3, 10, 30};
  // ... and are read at these.
  static constexpr std::array<double, 7> kReadAt = {0.03, 0.18, 0.55, 1.7, 5.5, 17, 60};
  static constexpr std::size_t kClasses = 7, kGroups = 2;
  // From this class on boxes have a lower side to look at: a signal of 1.
  static constexpr std::size_t kFirstLowerClass = 3;
  // Bands of ranks: above the centre from these distances on, below it down to these; then what lies further below, and
  // all ranks below the centre in boxes whose lower side is not looked at.
  static constexpr std::array<double, 6> kAbove = {0, 0.5, 1, 2, 4, 8};
  static constexpr std::array<double, 5> kBelow = {0, 0.5, 1, 2, 4};
  static constexpr std::size_t kBands = kAbove.size() + kBelow.size() + 1, kEntries = kGroups * kClasses * kBands;
  static constexpr double kDoubt = 0.001;  // that what is certified is false
  static constexpr std::size_t kFirstBelow = kAbove.size(), kRest = kBands - 1;

  static constexpr std::uint32_t kScale = 2;

  std::uint32_t scale = kScale;      // of centre and scale; 0: written before that was told
  Ticks ticks = 0;                   // what was spent on them
  std::uint32_t lattices = 0;        // one trip moves so many entries
  std::vector<std::int64_t> counts;  // noisy: [group][class][band]
  // Of the boxes that trips drawn from the release hit, by [group][class]: what the fit needs and everybody can make
  // again.
  std::vector<double> scales;   // sum of the scales of those whose lower side is looked at
  std::vector<double> squares;  // sum of their squares over their sum, of all of them
  std::vector<double> signals;  // mean signal, weighted by estimate
  std::vector<double> whole;    // [group][class][kBelow]: ranks that the bands below the centre have room for

  std::vector<double> tails;         // descending, above 0 and at most 1/2
  std::vector<double> below, above;  // [group][class][tail], above 0

  // [group][class][kAbove], [group][class][kBelow], 0 to 1; empty where an older program made the release.
  std::vector<double> missed_above, missed_below;

  bool operator==(const Probes&) const = default;

  // Whether they were counted by the centre and the scale of this program.
  bool readable() const { return scale == kScale; }

  static std::size_t cell(std::size_t group, std::size_t signal_class) { return group * kClasses + signal_class; }
  static std::size_t entry(std::size_t group, std::size_t signal_class, std::size_t band) {
    return cell(group, signal_class) * kBands + band;
  }
  static std::size_t class_of(double signal) {
    std::size_t c = 0;
    while (c + 1 < kClasses && signal >= kClassFrom[c + 1]) ++c;
    return c;
  }
};

// Whether the tables have the sizes and signs said above. The error (check_failed) names what is not.
Status check_probes(const Probes& probes);

}  // namespace stopover
