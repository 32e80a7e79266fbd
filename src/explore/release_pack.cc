#include "explore/release_pack.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace stopover {
namespace {

constexpr std::string_view kMagic = "stopover-pack-4\n";
constexpr std::uint64_t kMaxRows = std::uint64_t{1} << 27;

std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0);
}

std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1) ^ (value & 1 ? ~std::uint64_t{0} : 0));
}

class Packer {
 public:
  std::string take() { return std::move(bytes_); }

  void raw(std::string_view bytes) { bytes_ += bytes; }
  void byte(std::uint64_t value) { bytes_ += static_cast<char>(value & 0xff); }
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(value | 0x80);
    byte(value);
  }
  void text(std::string_view value) {
    number(value.size());
    raw(value);
  }
  void real(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int i = 0; i < 8; ++i) byte(bits >> (8 * i));
  }
  void reals(const std::vector<double>& values) {
    for (int i = 0; i < 8; ++i) {
      for (const double value : values) byte(std::bit_cast<std::uint64_t>(value) >> (8 * i));
    }
  }
  void budgets(const std::vector<Ticks>& values) {
    std::map<Ticks, std::uint64_t> places;
    for (const Ticks value : values) places.emplace(value, 0);
    number(places.size());
    std::uint64_t next = 0;
    for (auto& [value, place] : places) {
      number(value);
      place = next++;
    }
    for (const Ticks value : values) number(places.at(value));
  }

 private:
  std::string bytes_;
};

// Reads on from where it is; after the first thing that is not there, everything is 0 and `good` is false.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}

  bool good() const { return good_; }
  bool at_end() const { return rest_.empty(); }
  void fail() {
    good_ = false;
    rest_ = {};
  }

  std::uint8_t byte() {
    if (rest_.empty()) {
      fail();
      return 0;
    }
    const auto value = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }
  std::uint64_t number(std::uint64_t most = ~std::uint64_t{0}) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint64_t part = byte();
      if (shift == 63 && (part & 0x7f) > 1) break;
      value |= (part & 0x7f) << shift;
      if (part < 0x80) {
        if (value > most || (part == 0 && shift > 0)) break;
        return value;
      }
    }
    fail();
    return 0;
  }
  // A number of things that take at least one byte each.
  std::size_t length() { return static_cast<std::size_t>(number(std::min<std::uint64_t>(rest_.size(), kMaxRows))); }
  std::string text() {
    const std::size_t size = length();
    if (size > rest_.size()) fail();
    const std::string value(rest_.substr(0, good_ ? size : 0));
    rest_.remove_prefix(value.size());
    return value;
  }
  double real() {
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits |= std::uint64_t{byte()} << (8 * i);
    return std::bit_cast<double>(bits);
  }
  std::vector<double> reals(std::size_t rows) {
    if (rest_.size() / 8 < rows) fail();
    std::vector<std::uint64_t> bits(good_ ? rows : 0);
    for (int i = 0; i < 8; ++i) {
      for (std::uint64_t& value : bits) value |= std::uint64_t{byte()} << (8 * i);
    }
    std::vector<double> values(bits.size());
    std::transform(bits.begin(), bits.end(), values.begin(), [](std::uint64_t b) { return std::bit_cast<double>(b); });
    return values;
  }
  std::vector<Ticks> budgets(std::size_t rows) {
    std::vector<Ticks> list(length());
    for (Ticks& value : list) value = number();
    std::vector<Ticks> values(good_ ? rows : 0);
    for (Ticks& value : values) {
      const std::uint64_t place = number();
      if (place >= list.size()) fail();
      if (!good_) break;
      value = list[static_cast<std::size_t>(place)];
    }
    return values;
  }

 private:
  std::string_view rest_;
  bool good_ = true;
};

void pack_domain(Packer& out, const Domain& domain) {
  out.number(domain.d());
  for (const Axis& axis : domain.axes()) {
    out.text(axis.name);
    out.number(axis.cells);
    out.number(static_cast<std::uint64_t>(axis.kind));
    out.real(axis.lower);
    out.real(axis.upper);
    out.number(axis.labels.size());
    for (const std::string& label : axis.labels) out.text(label);
  }
  out.number(domain.stops().size());
  for (const Stop& stop : domain.stops()) {
    out.text(stop.name);
    out.number(stop.axes.size());
    for (const std::size_t axis : stop.axes) out.number(axis);
  }
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
  return Domain::make(std::move(axes), std::move(stops));
}

void pack_table(Packer& out, const Table& table) {
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
  out.reals(table.estimate);
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
  table.estimate = in.reals(rows);
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

}  // namespace

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
  for (const Table& table : release.tables) pack_table(out, table);
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
  out.number(release.calibration ? 1 : 0);
  if (release.calibration) pack_calibration(out, *release.calibration);
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
  if (in.number(1) == 1) release.calibration = unpack_calibration(in);
  if (!in.good() || !in.at_end()) return broken;
  if (Status s = check_release(release); !s) return Error{Failure::bad_input, s.error().message};
  return release;
}

}  // namespace stopover
