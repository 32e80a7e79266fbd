// Selection: which trips are counted, as a sum of regions with signs. What is no single region can be written so:
// "at the origin or at the destination" is  origin + destination - both.
//
//   Selection either{{{1, origin}, {1, destination}, {-1, both}}};
//   Answer a = Answerer(index, {})(either);
//
// A trip is counted sum-of-signs times, over the regions it is in, and that sum is 0 or 1 for every trip. So a leaf has
// one share, and the answer with its noise is one linear combination of the leaves: intervals are never added up.
// `less` may make one whose sum is -1 for some trips: its noise can be asked for (Answerer::noise), an answer cannot.
#pragma once

#include <utility>
#include <vector>

#include "query/region_query.h"

namespace stopover {

struct SelectionTerm {
  double sign = 1;
  RegionQuery query;
};

struct Selection {
  std::vector<SelectionTerm> terms;  // none: nobody

  static Selection of(RegionQuery query) {
    Selection one;
    one.terms.push_back({1, std::move(query)});
    return one;
  }
  // This without those of `other`, each counted as often less; regions that hold nobody are left out.
  Selection less(const Selection& other) const {
    Selection rest;
    for (const SelectionTerm& term : terms) {
      if (!term.query.empty()) rest.terms.push_back(term);
    }
    for (const SelectionTerm& term : other.terms) {
      if (!term.query.empty()) rest.terms.push_back({-term.sign, term.query});
    }
    return rest;
  }
  // Whether it is a region like any other.
  bool single() const { return terms.size() == 1 && terms[0].sign == 1; }
};

}  // namespace stopover
