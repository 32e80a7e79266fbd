// What the tests of ingest share: a folder, a request on a lattice of one cell a degree, and cells as a map.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "ingest/ingest.h"

namespace stopover {

using Cells = std::map<std::vector<std::uint32_t>, std::uint64_t>;

// Zones of names alone, in this order.
inline std::shared_ptr<const ZoneSet> zones_named(const std::vector<std::string>& ids) {
  std::vector<ZoneRecord> zones;
  for (const std::string& id : ids) zones.push_back({id, {}, {}, {}});
  return std::make_shared<const ZoneSet>(*ZoneSet::make(std::move(zones), {}, ZoneForm::names));
}

class IngestTest : public testing::Test {
 protected:
  IngestTest() : folder_(testing::TempDir() + "ingest-XXXXXX") {
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
    // One cell a degree: the cell of lng 3.5 is 3.
    request_.box = {0, 0, 100, 50};
    request_.columns = 100;
    request_.rows = 50;
  }
  ~IngestTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  Result<Ingest> open(const std::string& input, unsigned threads = 1) const {
    return Ingest::open({input, "", {}, nullptr, form_}, names_, request_,
                        {threads, "", [] { return false; }, "", buckets_});
  }
  static Cells cells_of(const Matrix& matrix) {
    Cells cells;
    for (std::size_t i = 0; i < matrix.keys().size(); ++i) {
      std::vector<std::uint32_t> cell;
      for (std::size_t a = 0; a < matrix.domain().d(); ++a)
        cell.push_back(matrix.keys_of_axes().cell(matrix.keys()[i], a));
      cells[cell] = matrix.counts()[i];
    }
    return cells;
  }
  Cells cells(const std::string& input, unsigned threads = 1) const {
    Result<Ingest> in = open(input, threads);
    if (!in) {
      ADD_FAILURE() << in.error().message;
      return {};
    }
    Result<std::vector<Matrix>> matrices = in->matrices();
    if (!matrices) {
      ADD_FAILURE() << matrices.error().message;
      return {};
    }
    return cells_of(matrices->front());
  }
  Cells cells_of_text(const std::string& text) const { return cells(write("in.csv", text)); }
  Error refusal(const std::string& input) const {
    const Result<Ingest> in = open(input);
    return in ? Error{Failure::internal, "it was opened"} : in.error();
  }

  std::string folder_;
  TripRequest request_;
  ColumnNames names_;
  TextForm form_;
  std::uint64_t buckets_ = 0;  // of users
};

}  // namespace stopover
