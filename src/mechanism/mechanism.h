// The table of mechanisms: one row each, and everything reads that row (command line, Python, docs, evaluation, tests).
//
// A mechanism is a plan over the kernel (no forecast: that is src/plan): it decides where to cut and what to count from
// values already released, and writes what it got into the tables of a Release. To add one: a .cc with its plan, a
// declaration, one row in mechanism_table.cc. The contract test suite then runs over it by itself.
//
//   const Mechanism* m = find_mechanism("daf-entropy");
//   Result<Params> params = read_params(*m, {{"stop", "2"}});
//   if (Status ok = check_mechanism(*m, *params, domain, epsilon, k); !ok) ...   // before anything is reserved
//   Result<Release> release = run_mechanism(*m, *params, kernel, Unit::trip);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/ticks.h"
#include "domain/domain.h"
#include "mechanism/borders.h"
#include "privacy/kernel.h"
#include "release/release.h"

namespace stopover {

struct History;

enum class ParamKind {
  number,   // a decimal in [min, max]
  integer,  // a whole number in [min, max]
  axes,     // all axis numbers in some order, such as 2,0,1; "" for the domain's own order
};

struct ParamSpec {
  std::string_view name;
  ParamKind kind;
  std::string_view default_value;
  double min;
  double max;
  std::string_view help;
};

// The parameters of one run, checked against the mechanism's specs, defaults filled in.
class Params {
 public:
  // REQUIRES: the mechanism has a parameter of that name and kind.
  double number(std::string_view name) const;
  std::uint64_t integer(std::string_view name) const;
  // The axis order, or 0, 1, ..., d - 1 when none was given.
  std::vector<std::size_t> axes(std::string_view name, std::size_t d) const;

  // Public areas whose edges cuts should follow; nullptr where none were declared. Not a text: a publication sets them
  // beside what it read.
  const Borders* borders() const { return borders_.get(); }
  void set_borders(std::shared_ptr<const Borders> borders) { borders_ = std::move(borders); }

  // What was published before, to lean on (history.h); nullptr for none. As borders: a publication sets it.
  const History* history() const { return history_.get(); }
  void set_history(std::shared_ptr<const History> history) { history_ = std::move(history); }

  // All of them as text, sorted by name.
  const std::vector<std::pair<std::string, std::string>>& all() const { return values_; }

 private:
  friend Result<Params> read_params(const struct Mechanism&, const std::vector<std::pair<std::string, std::string>>&);
  const std::string& text(std::string_view name) const;
  std::vector<std::pair<std::string, std::string>> values_;
  std::shared_ptr<const Borders> borders_;
  std::shared_ptr<const History> history_;
};

struct Mechanism {
  std::string_view name;
  std::string_view summary;    // one line
  std::string_view reference;  // who described it
  std::span<const ParamSpec> params;
  int min_d;
  int max_d;
  std::string_view kind;  // of table 0, as in TableKind; "cover", "contrasts" or "plain": grids over each other and
                          // plain counts, which are only compared with (publishes() is false)
  bool spends_all;        // every path's charges sum to exactly epsilon
  // What can be refused before anything is spent (a dense domain that is too large, a bad axis order). Public facts
  // only.
  Status (*check)(const Params&, const Domain&);
  // Spends the kernel's budget and fills release.tables and release.answer_model; the rest of the release is the
  // runner's. nullptr for a row that is only compared with: src/peers has its plan, and what it makes is not a release.
  void (*plan)(Kernel&, const Params&, Release&);
  bool follows_borders = false;  // heeds Params::borders()
  bool probed = false;           // its releases are probed (publish/probed.h)
  // Of a domain of any size: it asks the kernel for nothing but what rows can give that are passed over, not held
  // (kernel.h). On few cells every mechanism does.
  bool in_passes = false;
  bool leans_on_history = false;  // heeds Params::history()
  bool passes(const Domain& domain) const { return in_passes || domain.volume() <= Kernel::kMostCellsOfAPass; }

  bool publishes() const { return plan != nullptr; }
};

std::span<const Mechanism> mechanisms();
// nullptr when there is none; `nearest_mechanism` then gives the name to suggest.
const Mechanism* find_mechanism(std::string_view name);
std::string_view nearest_mechanism(std::string_view name);

// Fails (usage) on an unknown name, a bad or out-of-range value, the same name twice; the message lists what there is.
Result<Params> read_params(const Mechanism& mechanism, const std::vector<std::pair<std::string, std::string>>& given);

// Whether the mechanism makes releases at all, and whether it takes so many axes: parts of check_mechanism.
Status check_publishes(const Mechanism& mechanism);
Status check_axes(const Mechanism& mechanism, const Domain& domain);

// Whether the mechanism publishes and can run on this domain. To be called before a budget is reserved.
Status check_mechanism(const Mechanism& mechanism, const Params& params, const Domain& domain);

// Runs the plan, closes the kernel and returns the release with consistent estimates and its receipt; number, ledger
// head and date are left to the publisher. REQUIRES: check_mechanism passed; the kernel is fresh.
Release run_mechanism(const Mechanism& mechanism, const Params& params, Kernel& kernel, Unit unit);

// The same with a plan of a mechanism from elsewhere, which spends the kernel's budget.
Release run_plan(const Mechanism& mechanism, const Params& params, Kernel& kernel, Unit unit,
                 const std::function<void(Release&)>& plan);

// ticks as a number, divided by k: the epsilon that formulas speak of.
inline double effective(const Kernel& kernel, Ticks ticks) {
  const Rate rate = kernel.rate(ticks);
  return static_cast<double>(rate.num) / static_cast<double>(rate.den);
}

}  // namespace stopover
