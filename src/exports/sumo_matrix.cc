#include "exports/sumo_matrix.h"

#include <fmt/format.h>

#include <set>

#include "exports/feature_writer.h"

namespace stopover {

std::vector<std::string> SumoMatrix::ids_of(const std::vector<std::string>& zones) {
  std::vector<std::string> ids;
  std::set<std::string> taken;
  for (const std::string& zone : zones) {
    std::string id;
    for (const char c : zone) {
      const bool bad =
          static_cast<unsigned char>(c) <= ' ' || std::string_view("&<>\"'*;$|\\").find(c) != std::string::npos;
      id += bad ? '_' : c;
    }
    if (id.empty()) id = "_";
    std::string free = id;
    for (int n = 2; !taken.insert(free).second; ++n) free = fmt::format("{}_{}", id, n);
    ids.push_back(std::move(free));
  }
  return ids;
}

SumoMatrix::SumoMatrix(Form form, std::vector<std::string> zones, const DayHours& hours, const std::string& release)
    : form_(form), zones_(ids_of(zones)) {
  const auto dotted = [](std::uint32_t s) { return fmt::format("{}.{:02}", s / 3600, s / 60 % 60); };
  if (form_ == Form::o_format) {
    text_ = fmt::format("$OR;D2\n* From-Time  To-Time\n{} {}\n* Factor\n1.00\n* trips of release {}\n",
                        dotted(hours.begin), dotted(hours.end), release);
  } else {
    text_ = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- trips of release {} -->\n<data>\n"
        "    <interval id=\"trips\" begin=\"{}\" end=\"{}\">\n",
        release, hours.begin, hours.end);
  }
}

void SumoMatrix::add(std::size_t from, std::size_t to, double count, double lower, double upper) {
  if (!(count > 0)) return;
  ++pairs_;
  if (form_ == Form::o_format) {
    text_ += fmt::format("{} {} {}\n", zones_[from], zones_[to], json_number(count));
  } else {
    text_ += fmt::format("        <tazRelation from=\"{}\" to=\"{}\" count=\"{}\" lower=\"{}\" upper=\"{}\"/>\n",
                         zones_[from], zones_[to], json_number(count), json_number(lower), json_number(upper));
  }
}

std::string SumoMatrix::finish() && {
  if (form_ == Form::intervals) text_ += "    </interval>\n</data>\n";
  return std::move(text_);
}

}  // namespace stopover
