#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/grouped.h"
#include "cli/query_question.h"
#include "ingest/csv_lines.h"
#include "question/region_kind.h"
#include "question/region_text.h"
#include "text/figure_text.h"

namespace stopover {

std::string notes_text(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += "\n  note: " + wrapped(note, 80, 8);
  return text;
}

// How often an interval holds: "95 %".
std::string claim_of(bool claimed, const std::string& level) {
  return claimed ? level + " %" : "meant for " + level + " %, not claimed";
}

namespace {

std::string intervals_of(const Answer& a, bool sum) {
  const std::string level = number_text(100 * a.level);
  const auto from_to = [](double lower, double upper) { return figure_text(lower) + " to " + figure_text(upper); };
  std::string text = fmt::format("\n  noise alone: {} ({} %)", from_to(a.noise_lower, a.noise_upper), level);
  const std::uint64_t cut = a.partitions_cut;
  if (cut == 0 && !a.believed && !sum) {
    return text + "\n  " +
           wrapped(a.calibrated || a.claimed ? "It cuts no partition, so that interval is the whole story."
                                             : "It cuts no partition; that interval is of the listed cells alone.",
                   80, 2);
  }
  if (a.calibrated) {
    text += fmt::format("\n  likely:      {} ({})", from_to(a.lower, a.upper), claim_of(a.claimed, level));
  }
  if (a.median) text += "\n  median:      " + figure_text(*a.median);
  if (cut == 0 && sum) {
    if (!a.calibrated) {
      text += fmt::format("\n  bounds:      {} ({} %)", from_to(a.bounds_lower, a.bounds_upper), level);
    }
    return text + "\n  " +
           wrapped(
               "It cuts no partition. But where counts of several releases are off the same way, a sum is off by all "
               "of it: the noise interval leaves that out.",
               80, 2);
  }
  if (cut == 0) {
    return text + "\n  " +
           wrapped(
               "It cuts no partition. The estimate and the likely interval weigh its count by what the other counts "
               "say; the noise interval is about its count alone.",
               80, 2);
  }
  text += fmt::format("\n  bounds:      {} ({} %)", from_to(a.bounds_lower, a.bounds_upper), level);
  text += "\n  " +
          wrapped(fmt::format(
                      "It cuts {} partition{}: where trips are inside {} is a guess, which the noise interval leaves "
                      "out. The bounds hold wherever they are.{}",
                      grouped(cut), cut == 1 ? "" : "s", cut == 1 ? "it" : "them",
                      a.calibrated ? "" : " This release has no likely interval in between."),
                  80, 2);
  return text;
}

}  // namespace

std::string answer_text(const Answer& a, const Terminal& terminal) {
  return terminal.paint(Tone::strong, figure_text(a.estimate)) + intervals_of(a, false);
}

std::string sum_text(const Answer& a, const Terminal& terminal) {
  return terminal.paint(Tone::strong, figure_text(a.estimate)) + intervals_of(a, true);
}

// A part of a stop: zones and labels by their names.
std::string name_of(const RegionTree& region) {
  const std::string text = text_of(region);
  const bool named = region.node == RegionTree::Node::leaf && region.kind->form == RegionForm::texts;
  return named ? text.substr(text.find(':') + 1) : text;
}

// Columns as wide as they need.
std::string columns(const std::vector<std::vector<std::string>>& rows, std::size_t left) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line = "\n ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += i < left ? fmt::format(" {:<{}}", row[i], widths[i]) : fmt::format(" {:>{}}", row[i], widths[i] + 1);
    }
    while (line.back() == ' ') line.pop_back();
    text += line;
  }
  return text;
}

namespace {

std::string rows_text(const AnswerTable& table) {
  if (table.rows.empty()) return "\n  nothing";
  std::vector<std::string> head = table.stops;
  // Of two releases: both counts, and how far apart they are.
  const bool compared = table.rows[0].difference.has_value();
  if (compared) {
    head.insert(head.end(), {"first", "second", "change", "from", "to"});
  } else {
    head.insert(head.end(), {"trips", "from", "to", "share"});
  }
  if (table.rates) head.push_back("rate");
  std::vector<std::vector<std::string>> lines = {head};
  const auto ratio = [](const Quotient& r) { return r ? share_text(*r) : "-"; };
  for (const TableRow& row : table.rows) {
    std::vector<std::string>& line = lines.emplace_back();
    line.insert(line.end(), row.names.begin(), row.names.end());
    const Answer& a = row.answer;
    if (compared) {
      const Answer& d = *row.difference;
      line.insert(line.end(), {figure_text(a.estimate), figure_text(row.second->estimate), figure_text(d.estimate),
                               figure_text(d.lower), figure_text(d.upper)});
    } else {
      line.insert(line.end(), {figure_text(a.estimate), figure_text(a.lower), figure_text(a.upper), ratio(row.share)});
    }
    if (table.rates) line.push_back(ratio(row.rate));
  }
  return columns(lines, table.stops.size());
}

}  // namespace

