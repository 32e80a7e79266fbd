#include "release_io/guarantee_card.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/period.h"
#include "base/portable_math.h"

namespace stopover {
namespace {

constexpr std::string_view kNoPrivacy = "No privacy";
constexpr std::string_view kCut = " A trip over the border of two is cut, and each piece is protected by itself.";

// Of a series: a remark among the parameters; "" where there is none.
std::string remark(const Release& release, std::string_view name) {
  for (const auto& [own, value] : release.params) {
    if (own == name) return value;
  }
  return "";
}

// What whoever was half sure becomes.
std::string becomes(Ticks epsilon) {
  const double percent = 100 * belief_after(epsilon);
  if (percent >= 99.5) return "may become more than 99 % sure: this epsilon promises very little.";
  return fmt::format("becomes at most {:.0f} % sure by seeing this release, whatever else they know.", percent);
}

// "12 months" of a release over several periods.
std::string all_of(const PersonInAll& all) { return fmt::format("{} {}s", all.periods, to_string(all.kind)); }

std::string limit_of_a_year(const Release& release) {
  const std::string limit = remark(release, "budget_per_year");
  return limit.empty() ? "The ledger sets no other limit to a year."
                       : fmt::format("The ledger allows no year more than {}.", limit);
}

// What the release of one period promises to somebody who is in every one of its series.
std::vector<std::string> promise_over_time(const Release& release, const std::string& per) {
  const std::optional<PeriodKind> kind = parse_period_kind(per);
  const std::int64_t year = kind ? periods_of_a_year(*kind) : 1;
  return {fmt::format("Each {} by itself reveals at most epsilon {} about you, with all of your at most {} trips in it "
                      "together.",
                      per, format_epsilon(release.epsilon), release.k),
          fmt::format("If you travel every {} the losses add: a year of {} such releases is at most {}. {}", per,
                      year, format_epsilon(release.epsilon * static_cast<Ticks>(year)), limit_of_a_year(release)),
          "The budget renews; what was revealed does not expire."};
}

// The same of one release over several periods.
std::vector<std::string> promise_of_all(const Release& release, const PersonInAll& all) {
  return {fmt::format("This one release covers {}, {}. Of each of them it reveals at most epsilon {} about you, with "
                      "all of your at most {} trips in it together.",
                      all_of(all), remark(release, "period"), format_epsilon(release.epsilon), release.k),
          fmt::format("If you travel in all of them the losses add: with your at most {} trips in it you are protected "
                      "at epsilon {} by this release alone. {}",
                      all.trips, format_epsilon(all.epsilon), belief_sentence(all.epsilon, Unit::user)),
          fmt::format("It is charged to each of its {}s, on top of what releases of a single {} cost. {}",
                      to_string(all.kind), to_string(all.kind), limit_of_a_year(release)),
          "The budget renews; what was revealed does not expire."};
}

// For unit trip: what releases of other periods tell of the same trip.
std::string trip_among_periods(const std::string& period) {
  const std::optional<PeriodRange> range = parse_period_range(period);
  if (range && range->size() > 1) {
    return fmt::format("This is one release over {} {}s, {}. A trip lies in one of them, by its time. Releases of one "
                       "of them, and of others that include it, tell more about the same trip: their epsilons add up.",
                       range->size(), to_string(range->first.kind), period) +
           std::string(kCut);
  }
  return fmt::format("This is {} of a series. A trip lies in one period, by its time: the releases of other single "
                     "periods tell nothing more about it. A release over several periods that include this one tells "
                     "more: their epsilons add up.",
                     period) +
         std::string(kCut);
}

// The counts, and what was public before them.
std::string sources_of_estimates(const Release& release) {
  const std::string history = remark(release, "history");
  const auto earlier = history.empty() ? 0 : 1 + std::count(history.begin(), history.end(), ',');
  std::string more;
  if (earlier > 0) more += fmt::format(" and {} earlier release{} of the series", earlier, earlier == 1 ? "" : "s");
  if (!remark(release, "prior").empty()) more += " and a public table";
  return more.empty() ? "the counts alone" : "the counts" + more;
}

GuaranteeCard card_without_promise(const Release& release) {
  const bool repeatable = release.randomness.is_repeatable();
  GuaranteeCard card;
  card.title = repeatable ? fmt::format("{}: made with a repeatable key ({}), for tests and made-up data alone.",
                                        kNoPrivacy, release.randomness.key_name())
                          : fmt::format("{} is promised: where the randomness of this release came from is not told.",
                                        kNoPrivacy);
  card.promise = {
      repeatable
          ? "Nothing. Whoever knows the name of the key can draw the same noise and take it away: what is left are the "
            "true counts."
          : "Nothing. Noise protects only if nobody can draw it again, and nobody says so here.",
      fmt::format("Epsilon {} for {} is what it would cost and promise under a fresh key of the system, which is drawn "
                  "once and "
                  "never stored. Such a release is made by stopover publish.",
                  format_epsilon(release.epsilon), unit_in_words(release))};
  card.not_covered = {"Everybody in the data, and everything about them."};
  return card;
}

}  // namespace

std::string unit_in_words(const Release& release) {
  const std::uint32_t k = release.k;
  if (release.unit == Unit::trip) return "one trip";
  const std::string per = remark(release, "unit_period");
  if (per.empty()) {
    return k == 1 ? "one person with at most 1 trip in the data"
                  : fmt::format("one person with at most {} trips in the data", k);
  }
  std::string text =
      fmt::format("what one person does in one {}, with at most {} trip{} in it", per, k, k == 1 ? "" : "s");
  if (const std::optional<PersonInAll> all = person_in_all(release))
    text += fmt::format("; epsilon {} for a person in all of its {}", format_epsilon(all->epsilon), all_of(*all));
  return text;
}

std::optional<PersonInAll> person_in_all(const Release& release) {
  if (release.unit != Unit::user || remark(release, "unit_period").empty()) return std::nullopt;
  const std::optional<PeriodRange> range = parse_period_range(remark(release, "period"));
  if (!range || range->size() < 2) return std::nullopt;
  const auto n = static_cast<Ticks>(range->size());
  return PersonInAll{range->first.kind, range->size(), release.epsilon * n, release.spent * n,
                     static_cast<std::uint64_t>(release.k) * static_cast<std::uint64_t>(n)};
}

double belief_after(Ticks epsilon) {
  return 1 / (1 + portable_exp(-static_cast<double>(epsilon) / static_cast<double>(kTicksPerEpsilon)));
}

std::string belief_sentence(Ticks epsilon, Unit unit) {
  return fmt::format("Someone 50 % sure that {} {}",
                     unit == Unit::user ? "you are in the data" : "a certain trip is in the data", becomes(epsilon));
}

std::vector<std::string> belief_sentences(const Release& release) {
  const std::optional<PersonInAll> all = person_in_all(release);
  if (!all) return {belief_sentence(release.epsilon, release.unit)};
  const std::string_view per = to_string(all->kind);
  return {fmt::format("Of one {0}: someone 50 % sure that your trips of that {0} are in the data, who knows all of "
                      "your other {0}s, {1}",
                      per, becomes(release.epsilon)),
          fmt::format("Of a person in all {}: {}", all_of(*all), belief_sentence(all->epsilon, Unit::user))};
}

std::string unit_name(const Release& release) {
  const std::string per = remark(release, "unit_period");
  return per.empty() ? std::string(to_string(release.unit)) : fmt::format("{}-{}", to_string(release.unit), per);
}

bool claims_privacy(const GuaranteeCard& card) { return !card.title.starts_with(kNoPrivacy); }

GuaranteeCard guarantee_card(const Release& release) {
  if (!release.is_private()) return card_without_promise(release);
  const std::string epsilon = format_epsilon(release.epsilon);
  const bool user = release.unit == Unit::user;
  const std::string per = remark(release, "unit_period");
  GuaranteeCard card;
  card.title = fmt::format("Pure differential privacy with epsilon {} for {}.", epsilon, unit_in_words(release));
  card.promise.push_back(fmt::format(
      "Compare two data sets that differ by {} added or removed: no outcome of the release is more than e^{} times as "
      "likely under one as under the other.",
      user ? (per.empty() ? "all trips of one person" : fmt::format("all trips of one person in one {}", per))
           : "one trip",
      epsilon));
  const std::optional<PersonInAll> all = person_in_all(release);
  card.promise.push_back(belief_sentences(release).front());
  if (user && !per.empty()) {
    for (std::string& sentence : all ? promise_of_all(release, *all) : promise_over_time(release, per))
      card.promise.push_back(std::move(sentence));
  } else if (user) {
    card.promise.push_back(
        fmt::format("A person is protected as a whole, with all of the at most {} trips together.", release.k));
  } else {
    card.promise.push_back(
        "The unit is one trip, not one person: somebody with n trips in the data is protected at n times this "
        "epsilon.");
    if (const std::string period = remark(release, "period"); !period.empty()) {
      card.promise.push_back(trip_among_periods(period));
    }
  }
  if (const std::string type = remark(release, "day_type"); !type.empty()) {
    card.promise.push_back(fmt::format(
        "It holds trips of day type {}. Releases of the period's other day types tell of other trips: all of them "
        "together come to the epsilon of one.",
        type));
  }
  card.promise.push_back(fmt::format(
      "Everything in this release is covered: boundaries, counts, estimates and this text. {} of the {} was spent.",
      format_epsilon(release.spent), epsilon));
  card.promise.push_back(fmt::format(
      "Counts carry exact discrete Laplace noise, are never rounded or clamped and may be negative; estimates are "
      "computed from {} and cost nothing.",
      sources_of_estimates(release)));
  card.not_covered = {
      "What was declared beforehand and not taken from the data: the bounding box, the grid, the stops and their time "
      "windows, the zones, and the most trips a person may have.",
      "Anyone with access to the curator's machine or to the data.",
      "How long the offline run that made this release took.",
      "Whoever can break the stream cipher from which the noise is drawn.",
      "Other releases from the same data: their epsilons add up. The ledger keeps the sum of those made with it.",
      "What is true of people in general, with or without any one of them in the data."};
  return card;
}

GuaranteeCard earlier_guarantee_card(const Release& release) {
  GuaranteeCard card = guarantee_card(release);
  const std::string period = remark(release, "period");
  if (release.unit != Unit::trip || !parse_period(period)) return card;
  for (std::string& sentence : card.promise) {
    if (sentence == trip_among_periods(period)) {
      sentence = fmt::format(
          "This is {} of a series. A trip lies in one period, by its time: the releases of other periods tell nothing "
          "more about it.{}",
          period, kCut);
    }
  }
  return card;
}

}  // namespace stopover
