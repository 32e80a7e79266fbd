#include "peers/plain_answerer.h"

namespace stopover {

Result<PlainAnswerer> PlainAnswerer::make(const LabResult& made, const AnswerOptions& options) {
  if (!made.kept_from || made.grids.size() != 1) {
    return Error{Failure::bad_input, "the result is not one grid of plain counts"};
  }
  Release release = made.grid(0);
  Result<BoxIndex> counts = BoxIndex::make(release);
  if (!counts) return counts.error();
  Table& table = release.tables[0];
  for (std::size_t row = 0; row < table.rows(); ++row) table.count[row] = made.kept(row);
  Result<BoxIndex> kept = BoxIndex::make(release);
  if (!kept) return kept.error();
  return PlainAnswerer(*std::move(counts), *std::move(kept), options);
}

Answer PlainAnswerer::operator()(const BoxQuery& query) const {
  Answer answer = Answerer(counts_, options_)(query);
  AnswerOptions bare = options_;
  bare.intervals = false;
  answer.estimate = Answerer(kept_, bare)(query).estimate;
  return answer;
}

}  // namespace stopover