std::string ratio_text(const CountRatio& r, const char* name) {
  return fmt::format("\n  {}: {} times, {} to {} ({})", name, r.value ? figure_text(*r.value) : "unknown",
                     figure_text(r.lower), r.upper ? figure_text(*r.upper) : "any number",
                     claim_of(r.claimed, number_text(100 * r.level)));
}

std::string one_sided_text(const OneSided& sides) {
  std::string text;
  if (sides.above) {
    const std::optional<double> p = sides.above->probability;
    const std::string sure = !p            ? "the bounds cannot tell"
                             : *p > 0.9994 ? "more than 99.9 % sure"
                             : *p < 0.0006 ? "less than 0.1 % sure"
                                           : share_text(*p) + " sure";
    text += fmt::format("\n  more than {}: {}{}", figure_text(sides.above->value), sure,
                        sides.above->claimed || !p ? "" : ", not claimed");
  }
  for (const auto& [name, end] : {std::pair{"at least", &sides.at_least}, {"at most", &sides.at_most}}) {
    if (!*end) continue;
    text += fmt::format("\n  {}: {} ({})", name, figure_text((*end)->value),
                        claim_of((*end)->claimed, number_text(100 * (*end)->level)));
  }
  return text;
}

namespace {

std::string certified_text(const CertifiedInterval& c) {
  return fmt::format("\n  certified:   {} to {}\n  ", figure_text(c.lower), figure_text(c.upper)) +
         wrapped(fmt::format("Of probed boxes like this, {} or more hold in such an interval, certain to {} %.",
                             share_text(std::floor(1000 * c.share) / 1000), number_text(100 * c.sure)),
                 80, 2);
}

// What is printed of each kind of reply, without the notes.
struct Printer {
  const Terminal& terminal;

  std::string operator()(const CountReply& r) const {
    return answer_text(r.answer, terminal) + (r.certified ? certified_text(*r.certified) : "");
  }

  std::string operator()(const CompareReply& r) const {
    return "first:  " + answer_text(r.first, terminal) + "\nsecond: " + answer_text(r.second, terminal) +
           "\nsecond less first: " + answer_text(r.difference, terminal) + ratio_text(r.ratio, "second by first");
  }

  std::string operator()(const MinusReply& r) const {
    return answer_text(r.of.difference, terminal) + ratio_text(r.of.ratio, "ratio") +
           fmt::format("\n  {} less {} trips", figure_text(r.of.first.estimate), figure_text(r.of.second.estimate));
  }

  std::string operator()(const ShareReply& r) const {
    return terminal.paint(Tone::strong, r.share ? share_text(*r.share) : "unknown") +
           fmt::format("\n  {} to {} ({})\n  {} of {} trips", share_text(r.lower), share_text(r.upper),
                       claim_of(r.claimed, number_text(100 * r.level)), figure_text(r.part.estimate),
                       figure_text(r.whole.estimate));
  }

  std::string operator()(const TablesReply& r) const {
    std::string text;
    for (const AnswerTable& table : r.tables) {
      text += (text.empty() ? "" : "\n") + terminal.paint(Tone::strong, table.title) + rows_text(table);
    }
    return text;
  }

  std::string operator()(const MatrixReply& r) const {
    constexpr std::size_t kMost = 12;
    const std::vector<std::string>&rows = r.from.names, &names = r.to.names;
    const std::vector<Answer>& shown = r.difference.empty() ? r.entries : r.difference;
    std::vector<std::vector<std::string>> lines = {{""}};
    for (std::size_t j = 0; j < std::min(kMost, names.size()); ++j) lines[0].push_back(names[j]);
    for (std::size_t i = 0; i < std::min(kMost, rows.size()); ++i) {
      lines.push_back({rows[i]});
      for (std::size_t j = 0; j < std::min(kMost, names.size()); ++j) {
        lines.back().push_back(figure_text(shown[i * names.size() + j].estimate));
      }
    }
    std::string text = fmt::format("from {} (down) to {} (across){}", r.from.stop, r.to.stop,
                                   r.difference.empty() ? "" : ", second less first") +
                       columns(lines, 1);
    if (rows.size() > kMost || names.size() > kMost)
      text += fmt::format("\n  {} x {} in all: see --json", rows.size(), names.size());
    return text;
  }
};

}  // namespace

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) line += (line.empty() ? "" : ",") + quote_csv(field);
  return line + "\n";
}

