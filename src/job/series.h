// Series: a release for each period, from one reading of the rows.
//
//   Result<Series> series = plan_series(spec, request, files);     // before anything is read: all that can be refused
//   is series->apply(rows);                                           // the spans of time that the rows are cut by for
//   (const Period& p : series->periods) publish(series->request_of(request, p), its matrices, doors);
//
// Which periods there are is declared, never taken from the data: that a month is there would tell of its trips.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/day_type.h"
#include "base/period.h"
#include "base/result.h"
#include "job/field_values.h"
#include "job/rows_spec.h"
#include "ledger/ledger.h"
#include "publish/publish.h"

namespace stopover {

struct SeriesSpec {
  PeriodKind kind = PeriodKind::month;
  std::optional<PeriodRange> range;  // unset: what `since` and `until` of the rows reach
  std::vector<DayType> day_types;    // of every period a release for each; none: one of all its days
  Ticks each = 0, year = 0;          // limits of the ledger; 0: not said
  bool append = false;               // go on with a series that is there
  bool one_release = false;          // one of all periods together
  bool independent = false;          // lean on no earlier releases of the series
};

// Fields period, day_type, budget_per_period, budget_per_year, append, one_release, independent; nothing where there is
// no period.
void read_series(FieldReader& fields, std::optional<SeriesSpec>& series);

struct Series {
  PeriodRule rule;
  PeriodRange range;                    // as declared
  std::vector<Period> periods;          // to publish now; none where all that is left is to make up for a record
  std::vector<Period> closed, present;  // of the range, left alone: closed ones, and others whose release is there
  std::vector<Period> late;             // all that are closed: their rows come too late
  std::vector<DayType> day_types;       // each is a part of every publication
  bool one_release = false;
  bool append = false;                      // as it was asked for
  std::optional<std::int64_t> since, until;  // days that cut the rows, as declared
  bool independent = false;  // of releases of earlier periods (job/series_history.h)

  // REQUIRES: the spec whose plan this is.
  void apply(RowsSpec& rows) const;
  // The parts of a publication from that of all days: one for each day type, or as it is.
  std::vector<PublishPart> parts_of(const PublishPart& all) const;
  // The publication of one of them; of one release of all `period` does not matter.
  PublishRequest request_of(const PublishRequest& request, const Period& period) const;
  // Where `since` and `until` take a piece of these periods alone, by the names of these fields.
  std::vector<std::pair<std::string, std::string>> cuts_of(const PeriodRange& at) const;
  // The refusal where no period is left to publish; says that the record of those that are present was made up for.
  Status all_published(const PublishRequest& request) const;
};

// `request` has output, ledger, epsilon, budget and state. Fails (privacy) where periods are not declared, closed, or
// would cost more than the ledger has; (usage) on a unit that is not the period's.
Result<Series> plan_series(const SeriesSpec& spec, const RowsSpec& rows, const PublishRequest& request,
                           FileSystem& files);

}  // namespace stopover
