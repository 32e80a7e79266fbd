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

void add_all_but_coarse(Sha256& hash, const Table& table) {
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
}

}  // namespace

std::string content_sha256(const Table& table) {
  Sha256 hash;
  add_all_but_coarse(hash, table);
  add(hash, table.coarse_count);
  add(hash, table.coarse_ticks);
  return hash.hex();
}

std::uint64_t seed_of(const Table& table) {
  Sha256 hash;
  add_all_but_coarse(hash, table);
  return std::stoull(hash.hex().substr(0, 16), nullptr, 16);
}

}  // namespace stopover
