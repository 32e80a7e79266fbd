#include "query/batch.h"

#include <array>

#include "query/answerer.h"

namespace stopover {
namespace {

constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);

Error bad_header(const std::string& what) {
  return {
      Failure::bad_input,
      what +
          "\n  A batch has columns such as a0_lo,a0_hi,a2_lo,a2_hi: half-open cells; an axis left out is taken whole."};
}

}  // namespace

Result<BatchColumns> BatchColumns::of_header(const Domain& domain, std::span<const std::string> header) {
  std::array<std::array<std::size_t, 2>, kMaxAxes> found;
  for (auto& pair : found) pair = {kNoColumn, kNoColumn};
  for (std::size_t column = 0; column < header.size(); ++column) {
    const std::string_view name = header[column];
    const std::string what = "batch column \"" + header[column] + "\"";
    const bool lo = name.ends_with("_lo");
    if (!lo && !name.ends_with("_hi")) return bad_header(what + " is not an axis name followed by _lo or _hi");
    const std::string_view axis_name = name.substr(0, name.size() - 3);
    const int axis = domain.find_axis(axis_name);
    if (axis < 0) return unknown_axis(domain, axis_name, what, Failure::bad_input);
    std::size_t& place = found[static_cast<std::size_t>(axis)][lo ? 0 : 1];
    if (place != kNoColumn) return bad_header(what + " is there twice");
    place = column;
  }
  BatchColumns columns;
  columns.columns_ = header.size();
  for (std::size_t axis = 0; axis < domain.d(); ++axis) {
    const auto [lo, hi] = found[axis];
    if (lo == kNoColumn && hi == kNoColumn) continue;
    if (lo == kNoColumn || hi == kNoColumn) {
      const std::string& name = domain.axis(axis).name;
      return bad_header("batch column \"" + name + (lo == kNoColumn ? "_lo" : "_hi") + "\" is missing beside \"" +
                        name + (lo == kNoColumn ? "_hi" : "_lo") + "\"");
    }
    columns.pairs_.push_back({axis, lo, hi});
  }
  if (columns.pairs_.empty()) return bad_header("the batch has no columns");
  return columns;
}

Result<BoxQuery> BatchColumns::box(const Domain& domain, std::span<const std::string_view> fields,
                                   std::size_t row) const {
  const std::string where = "batch row " + std::to_string(row);
  if (fields.size() != columns_) {
    return Error{Failure::bad_input, where + " has " + std::to_string(fields.size()) + " fields, the header has " +
                                         std::to_string(columns_)};
  }
  BoxQuery query = BoxQuery::whole(domain);
  for (const Pair& pair : pairs_) {
    const std::string what = where + ": " + domain.axis(pair.axis).name;
    if (Status ok = set_cells(domain, pair.axis, fields[pair.lo], fields[pair.hi], what, Failure::bad_input, query);
        !ok) {
      return ok.error();
    }
  }
  return query;
}

void answer_all(const BoxIndex& index, std::span<const BoxQuery> boxes, const AnswerOptions& options,
                std::span<Answer> answers) {
  STOPOVER_CHECK(boxes.size() == answers.size(), "a batch has as many answers as boxes");
  Answerer ask(index, options);
  for (std::size_t i = 0; i < boxes.size(); ++i) answers[i] = ask(boxes[i]);
}

}  // namespace stopover
