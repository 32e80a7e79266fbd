#include "release_io/content_hash.h"
#include "disk/sha256.h"

#include <bit>

namespace stopover {
namespace {

static_assert(std::endian::native == std::endian::little, "columns are hashed as they lie in memory");

template <typename T>
void add(Sha256& hash, const std::vector<T>& column) {
  hash.add(column.data(), column.size() * sizeof(T));
}

}  // namespace

std::string content_sha256(const Table& table) {
  Sha256 hash;
  hash.add("stopover-table-1 " + std::to_string(table.rows()) + " " + std::to_string(table.axes.size()) + "\n");
  for (std::size_t i = 0; i < table.axes.size(); ++i) {
    add(hash, table.lo[i]);
    add(hash, table.hi[i]);
  }
  add(hash, table.parent);
  add(hash, table.depth);
  add(hash, table.count);
  add(hash, table.row_ticks);
  add(hash, table.side_ticks);
  add(hash, table.estimate);
  add(hash, table.spread);
  return hash.hex();
}

}  // namespace stopover
