#include "ingest/streamed_cells.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "base/bad_input.h"

namespace stopover {
namespace {

struct Batch {
  std::vector<std::uint32_t> cells;
  std::vector<std::uint64_t> counts;
};

// Batches on their way from the one who reads to those who add up; a few at a time.
class BatchQueue {
 public:
  explicit BatchQueue(std::size_t most) : most_(most) {}

  void put(Batch batch) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return batches_.size() < most_; });
    batches_.push_back(std::move(batch));
    changed_.notify_all();
  }
  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }
  // False at the end.
  bool take(Batch& batch) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_ || !batches_.empty(); });
    if (batches_.empty()) return false;
    batch = std::move(batches_.front());
    batches_.pop_front();
    changed_.notify_all();
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> batches_;
  std::size_t most_;
  bool ended_ = false;
};

struct Seen {
  std::uint64_t rows = 0, total = 0;
  void add(const CellRows& batch) {
    rows += batch.counts.size();
    for (const std::uint64_t count : batch.counts) total = std::min(kMaxCount, total + count);
  }
};

}  // namespace

Result<std::unique_ptr<StreamedCells>> StreamedCells::open(const std::vector<std::string>& paths, const Domain& domain,
                                                           const CellRowOptions& options, PassProgress progress) {
  Result<CellRowReader> reader = CellRowReader::open(paths, domain, options);
  if (!reader) return reader.error();
  std::unique_ptr<StreamedCells> source(
      new StreamedCells(*std::move(reader), domain, options.threads, std::move(progress)));
  Seen seen;
  if (Status s = source->reader_.each([&](const CellRows& rows) { seen.add(rows); }, source->dropped_); !s)
    return s.error();
  source->rows_ = seen.rows;
  source->total_ = seen.total;
  return source;
}

void StreamedCells::pass(Tally& tally) const {
  const std::size_t threads = threads_ > 0 ? threads_ : std::max(1u, std::thread::hardware_concurrency());
  BatchQueue queue(2 * threads);
  Seen seen;
  DroppedRows dropped;
  Status read;
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < threads; ++i) {
      workers.emplace_back([&] {
        TallyHand hand(tally);
        for (Batch batch; queue.take(batch);) hand.add({batch.cells, batch.counts});
      });
    }
    read = reader_.each(
        [&](const CellRows& rows) {
          queue.put({{rows.cells.begin(), rows.cells.end()}, {rows.counts.begin(), rows.counts.end()}});
          seen.add(rows);
          if (progress_) progress_(seen.rows, rows_);
        },
        dropped);
    queue.end();
  }
  if (!read) throw SourceFailure(read.error());
  if (seen.rows != rows_ || seen.total != total_ || dropped.total() != dropped_.total())
    throw SourceFailure(bad_input("the cells were changed while they were read"));
}

}  // namespace stopover
