#include "question/region_json.h"

#include <vector>

#include "base/nearest.h"
#include "base/usage_error.h"
#include "geo/geojson.h"
#include "geo/json.h"
#include "question/region_kind.h"
#include "question/region_text.h"

namespace stopover {
namespace {

constexpr int kDeepest = 16;

constexpr std::pair<RegionTree::Node, const char*> kJoins[] = {
    {RegionTree::Node::all_of, "all_of"}, {RegionTree::Node::any_of, "any_of"}, {RegionTree::Node::but_not, "but_not"}};

Json value_json(const RegionValue& value) {
  if (const auto* numbers = std::get_if<RegionNumbers>(&value)) return Json(*numbers);
  if (const auto* rows = std::get_if<RegionRows>(&value)) return Json(*rows);
  if (const auto* texts = std::get_if<RegionTexts>(&value))
    return texts->size() == 1 ? Json((*texts)[0]) : Json(*texts);
  return geojson_of(std::get<Shape>(value));
}

// Numbers only, or nothing.
std::optional<std::vector<double>> numbers_of(const Json& node) {
  std::vector<double> values;
  for (const Json& v : node) {
    if (!v.is_number() || !is_finite(v.get<double>())) return std::nullopt;
    values.push_back(v.get<double>());
  }
  return values;
}

class Reader {
 public:
  Reader(std::string_view stop, const Patience& patience) : stop_(stop), patience_(patience) {}

  Result<RegionTree> read(const Json& node, int depth, bool listed) const {
    if (depth > kDeepest) return usage_error("the region of stop " + stop_ + " is nested too deeply");
    if (node.is_string()) return region_of_text(text_of(&node), patience_);
    if (node.is_array() && !listed) return read_bare_list(node, depth);
    if (!node.is_object()) {
      return usage_error("stop " + stop_ + " has " + shown(node) +
                         " for a region\n  Write {\"circle\": [LAT, LNG, KM]} or a text such as "
                         "\"circle:37.795,-122.393,1\".");
    }
    std::vector<RegionTree> parts;
    for (const auto& [key, value] : node.items()) {
      Result<RegionTree> part = read_member(key, value, depth);
      if (!part) return part;
      parts.push_back(std::move(*part));
    }
    return RegionTree::all_of(std::move(parts));
  }

 private:
  Result<std::vector<RegionTree>> read_parts(const Json& list, int depth) const {
    std::vector<RegionTree> parts;
    for (const Json& one : list) {
      if (patience_.lost()) return Patience::error();
      Result<RegionTree> part = read(one, depth + 1, true);
      if (!part) return part.error();
      parts.push_back(std::move(*part));
    }
    return parts;
  }

  Result<RegionTree> read_list(RegionTree::Node node, const Json& list, int depth) const {
    Result<std::vector<RegionTree>> parts = read_parts(list, depth);
    if (!parts) return parts.error();
    return node == RegionTree::Node::all_of   ? RegionTree::all_of(std::move(*parts))
           : node == RegionTree::Node::any_of ? RegionTree::any_of(std::move(*parts))
                                              : RegionTree::but_not(std::move(*parts));
  }

  // All of it must hold, but zones of a list are alternatives: nobody is in two of them.
  Result<RegionTree> read_bare_list(const Json& list, int depth) const {
    Result<std::vector<RegionTree>> parts = read_parts(list, depth);
    if (!parts) return parts.error();
    std::vector<RegionTree> zones, all;
    for (RegionTree& part : *parts) {
      const bool zone = part.node == RegionTree::Node::leaf && part.kind->name == "zone";
      (zone ? zones : all).push_back(std::move(part));
    }
    if (!zones.empty()) all.push_back(RegionTree::any_of(std::move(zones)));
    return RegionTree::all_of(std::move(all));
  }

