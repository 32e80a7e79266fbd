// SumTree: what is added up along one side of a table of zones: the zones, their groups at every level, and the whole.
//
//   const SumTree tree = SumTree::make(names, release.domain.zones());
//   std::optional<std::size_t> north = tree.find("north");        // a zone, else the smallest group of that name
//
// Nodes are numbered from the zones (in their order) over the groups (the smallest level first) to the whole, so that
// a node's parent has a larger number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "domain/box.h"
#include "domain/zone_set.h"

namespace stopover {

class SumTree {
 public:
  // How the whole is called in files of totals.
  static constexpr std::string_view kWhole = "*";

  struct Node {
    std::string name;
    Interval zones;
    std::size_t parent = 0;  // the whole is its own
  };

  // `groups`: the zones' set, with its levels; null where zones have none. REQUIRES: at least one name; `groups` has
  // as many zones.
  static SumTree make(const std::vector<std::string>& names, const ZoneSet* groups);

  std::size_t zones() const { return zones_; }
  std::size_t size() const { return nodes_.size(); }
  std::size_t whole() const { return nodes_.size() - 1; }
  const Node& operator[](std::size_t node) const { return nodes_[node]; }
  // A zone of that name, else the smallest group, else the whole.
  std::optional<std::size_t> find(std::string_view name) const;
  // "zone A", "group north", "all zones".
  std::string called(std::size_t node) const;
  // Of all nodes but the whole.
  std::vector<std::string> names() const;

 private:
  std::size_t zones_ = 0;
  std::vector<Node> nodes_;
  std::unordered_map<std::string, std::size_t> number_;
};

// Totals that are known along one side; by node, empty where there is none.
struct SideTotals {
  const SumTree* tree = nullptr;
  std::vector<std::optional<double>> total;

  static SideTotals none(const SumTree& tree) { return {&tree, std::vector<std::optional<double>>(tree.size())}; }
};

}  // namespace stopover
