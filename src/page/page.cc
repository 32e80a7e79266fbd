#include "page/page.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "base/markup.h"
#include "explore/release_pack.h"
#include "explore/zone_pack.h"
#include "geo/json_fwd.h"
#include "geo/simplify.h"
#include "page/basemap.h"
#include "page/coarse_release.h"
#include "page/domain_json.h"
#include "page/template.h"
#include "query/box_index.h"
#include "release_io/guarantee_card.h"
#include "release_io/release_io.h"

namespace stopover {
namespace {

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) text += i + k <= bytes.size() ? kDigits[word >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::string gzip(std::string_view bytes) {
  z_stream stream{};
  STOPOVER_CHECK(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) == Z_OK, "zlib does not start");
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  STOPOVER_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib does not finish");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// JSON that cannot end the script element it stands in.
std::string in_script(const Json& json) {
  std::string out;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

// Bytes of packed zones that a page carries; with more of them, and corners of the areas that it then draws instead.
constexpr std::size_t kMostZoneBytes = 2'900'000;
constexpr std::size_t kDrawnCorners = 300'000;

// Zones as the page can carry them: nullptr where those of the release are small enough.
Result<std::shared_ptr<const ZoneSet>> drawn_zones(const ZoneSet& zones) {
  const std::size_t corners = corners_of(zones);
  if (corners == 0) return std::shared_ptr<const ZoneSet>();
  if (corners <= kMostPackedCorners) {
    Packer bytes;
    pack_zones(bytes, zones);
    if (bytes.take().size() <= kMostZoneBytes) return std::shared_ptr<const ZoneSet>();
  }
  std::vector<Shape> shapes;
  for (const ZoneRecord& zone : zones.all()) shapes.push_back({zone.polygons});
  std::vector<Shape> fewer = simplified(shapes, kDrawnCorners);
  std::vector<ZoneRecord> records = zones.all();
  for (std::size_t i = 0; i < records.size(); ++i) records[i].polygons = std::move(fewer[i].polygons);
  Result<ZoneSet> made = ZoneSet::make(std::move(records), zones.levels(), zones.form());
  if (!made) return made.error();
  return std::make_shared<const ZoneSet>(std::move(*made));
}

// What is known of the zones besides their names, which are labels, and their places, which the engine has. `exact`:
// whether the page has the areas as they are, so that what cuts them is answered as everywhere.
Json zones_json(const Domain& domain, bool exact) {
  const ZoneSet* zones = domain.zones();
  if (zones == nullptr) return nullptr;
  Json levels = Json::array();
  for (std::size_t level = 0; level < zones->levels().size(); ++level) {
    Json groups = Json::array();
    for (const ZoneSet::Group& group : zones->groups(level))
      groups.push_back({{"name", group.name}, {"from", group.zones.lo}, {"to", group.zones.hi}});
    levels.push_back({{"name", zones->levels()[level]}, {"groups", std::move(groups)}});
  }
  return Json{{"form", to_string(zones->form())}, {"levels", std::move(levels)}, {"exact", exact}};
}

// `boxes`: of the release; `carried`: of the page.
Result<Json> describe(const PageRelease& page, std::size_t boxes, std::size_t carried, bool exact) {
  const Release& release = *page.release;
  const Result<std::string> content = content_sha256(release);
  if (!content) return content.error();
  const GuaranteeCard card = guarantee_card(release);
  const std::optional<PersonInAll> all = person_in_all(release);
  Json description = Json::object();
  for (const auto& [name, member] : kDescriptionTexts) {
    if (!(release.description.*member).empty()) description[name] = release.description.*member;
  }
  return Json{{"name", page.name},
              {"description", std::move(description)},
              {"mechanism", release.mechanism},
              {"epsilon", format_epsilon(release.epsilon)},
              {"spent", format_epsilon(release.spent)},
              {"unit", to_string(release.unit)},
              {"max_trips_per_user", release.k},
              {"protects", unit_in_words(release)},
              {"most_epsilon", format_epsilon(all ? all->epsilon : release.epsilon)},
              {"date", release.date},
              {"partitions", boxes},
              {"carried", carried},
              {"answer_model", to_string(release.answer_model)},
              {"content_sha256", *content},
              {"not_private", release.randomness.warning()},
              {"superseded", page.superseded},
              {"card", {{"title", card.title}, {"promise", card.promise}, {"not_covered", card.not_covered}}},
              {"axes", axes_json(release.domain)},
              {"stops", stops_json(release.domain)},
              {"zones", zones_json(release.domain, exact)}};
}

std::size_t leaves_of(const Table& table) {
  const std::vector<bool> leaves = table.leaves();
  return static_cast<std::size_t>(std::count(leaves.begin(), leaves.end(), true));
}

// The box around all places of all stops; nothing where no stop has degrees.
std::optional<DegreeBox> places(std::span<const Domain* const> domains) {
  std::optional<DegreeBox> box;
  for (const Domain* domain : domains) {
    for (const Axis& axis : domain->axes()) {
      if (!axis.on_map()) continue;
      if (!box) box = DegreeBox{180, 90, -180, -90};
      double& low = axis.kind == AxisKind::longitude ? box->west : box->south;
      double& high = axis.kind == AxisKind::longitude ? box->east : box->north;
      low = std::min(low, axis.lower);
      high = std::max(high, axis.upper);
    }
    const ZoneSet* zones = domain->zones();
    if (zones == nullptr || !zones->has_places()) continue;
    if (!box) box = DegreeBox{180, 90, -180, -90};
    const auto add = [&](const PlanePoint& p) {
      box->west = std::min(box->west, p.x), box->east = std::max(box->east, p.x);
      box->south = std::min(box->south, p.y), box->north = std::max(box->north, p.y);
    };
    for (const ZoneRecord& zone : zones->all()) {
      add(zone.place);
      for (const std::vector<Ring>& polygon : zone.polygons) std::ranges::for_each(polygon[0], add);
    }
  }
  return box;
}

// For browsers that cannot run the page, which says it itself (web/src/app.tsx).
std::string warnings(std::span<const PagePart> parts) {
  std::string text;
  for (const PagePart& page : parts) {
    if (!page.not_private.empty())
      text += fmt::format("<p class=\"noprivacy\">No privacy: {} was {}.</p>", escape_markup(page.name),
                          escape_markup(page.not_private));
    if (!page.superseded.empty())
      text += fmt::format("<p class=\"noprivacy\">Out of date: {} was {}.</p>", escape_markup(page.name),
                          escape_markup(page.superseded));
  }
  return text;
}

Json ground(std::span<const Domain* const> domains) {
  std::optional<DegreeBox> box = places(domains);
  if (!box) return nullptr;
  // Wider than what is drawn, or the edge of the cut would look like a coast.
  const double margin = 0.1 * std::max({box->east - box->west, box->north - box->south, 0.02});
  box = DegreeBox{box->west - margin, box->south - margin, box->east + margin, box->north + margin};
  const Basemap map = cut_basemap(world_map(), *box);
  if (map.land.empty() && map.borders.empty()) return nullptr;
  Json towns = Json::array();
  for (const BasemapTown& town : map.towns) towns.push_back({town.name, town.lon, town.lat});
  return Json{{"land", map.land}, {"borders", map.borders}, {"places", std::move(towns)}};
}

std::string filled(std::string_view page, const std::vector<std::pair<std::string_view, std::string>>& parts) {
  std::string out;
  for (const auto& [place, text] : parts) {
    const std::size_t at = page.find(place);
    STOPOVER_CHECK(at != std::string_view::npos, "the page's template lacks a place");
    out.append(page.substr(0, at)).append(text);
    page.remove_prefix(at + place.size());
  }
  return out.append(page);
}

}  // namespace

std::string ground_text(const Release& release) {
  const Domain* const domain = &release.domain;
  return ground({&domain, 1}).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<PagePart> page_part(const PageRelease& release) {
  const Release* carried = release.release;
  const std::optional<Release> coarse = coarsened(*carried);
  if (coarse) carried = &*coarse;
  Release drawn;
  if (const ZoneSet* zones = carried->domain.zones()) {
    Result<std::shared_ptr<const ZoneSet>> fewer = drawn_zones(*zones);
    if (!fewer) return fewer.error();
    if (*fewer) {
      drawn = *carried;
      Result<Domain> domain = Domain::make(drawn.domain.axes(), drawn.domain.stops(), std::move(*fewer));
      if (!domain) return domain.error();
      drawn.domain = std::move(*domain);
      carried = &drawn;
    }
  }
  const Result<BoxIndex> index = BoxIndex::make(*carried);
  if (!index) return index.error();
  const std::size_t boxes = index->partitions(), all = coarse ? leaves_of(release.release->tables[0]) : boxes;
  const Result<Json> about = describe(release, all, boxes, carried != &drawn);
  if (!about) return about.error();
  const std::string pack = pack_release(*carried);
  const Result<Release> same = unpack_release(pack);
  STOPOVER_CHECK(same && *same == without_coarse_counts(*carried), "the page would lose something of the release");
  return PagePart{release.name,
                  release.superseded,
                  release.release->randomness.warning(),
                  about->dump(-1, ' ', false, Json::error_handler_t::replace),
                  base64(gzip(pack)),
                  release.release->domain};
}

namespace {

Status check_template() {
  if (!page_template().empty()) return {};
  return Error{Failure::internal,
               "this program was built without the explorer's page\n"
               "  Run scripts/install-deps (node, clang 19 with its WebAssembly libraries) and build again."};
}

}  // namespace

Result<std::string> explorer_page(std::span<const PageRelease> releases, const std::string& picture, bool tiles) {
  if (Status ok = check_template(); !ok) return ok.error();
  std::vector<PagePart> parts;
  for (const PageRelease& release : releases) {
    Result<PagePart> part = page_part(release);
    if (!part) return part.error();
    parts.push_back(std::move(*part));
  }
  return explorer_page(parts, picture, tiles);
}

Result<std::string> explorer_page(std::span<const PagePart> parts, const std::string& picture, bool tiles) {
  if (Status ok = check_template(); !ok) return ok.error();
  Json list = Json::array();
  std::string packs;
  std::vector<const Domain*> domains;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    list.push_back(Json::parse(parts[i].about));
    domains.push_back(&parts[i].domain);
    packs += fmt::format("<script type=\"text/plain\" id=\"stopover-release-{}\">{}</script>\n", i, parts[i].pack);
  }
  const Json data{{"version", STOPOVER_VERSION}, {"releases", list}, {"basemap", ground(domains)}, {"tiles", tiles}};
  std::string still = warnings(parts);
  if (!picture.empty())
    still +=
        fmt::format("<img alt=\"The release as a picture\" src=\"data:image/svg+xml;base64,{}\">", base64(picture));
  const TileScript script = tile_script();
  return filled(page_template(), {{"@@ALSO@@", tiles ? fmt::format(" {}; connect-src 'self'", script.hash) : ""},
                                  {"@@TITLE@@", escape_markup(parts[0].name) + " · stopover"},
                                  {"@@STATIC@@", still},
                                  {"@@DATA@@", in_script(data)},
                                  {"@@RELEASES@@", packs},
                                  {"@@TILES@@", tiles ? fmt::format("<script>{}</script>", script.text) : ""}});
}

}  // namespace stopover
