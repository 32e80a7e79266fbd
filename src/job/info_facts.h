// What is in a release, as names and values for people: the same on the terminal and on every page about it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "query/answer.h"
#include "release/release.h"
#include "trust/release_papers.h"

namespace stopover {

using InfoFacts = std::vector<std::pair<std::string, std::string>>;

// `content`: the release's content_sha256.
InfoFacts info_facts(const Release& release, const std::string& content, const ReleasePapers& papers);

// All trips, as asked without a region. Nothing where the release cannot be asked.
std::optional<Answer> total_trips(const Release& release);
// The ends to show for it: nothing is cut, so that the noise is all that is open, unless a mechanism knows better.
std::pair<double, double> total_interval(const Answer& total);

// How many trips a single flow must have that nobody foresaw, to be shown (query/unforeseen_flow.h). Nothing where that
// was not measured.
std::optional<double> shown_flow(const Release& release);

// "Any one trip pays at most 0.5 of 0.5: ..."; of a release over several periods also what a person in all of them
// pays.
std::string most_paid(const Release& release);

// Partitions of a table: rows that are not divided further.
std::uint64_t leaf_count(const Table& table);

}  // namespace stopover