  Result<RegionTree> read_member(const std::string& key, const Json& value, int depth) const {
    for (const auto& [node, name] : kJoins) {
      if (key != name) continue;
      if (value.is_array() && !value.empty()) return read_list(node, value, depth);
      return usage_error("\"" + key + "\" of stop " + stop_ + " is " + shown(value) +
                         "\n  It must be a list of regions.");
    }
    const RegionKind* kind = find_region_kind(key);
    if (kind == nullptr) {
      return usage_error("there is no kind of region \"" + key + "\"" + at_stop() + "\n  Known are " +
                         list_names(region_kind_names()) + "." + did_you_mean(key, region_kind_names()));
    }
    Result<RegionValue> read = read_value(*kind, value);
    if (!read) return read.error();
    if (!fits(*kind, *read)) return refused(*kind, value);
    return RegionTree::leaf(key, std::move(*read));
  }

  Result<RegionValue> read_value(const RegionKind& kind, const Json& value) const {
    switch (kind.form) {
      case RegionForm::numbers: {
        std::optional<RegionNumbers> numbers = value.is_array() ? numbers_of(value) : std::nullopt;
        if (!numbers) return refused(kind, value);
        return RegionValue(std::move(*numbers));
      }
      case RegionForm::rows:
        return read_rows(kind, value);
      case RegionForm::texts:
        return read_texts(kind, value);
      default: {
        const std::string what = "the " + std::string(kind.name) + " of stop " + stop_;
        if (corners_of(value) > patience_.corners) return patience_.too_many_corners(what);
        Result<Shape> shape = shape_of_json(value, what);
        if (!shape) return shape.error();
        return RegionValue(std::move(*shape));
      }
    }
  }

  // A row of one number may be that number.
  Result<RegionValue> read_rows(const RegionKind& kind, const Json& value) const {
    if (!value.is_array()) return refused(kind, value);
    RegionRows rows;
    for (const Json& one : value) {
      std::optional<std::vector<double>> row = one.is_array() ? numbers_of(one) : numbers_of(Json::array({one}));
      if (!row || row->size() < kind.least || row->size() > kind.most) {
        return usage_error(std::string(kind.name) + at_stop() + " has " + shown(one) + " for " + std::string(kind.row) +
                           as_in(kind));
      }
      rows.push_back(std::move(*row));
    }
    return RegionValue(std::move(rows));
  }

  // One text may stand for itself; a name may be a number.
  Result<RegionValue> read_texts(const RegionKind& kind, const Json& value) const {
    RegionTexts texts;
    for (const Json& one : value.is_array() ? value : Json::array({value})) {
      if (kind.separator == '\0' && one.is_number()) {
        texts.push_back(one.dump());
        continue;
      }
      if (!one.is_string() || (kind.separator == '\0' && text_of(&one).empty())) return refused(kind, value);
      texts.push_back(text_of(&one));
    }
    return RegionValue(std::move(texts));
  }

  std::string at_stop() const { return " (stop " + stop_ + ")"; }

  std::string as_in(const RegionKind& kind) const {
    const std::string typed = std::string(kind.name) + ":" + std::string(kind.example);
    const Result<RegionTree> example = region_of_text(typed);
    return "\n  As in " + value_json(example->value).dump() + ", or \"" + typed + "\".";
  }

  Error refused(const RegionKind& kind, const Json& value) const {
    return usage_error(std::string(kind.name) + " " + shown(value) + at_stop() + " is not " + std::string(kind.json) +
                       as_in(kind));
  }

  std::string stop_;
  const Patience& patience_;
};

}  // namespace

Result<RegionTree> region_of_json(const Json& node, std::string_view stop, const Patience& patience) {
  return Reader(stop, patience).read(node, 0, false);
}

Json json_of(const RegionTree& region) {
  if (region.node == RegionTree::Node::leaf) return Json{{std::string(region.kind->name), value_json(region.value)}};
  if (region.parts.empty()) return Json::object();
  Json list = Json::array();
  for (const RegionTree& part : region.parts) list.push_back(json_of(part));
  for (const auto& [node, name] : kJoins) {
    if (region.node == node) return Json{{name, std::move(list)}};
  }
  return list;
}

}  // namespace stopover
