#include "publish/rehearsal.h"

#include <fmt/format.h>

#include <algorithm>

namespace stopover {
namespace {

Error refused(std::string message) { return {Failure::privacy, std::move(message)}; }

Status look_at_ledger(FileSystem& files, const PublishRequest& request, Rehearsal& told) {
  told.new_ledger = !files.exists(request.ledger);
  if (request.rule) {  // looked at by whoever planned the periods
    told.budget = request.rule->each;
    told.left = told.budget - std::min(told.budget, request.epsilon);
    return {};
  }
  if (told.new_ledger) {
    if (!request.budget)
      return Error{Failure::usage, fmt::format("`budget` is required: the ledger {} is new", request.ledger)};
    told.budget = *request.budget;
  } else {
    const Result<LedgerChain> chain = Ledger::read(files, request.ledger, request.state_dir);
    if (!chain) return chain.error();
    told.budget = chain->budget();
    told.spent = chain->spent;
    if (request.budget && *request.budget != told.budget) {
      return refused(fmt::format("the budget of {} is {}, not {}\n  Leave `budget` out.", request.ledger,
                                 format_epsilon(told.budget), format_epsilon(*request.budget)));
    }
  }
  const Ticks left = told.budget - told.spent;
  if (request.epsilon > left) {
    return refused(fmt::format("epsilon {} is more than the ledger {} has left: {} of {}",
                               format_epsilon(request.epsilon), request.ledger, format_epsilon(left),
                               format_epsilon(told.budget)));
  }
  told.left = left - request.epsilon;
  return {};
}

}  // namespace

Result<Rehearsal> rehearse(FileSystem& files, const PublishRequest& request, std::span<const Matrix> matrices) {
  const std::vector<PublishPart>& parts = request.parts;
  STOPOVER_CHECK(matrices.size() % parts.size() == 0, "every part has its matrix");
  std::vector<Domain> domains;
  for (const Matrix& matrix : matrices.first(parts.size())) domains.push_back(matrix.domain());
  // A series' outputs were looked at with its periods.
  const bool series = request.rule && !request.at;
  if (Status s = series ? check_plan(files, request, domains) : check_publish(files, request, domains); !s)
    return s.error();
  Rehearsal told;
  if (Status s = look_at_ledger(files, request, told); !s) return s.error();
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    told.parts.push_back({parts[i % parts.size()].name, matrices[i].total(), matrices[i].counts().size()});
    told.trips += told.parts.back().trips;
  }
  return told;
}

}  // namespace stopover
