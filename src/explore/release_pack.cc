#include "explore/release_pack.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "explore/packer.h"
#include "explore/zone_pack.h"

namespace stopover {
namespace {

constexpr std::string_view kMagic = "stopover-pack-7\n";

// The labels of a zone axis are the zones' ids.
bool labelled_by_zones(const Domain& domain, const Axis& axis) {
  return axis.kind == AxisKind::zone && domain.zones() != nullptr;
}

void pack_domain(Packer& out, const Domain& domain) {
  out.number(domain.d());
  for (const Axis& axis : domain.axes()) {
    out.text(axis.name);
    out.number(axis.cells);
    out.number(static_cast<std::uint64_t>(axis.kind));
    out.real(axis.lower);
    out.real(axis.upper);
    const bool apart = !labelled_by_zones(domain, axis);
    out.number(apart ? axis.labels.size() : 0);
    if (apart) {
      for (const std::string& label : axis.labels) out.text(label);
    }
  }
  out.number(domain.stops().size());
  for (const Stop& stop : domain.stops()) {
    out.text(stop.name);
    out.number(stop.axes.size());
    for (const std::size_t axis : stop.axes) out.number(axis);
  }
  out.number(domain.zones() == nullptr ? 0 : 1);
  if (domain.zones() != nullptr) pack_zones(out, *domain.zones());
}

Result<Domain> unpack_domain(Unpacker& in) {
  std::vector<Axis> axes(static_cast<std::size_t>(in.number(kMaxAxes)));
  for (Axis& axis : axes) {
    axis.name = in.text();
    axis.cells = static_cast<std::uint32_t>(in.number(0xffffffff));
    axis.kind = static_cast<AxisKind>(in.number(kAxisKinds - 1));
    axis.lower = in.real();
    axis.upper = in.real();
    axis.labels.resize(in.length());
    for (std::string& label : axis.labels) label = in.text();
  }
  std::vector<Stop> stops(static_cast<std::size_t>(in.number(kMaxAxes)));
  for (Stop& stop : stops) {
    stop.name = in.text();
    stop.axes.resize(static_cast<std::size_t>(in.number(kMaxAxes)));
    for (std::size_t& axis : stop.axes) axis = static_cast<std::size_t>(in.number(kMaxAxes - 1));
  }
  if (in.number(1) == 0) return Domain::make(std::move(axes), std::move(stops));
  Result<ZoneSet> zones = unpack_zones(in);
  if (!zones) return zones.error();
  for (Axis& axis : axes) {
    if (axis.kind == AxisKind::zone) axis.labels = zones->ids();
  }
  return Domain::make(std::move(axes), std::move(stops), std::make_shared<const ZoneSet>(std::move(*zones)));
}

// By what coarse counts cost answers tell which boxes were divided because of their counts (query/found_flows.h).
bool prices_are_read(const Release& release, std::size_t table) { return release.probes && table == 0; }

// What they cost stays; one that cost all of its row is the row's count.
void forget_coarse_counts(Table& table) {
  table.coarse_count.assign(table.coarse_ticks.size(), 0);
  for (std::size_t row = 0; row < table.coarse_ticks.size(); ++row) {
    const Ticks ticks = table.coarse_ticks[row];
    if (ticks > 0 && ticks == table.row_ticks[row]) table.coarse_count[row] = table.count[row];
  }
}

void pack_table(Packer& out, const Table& table, bool prices) {
  out.text(table.name);
  out.number(static_cast<std::uint64_t>(table.kind));
  out.number(table.axes.size());
  for (const std::size_t axis : table.axes) out.number(axis);
  out.number(table.ticks);
  out.text(table.view);
  out.number(table.smooth ? 1 : 0);
  out.number(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    out.number(row - static_cast<std::size_t>(static_cast<std::int64_t>(table.parent[row]) + 1));
  }
  for (std::size_t i = 0; i < table.axes.size(); ++i) {
    std::uint32_t last = 0;
    for (const std::uint32_t lo : table.lo[i]) {
      out.number(zigzag(static_cast<std::int64_t>(lo) - last));
      last = lo;
    }
    for (std::size_t row = 0; row < table.rows(); ++row) out.number(table.hi[i][row] - table.lo[i][row]);
  }
  for (const std::int64_t count : table.count) out.number(zigzag(count));
  out.budgets(table.row_ticks);
  out.budgets(table.side_ticks);
  prices = prices && !table.coarse_ticks.empty();
  out.number(prices ? 1 : 0);
  if (prices) out.budgets(table.coarse_ticks);
  out.reals(table.estimate);
  out.number(table.spread.empty() ? 0 : 1);
  if (!table.spread.empty()) out.reals(std::vector<double>(table.spread.begin(), table.spread.end()));
}

Table unpack_table(Unpacker& in) {
  Table table;
  table.name = in.text();
  table.kind = static_cast<TableKind>(in.number(static_cast<std::uint64_t>(TableKind::cells)));
  table.axes.resize(static_cast<std::size_t>(in.number(kMaxAxes)));
  for (std::size_t& axis : table.axes) axis = static_cast<std::size_t>(in.number(kMaxAxes - 1));
  table.ticks = in.number();
  table.view = in.text();
  table.smooth = in.number(1) == 1;
  const std::size_t rows = in.length();
  table.parent.resize(rows);
  table.depth.resize(rows);
  for (std::size_t row = 0; row < rows && in.good(); ++row) {
    const auto parent = static_cast<std::int64_t>(row) - static_cast<std::int64_t>(in.number(row)) - 1;
    table.parent[row] = static_cast<std::int32_t>(parent);
    const unsigned depth = parent < 0 ? 0u : table.depth[static_cast<std::size_t>(parent)] + 1u;
    if (depth > 0xffff) in.fail();
    table.depth[row] = static_cast<std::uint16_t>(depth);
  }
  for (std::size_t i = 0; i < table.axes.size() && in.good(); ++i) {
    std::vector<std::uint32_t>& lo = table.lo.emplace_back(rows);
    std::vector<std::uint32_t>& hi = table.hi.emplace_back(rows);
    std::int64_t last = 0;
    for (std::uint32_t& edge : lo) {
      const std::int64_t step = unzigzag(in.number(std::uint64_t{1} << 33));
      last += step;
      if (last < 0 || last > 0xffffffff) in.fail();
      if (!in.good()) break;
      edge = static_cast<std::uint32_t>(last);
    }
    for (std::size_t row = 0; row < rows && in.good(); ++row) {
      const std::uint64_t edge = lo[row] + in.number(0xffffffff);
      if (edge > 0xffffffff) in.fail();
      hi[row] = static_cast<std::uint32_t>(edge);
    }
  }
  table.count.resize(in.good() ? rows : 0);
  for (std::int64_t& count : table.count) count = unzigzag(in.number());
  table.row_ticks = in.budgets(rows);
  table.side_ticks = in.budgets(rows);
  if (in.number(1) == 1) {
    table.coarse_ticks = in.budgets(rows);
    if (in.good()) forget_coarse_counts(table);
  }
  table.estimate = in.reals(rows);
  if (in.number(1) == 1) {
    const std::vector<double> spread = in.reals(rows);
    table.spread.assign(spread.begin(), spread.end());
  }
  return table;
}

void pack_calibration(Packer& out, const Calibration& calibration) {
  out.number(calibration.draws);
  out.number(calibration.questions);
  for (const double weight : calibration.weights) out.real(weight);
  for (const std::vector<double>* list :
       {&calibration.tails, &calibration.signals, &calibration.below, &calibration.above}) {
    out.number(list->size());
    out.reals(*list);
  }
}

Calibration unpack_calibration(Unpacker& in) {
  Calibration calibration;
  calibration.draws = static_cast<std::uint32_t>(in.number(0xffffffff));
  calibration.questions = static_cast<std::uint32_t>(in.number(0xffffffff));
  for (double& weight : calibration.weights) weight = in.real();
  for (std::vector<double>* list : {&calibration.tails, &calibration.signals, &calibration.below, &calibration.above}) {
    const std::size_t size = in.length();
    *list = in.reals(size);
  }
  return calibration;
}

void pack_probes(Packer& out, const Probes& probes) {
  out.number(probes.scale);
  out.number(probes.ticks);
  out.number(probes.lattices);
  for (const std::int64_t count : probes.counts) out.number(zigzag(count));
  for (const std::vector<double>* list :
       {&probes.scales, &probes.squares, &probes.signals, &probes.whole, &probes.tails, &probes.below, &probes.above,
        &probes.missed_above, &probes.missed_below}) {
    out.number(list->size());
    out.reals(*list);
  }
}

Probes unpack_probes(Unpacker& in) {
  Probes probes;
  probes.scale = static_cast<std::uint32_t>(in.number(0xffffffff));
  probes.ticks = in.number();
  probes.lattices = static_cast<std::uint32_t>(in.number(0xffffffff));
  for (std::size_t i = 0; i < Probes::kEntries && in.good(); ++i) probes.counts.push_back(unzigzag(in.number()));
  for (std::vector<double>* list : {&probes.scales, &probes.squares, &probes.signals, &probes.whole, &probes.tails,
                                    &probes.below, &probes.above, &probes.missed_above, &probes.missed_below}) {
    const std::size_t size = in.length();
    *list = in.reals(size);
  }
  return probes;
}

}  // namespace

Release without_coarse_counts(Release release) {
  for (std::size_t i = 0; i < release.tables.size(); ++i) {
    Table& table = release.tables[i];
    if (!prices_are_read(release, i)) table.coarse_ticks.clear();
    forget_coarse_counts(table);
  }
  return release;
}

std::string pack_release(const Release& release) {
  Packer out;
  out.raw(kMagic);
  out.number(static_cast<std::uint64_t>(release.format));
  out.text(release.randomness.text());
  pack_domain(out, release.domain);
  out.text(release.mechanism);
  out.number(release.params.size());
  for (const auto& [name, value] : release.params) {
    out.text(name);
    out.text(value);
  }
  out.number(release.epsilon);
  out.number(static_cast<std::uint64_t>(release.unit));
  out.number(release.k);
  out.number(static_cast<std::uint64_t>(release.answer_model));
  out.number(release.tables.size());
  for (std::size_t i = 0; i < release.tables.size(); ++i) {
    pack_table(out, release.tables[i], prices_are_read(release, i));
  }
  out.number(release.charges.size());
  for (const Charge& charge : release.charges) {
    out.text(charge.view);
    out.number(charge.depth);
    out.text(charge.purpose);
    out.number(charge.ticks);
    out.number(charge.times);
  }
  out.number(release.spent);
  out.number(release.number);
  out.text(release.ledger_head);
  out.text(release.date);
  for (const auto& [name, member] : kDescriptionTexts) out.text(release.description.*member);
  out.number(release.calibration ? 1 : 0);
  if (release.calibration) pack_calibration(out, *release.calibration);
  out.number(release.probes ? 1 : 0);
  if (release.probes) pack_probes(out, *release.probes);
  return out.take();
}

Result<Release> unpack_release(std::string_view bytes) {
  const Error broken{Failure::bad_input, "these bytes are not a packed release of this version"};
  if (!bytes.starts_with(kMagic)) return broken;
  Unpacker in(bytes.substr(kMagic.size()));
  Release release;
  release.format = static_cast<int>(in.number(Release::kFormat));
  Result<Randomness> randomness = Randomness::parse(in.text());
  Result<Domain> domain = unpack_domain(in);
  if (!in.good() || !randomness || !domain) return broken;
  release.randomness = std::move(*randomness);
  release.domain = std::move(*domain);
  release.mechanism = in.text();
  release.params.resize(in.length());
  for (auto& [name, value] : release.params) {
    name = in.text();
    value = in.text();
  }
  release.epsilon = in.number();
  release.unit = static_cast<Unit>(in.number(static_cast<std::uint64_t>(Unit::user)));
  release.k = static_cast<std::uint32_t>(in.number(0xffffffff));
  release.answer_model = static_cast<AnswerModel>(in.number(static_cast<std::uint64_t>(AnswerModel::maps)));
  const std::uint64_t tables = in.number(2 * kMaxAxes);
  for (std::uint64_t i = 0; i < tables && in.good(); ++i) release.tables.push_back(unpack_table(in));
  release.charges.resize(in.length());
  for (Charge& charge : release.charges) {
    charge.view = in.text();
    charge.depth = static_cast<std::uint32_t>(in.number(0xffffffff));
    charge.purpose = in.text();
    charge.ticks = in.number();
    charge.times = in.number();
  }
  release.spent = in.number();
  release.number = in.number();
  release.ledger_head = in.text();
  release.date = in.text();
  for (const auto& [name, member] : kDescriptionTexts) release.description.*member = in.text();
  if (in.number(1) == 1) release.calibration = unpack_calibration(in);
  if (in.number(1) == 1) release.probes = unpack_probes(in);
  if (!in.good() || !in.at_end()) return broken;
  if (Status s = check_release(release); !s) return Error{Failure::bad_input, s.error().message};
  return release;
}

}  // namespace stopover
