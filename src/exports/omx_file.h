// OmxFile: matrices from zone to zone as an Open Matrix file (OMX 0.2, on HDF5), as planning tools read them.
//
//   /                attributes OMX_VERSION "0.2", SHAPE, and `stopover`: the card
//   /data/NAME       one matrix each, doubles, chunked, zlib; attribute NA: what stands for a missing value. Chunks of
//                    zeros alone are not in the file: readers fill them in
//   /lookup/zone     the zones' names, in the order of rows and columns
//   /lookup/number   1, 2, ...
//   /sparse          where asked for: matrices in compressed rows (CSR), one pattern for all. indptr (zones + 1),
//   indices
//                    (columns), and a list of values for each, by its name. No part of OMX: its readers pass it by
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace stopover {

// Entries of several matrices of one pattern, row by row.
struct SparseRows {
  std::vector<std::string> names;
  std::vector<std::int64_t> starts;         // where a row's entries begin, and where the last one's end
  std::vector<std::int32_t> columns;        // of an entry
  std::vector<std::vector<double>> values;  // [matrix][entry]
};

class OmxFile {
 public:
  // The most values of all matrices together where there are draws: 2 GiB. The file is made in memory, because HDF5
  // does not survive a full disk.
  static constexpr std::uint64_t kMostValues = std::uint64_t{1} << 28;
  // Rows of a chunk.
  static constexpr std::size_t kRows = 128;

  // REQUIRES: at least one zone.
  static Result<OmxFile> make(const std::vector<std::string>& zones, const std::string& card);
  OmxFile(OmxFile&&) noexcept;
  ~OmxFile();

  // A matrix of zeros. Fails (internal) when the name is taken. REQUIRES: a name without a slash.
  Status begin(const std::string& name, const std::string& description);
  // Puts rows into a matrix, from `first` on. REQUIRES: it was begun; `first` is a multiple of kRows; whole rows.
  Status put(const std::string& name, std::size_t first, std::span<const double> rows);
  // A whole one. REQUIRES: zones x zones values, row by row.
  Status add(const std::string& name, const std::string& description, std::span<const double> values);
  // Puts /sparse there. REQUIRES: once; zones + 1 starts; as many values as columns.
  Status add_sparse(const SparseRows& rows);
  // The file's bytes; nothing may be added afterwards.
  Result<std::string> finish();

 private:
  struct State;
  explicit OmxFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace stopover
