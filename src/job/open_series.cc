#include "job/open_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "job/series_folder.h"
#include "question/series_json.h"
#include "release/release_period.h"

namespace stopover {
namespace {

namespace fs = std::filesystem;

std::string joined(const fs::path& path) { return path.lexically_normal().string(); }

// Of a path that is not there, "city/weekday": the releases of that part of every period, city/2019-01/weekday.odr, ...
std::vector<std::string> releases_of_part(const std::string& path) {
  fs::path name = fs::path(path).lexically_normal();
  if (!name.has_filename()) name = name.parent_path();
  std::vector<std::string> paths;
  std::error_code none;
  if (name.empty() || fs::exists(name, none)) return paths;
  const fs::path folder = name.has_parent_path() ? name.parent_path() : fs::path(".");
  for (fs::directory_iterator entry(folder, none), end; !none && entry != end; entry.increment(none)) {
    if (!parse_period(entry->path().filename().string())) continue;
    for (const char* extension : {".odr", ".odrz"}) {
      const fs::path part = entry->path() / (name.filename().string() + extension);
      if (std::error_code failed; fs::exists(part, failed)) paths.push_back(joined(part));
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Paths of the releases in a folder, by name; `notes`: which are left out.
Result<std::vector<std::string>> releases_in(const std::string& folder, std::vector<std::string>& notes) {
  if (std::vector<std::string> part = releases_of_part(folder); !part.empty()) {
    fs::path name = fs::path(folder).lexically_normal();
    if (!name.has_filename()) name = name.parent_path();
    const fs::path above = name.has_parent_path() ? name.parent_path() : fs::path(".");
    if (const SeriesFolder all = SeriesFolder::read(above.string()); !all.releases.empty()) {
      notes.push_back(fmt::format("{} also holds releases of whole periods, as {}: they are left out; {} is the series "
                                  "of these",
                                  joined(above), all.releases.front(), joined(above)));
    }
    return part;
  }
  SeriesFolder all = SeriesFolder::read(folder);
  if (all.failed) return Error{Failure::bad_input, fmt::format("cannot read the folder {}", folder)};
  const auto part = [&] { return joined(fs::path(folder) / fs::path(all.parts.front()).stem()); };
  if (!all.releases.empty()) {
    if (!all.parts.empty()) {
      notes.push_back(fmt::format("{} also holds several releases for each of some periods, as {}: they are left out; "
                                  "{} is the series of these",
                                  folder, all.parts.front(), part()));
    }
    return std::move(all.releases);
  }
  if (!all.parts.empty()) {
    return Error{
        Failure::bad_input,
        fmt::format("{} holds several releases for each period, as {}\n  Name which of them: {} is the series of "
                    "these.",
                    folder, all.parts.front(), part())};
  }
  return Error{Failure::bad_input,
               fmt::format("{} is a folder without releases\n  A release is a folder NAME.odr or a file NAME.odrz; a "
                           "series is a folder of them, as publish with `period` makes it.",
                           folder)};
}

void note_day_types(OpenSeries& series) {
  std::map<std::string, std::string> periods;  // by day type
  for (const OpenSeries::Member& one : series.members) {
    std::string type = "all days";
    for (const auto& [name, value] : one.ready.release.params) type = name == "day_type" ? value : type;
    std::string& of = periods[type];
    of += (of.empty() ? "" : ", ") + one.period.name();
  }
  if (periods.size() < 2) return;
  std::string text;
  for (const auto& [type, of] : periods) text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", type, of);
  series.notes.push_back(fmt::format("its releases are of different days: {}", text));
}

void warn_of(const OpenSeries& series, const Observer& observer) {
  std::map<std::string, std::vector<std::string>> paths;  // by what is to be said
  for (const OpenSeries::Member& one : series.members) {
    const Randomness& randomness = one.ready.release.randomness;
    if (!randomness.is_private()) paths[randomness.warning()].push_back(one.path);
    if (one.ready.papers.note) paths[one.ready.papers.note->sentence()].push_back(one.path);
  }
  for (const auto& [said, of] : paths) {
    observer.warn(of.size() == 1 ? fmt::format("{} was {}", of[0], said)
                                 : fmt::format("{} and {} more were {}", of[0], of.size() - 1, said));
  }
}

}  // namespace

bool is_series_folder(const std::string& path) {
  std::error_code none;
  if (!releases_of_part(path).empty()) return true;
  return fs::is_directory(path, none) && !is_release_name(fs::path(path).lexically_normal()) &&
         !is_release_name((fs::path(path) / "").lexically_normal().parent_path()) &&
         !fs::exists(fs::path(path) / "release.json", none);
}

Result<OpenSeries> OpenSeries::open(const std::string& path, const Observer& observer) {
  OpenSeries series;
  const Result<std::vector<std::string>> paths = releases_in(path, series.notes);
  if (!paths) return paths.error();
  series.path = path;
  for (const std::string& at : *paths) {
    if (Status s = observer.check(); !s) return s.error();
    Result<ReadyRelease> ready = ReadyRelease::open(at, observer.threads);
    if (!ready) return ready.error();
    const std::string name = period_text(ready->release);
    const std::optional<Period> period = period_of(ready->release);
    if (!period) {
      series.notes.push_back(name.empty() ? fmt::format("{} is of no period: it is left out", at)
                                          : fmt::format("{} is of {} in one: it is left out", at, name));
      continue;
    }
    series.members.push_back({*period, at, std::move(*ready)});
  }
  if (series.members.empty()) {
    return Error{Failure::bad_input,
                 fmt::format("{} holds releases, but none of a period\n  Name one of them, as {}, or publish with "
                             "`period month:2019-01..2019-12`.",
                             path, paths->front())};
  }
  std::stable_sort(series.members.begin(), series.members.end(),
                   [](const Member& a, const Member& b) { return a.period < b.period; });
  for (std::size_t i = 1; i < series.members.size(); ++i) {
    const Member &before = series.members[i - 1], &one = series.members[i];
    if (before.period == one.period) {
      return Error{Failure::bad_input, fmt::format("{} and {} are both of {}\n  A series has one release of a period: "
                                                   "move the other one elsewhere.",
                                                   before.path, one.path, one.period.name())};
    }
    if (before.period.kind != one.period.kind) {
      return Error{Failure::bad_input,
                   fmt::format("{} is of a {}, {} of a {}\n  A series has periods of one kind: move the others "
                               "elsewhere.",
                               before.path, to_string(before.period.kind), one.path, to_string(one.period.kind))};
    }
  }
  note_day_types(series);
  warn_of(series, observer);
  return series;
}

std::vector<SeriesEngine> OpenSeries::engines() const {
  std::vector<SeriesEngine> engines;
  for (const Member& one : members) engines.push_back({one.period, &one.ready.engine});
  return engines;
}

Result<std::vector<std::string>> release_paths(const std::vector<std::string>& paths, const Observer& observer) {
  std::vector<std::string> named;
  for (const std::string& path : paths) {
    if (!is_series_folder(path)) {
      named.push_back(path);
      continue;
    }
    const Result<OpenSeries> series = OpenSeries::open(path, observer);
    if (!series) return series.error();
    for (const OpenSeries::Member& one : series->members) named.push_back(one.path);
  }
  return named;
}

Result<std::string> ask_series_question(const OpenSeries& series, std::string_view question) {
  const Result<SeriesQuestion> read = series_question_of_json(question);
  if (!read) return read.error();
  const Result<SeriesReply> reply = ask_series(series.engines(), *read);
  if (!reply) return reply.error();
  return json_of(*reply, series.notes);
}

}  // namespace stopover
