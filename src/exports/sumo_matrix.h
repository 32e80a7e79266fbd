// SumoMatrix: trips from zone to zone as SUMO's od2trips reads them, line by line.
//
//   o_format   plain text, one line per pair (--od-matrix-files)
//   intervals  XML: an <interval> of <tazRelation>s with `count`, and `lower` and `upper` beside it
//              (--tazrelation-files)
//
// Pairs of no trips are left out.
#pragma once

#include <string>
#include <vector>

#include "exports/day_hours.h"

namespace stopover {

class SumoMatrix {
 public:
  enum class Form { o_format, intervals };

  SumoMatrix(Form form, std::vector<std::string> zones, const DayHours& hours, const std::string& release);

  // REQUIRES: numbers of zones.
  void add(std::size_t from, std::size_t to, double count, double lower, double upper);
  std::size_t pairs() const { return pairs_; }
  std::string finish() &&;

  // As SUMO can read them: blanks and marks of XML become _, and names that are then the same get a number.
  static std::vector<std::string> ids_of(const std::vector<std::string>& zones);

 private:
  Form form_;
  std::vector<std::string> zones_;  // ids
  std::string text_;
  std::size_t pairs_ = 0;
};

}  // namespace stopover
