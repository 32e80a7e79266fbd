#include "query/box_query.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/nearest.h"
#include "base/usage_error.h"

namespace stopover {
namespace {

std::string quoted(std::string_view text) { return std::string("\"").append(text).append("\""); }

std::string shown(double value) {
  std::string text = std::to_string(value);
  if (text.find('.') != std::string::npos) {
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

bool all_zeros(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c == '0'; });
}

// Digits, then perhaps a point and zeros.
std::optional<std::uint64_t> whole_number(std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  if (point == 0 || point > 18 || !all_zeros(text.substr(std::min(point + 1, text.size())))) return std::nullopt;
  std::uint64_t value = 0;
  for (char c : text.substr(0, point)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

// [-+]digits[.digits], correctly rounded up to 15 digits. No locale, no exponent.
std::optional<double> decimal(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  double value = 0;
  double scale = 1;
  bool digits = false;
  bool point = false;
  int used = 0;
  for (char c : text) {
    if (c == '.' && !point) {
      point = true;
    } else if (c >= '0' && c <= '9') {
      digits = true;
      if (point && used >= 18) continue;
      used += value > 0 || c != '0';
      value = value * 10 + (c - '0');
      if (point) scale *= 10;
      if (used > 30 || scale > 1e22) return std::nullopt;
    } else {
      return std::nullopt;
    }
  }
  if (!digits) return std::nullopt;
  return (negative ? -value : value) / scale;
}

Error bad_form(std::string_view field, std::string_view piece) {
  const bool cells = field == "box";
  return usage_error("`" + std::string(field) + "` takes axis=lo:hi pieces joined by commas, not " + quoted(piece) +
                     "\n  Write for example " +
                     (cells ? "`box a0=0:16,a2=4:20` (half-open cells)." : "`range lng=-122.5:-122.3`."));
}

Status set_label(const Axis& axis, std::size_t number, std::string_view value, std::string_view piece,
                 BoxQuery& query) {
  const auto at = std::find(axis.labels.begin(), axis.labels.end(), value);
  if (at == axis.labels.end()) {
    return usage_error("axis " + axis.name + " has no label " + quoted(value) + " (in `range` " + quoted(piece) +
                       ")\n  Its labels are " + list_names(axis.labels) + "." + did_you_mean(value, axis.labels, 1));
  }
  const auto cell = static_cast<double>(at - axis.labels.begin());
  query.lo[number] = cell;
  query.hi[number] = cell + 1;
  return {};
}

Status set_coordinates(const Axis& axis, std::size_t number, std::string_view value, std::string_view piece,
                       BoxQuery& query) {
  if (!axis.labels.empty()) return set_label(axis, number, value, piece, query);
  const std::size_t colon = value.find(':');
  if (colon == std::string_view::npos) return bad_form("range", piece);
  const std::optional<double> lo = decimal(value.substr(0, colon));
  const std::optional<double> hi = decimal(value.substr(colon + 1));
  if (!lo || !hi) {
    return usage_error("`range` " + quoted(piece) + " must have plain decimal numbers on both sides of the colon");
  }
  if (*lo >= *hi) {
    return usage_error("`range` " + quoted(piece) + " is " + (*lo == *hi ? "empty" : "reversed") +
                       "\n  The first coordinate must be below the second.");
  }
  if (*hi <= axis.lower || *lo >= axis.upper) {
    return usage_error("`range` " + quoted(piece) + " lies outside axis " + axis.name + "\n  The axis goes from " +
                       shown(axis.lower) + " to " + shown(axis.upper) + ".");
  }
  query.lo[number] = axis.locate_within(*lo);
  query.hi[number] = axis.locate_within(*hi);
  return {};
}

Result<BoxQuery> parse_pieces(const Domain& domain, std::string_view text, std::string_view field) {
  BoxQuery query = BoxQuery::whole(domain);
  std::array<bool, kMaxAxes> named{};
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string_view piece = text.substr(at, comma - at);
    at = comma + 1;
    const std::size_t equals = piece.find('=');
    if (equals == std::string_view::npos || equals == 0) return bad_form(field, piece);
    const std::string_view name = piece.substr(0, equals);
    const std::string_view value = piece.substr(equals + 1);
    const std::string what = "`" + std::string(field) + "` " + quoted(piece);
    const int found = domain.find_axis(name);
    if (found < 0) return unknown_axis(domain, name, what, Failure::usage);
    const auto axis = static_cast<std::size_t>(found);
    if (named[axis]) return usage_error(what + " names axis " + std::string(name) + " a second time");
    named[axis] = true;
    if (field == "range") {
      if (Status ok = set_coordinates(domain.axis(axis), axis, value, piece, query); !ok) return ok.error();
      continue;
    }
    const std::size_t colon = value.find(':');
    if (colon == std::string_view::npos) return bad_form(field, piece);
    if (Status ok =
            set_cells(domain, axis, value.substr(0, colon), value.substr(colon + 1), what, Failure::usage, query);
        !ok) {
      return ok.error();
    }
  }
  return query;
}

}  // namespace

BoxQuery BoxQuery::whole(const Domain& domain) { return of(domain.whole()); }

BoxQuery BoxQuery::of(const Box& box) {
  BoxQuery query;
  query.axes = box.axes();
  for (std::size_t i = 0; i < query.axes; ++i) {
    query.lo[i] = box[i].lo;
    query.hi[i] = box[i].hi;
  }
  return query;
}

bool BoxQuery::empty() const {
  for (std::size_t i = 0; i < axes; ++i) {
    if (!(hi[i] > lo[i])) return true;
  }
  return false;
}

BoxQuery intersect(const BoxQuery& a, const BoxQuery& b) {
  BoxQuery both = a;
  for (std::size_t i = 0; i < a.axes; ++i) {
    both.lo[i] = std::max(a.lo[i], b.lo[i]);
    both.hi[i] = std::max(both.lo[i], std::min(a.hi[i], b.hi[i]));
  }
  return both;
}

Result<BoxQuery> parse_box(const Domain& domain, std::string_view text) { return parse_pieces(domain, text, "box"); }

Result<BoxQuery> parse_range(const Domain& domain, std::string_view text) {
  return parse_pieces(domain, text, "range");
}

Status set_cells(const Domain& domain, std::size_t axis, std::string_view lo, std::string_view hi,
                 std::string_view what, Failure failure, BoxQuery& query) {
  const std::uint32_t cells = domain.axis(axis).cells;
  const auto fail = [&](const std::string& why, const std::string& instead) {
    return Error{failure, std::string(what) + " " + why + "\n  " + instead};
  };
  const std::optional<std::uint64_t> from = whole_number(lo);
  const std::optional<std::uint64_t> to = whole_number(hi);
  if (!from || !to) {
    return fail("must be whole cell numbers from 0 on, not " + quoted(from ? hi : lo),
                "Cells are half-open: 0:16 is cells 0 to 15. For coordinates use `range`.");
  }
  if (*from >= *to) {
    return fail(
        std::string("is ") + (*from == *to ? "empty" : "reversed") + ": " + std::string(lo) + " to " + std::string(hi),
        "Cells are half-open: the first number must be below the second, 0:16 is cells 0 to 15.");
  }
  if (*to > cells) {
    return fail("ends at " + std::to_string(*to) + ", but axis " + domain.axis(axis).name + " has " +
                    std::to_string(cells) + (cells == 1 ? " cell" : " cells"),
                "All of it is " + domain.axis(axis).name + "=0:" + std::to_string(cells) + ", or leave the axis out.");
  }
  query.lo[axis] = static_cast<double>(*from);
  query.hi[axis] = static_cast<double>(*to);
  return {};
}

Error unknown_axis(const Domain& domain, std::string_view name, std::string_view what, Failure failure) {
  std::vector<std::string> names;
  for (const Axis& axis : domain.axes()) names.push_back(axis.name);
  return {failure, "there is no axis " + quoted(name) + " (in " + std::string(what) + ")\n  The axes are " +
                       list_names(names) + "." + did_you_mean(name, names, 1)};
}

}  // namespace stopover
