#include "question/region_text.h"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

#include "base/nearest.h"
#include "base/split.h"
#include "base/usage_error.h"
#include "question/region_kind.h"

namespace stopover {
namespace {

// A plain decimal, nothing around it.
std::optional<double> decimal(const std::string& text) {
  if (text.empty() || text.find_first_not_of("+-.0123456789eE") != std::string::npos) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (*end != '\0' || value - value != 0) return std::nullopt;
  return value;
}

Error refused_text(std::string_view text, const std::string& why, const std::string& instead) {
  return usage_error("\"" + std::string(text.substr(0, 200)) + "\" " + why + "\n  " + instead);
}

std::string instead_of(const RegionKind& kind) {
  const std::string name(kind.name);
  return "Write " + name + ":" + std::string(kind.typed) + ", as in " + name + ":" + std::string(kind.example) + ".";
}

// Numbers by place, or by name as in lat=..,lng=..
std::optional<RegionNumbers> numbers(const RegionKind& kind, std::string_view value) {
  const std::vector<std::string> parts = split(value, kind.separator);
  const std::size_t count = kind.numbers();
  if (parts.size() != count) return std::nullopt;
  RegionNumbers values(count);
  std::vector<bool> found(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t equals = parts[i].find('=');
    std::size_t at = i;
    if (equals != std::string::npos) {
      const std::string name = parts[i].substr(0, equals);
      at = 0;
      while (at < count && kind.names[at] != (name == "lon" ? "lng" : name)) ++at;
      if (at == count) return std::nullopt;
    }
    const std::optional<double> number_of =
        decimal(equals == std::string::npos ? parts[i] : parts[i].substr(equals + 1));
    if (!number_of || found[at]) return std::nullopt;
    values[at] = *number_of;
    found[at] = true;
  }
  return values;
}

std::optional<std::vector<double>> row(const RegionKind& kind, const std::string& part) {
  std::vector<double> values;
  for (const std::string& text : split(part, kind.inner)) {
    const std::optional<double> value = decimal(text);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  if (values.size() < kind.least || values.size() > kind.most) return std::nullopt;
  return values;
}

Result<RegionRows> rows(const RegionKind& kind, std::string_view text, std::string_view value) {
  RegionRows list;
  for (const std::string& part : split(value, kind.separator)) {
    std::optional<std::vector<double>> one = row(kind, part);
    if (!one) return refused_text(text, "has \"" + part + "\" for " + std::string(kind.row), instead_of(kind));
    list.push_back(std::move(*one));
  }
  return list;
}

Result<Shape> ring(const RegionKind& kind, std::string_view text, std::string_view value, const Patience& patience) {
  Ring points;
  for (const std::string& part : split(value, kind.separator)) {
    std::vector<double> place;
    for (const std::string& word : split(part, kind.inner)) {
      if (word.empty()) continue;
      const std::optional<double> degrees = decimal(word);
      if (!degrees) break;
      place.push_back(*degrees);
    }
    const bool good = place.size() == 2 && place[0] >= -180 && place[0] <= 180 && place[1] >= -90 && place[1] <= 90;
    if (!good)
      return refused_text(text, "has \"" + part + "\" for a point",
                          "Points are longitude and latitude in degrees. " + instead_of(kind));
    points.push_back({place[0], place[1]});
  }
  if (points.front() != points.back()) points.push_back(points.front());
  if (points.size() < 4) return refused_text(text, "has too few points for an area", instead_of(kind));
  if (points.size() > patience.corners) return patience.too_many_corners("the polygon");
  return checked(Shape{{{std::move(points)}}},
                 "the polygon \"" + std::string(text.substr(0, 60)) + (text.size() > 60 ? "...\"" : "\""));
}

Result<RegionValue> value_of(const RegionKind& kind, std::string_view text, std::string_view value,
                             const Patience& patience, const AreaFile& file) {
  switch (kind.form) {
    case RegionForm::numbers: {
      std::optional<RegionNumbers> made = numbers(kind, value);
      if (!made) return refused_text(text, "is no " + std::string(kind.name), instead_of(kind));
      return RegionValue(std::move(*made));
    }
    case RegionForm::rows: {
      Result<RegionRows> made = rows(kind, text, value);
      if (!made) return made.error();
      return RegionValue(std::move(*made));
    }
    case RegionForm::texts:
      return RegionValue(kind.separator == '\0' ? RegionTexts{std::string(value)} : split(value, kind.separator));
    default: {
      const bool points = value.find_first_not_of("+-.,0123456789eE ") == std::string_view::npos;
      if (!points && !file)
        return refused_text(text, "names a file, which cannot be read here",
                            "Give the area itself. " + instead_of(kind) + " In JSON it may be GeoJSON.");
      Result<Shape> made = points ? ring(kind, text, value, patience) : file(std::string(value));
      if (!made) return made.error();
      return RegionValue(std::move(*made));
    }
  }
}

// At most 12 significant digits, no "-0".
std::string number_of(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.12g", value == 0 ? 0.0 : value);
  return text;
}

std::string joined(const std::vector<double>& values, char separator) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : std::string(1, separator)) + number_of(value);
  return text;
}

std::string leaf_text(const RegionKind& kind, const RegionValue& value) {
  if (const auto* values = std::get_if<RegionNumbers>(&value)) return joined(*values, kind.separator);
  std::vector<std::string> parts;
  if (const auto* list = std::get_if<RegionRows>(&value)) {
    for (const std::vector<double>& one : *list) parts.push_back(joined(one, kind.inner));
  } else if (const auto* texts = std::get_if<RegionTexts>(&value)) {
    parts = *texts;
  } else {
    const Shape& shape = std::get<Shape>(value);
    if (shape.polygons.size() != 1 || shape.polygons[0].size() != 1) return "...";
    for (const PlanePoint& p : shape.polygons[0][0]) parts.push_back(joined({p.x, p.y}, kind.inner));
  }
  // A name may hold any letter: several are written one by one.
  const std::string between =
      kind.separator == '\0' ? "|" + std::string(kind.name) + ":" : std::string(1, kind.separator);
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

Result<RegionTree> leaf_of_text(std::string_view text, const Patience& patience, const AreaFile& file) {
  if (text == "anywhere") return RegionTree();
  const std::size_t colon = text.find(':');
  const std::string name(text.substr(0, colon));
  const std::string_view value = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  const RegionKind* kind = find_region_kind(name);
  if (kind == nullptr || value.empty()) {
    std::vector<std::string> names(region_kind_names().begin(), region_kind_names().end());
    names.emplace_back("anywhere");
    // A name alone is most likely a zone's.
    const std::string zone = colon == std::string_view::npos ? "For a named area: zone:" + name + ". " : "";
    return refused_text(text, "is not a region",
                        zone + "Kinds of regions are " + list_names(names) + "." + did_you_mean(name, names));
  }
  Result<RegionValue> read = value_of(*kind, text, value, patience, file);
  if (!read) return read.error();
  return RegionTree::leaf(name, std::move(*read));
}

// Reads what is joined by |, & and -. Names and files may hold these letters, too: an operator is one only where a
// region follows it, "zone:A|zone:B" or "zone:A - (", and a bracket only where a region could begin.
class JoinedText {
 public:
  JoinedText(std::string_view text, const Patience& patience, const AreaFile& file)
      : text_(text), patience_(patience), file_(file) {}

  Result<RegionTree> read() {
    Result<RegionTree> all = joined(0);
    if (all && at_ < text_.size()) return refused_text(text_, "has a bracket too many", kBrackets);
    return all;
  }
  Result<std::vector<RegionTree>> read_chain() {
    chain_ = true;
    std::vector<RegionTree> all;
    for (;;) {
      Result<RegionTree> next = joined(0);
      if (!next) return next.error();
      all.push_back(std::move(*next));
      if (operator_at(at_) != '>') break;
      take_operator();
    }
    if (at_ < text_.size()) return refused_text(text_, "has a bracket too many", kBrackets);
    return all;
  }

 private:
  static constexpr int kDeepest = 16;
  static constexpr std::size_t kLongestKind = 15;  // letters of a kind's name
  static constexpr const char* kBrackets = "As in (zone:A|zone:B) - circle:37.795,-122.393,1.";

  std::size_t after_spaces(std::size_t at) const {
    while (at < text_.size() && text_[at] == ' ') ++at;
    return at;
  }
  bool region_follows(std::size_t at) const {
    const std::string_view rest = text_.substr(after_spaces(at));
    if (rest.starts_with('(')) return true;
    if (rest.starts_with("anywhere")) return rest.size() == 8 || rest.find_first_of("|&-) ", 8) == 8;
    const std::size_t colon = rest.substr(0, kLongestKind + 1).find(':');
    return colon != std::string_view::npos && find_region_kind(rest.substr(0, colon)) != nullptr;
  }
  // The operator at a place, spaces before it left out; '\0': none.
  char operator_at(std::size_t at) const {
    at = after_spaces(at);
    if (at >= text_.size()) return '\0';
    const char c = text_[at];
    return (c == '|' || c == '&' || c == '-' || (c == '>' && chain_)) && region_follows(at + 1) ? c : '\0';
  }
  void take_operator() { at_ = after_spaces(after_spaces(at_) + 1); }

  // | binds least; & and - bind alike, from the left.
  Result<RegionTree> joined(int depth) {
    std::vector<RegionTree> parts;
    for (;;) {
      Result<RegionTree> part = narrowed(depth);
      if (!part) return part;
      parts.push_back(std::move(*part));
      if (operator_at(at_) != '|') return RegionTree::any_of(std::move(parts));
      take_operator();
    }
  }
  Result<RegionTree> narrowed(int depth) {
    Result<RegionTree> all = operand(depth);
    for (char c = '\0'; all && ((c = operator_at(at_)) == '&' || c == '-');) {
      take_operator();
      Result<RegionTree> next = operand(depth);
      if (!next) return next;
      std::vector<RegionTree> both;
      both.push_back(std::move(*all));
      both.push_back(std::move(*next));
      all = c == '&' ? RegionTree::all_of(std::move(both)) : RegionTree::but_not(std::move(both));
    }
    return all;
  }
  Result<RegionTree> operand(int depth) {
    if (patience_.lost()) return Patience::error();
    if (depth > kDeepest) return refused_text(text_, "is nested too deeply", kBrackets);
    if (after_spaces(at_) < text_.size() && text_[after_spaces(at_)] == '(') {
      at_ = after_spaces(at_) + 1;
      Result<RegionTree> inner = joined(depth + 1);
      if (!inner) return inner;
      at_ = after_spaces(at_);
      if (at_ >= text_.size() || text_[at_] != ')') return refused_text(text_, "has a bracket too few", kBrackets);
      ++at_;
      return inner;
    }
    const std::size_t from = at_;
    int open = 0;
    for (; at_ < text_.size() && operator_at(at_) == '\0'; ++at_) {
      if (text_[at_] == '(') ++open;
      if (text_[at_] == ')' && --open < 0 && depth > 0) break;
    }
    return leaf_of_text(text_.substr(from, at_ - from), patience_, file_);
  }

  std::string_view text_;
  const Patience& patience_;
  const AreaFile& file_;
  std::size_t at_ = 0;
  bool chain_ = false;  // whether > divides
};

}  // namespace

Result<RegionTree> region_of_text(std::string_view text, const Patience& patience, const AreaFile& file) {
  return JoinedText(text, patience, file).read();
}

Result<std::vector<RegionTree>> regions_in_order(std::string_view text, const Patience& patience,
                                                 const AreaFile& file) {
  return JoinedText(text, patience, file).read_chain();
}

std::string text_of(const RegionTree& region) {
  if (region.node == RegionTree::Node::leaf)
    return std::string(region.kind->name) + ":" + leaf_text(*region.kind, region.value);
  const char* between = region.node == RegionTree::Node::all_of   ? " & "
                        : region.node == RegionTree::Node::any_of ? " | "
                                                                  : " - ";
  std::string text;
  for (const RegionTree& part : region.parts) {
    const auto* names = std::get_if<RegionTexts>(&part.value);
    const bool several = part.node == RegionTree::Node::leaf && part.kind->separator == '\0' && names->size() > 1;
    const bool nested = (part.node != RegionTree::Node::leaf && !part.parts.empty()) || several;
    text += (text.empty() ? "" : between) + (nested ? "(" + text_of(part) + ")" : text_of(part));
  }
  return text.empty() ? "anywhere" : text;
}

}  // namespace stopover