void add_numbers(const Answer& a, std::vector<std::string>& fields) {
  for (const auto& [name, value] : kAnswerNumbers) fields.push_back(number_text(a.*value));
  fields.emplace_back(a.claimed ? "true" : "false");
}

void add_names(const std::string& before, std::vector<std::string>& names) {
  for (const auto& [name, value] : kAnswerNumbers) names.push_back(before + name);
  names.push_back(before + "claimed");
}

namespace {

std::vector<std::string> csv_head(const CsvPrefix& prefix, const std::vector<std::string>& stops, const char* share,
                                  bool compared) {
  std::vector<std::string> places;
  for (const auto& [name, value] : prefix) places.push_back(name);
  places.insert(places.end(), stops.begin(), stops.end());
  add_names("", places);
  places.emplace_back(share);
  if (compared) {
    add_names("second_", places);
    add_names("difference_", places);
  }
  return places;
}

// `second` and `difference`: of releases that are compared; else nullptr.
void add_row(const Answer& a, const Quotient& share, const Answer* second, const Answer* difference,
             std::vector<std::string>& fields) {
  add_numbers(a, fields);
  fields.push_back(share ? number_text(*share) : "");
  if (second == nullptr) return;
  add_numbers(*second, fields);
  add_numbers(*difference, fields);
}

std::vector<std::string> values_of(const CsvPrefix& prefix) {
  std::vector<std::string> values;
  for (const auto& [name, value] : prefix) values.push_back(value);
  return values;
}

std::string csv_of(const TablesReply& r, const CsvPrefix& prefix, bool header) {
  // Tables of one stop each lie below each other.
  const bool one = r.tables.size() == 1;
  std::string text;
  if (header) {
    text = csv_line(csv_head(prefix, one ? r.tables[0].stops : std::vector<std::string>{"stop", "place"}, "share",
                             r.second_total.has_value()));
  }
  for (const AnswerTable& table : r.tables) {
    for (const TableRow& row : table.rows) {
      std::vector<std::string> fields = values_of(prefix);
      for (const auto& [stop, region] : row.where) {
        if (!one) fields.push_back(stop);
        fields.push_back(name_of(region));
      }
      add_row(row.answer, row.share, row.second ? &*row.second : nullptr, row.difference ? &*row.difference : nullptr,
              fields);
      text += csv_line(fields);
    }
  }
  return text;
}

std::string csv_of(const MatrixReply& r, const CsvPrefix& prefix, bool header) {
  const bool compared = !r.difference.empty();
  std::string text;
  if (header) text = csv_line(csv_head(prefix, {r.from.stop, r.to.stop}, "transition", compared));
  for (std::size_t at = 0; at < r.entries.size(); ++at) {
    std::vector<std::string> fields = values_of(prefix);
    fields.insert(fields.end(), {r.from.names[at / r.to.names.size()], r.to.names[at % r.to.names.size()]});
    add_row(r.entries[at], r.transition[at], compared ? &r.second[at] : nullptr, compared ? &r.difference[at] : nullptr,
            fields);
    text += csv_line(fields);
  }
  return text;
}

}  // namespace

bool has_rows(const Reply& reply) {
  return std::holds_alternative<MatrixReply>(reply.of) || std::holds_alternative<TablesReply>(reply.of);
}

std::string csv_of_reply(const Reply& reply, const CsvPrefix& prefix, bool header) {
  const auto* matrix = std::get_if<MatrixReply>(&reply.of);
  return matrix != nullptr ? csv_of(*matrix, prefix, header) : csv_of(std::get<TablesReply>(reply.of), prefix, header);
}

std::string body_of_reply(const Reply& reply, const Terminal& terminal) {
  return std::visit(Printer{terminal}, reply.of) + one_sided_text(reply.one_sided);
}

std::string text_of_reply(const Reply& reply, const Terminal& terminal) {
  return body_of_reply(reply, terminal) + notes_text(reply.notes);
}

}  // namespace stopover
