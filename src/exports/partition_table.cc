#include "exports/partition_table.h"

#include "exports/trip_model.h"
#include "query/answerer.h"

namespace stopover {

Result<LongTable> partition_table(const Release& release, std::vector<std::int64_t> whole) {
  const Result<TripModel> model = TripModel::make(release);
  if (!model) return model.error();
  const Result<BoxIndex> index = BoxIndex::make(release);
  if (!index) return index.error();
  const Table& table = release.tables[0];
  const std::size_t n = model->leaves();
  LongTable out(n);
  std::vector<std::uint32_t> number(n);
  for (std::size_t i = 0; i < n; ++i) number[i] = static_cast<std::uint32_t>(i);
  out.add("partition", std::move(number));
  for (std::size_t a = 0; a < release.domain.d(); ++a) {
    const Axis& axis = release.domain.axis(a);
    std::vector<std::uint32_t> lo(n), hi(n);
    for (std::size_t i = 0; i < n; ++i) {
      lo[i] = model->box(i)[a].lo;
      hi[i] = model->box(i)[a].hi;
    }
    if (axis.labels.empty()) {
      std::vector<double> from(n), to(n);
      for (std::size_t i = 0; i < n; ++i) {
        from[i] = axis.edge(lo[i]);
        to[i] = axis.edge(hi[i]);
      }
      out.add(axis.name + "_lo", std::move(lo));
      out.add(axis.name + "_hi", std::move(hi));
      out.add(axis.name + "_from", std::move(from));
      out.add(axis.name + "_to", std::move(to));
    } else {
      std::vector<std::string> labels(n);
      for (std::size_t i = 0; i < n; ++i) labels[i] = axis.label(model->box(i)[a]);
      out.add(axis.name + "_lo", std::move(lo));
      out.add(axis.name + "_hi", std::move(hi));
      out.add(axis.name, std::move(labels));
    }
  }
  std::vector<double> cells(n), scale(n), estimate(n), lower(n), upper(n);
  std::vector<std::int64_t> count(n);
  std::vector<bool> measured(n);
  Answerer ask(*index, {});
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = model->row(i);
    cells[i] = static_cast<double>(model->box(i).volume());
    measured[i] = table.row_ticks[row] > 0;
    count[i] = table.count[row];
    scale[i] = measured[i] ? 1 / release.rate(table.row_ticks[row]) : 0;
    estimate[i] = model->estimate(i);
    const Answer answer = ask(BoxQuery::of(model->box(i)));
    lower[i] = answer.noise_lower;
    upper[i] = answer.noise_upper;
  }
  out.add("cells", std::move(cells));
  out.add("count", std::move(count), measured);
  out.add("noise_scale", std::move(scale), measured);
  out.add("estimate", std::move(estimate));
  if (!whole.empty()) out.add("whole", std::move(whole));
  out.add("noise_lower", std::move(lower));
  out.add("noise_upper", std::move(upper));
  return out;
}

}  // namespace stopover
