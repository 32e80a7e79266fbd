// RegionTree: where trips are at one stop, as a small tree. A leaf is of one kind (region_kind.h: circle, bbox, zone,
// ...) and has its values; the other nodes join what is below them.
//
//   RegionTree near = RegionTree::circle({37.795, -122.393, 1});
//   RegionTree both = RegionTree::all_of({near, RegionTree::bbox(-122.45, 37.74, -122.38, 37.80)});
//   RegionTree any;                                                            // anywhere
//
// A region knows no release: names and edges are looked up when a question is asked (question.h). Its two written forms
// are region_text.h (circle:37.795,-122.393,1) and region_json.h ({"circle": [37.795, -122.393, 1]}).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "geo/shape.h"
#include "query/circle.h"

namespace stopover {

struct RegionKind;

// What a leaf holds, by the form of its kind (RegionForm).
using RegionNumbers = std::vector<double>;
using RegionRows = std::vector<std::vector<double>>;
using RegionTexts = std::vector<std::string>;
using RegionValue = std::variant<RegionNumbers, RegionRows, RegionTexts, Shape>;

struct RegionTree {
  enum class Node {
    all_of,   // every part holds; without parts: anywhere
    any_of,   // at least one part holds
    but_not,  // the first part holds and none of the others
    leaf,
  };

  Node node = Node::all_of;
  std::vector<RegionTree> parts;
  // Of a leaf.
  const RegionKind* kind = nullptr;
  RegionValue value;

  // REQUIRES: `kind` is a row of region_kinds(), and the value fits it (region_kind.h).
  static RegionTree leaf(std::string_view kind, RegionValue value);

  static RegionTree circle(const Circle& circle) {
    return leaf("circle", RegionNumbers{circle.lat, circle.lon, circle.km});
  }
  static RegionTree bbox(double west, double south, double east, double north) {
    return leaf("bbox", RegionNumbers{west, south, east, north});
  }
  // REQUIRES: checked (shape.h).
  static RegionTree polygon(Shape shape) { return leaf("polygon", std::move(shape)); }
  // Several names: all of these zones together.
  static RegionTree zone(std::string name) { return leaf("zone", RegionTexts{std::move(name)}); }
  static RegionTree category(std::vector<std::string> labels) { return leaf("category", std::move(labels)); }
  // Half-open cells of the stop's axes, in their order: {{0, 16}, {4, 20}}.
  static RegionTree box(RegionRows sides) { return leaf("box", std::move(sides)); }

  // No parts: anywhere. One part: that part.
  static RegionTree all_of(std::vector<RegionTree> parts) { return join(Node::all_of, std::move(parts)); }
  // Zones (labels, cells) that are joined are one leaf with all their names. REQUIRES: at least one part.
  static RegionTree any_of(std::vector<RegionTree> parts);
  static RegionTree but_not(std::vector<RegionTree> parts) { return join(Node::but_not, std::move(parts)); }

  bool operator==(const RegionTree&) const = default;

 private:
  static RegionTree join(Node node, std::vector<RegionTree> parts);
};

}  // namespace stopover
