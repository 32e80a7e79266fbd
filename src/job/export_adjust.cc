#include "job/export_adjust.h"

#include <fmt/format.h>

#include <filesystem>
#include <numeric>

#include "base/grouped.h"
#include "base/nearest.h"
#include "base/usage_error.h"
#include "disk/sha256.h"
#include "text/figure_text.h"

namespace stopover {
namespace {

// Which file it was: its name and what was in it.
Status tell_file(ExportJob& job, const std::string& field, const std::string& path) {
  const Result<std::string> hash = sha256_of_file(path);
  if (!hash) return Error{hash.error().failure, fmt::format("`{} {}` cannot be read", field, path)};
  job.card.settings.emplace_back(field, std::filesystem::path(path).filename().string());
  job.card.settings.emplace_back(field + "_sha256", *hash);
  return {};
}

void tell_factor(ExportJob& job, double factor) {
  job.card.settings.emplace_back("expand", fmt::format("{}", factor));
  job.card.notes.push_back(fmt::format(
      "Expanded: estimates and intervals are {} times what the release says, a factor that was declared and is no part "
      "of the data. How far the rows stand for a population is not in the intervals.",
      factor));
  job.facts["expand"] = factor;
}

void tell_fit(ExportJob& job, const SumTree& tree, const std::array<std::size_t, 2>& totals, const TotalFit& fit) {
  constexpr const char* kSides[] = {"origins", "destinations"};
  std::vector<std::string> filled;
  for (std::size_t side = 0; side < 2; ++side) {
    for (const std::size_t node : fit.filled[side])
      filled.push_back(fmt::format("{} of {}", kSides[side], tree[node].name));
  }
  std::string note = fmt::format(
      "Made to meet public totals ({} of origins, {} of destinations), by scaling rows and columns in turn; intervals "
      "are scaled along and not claimed any more.",
      totals[0], totals[1]);
  if (!filled.empty()) {
    const std::string told =
        fmt::format("Totals above 0 without any estimate were shared out as all trips are: {}.", list_names(filled));
    job.observer.note(told);
    note += " " + told;
  }
  if (fit.blended > 0) {
    const std::string told = fmt::format(
        "Estimates of 0 stood in the way of the totals: {} of the trips were first shared out as rows and columns "
        "alone say.",
        share_text(fit.blended));
    job.observer.note(told);
    note += " " + told;
  }
  job.card.notes.push_back(note);
  job.facts["fixed_totals"] = {
      {"origins", totals[0]}, {"destinations", totals[1]}, {"filled", filled}, {"blended", rounded(fit.blended)}};
}

}  // namespace

Result<ExportAdjustment> ExportAdjustment::make(const ExportJob& job, const ExportJob::Leg& leg,
                                                const std::vector<std::string>& zones) {
  const ExportSpec& spec = job.spec;
  ExportAdjustment adjustment;
  if (spec.expand.empty() && spec.fix_totals.empty() && !spec.integers) return adjustment;
  if (std::uint64_t{zones.size()} * zones.size() > kMostPairs) {
    return usage_error(fmt::format("`{}` takes at most 10,000 zones, not {}\n  Join some of them, or leave it out.",
                                   spec.integers             ? "integers"
                                   : spec.fix_totals.empty() ? "expand"
                                                             : "fix_totals",
                                   grouped(zones.size())));
  }
  // Another file's zones have no groups.
  adjustment.tree_ =
      std::make_unique<SumTree>(SumTree::make(zones, spec.zones.empty() ? job.release.domain.zones() : nullptr));
  Result<PairAdjustment> pairs =
      PairAdjustment::make({.expand = spec.expand, .fix_totals = spec.fix_totals, .integers = spec.integers},
                           *adjustment.tree_, {leg.from_name, leg.to_name});
  if (!pairs) return pairs.error();
  adjustment.pairs_ = *std::move(pairs);
  return adjustment;
}

Result<AdjustedPairs> ExportAdjustment::apply(ExportJob& job, std::vector<double> estimates) const {
  const ExportSpec& spec = job.spec;
  Result<AdjustedPairs> done = pairs_->apply(std::move(estimates));
  if (!done) return done.error();
  if (!spec.expand.empty()) {
    const Result<std::optional<double>> factor = PairAdjustment::one_factor(spec.expand);
    if (!factor) return factor.error();
    if (*factor) {
      tell_factor(job, **factor);
    } else {
      if (Status s = tell_file(job, "expand", spec.expand); !s) return s.error();
      job.card.notes.emplace_back(
          "Expanded: estimates and intervals are what the release says times the factor of the zone of origin, which "
          "was declared and is no part of the data. How far the rows stand for a population is not in the intervals.");
      job.facts["expand"] = spec.expand;
    }
  }
  if (done->fit) {
    if (Status s = tell_file(job, "fix_totals", spec.fix_totals); !s) return s.error();
    tell_fit(job, *tree_, pairs_->totals(), *done->fit);
  }
  if (spec.integers) tell_whole(job, done->whole);
  return done;
}

void tell_whole(ExportJob& job, const std::vector<std::int64_t>& whole) {
  job.card.settings.emplace_back("integers", "yes");
  job.card.notes.emplace_back(
      "whole: the estimates as whole numbers that add up. Each is one of the two around its estimate, and no total of "
      "the table is off by 1 or more. For models that take decimals the estimates are better.");
  job.facts["whole_sum"] = std::accumulate(whole.begin(), whole.end(), std::int64_t{0});
}

Result<double> factor_without_pairs(ExportJob& job) {
  const ExportSpec& spec = job.spec;
  const std::string instead = "\n  Leave out `summary`, and add up the rows of the table of pairs.";
  for (const auto& [field, given] : {std::pair{"integers", spec.integers}, {"fix_totals", !spec.fix_totals.empty()}}) {
    if (given) return usage_error(fmt::format("`{}` does not go with `summary`{}", field, instead));
  }
  if (spec.expand.empty()) return 1.0;
  const Result<std::optional<double>> factor = PairAdjustment::one_factor(spec.expand);
  if (!factor) return factor.error();
  if (!*factor) return usage_error(fmt::format("`expand FILE` does not go with `summary`{}", instead));
  tell_factor(job, **factor);
  return **factor;
}

}  // namespace stopover
