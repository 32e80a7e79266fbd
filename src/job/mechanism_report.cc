#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <charconv>

#include "geo/json_fwd.h"
#include "job/reports.h"
#include "mechanism/mechanism.h"
#include "text/figure_text.h"

namespace stopover {
namespace {

Json default_of(const ParamSpec& spec) {
  if (spec.kind == ParamKind::axes) return std::string(spec.default_value);
  double value = 0;
  std::from_chars(spec.default_value.data(), spec.default_value.data() + spec.default_value.size(), value);
  if (spec.kind == ParamKind::integer) return static_cast<std::uint64_t>(value);
  return value;
}

Json bound(const ParamSpec& spec, double value) {
  if (spec.kind == ParamKind::axes) return nullptr;
  if (spec.kind == ParamKind::integer) return static_cast<std::uint64_t>(value);
  return value;
}

Json json_of(const Mechanism& m) {
  Json params = Json::array();
  for (const ParamSpec& spec : m.params) {
    params.push_back({{"name", spec.name},
                      {"default", default_of(spec)},
                      {"min", bound(spec, spec.min)},
                      {"max", bound(spec, spec.max)},
                      {"help", spec.help}});
  }
  return {{"name", m.name},   {"summary", m.summary}, {"reference", m.reference},
          {"params", params}, {"min_d", m.min_d},     {"max_d", m.max_d},
          {"kind", m.kind}};
}

std::string range_text(const ParamSpec& spec) {
  if (spec.kind == ParamKind::axes) return "axis numbers in order, as in 2,0,1";
  return fmt::format("{} to {}, default {}", number_text(spec.min), number_text(spec.max), spec.default_value);
}

}  // namespace

std::string mechanisms_json(std::span<const Mechanism* const> mechanisms) {
  Json rows = Json::array();
  for (const Mechanism* m : mechanisms) rows.push_back(json_of(*m));
  return rows.dump(2);
}

std::string mechanism_text(const Mechanism& m, const Paper& paper) {
  std::string text =
      fmt::format("{}{}\n", paper.paint(Tone::strong, fmt::format("{:<18}", m.name)), wrapped(m.summary, 80, 18));
  text += fmt::format("{:18}{}\n", "", paper.paint(Tone::faint, wrapped(m.reference, 80, 18)));
  for (const ParamSpec& spec : m.params) {
    text += fmt::format("  `params {}=...`\n", spec.name);
    text += "      " + wrapped(fmt::format("{} ({})", spec.help, range_text(spec)), 80, 6) + "\n";
  }
  return text;
}

}  // namespace stopover
