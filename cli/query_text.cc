#include <fmt/format.h>

#include <algorithm>

#include "cli/query_question.h"
#include "question/json.h"

namespace stopover {
namespace {

std::string number(const Json& node) { return node.is_number() ? number_text(node.get<double>()) : "unknown"; }

// Rounded for reading: whole from 100 on.
std::string brief(const Json& node) {
  if (!node.is_number()) return "unknown";
  const double value = node.get<double>();
  const double size = value < 0 ? -value : value;
  return size >= 100 ? fmt::format("{:.0f}", value) : size >= 10 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}

std::string notes_of(const Json& reply) {
  std::string text;
  if (const Json* notes = member(reply, "notes")) {
    for (const Json& note : *notes) text += "\n  note: " + wrapped(text_of(&note), 80, 8);
  }
  return text;
}

// How often an interval holds: "95 %".
std::string claim_of(const Json& a, const std::string& level) {
  return a["claimed"].get<bool>() ? level + " %" : "meant for " + level + " %, not claimed";
}

std::string intervals_of(const Json& a) {
  const std::string level = number_text(100 * a["level"].get<double>());
  std::string text = fmt::format("\n  noise alone: {} to {} ({} %)", number(a["noise_lower"]), number(a["noise_upper"]), level);
  const auto cut = a["partitions_cut"].get<std::uint64_t>();
  if (cut == 0) {
    return text + "\n  " + wrapped("It cuts no partition, so that interval is the whole story.", 80, 2);
  }
  if (a["calibrated"].get<bool>()) {
    text += fmt::format("\n  calibrated:  {} to {} ({})", number(a["lower"]), number(a["upper"]), claim_of(a, level));
  }
  text += fmt::format("\n  bounds:      {} to {} ({} %)", number(a["bounds_lower"]), number(a["bounds_upper"]), level);
  text += "\n  " + wrapped(fmt::format("It cuts {} partition{}: how trips lie inside {} is not in the noise interval. The bounds hold "
                                       "wherever they lie.{}",
                                       grouped(cut), cut == 1 ? "" : "s", cut == 1 ? "it" : "them",
                                       a["calibrated"].get<bool>() ? "" : " This release has no calibration, so there is no interval "
                                                                          "in between."),
                           80, 2);
  return text;
}

std::string answer_text(const Json& a, const Terminal& terminal) {
  return terminal.paint(Tone::strong, number(a["estimate"])) + intervals_of(a);
}

std::string name_of(const Json& region) {
  if (const Json* zone = member(region, "zone")) return text_of(zone);
  if (const Json* bbox = member(region, "bbox")) {
    std::string text = "bbox:";
    for (std::size_t i = 0; i < bbox->size(); ++i) text += (i ? "," : "") + number((*bbox)[i]);
    return text;
  }
  if (const Json* box = member(region, "box")) {
    std::string text = "box:";
    for (std::size_t i = 0; i < box->size(); ++i) text += (i ? "," : "") + number((*box)[i][0]) + ":" + number((*box)[i][1]);
    return text;
  }
  if (const Json* category = member(region, "category")) return category->is_string() ? text_of(category) : category->dump();
  return region.dump();
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

std::string rows_text(const Json& rows) {
  if (rows.empty()) return "\n  nothing";
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> head;
  for (const auto& [stop, region] : rows[0]["where"].items()) head.push_back(stop);
  const std::size_t left = head.size();
  head.insert(head.end(), {"trips", "from", "to"});
  const bool share = rows[0].contains("share"), rate = rows[0].contains("rate");
  if (share) head.push_back("share");
  if (rate) head.push_back("rate");
  lines.push_back(head);
  const auto percent = [](const Json& node) { return node.is_number() ? fmt::format("{:.1f} %", 100 * node.get<double>()) : "-"; };
  for (const Json& row : rows) {
    std::vector<std::string> line;
    for (const auto& [stop, region] : row["where"].items()) line.push_back(name_of(region));
    line.insert(line.end(), {brief(row["estimate"]), brief(row["lower"]), brief(row["upper"])});
    if (share) line.push_back(percent(row["share"]));
    if (rate) line.push_back(percent(row["rate"]));
    lines.push_back(line);
  }
  return columns(lines, left);
}

std::string matrix_text(const Json& reply) {
  constexpr std::size_t kMost = 12;
  const Json &rows = reply["rows"], &names = reply["columns"];
  std::vector<std::vector<std::string>> lines = {{""}};
  for (std::size_t j = 0; j < std::min(kMost, names.size()); ++j) lines[0].push_back(text_of(&names[j]));
  for (std::size_t i = 0; i < std::min(kMost, rows.size()); ++i) {
    lines.push_back({text_of(&rows[i])});
    for (std::size_t j = 0; j < std::min(kMost, names.size()); ++j) lines.back().push_back(brief(reply["estimate"][i][j]));
  }
  std::string text = fmt::format("from {} (down) to {} (across)", text_of(&reply["from"]), text_of(&reply["to"])) + columns(lines, 1);
  if (rows.size() > kMost || names.size() > kMost) text += fmt::format("\n  {} x {} in all: see --json", rows.size(), names.size());
  return text;
}

}  // namespace

std::string text_of_reply(const std::string& reply_text, const Terminal& terminal) {
  const Json reply = parse_json(reply_text);
  const auto strong = [&](const std::string& text) { return terminal.paint(Tone::strong, text); };
  const std::string ask = text_of(member(reply, "ask"));
  if (const Json* difference = member(reply, "difference")) {
    return "first:  " + answer_text(reply["first"], terminal) + "\nsecond: " + answer_text(reply["second"], terminal) +
           "\nsecond less first: " + answer_text(*difference, terminal) + notes_of(reply);
  }
  if (ask == "share") {
    const Json& share = reply["share"];
    const std::string text = share.is_number() ? fmt::format("{:.2f} %", 100 * share.get<double>()) : "unknown";
    return strong(text) +
           fmt::format("\n  {:.2f} % to {:.2f} % ({})\n  {} of {} trips", 100 * reply["share_lower"].get<double>(),
                       100 * reply["share_upper"].get<double>(), claim_of(reply, number_text(100 * reply["level"].get<double>())),
                       brief(reply["part"]["estimate"]), brief(reply["whole"]["estimate"])) +
           notes_of(reply);
  }
  if (ask == "matrix") return matrix_text(reply) + notes_of(reply);
  if (const Json* tables = member(reply, "tables")) {
    std::string text;
    for (const Json& table : *tables) text += (text.empty() ? "" : "\n") + strong(text_of(&table["title"])) + rows_text(table["rows"]);
    return text + notes_of(reply);
  }
  return answer_text(reply, terminal) + notes_of(reply);
}

}  // namespace stopover
