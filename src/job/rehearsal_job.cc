#include "job/rehearsal_job.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/grouped.h"
#include "base/usage_error.h"
#include "geo/json_fwd.h"
#include "job/private_facts.h"
#include "job/private_page.h"
#include "ledger/file_system.h"
#include "text/figure_text.h"

namespace stopover {

Result<DryRun> run_rehearsal(const PublishSpec& spec, const Observer& observer, const KeyByName& key_by_name) {
  Result<PublishPlan> plan = plan_publish(spec, observer, key_by_name);
  if (!plan) return plan.error();
  if (plan->series && plan->series->periods.empty()) {
    return usage_error("there is nothing to publish: all periods have a release\n  Without `dry_run` the ledger gets "
                       "the record of their end, which it lacks.");
  }
  if (plan->input.count_in_memory) {
    plan->input.count_in_memory();
  } else if (plan->input.counts_from != CountsFrom::memory) {
    return usage_error(
        "`dry_run` counts in memory\n  Leave out `counts_from` and `engine`, or give a larger `memory_limit`.");
  }
  observer.steps(plan->input.phases + (plan->input.user_facts ? 1 : 0));
  Result<PublishRows> rows = plan->input.read(observer);
  if (!rows) return rows.error();
  DryRun told{{plan->request, {}}, plan->input.parts, {}, {}, std::move(rows->facts), {}, std::move(rows->left_out)};
  if (plan->series && !plan->series->one_release) {
    for (const Period& period : plan->series->periods) told.periods.push_back(period.name());
  }
  if (plan->input.user_facts) {
    observer.phase("counting users and trips");
    Result<PrivateFacts> users = plan->input.user_facts();
    if (!users) return users.error();
    told.users = std::move(*users);
  }
  observer.pause();
  const std::unique_ptr<FileSystem> files = posix_file_system();
  Result<Rehearsal> rehearsal = rehearse(*files, plan->request, rows->matrices);
  if (!rehearsal) return rehearsal.error();
  told.rehearsal = std::move(*rehearsal);
  return told;
}

std::string DryRun::period_of_part(std::size_t part) const {
  const std::vector<PublishPart>& parts = published.request.parts;
  const std::string& period = periods[part / parts.size()];
  const bool by_day_type = parts.size() > trips.size();
  return by_day_type ? fmt::format("{}, {}", period, parts[part % parts.size()].name) : period;
}

std::string DryRun::json() const {
  const PublishRequest& request = published.request;
  Json parts = Json::array();
  for (std::size_t i = 0; i < rehearsal.parts.size(); ++i) {
    const Rehearsal::Part& part = rehearsal.parts[i];
    const TripPart& own = trips[i % trips.size()];
    parts.push_back(
        {{"stops", own.stops}, {"shape", own.domain.shape_text()}, {"trips", part.trips}, {"cells", part.cells}});
    if (!periods.empty()) parts.back()["period"] = period_of_part(i);
  }
  Json told = {{"private", true},
               {"dry_run", true},
               {"release", request.output},
               {"unit", request.rule ? request.rule->unit : to_string(request.unit)},
               {"k", request.k},
               {"who", published.who()},
               {"mechanism", published.mechanisms()},
               {"epsilon", format_epsilon(request.epsilon)},
               {"rows", Json::parse(facts_json(rows))},
               {"users_and_trips", Json::parse(facts_json(users))},
               {"left_out", left_out},
               {"trips", rehearsal.trips},
               {"parts", parts},
               {"ledger", request.ledger},
               {"new_ledger", rehearsal.new_ledger},
               {"budget", format_epsilon(rehearsal.budget)},
               {"spent", format_epsilon(rehearsal.spent)},
               {"left_after", format_epsilon(rehearsal.left)}};
  if (request.expected) {
    told["expect_trips"] = request.expected->trips;
    told["first_share"] = format_epsilon(first_share(request.epsilon));
  }
  return told.dump(2);
}

std::string DryRun::text(Face face) const {
  const PublishRequest& request = published.request;
  std::string text = "a dry run: nothing was spent or drawn. True figures, not for release\n\n";
  text += fmt::format("{} would be published by {}\nprotected: {}\n\n", request.output, published.mechanisms(),
                      published.who());
  for (const PrivateFacts* facts : {&rows, &users}) {
    for (const std::string& line : fact_lines(*facts, true)) text += line + "\n";
  }
  for (const std::string& line : left_out) text += line + "\n";
  for (std::size_t i = 0; i < rehearsal.parts.size(); ++i) {
    const Rehearsal::Part& part = rehearsal.parts[i];
    if (!periods.empty()) text += period_of_part(i) + ": ";
    text += fmt::format("{} trip{} would be counted, in {} of the cells of {}\n", grouped(part.trips),
                        part.trips == 1 ? "" : "s", grouped(part.cells), trips[i % trips.size()].domain.shape_text());
  }
  if (rehearsal.trips == 0) {
    text += trips[0].domain.zones() == nullptr
                ? "Nothing would be counted: look at `lat`, `lng`, `bbox`, `time`, `timezone`.\n"
                : "Nothing would be counted: are the ids or places of the rows those of `zones`? Look at `zone_id`,\n"
                  "`zone_columns`, `lat`, `lng`, `time`.\n";
  }
  if (request.expected) {
    text += fmt::format("{} trips are expected: there are {}\n", grouped(request.expected->trips),
                        rehearsal.trips < request.expected->trips ? "fewer" : "as many");
  }
  text += fmt::format("\nepsilon {} would be spent{}", format_epsilon(request.epsilon),
                      request.rule ? fmt::format(" on each {}", to_string(request.rule->kind)) : "");
  if (request.expected)
    text += fmt::format(", {} of it first, for a noisy total", format_epsilon(first_share(request.epsilon)));
  const std::string ledger = request.ledger + (rehearsal.new_ledger ? ", a new ledger," : "");
  text += request.rule ? fmt::format("\n{} would be charged for each of them", ledger)
                       : fmt::format("\n{} would have {} of {} left", ledger, format_epsilon(rehearsal.left),
                                     format_epsilon(rehearsal.budget));
  return private_page(in_words_of(face, text));
}

}  // namespace stopover
