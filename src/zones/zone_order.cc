#include "zones/zone_order.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "base/portable_math.h"

namespace stopover {
namespace {

constexpr double kRadians = 0.017453292519943295;

// A zone, or a group as one.
struct Item {
  PlanePoint place;
  std::string_view name;
  std::vector<std::uint32_t> zones;
};

// A degree of longitude is cos(latitude) times a degree of latitude; taken in the middle of the items at hand.
void bisect(std::span<Item> items) {
  if (items.size() < 2) return;
  PlanePoint lo = items[0].place, hi = lo;
  for (const Item& item : items) {
    lo = {std::min(lo.x, item.place.x), std::min(lo.y, item.place.y)};
    hi = {std::max(hi.x, item.place.x), std::max(hi.y, item.place.y)};
  }
  const double width = (hi.x - lo.x) * portable_cos((lo.y + hi.y) / 2 * kRadians);
  const bool by_x = width > hi.y - lo.y;
  const auto before = [by_x](const Item& a, const Item& b) {
    const double p = by_x ? a.place.x : a.place.y, q = by_x ? b.place.x : b.place.y;
    return p != q ? p < q : a.name < b.name;
  };
  const std::size_t half = items.size() / 2;
  // Only who is in which half matters, and that is decided: no two items are alike.
  std::nth_element(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(half), items.end(), before);
  bisect(items.first(half));
  bisect(items.subspan(half));
}

class Orderer {
 public:
  Orderer(std::span<const ZoneRecord> zones, ZoneForm form) : zones_(zones), form_(form) {}

  // The zones of one group, `level` levels below it; in order of their ids (names: of the file).
  void order(const std::vector<std::uint32_t>& members, std::size_t level, std::vector<std::uint32_t>& out) const {
    std::vector<Item> items = level == 0 ? singles(members) : groups(members, level - 1);
    if (form_ != ZoneForm::names) bisect(items);
    for (const Item& item : items) {
      if (level == 0) {
        out.push_back(item.zones.front());
      } else {
        order(item.zones, level - 1, out);
      }
    }
  }

 private:
  std::vector<Item> singles(const std::vector<std::uint32_t>& members) const {
    std::vector<Item> items;
    for (const std::uint32_t z : members) items.push_back({zones_[z].place, zones_[z].id, {z}});
    return items;
  }

  std::vector<Item> groups(const std::vector<std::uint32_t>& members, std::size_t level) const {
    std::vector<Item> items;
    std::unordered_map<std::string_view, std::size_t> number;
    for (const std::uint32_t z : members) {
      const std::string_view name = zones_[z].groups[level];
      const auto [at, fresh] = number.emplace(name, items.size());
      if (fresh) items.push_back({{0, 0}, name, {}});
      Item& item = items[at->second];
      item.place.x += zones_[z].place.x;
      item.place.y += zones_[z].place.y;
      item.zones.push_back(z);
    }
    for (Item& item : items) {
      const auto n = static_cast<double>(item.zones.size());
      item.place = {item.place.x / n, item.place.y / n};
    }
    return items;
  }

  std::span<const ZoneRecord> zones_;
  ZoneForm form_;
};

}  // namespace

std::vector<std::uint32_t> zone_order(std::span<const ZoneRecord> zones, ZoneForm form) {
  std::vector<std::uint32_t> all(zones.size()), order;
  std::iota(all.begin(), all.end(), 0U);
  // Sums of places are made in the order of ids, so that not even their last bits follow the file.
  if (form != ZoneForm::names) {
    std::sort(all.begin(), all.end(), [&](std::uint32_t a, std::uint32_t b) { return zones[a].id < zones[b].id; });
  }
  if (!zones.empty()) Orderer(zones, form).order(all, zones[0].groups.size(), order);
  return order;
}

}  // namespace stopover
