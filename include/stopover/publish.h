// Publish rows as a release, with differential privacy. One of three headers that programs include;
// <stopover/release.h> opens what was published, <stopover/query.h> asks it. In C: <stopover/stopover.h>.
//
//   #include <stopover/publish.h>
//   #include <iostream>
//
//   int main() {
//     stopover::protect_process();                       // true rows will be in memory: no core dump
//     stopover::RowsSpec rows;
//     rows.source.input = "trips.csv";                   // or Parquet, JSON lines, a folder, a pattern
//     rows.trips.shape = stopover::RowShape::trips;      // one row per trip: o_lat, o_lng, d_lat, d_lng
//     rows.unit.unit = stopover::Unit::trip;             // who is protected
//     rows.box = stopover::DegreeBox{-122.52, 37.70, -122.36, 37.84};
//     rows.grid = {64, 64};
//
//     stopover::PublishSpec spec;
//     spec.data = rows;
//     spec.epsilon = stopover::kTicksPerEpsilon;         // budgets are whole billionths; see parse_epsilon
//     spec.ledger = "city.ledger";
//     spec.budget = 2 * stopover::kTicksPerEpsilon;      // all that may ever be spent on these people
//     spec.output = "city.odr";
//
//     stopover::Observer observer;                       // without a word, on all threads; or:
//     observer.warn = [](std::string_view text) { std::cerr << text << '\n'; };
//     const stopover::Result<stopover::Published> published = stopover::run_publish(spec, observer);
//     if (!published) {
//       std::cerr << published.error().message << '\n';
//       return static_cast<int>(published.error().failure);
//     }
//     std::cout << published->json() << '\n';
//   }
//
//   find_package(stopover REQUIRED)
//   target_link_libraries(program PRIVATE stopover::stopover)
//
// Result<T> is a value or an Error: nothing is thrown for what a user can cause. From the moment that the budget is
// reserved epsilon is spent, even if the release then fails. What each field means is in docs/guide/publish.md. Names
// that these headers do not show are the library's own and may change.
#pragma once

#include "job/observer.h"
#include "job/protect.h"
#include "job/publish_job.h"
#include "job/publish_spec.h"
