// SumWalk: the way of a selection (selection.h) through an index. Internal to answerer.cc and leaf_shares.cc.
//
// A node is left as soon as every term takes all of it or nothing: then all of its leaves have the same share, the sum
// of the signs of the terms that take it. Else the walk goes down, to leaves at last, whose share is the sum over terms
// of sign x the term's share. Visitor: node(at, share, cut, parent) for what is not divided further; enter and leave as
// in index_walk.h, around what lies below a measured node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "query/index_walk.h"
#include "query/map_walk.h"
#include "query/region_walk.h"
#include "query/selection.h"

namespace stopover {

class SumWalk {
 public:
  // REQUIRES: index and selection outlive it.
  SumWalk(const BoxIndex& index, const Selection& selection) : index_(index) {
    for (const SelectionTerm& term : selection.terms) {
      if (term.query.empty()) continue;
      Term& made = *terms_.emplace_back(std::make_unique<Term>());
      made.sign = term.sign;
      if (index.maps() != nullptr) {
        made.by_maps.emplace(index, term.query.box, &term.query.planes, made.taken);
      } else {
        made.by_planes.emplace(index, term.query);
      }
    }
  }

  template <typename Visitor>
  void run(Visitor& visitor) const {
    std::vector<Step> steps;
    std::vector<Open> all;
    for (std::uint32_t t = 0; t < terms_.size(); ++t) all.push_back({t, terms_[t]->all()});
    see(0, BoxIndex::kNone, 0, all, steps, visitor);
    while (!steps.empty()) {
      const Step step = std::move(steps.back());
      steps.pop_back();
      const BoxIndex::Node& node = index_.nodes()[step.node];
      if (step.open.empty()) {
        visitor.leave(step.node);
        continue;
      }
      if (node.measurement != BoxIndex::kNone) {
        visitor.enter(step.node);
        steps.push_back({step.node, 0, {}});
      }
      for (std::uint32_t i = 0; i < node.children; ++i) {
        see(node.first + i, step.node, step.share, step.open, steps, visitor);
      }
    }
  }

 private:
  struct Term {
    double sign = 1;
    TakenPlaces taken;
    std::optional<RegionReach> by_planes;
    std::optional<MapReach> by_maps;

    WalkMask all() const { return by_maps ? by_maps->all() : by_planes->all(); }
    bool outside(std::uint32_t at, WalkMask& open) const {
      return by_maps ? by_maps->outside(at, open) : by_planes->outside(at, open);
    }
    double share(std::uint32_t at, WalkMask open) const {
      return by_maps ? by_maps->share(at, open) : by_planes->share(at, open);
    }
  };
  // A term that cuts a node, and by which of its conditions.
  struct Open {
    std::uint32_t term;
    WalkMask mask;
  };
  // A node that is still to be divided; without open terms: all below it has been seen.
  struct Step {
    std::uint32_t node;
    double share;  // of the terms that take all of it
    std::vector<Open> open;
  };

  // Terms of a selection sum to -1, 0 or 1 for every trip: what rounding leaves beside that is none.
  static double settled(double share) {
    const double whole = share < -0.5 ? -1 : share > 0.5 ? 1 : 0;
    return share - whole > -1e-12 && share - whole < 1e-12 ? whole : share;
  }

  template <typename Visitor>
  void see(std::uint32_t at, std::uint32_t parent, double share, const std::vector<Open>& open,
           std::vector<Step>& steps, Visitor& visitor) const {
    std::vector<Open> cutting;
    for (const Open& one : open) {
      const Term& term = *terms_[one.term];
      WalkMask mask = one.mask;
      if (mask != 0 && term.outside(at, mask)) continue;
      if (mask == 0) {
        share += term.sign;
      } else {
        cutting.push_back({one.term, mask});
      }
    }
    if (!cutting.empty() && index_.nodes()[at].children > 0) {
      steps.push_back({at, share, std::move(cutting)});
      return;
    }
    for (const Open& one : cutting) share += terms_[one.term]->sign * terms_[one.term]->share(at, one.mask);
    const double settled_share = settled(share);
    visitor.node(at, settled_share, settled_share != 0 && settled_share != 1 && settled_share != -1, parent);
  }

  const BoxIndex& index_;
  std::vector<std::unique_ptr<Term>> terms_;  // they hold memory that their reaches point to
};

}  // namespace stopover
