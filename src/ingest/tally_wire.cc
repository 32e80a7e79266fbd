#include "ingest/tally_wire.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/bad_input.h"
#include "duck/duck.h"
#include "matrix/matrix.h"

namespace stopover {
namespace {

constexpr std::uint64_t kMark = 0x3179'6c6c'6174'6f73;  // "sotally1"
constexpr std::uint64_t kMostNumbers = std::uint64_t{1} << 32, kMostSlots = std::uint64_t{1} << 31;

class Writer {
 public:
  void put(std::uint64_t number) { text_.append(reinterpret_cast<const char*>(&number), 8); }
  std::string take() && { return std::move(text_); }

 private:
  std::string text_;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  std::uint64_t next() {
    std::uint64_t number = 0;
    if (text_.size() < 8) {
      fine_ = false;
      return 0;
    }
    std::memcpy(&number, text_.data(), 8);
    text_.remove_prefix(8);
    return number;
  }
  // A number that says how many others follow.
  std::size_t size() {
    const std::uint64_t n = next();
    if (n > text_.size() / 8 || n > kMostNumbers) fine_ = false;
    return fine_ ? n : 0;
  }
  bool fine() const { return fine_; }
  bool ended() const { return fine_ && text_.empty(); }

 private:
  std::string_view text_;
  bool fine_ = true;
};

bool ascend_inside(const std::vector<std::uint32_t>& cuts, std::uint32_t width) {
  std::uint32_t before = 0;
  for (const std::uint32_t cut : cuts) {
    if (cut <= before || cut >= width) return false;
    before = cut;
  }
  return true;
}

bool makes_sense(const TallyTask& task) {
  const auto nodes = static_cast<std::int64_t>(task.tree.size());
  const auto slot = [&](std::int32_t at) { return at < 0 && static_cast<std::size_t>(~at) < task.slots; };
  const bool no_tree = task.slots == 0 && nodes == 0 && task.root < 0;  // lattices alone
  if (task.first_slot > task.slots || task.slots > kMostSlots) return false;
  if (!no_tree && !(task.root < 0 ? slot(task.root) : task.root < nodes)) return false;
  for (std::int64_t i = 0; i < nodes; ++i) {
    const CutTree::Node& node = task.tree[static_cast<std::size_t>(i)];
    if (node.axis >= task.widths.size()) return false;
    for (const std::int32_t to : {node.below, node.above}) {
      if (to < 0 ? !slot(to) : to <= i || to >= nodes) return false;
    }
  }
  for (const TallyTask::Lattice& lattice : task.lattices) {
    if (lattice.cuts.size() > task.widths.size() || lattice.boxes() > u128{1} << 62) return false;
    for (std::size_t axis = 0; axis < lattice.cuts.size(); ++axis) {
      if (!ascend_inside(lattice.cuts[axis], task.widths[axis])) return false;
    }
  }
  return !task.widths.empty();
}

// False where the task has no such box.
bool add_sum(Tally& tally, RowsSeen& seen, std::int32_t lattice, std::int64_t box, std::int64_t count) {
  if (box < 0 || count < 0) return false;
  const TallyTask& task = tally.task();
  const auto at = static_cast<std::uint64_t>(box), trips = std::min(static_cast<std::uint64_t>(count), kMaxCount);
  if (lattice == TallySums::kSeen) {
    if (at > 3) return false;
    std::uint64_t& sum = *std::array{&seen.rows, &seen.trips, &seen.dropped.outside,
                                     &seen.dropped.bad_count}[static_cast<std::size_t>(at)];
    sum = std::min(kMaxCount, sum + trips);
  } else if (lattice == TallySums::kTree) {
    if (at < task.first_slot || at >= task.slots) return false;
    tally.add_slot(static_cast<std::size_t>(at), trips);
  } else {
    const auto number = static_cast<std::size_t>(lattice);
    if (lattice < 0 || number >= task.lattices.size() || at >= task.lattices[number].boxes()) return false;
    if (!task.lattices[number].sample.takes(at)) return false;
    tally.add_box(number, at, trips);
  }
  return true;
}

}  // namespace

std::string task_bytes(const TallyTask& task) {
  Writer out;
  out.put(kMark);
  out.put(task.widths.size());
  for (const std::uint32_t width : task.widths) out.put(width);
  out.put(task.first_slot);
  out.put(task.slots);
  out.put(static_cast<std::uint32_t>(task.root));
  out.put(2 * task.tree.size());
  for (const CutTree::Node& node : task.tree) {
    out.put(std::uint64_t{node.axis} << 32 | node.cut);
    out.put(std::uint64_t{static_cast<std::uint32_t>(node.below)} << 32 | static_cast<std::uint32_t>(node.above));
  }
  out.put(task.lattices.size());
  for (const TallyTask::Lattice& lattice : task.lattices) {
    out.put(lattice.sample.seed);
    out.put(lattice.sample.keep);
    out.put(lattice.cuts.size());
    for (const auto& cuts : lattice.cuts) {
      out.put(cuts.size());
      for (const std::uint32_t cut : cuts) out.put(cut);
    }
  }
  return std::move(out).take();
}

Result<TallyTask> task_of_bytes(std::string_view bytes) {
  Reader in(bytes);
  TallyTask task;
  const bool marked = in.next() == kMark;
  task.widths.resize(in.size());
  for (std::uint32_t& width : task.widths) width = static_cast<std::uint32_t>(in.next());
  task.first_slot = in.next();
  task.slots = in.next();
  task.root = static_cast<std::int32_t>(static_cast<std::uint32_t>(in.next()));
  task.tree.resize(in.size() / 2);
  for (CutTree::Node& node : task.tree) {
    const std::uint64_t cut = in.next(), to = in.next();
    node = {static_cast<std::uint32_t>(cut >> 32), static_cast<std::uint32_t>(cut),
            static_cast<std::int32_t>(static_cast<std::uint32_t>(to >> 32)),
            static_cast<std::int32_t>(static_cast<std::uint32_t>(to))};
  }
  task.lattices.resize(in.size());
  for (TallyTask::Lattice& lattice : task.lattices) {
    lattice.sample.seed = in.next();
    lattice.sample.keep = in.next();
    lattice.cuts.resize(in.size());
    for (auto& cuts : lattice.cuts) {
      cuts.resize(in.size());
      for (std::uint32_t& cut : cuts) cut = static_cast<std::uint32_t>(in.next());
    }
  }
  if (marked && in.ended() && makes_sense(task)) return task;
  return bad_input("what was sent to be counted is no task of this version");
}

TallySums sums_of(Tally& tally, const RowsSeen& seen) {
  TallySums sums;
  const auto add = [&](std::int32_t lattice, std::uint64_t box, std::uint64_t count) {
    sums.lattice.push_back(lattice);
    sums.box.push_back(static_cast<std::int64_t>(box));
    sums.count.push_back(static_cast<std::int64_t>(count));
  };
  for (std::size_t slot = tally.task().first_slot; slot < tally.task().slots; ++slot) {
    if (tally.slot(slot) > 0) add(TallySums::kTree, slot, tally.slot(slot));
  }
  for (std::size_t lattice = 0; lattice < tally.task().lattices.size(); ++lattice) {
    const auto [boxes, counts] = tally.boxes(lattice);
    for (std::size_t i = 0; i < boxes.size(); ++i)
      add(static_cast<std::int32_t>(lattice), static_cast<std::uint64_t>(boxes[i]), counts[i]);
  }
  std::uint64_t box = 0;
  for (const std::uint64_t count : {seen.rows, seen.trips, seen.dropped.outside, seen.dropped.bad_count})
    add(TallySums::kSeen, box++, count);
  return sums;
}

Result<RowsSeen> add_sums(const std::vector<std::string>& files, Tally& tally,
                          const std::function<bool()>& interrupted) {
  RowsSeen seen;
  if (files.empty()) return seen;
  std::vector<std::string> quoted;
  for (const std::string& file : files) quoted.push_back(quote_input(file));
  Result<DuckSession> duck = DuckSession::open({.threads = 1, .memory_limit = "512MB", .interrupted = interrupted});
  if (!duck) return duck.error();
  Result<DuckRows> rows =
      duck->query(fmt::format("SELECT CAST(lattice AS INTEGER), CAST(box AS BIGINT), CAST(\"count\" AS BIGINT) "
                              "FROM read_parquet([{}], hive_partitioning = false)",
                              fmt::join(quoted, ", ")));
  if (!rows) return rows.error();
  for (;;) {
    const Result<bool> more = rows->next();
    if (!more) return more.error();
    if (!*more) return seen;
    const auto lattice = rows->column<std::int32_t>(0);
    const auto box = rows->column<std::int64_t>(1), count = rows->column<std::int64_t>(2);
    for (std::size_t row = 0; row < rows->size(); ++row) {
      const bool there = rows->valid(0, row) && rows->valid(1, row) && rows->valid(2, row);
      if (!there || !add_sum(tally, seen, lattice[row], box[row], count[row]))
        return bad_input("sums came back that were not asked for");
    }
  }
}

}  // namespace stopover
