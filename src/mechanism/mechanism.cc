#include "mechanism/mechanism.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/check.h"
#include "base/nearest.h"
#include "base/usage_error.h"
#include "release/consistency.h"

namespace stopover {
namespace {

// Whole text as a finite number.
bool parse_number(std::string_view text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

std::vector<std::size_t> parse_axes(std::string_view text) {
  std::vector<std::size_t> axes;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::size_t axis = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + comma, axis);
    if (error != std::errc() || end != text.data() + comma) return {};
    axes.push_back(axis);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return axes;
}

std::string plain(double value) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return {buffer, error == std::errc() ? end : buffer};
}

Status check_value(const Mechanism& mechanism, const ParamSpec& spec, const std::string& value) {
  const std::string what = "parameter " + std::string(spec.name) + " of " + std::string(mechanism.name);
  if (spec.kind == ParamKind::axes) {
    if (value.empty() || !parse_axes(value).empty()) return {};
    return usage_error(what + " must be axis numbers joined by commas, such as 1,0, not \"" + value + "\"");
  }
  double number = 0;
  const bool whole = spec.kind == ParamKind::integer;
  if (!parse_number(value, number) || number < spec.min || number > spec.max ||
      (whole && number != std::floor(number))) {
    return usage_error(what + " must be a " + (whole ? "whole number" : "number") + " from " + plain(spec.min) +
                       " to " + plain(spec.max) + ", not \"" + value + "\"\n  " + std::string(spec.help) +
                       "; default " + std::string(spec.default_value));
  }
  return {};
}

}  // namespace

const std::string& Params::text(std::string_view name) const {
  for (const auto& [key, value] : values_) {
    if (key == name) return value;
  }
  check_failed(__FILE__, __LINE__, "a mechanism asked for a parameter that its row does not declare");
}

double Params::number(std::string_view name) const {
  double value = 0;
  STOPOVER_CHECK(parse_number(text(name), value), "a parameter that is not a number");
  return value;
}

std::uint64_t Params::integer(std::string_view name) const { return static_cast<std::uint64_t>(number(name)); }

std::vector<std::size_t> Params::axes(std::string_view name, std::size_t d) const {
  std::vector<std::size_t> natural(d);
  for (std::size_t i = 0; i < d; ++i) natural[i] = i;
  if (text(name).empty()) return natural;
  std::vector<std::size_t> given = parse_axes(text(name));
  if (!std::is_permutation(given.begin(), given.end(), natural.begin(), natural.end())) return {};
  return given;
}

const Mechanism* find_mechanism(std::string_view name) {
  for (const Mechanism& mechanism : mechanisms()) {
    if (mechanism.name == name) return &mechanism;
  }
  return nullptr;
}

std::string_view nearest_mechanism(std::string_view name) {
  const auto rows = mechanisms();
  return std::min_element(rows.begin(), rows.end(),
                          [&](const Mechanism& a, const Mechanism& b) {
                            return edit_distance(a.name, name) < edit_distance(b.name, name);
                          })
      ->name;
}

Result<Params> read_params(const Mechanism& mechanism, const std::vector<std::pair<std::string, std::string>>& given) {
  Params params;
  for (const ParamSpec& spec : mechanism.params) params.values_.emplace_back(spec.name, spec.default_value);
  std::sort(params.values_.begin(), params.values_.end());
  std::vector<std::string> seen;
  for (const auto& [name, value] : given) {
    const auto spec = std::find_if(mechanism.params.begin(), mechanism.params.end(),
                                   [&](const ParamSpec& candidate) { return candidate.name == name; });
    if (spec == mechanism.params.end()) {
      std::string message = std::string(mechanism.name) + " has no parameter \"" + name + "\"\n  ";
      message += mechanism.params.empty() ? "It has none." : "It has:";
      for (const ParamSpec& known : mechanism.params) message += " " + std::string(known.name);
      return usage_error(message);
    }
    if (std::find(seen.begin(), seen.end(), name) != seen.end())
      return usage_error("parameter " + name + " was given twice");
    seen.push_back(name);
    if (Status ok = check_value(mechanism, *spec, value); !ok) return ok.error();
    for (auto& [key, old] : params.values_) {
      if (key == name) old = value;
    }
  }
  return params;
}

Status check_publishes(const Mechanism& mechanism) {
  if (mechanism.publishes()) return {};
  return usage_error(std::string(mechanism.name) +
                     " is for stopover evaluate alone: what it publishes could not be asked\n"
                     "  Use another one; see stopover mechanisms");
}

Status check_axes(const Mechanism& mechanism, const Domain& domain) {
  const int d = static_cast<int>(domain.d());
  if (d < mechanism.min_d || d > mechanism.max_d) {
    return usage_error(std::string(mechanism.name) + " works on " + std::to_string(mechanism.min_d) + " to " +
                       std::to_string(mechanism.max_d) + " axes, not " + std::to_string(d) +
                       "\n  `stopover mechanisms` lists what each one takes.");
  }
  return {};
}

Status check_mechanism(const Mechanism& mechanism, const Params& params, const Domain& domain) {
  if (Status ok = check_publishes(mechanism); !ok) return ok;
  if (Status ok = check_axes(mechanism, domain); !ok) return ok;
  if (params.borders() != nullptr && !mechanism.follows_borders) {
    return Error{Failure::usage, "`borders` is heeded by mechanism anchor, not by " + std::string(mechanism.name) +
                                     "\n  Use `mechanism anchor`, or leave `borders` out."};
  }
  if (params.history() != nullptr && !mechanism.leans_on_history) {
    return Error{Failure::usage,
                 "mechanism " + std::string(mechanism.name) + " leans on no earlier releases: anchor does"};
  }
  return mechanism.check ? mechanism.check(params, domain) : Status();
}

Release run_plan(const Mechanism& mechanism, const Params& params, Kernel& kernel, Unit unit,
                 const std::function<void(Release&)>& plan) {
  Release release;
  release.domain = kernel.domain();
  release.mechanism = mechanism.name;
  release.params = params.all();
  release.epsilon = kernel.epsilon();
  release.unit = unit;
  release.k = kernel.k();
  plan(release);
  const Receipt receipt = kernel.close();
  release.spent = receipt.spent;
  for (const ChargeLine& line : receipt.charges) {
    release.charges.push_back({line.view, line.depth, line.purpose, line.ticks, line.times});
  }
  if (release.answer_model == AnswerModel::uniform) {
    for (Table& table : release.tables) make_consistent(table, release.rate(1));
  }
  return release;
}

Release run_mechanism(const Mechanism& mechanism, const Params& params, Kernel& kernel, Unit unit) {
  return run_plan(mechanism, params, kernel, unit, [&](Release& release) { mechanism.plan(kernel, params, release); });
}

}  // namespace stopover
