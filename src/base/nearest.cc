#include "base/nearest.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace stopover {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// The shortest of the names that begin with three letters or more that were typed.
std::string begun(std::string_view typed, std::span<const std::string> names) {
  std::string best;
  const std::size_t dashes = std::min(typed.size(), typed.find_first_not_of('-'));
  if (typed.size() - dashes < 3) return best;
  for (const std::string& name : names) {
    if (name.starts_with(typed) && (best.empty() || name.size() < best.size())) best = name;
  }
  return best;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::string nearest(std::string_view name, std::span<const std::string> names) {
  std::string best;
  std::size_t least = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : names) {
    if (const std::size_t d = edit_distance(name, candidate); d < least) {
      least = d;
      best = candidate;
    }
  }
  return best.empty() ? begun(name, names) : best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> names, std::size_t most) {
  constexpr std::size_t kLongest = 80;
  if (name.size() > kLongest) return "";
  const std::size_t far = std::max<std::size_t>(name.size() / 2, 1) + 1;
  std::vector<std::pair<std::size_t, std::string_view>> near;
  for (const std::string& candidate : names) {
    if (candidate.size() > kLongest) continue;
    if (const std::size_t d = edit_distance(name, candidate); d < far) near.emplace_back(d, candidate);
  }
  std::sort(near.begin(), near.end());
  if (near.empty()) return "";
  const std::size_t best = near[0].first;
  std::string text = " Did you mean ";
  for (std::size_t i = 0; i < near.size() && i < most && near[i].first <= best + 1; ++i) {
    text.append(i == 0 ? "" : " or ").append(near[i].second);
  }
  return text + "?";
}

std::string list_names(std::span<const std::string> names) {
  constexpr std::size_t kShown = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) text += (i ? ", " : "") + names[i];
  if (names.size() > kShown) text += ", ... (" + std::to_string(names.size()) + " in all)";
  return text;
}

}  // namespace stopover
