// OpenSeries: a folder of releases, one for each period, opened as one thing.
//
//   city/2019-01.odr  city/2019-02.odr  ...         as `publish` with `period` makes it
//   city/2019-01/weekday.odr  ...                   with `day_type`: "city/weekday" names the series of these
//
//   Result<OpenSeries> city = OpenSeries::open("city", observer);
//   Result<SeriesReply> reply = ask_series(city->engines(), question);
//
// Which period a release is of is told by its release.json, not by its name.
#pragma once

#include <string>
#include <vector>

#include "base/period.h"
#include "base/result.h"
#include "job/observer.h"
#include "job/open_release.h"
#include "question/series_question.h"

namespace stopover {

// Whether a path is to be opened as a series: a folder that is no release, or one part of every period in a folder.
bool is_series_folder(const std::string& path);

struct OpenSeries {
  struct Member {
    Period period;
    std::string path;
    ReadyRelease ready;
  };
  std::string path;
  std::vector<Member> members;     // at least one, in order of periods, of one kind, each period once
  std::vector<std::string> notes;  // what was left out

  // Fails (bad_input) where there is no release of a period, two of the same or of other kinds; else as
  // ReadyRelease::open does. Warns of releases that protect nobody or were superseded.
  static Result<OpenSeries> open(const std::string& path, const Observer& observer);

  // They point into this.
  std::vector<SeriesEngine> engines() const;
};

// The releases that paths name: a series stands for its own, in order of their periods. Fails as OpenSeries::open does.
Result<std::vector<std::string>> release_paths(const std::vector<std::string>& paths, const Observer& observer);

// A question as JSON (question/series_json.h) to a series, and the reply.
Result<std::string> ask_series_question(const OpenSeries& series, std::string_view question);

}  // namespace stopover
