#include "job/series_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "release_io/release_io.h"

namespace stopover {
namespace {

// How far back is looked for releases, in periods.
constexpr int kReach = 60;

std::string mark_of(const Release& release, std::string_view name) {
  for (const auto& [key, value] : release.params) {
    if (key == name) return value;
  }
  return "";
}

}  // namespace

Result<SeriesHistory::Known> SeriesHistory::known(const std::string& path, const Period& period, const Domain& domain) {
  const auto found = read_.find(path);
  if (found != read_.end()) return found->second;
  const Result<Release> release = read_release(path, observer_.threads);
  if (!release) {
    return Error{
        release.error().failure,
        fmt::format("{}\n  This release would lean on it. With `independent` it stands alone; nothing was spent on it.",
                    release.error().message)};
  }
  const Result<std::string> content = content_sha256(*release);
  if (!content) return content.error();
  Known known{nullptr, *content};
  const bool maps = release->answer_model == AnswerModel::maps && release->tables.size() > 1 &&
                    release->tables[0].kind == TableKind::partition &&
                    release->tables.size() == factors_of(release->domain).size() + 1;
  if (maps && release->domain == domain && mark_of(*release, "period") == period.name()) {
    known.past = std::make_shared<const PastRelease>(*release);
  } else {
    observer_.note(fmt::format("{} is of another grid, method or period: later releases do not lean on it", path));
  }
  return read_.emplace(path, std::move(known)).first->second;
}

Status SeriesHistory::set(PublishRequest& one, const Period& period, std::span<const Domain> domains) {
  for (std::size_t i = 0; i < one.parts.size(); ++i) {
    PublishPart& part = one.parts[i];
    if (!part.mechanism->leans_on_history) continue;
    auto history = std::make_shared<History>();
    // A public table (`prior`) is as an older release, as long as there are few.
    const std::vector<std::shared_ptr<const PastRelease>> prior =
        part.params.history() == nullptr ? History().past : part.params.history()->past;
    std::string marks;
    for (int back = 1; back <= kReach && history->past.size() < History::kMost; ++back) {
      const Period before = period.plus(-back);
      const std::string path = part.name.empty() ? fmt::format("{}/{}.odr", folder_, before.name())
                                                 : fmt::format("{}/{}/{}.odr", folder_, before.name(), part.name);
      std::error_code error;
      if (!std::filesystem::exists(path, error)) continue;
      const Result<Known> earlier = known(path, before, domains[i]);
      if (!earlier) return earlier.error();
      if (!earlier->past) continue;
      history->past.push_back(earlier->past);
      marks = fmt::format("{}:{}{}{}", before.name(), earlier->content, marks.empty() ? "" : ",", marks);
    }
    if (history->past.empty()) continue;
    std::reverse(history->past.begin(), history->past.end());
    if (history->past.size() < History::kMost) {
      history->past.insert(history->past.begin(), prior.begin(), prior.end());
    } else {
      std::erase_if(part.marks, [](const auto& mark) { return mark.first == "prior"; });
    }
    part.params.set_history(std::move(history));
    part.marks.emplace_back("history", std::move(marks));
  }
  return {};
}

}  // namespace stopover
