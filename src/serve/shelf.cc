#include "serve/shelf.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "page/domain_json.h"
#include "page/page.h"
#include "release/release_period.h"
#include "release_io/guarantee_card.h"
#include "release_io/release_io.h"
#include "serve/file_state.h"

namespace stopover {
namespace {

std::string title_of(const std::string& path) {
  const std::filesystem::path clean = std::filesystem::path(path).lexically_normal();
  return (clean.has_filename() ? clean.filename() : clean.parent_path().filename()).string();
}

std::string about(const std::string& name, const std::string& content, const Release& release,
                  const QueryEngine& engine, const ReleasePapers& papers) {
  using Json = nlohmann::ordered_json;
  const GuaranteeCard card = guarantee_card(release);
  Json told{{"name", name},
            {"content_sha256", content},
            {"private", release.is_private()},
            {"randomness", release.randomness.text()},
            {"epsilon", format_epsilon(release.epsilon)},
            {"unit", to_string(release.unit)},
            {"max_trips_per_user", release.k},
            {"mechanism", release.mechanism},
            {"date", release.date},
            {"partitions", engine.index().partitions()},
            {"guarantee", {{"title", card.title}, {"promise", card.promise}, {"not_covered", card.not_covered}}},
            {"stops", stops_json(release.domain)},
            {"axes", axes_json(release.domain)},
            {"signed_by", papers.signed_by()}};
  if (const std::string period = period_text(release); !period.empty()) told["period"] = period;
  if (papers.note) {
    told["superseded"] = {{"by", papers.note->by}, {"why", papers.note->why}, {"date", papers.note->date}};
  }
  return told.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string state_of(const std::string& file) {
  struct stat s{};
  if (::stat(file.c_str(), &s) != 0) return "gone;";
  return file_state(s) + ";";
}

}  // namespace

const ShelfRelease* Shelf::find(std::string_view name) const {
  if (name.empty() && !releases.empty()) return releases[0].get();
  for (const auto& release : releases) {
    if (release->name == name) return release.get();
  }
  return nullptr;
}

std::vector<SeriesEngine> Shelf::series() const {
  std::vector<SeriesEngine> found;
  for (const auto& release : releases) {
    if (release->period) found.push_back({*release->period, &release->engine});
  }
  std::sort(found.begin(), found.end(),
            [](const SeriesEngine& a, const SeriesEngine& b) { return a.period < b.period; });
  for (std::size_t i = 1; i < found.size(); ++i) {
    if (found[i].period == found[i - 1].period || found[i].period.kind != found[0].period.kind) return {};
  }
  return found;
}

Result<std::shared_ptr<const Shelf>> make_shelf(const std::vector<std::string>& names,
                                                const std::vector<Release>& releases,
                                                std::shared_ptr<const TileArchive> tiles,
                                                const std::vector<ReleasePapers>& papers) {
  auto shelf = std::make_shared<Shelf>();
  std::vector<PageRelease> pages;
  for (std::size_t i = 0; i < releases.size(); ++i) {
    if (shelf->find(names[i]) != nullptr && i > 0) {
      return Error{Failure::usage,
                   fmt::format("{} is served twice\n  Releases are told apart by their folders' names.", names[i])};
    }
    Result<QueryEngine> engine = QueryEngine::make(releases[i]);
    if (!engine) return engine.error();
    const Result<std::string> content = content_sha256(releases[i]);
    if (!content) return content.error();
    const ReleasePapers own = papers.empty() ? ReleasePapers() : papers[i];
    std::string words = about(names[i], *content, releases[i], *engine, own);
    shelf->releases.push_back(std::make_shared<const ShelfRelease>(
        ShelfRelease{names[i], *content, std::move(words), std::move(*engine), period_of(releases[i])}));
    pages.push_back({names[i], &releases[i], own.note ? own.note->sentence() : ""});
  }
  Result<std::string> page = explorer_page(pages, "", tiles != nullptr);
  if (page) {
    shelf->page = std::move(*page);
  } else if (page.error().failure != Failure::internal) {
    return page.error();
  }
  shelf->tiles = std::move(tiles);
  return std::shared_ptr<const Shelf>(std::move(shelf));
}

// A release is replaced by renaming, so its directory's inode tells; or it is one file.
std::string ShelfLoader::release_state() const {
  std::string text;
  for (const std::string& path : paths_) {
    std::error_code none;
    if (std::filesystem::is_regular_file(path, none)) {
      text += state_of(path);
    } else {
      for (const char* file : {"/release.json", "/notes/superseded.json", "/signatures"}) text += state_of(path + file);
    }
  }
  return text;
}

std::string ShelfLoader::tile_state() const { return tiles_.empty() ? "" : state_of(tiles_); }

Status ShelfLoader::open_tiles() {
  loaded_tiles_ = tile_state();
  if (tiles_.empty()) return {};
  Result<std::shared_ptr<const TileArchive>> opened = TileArchive::open(tiles_);
  if (!opened) return opened.error();
  archive_ = *std::move(opened);
  return {};
}

Result<std::shared_ptr<const Shelf>> ShelfLoader::read_releases() {
  loaded_releases_ = release_state();
  std::vector<std::string> names;
  std::vector<Release> releases;
  std::vector<ReleasePapers> papers;
  for (const std::string& path : paths_) {
    Result<Release> release = read_release(path, 1);
    if (!release) return release.error();
    Result<ReleasePapers> own = papers_of(path, *release);
    if (!own) return own.error();
    papers.push_back(std::move(*own));
    releases.push_back(std::move(*release));
    names.push_back(title_of(path));
  }
  return make_shelf(names, releases, archive_, papers);
}

Result<std::shared_ptr<const Shelf>> ShelfLoader::load() {
  if (Status s = open_tiles(); !s) return s.error();
  return read_releases();
}

ShelfChange ShelfLoader::reload() {
  ShelfChange change;
  const std::string now = tile_state();
  const bool at_rest = now == seen_tiles_;
  seen_tiles_ = now;
  bool tiles_changed = false;
  if (now != loaded_tiles_ && at_rest) {
    const Status opened = open_tiles();
    tiles_changed = static_cast<bool>(opened);
    if (!opened) change.refused.push_back(opened.error());
  }
  const bool releases_changed = release_state() != loaded_releases_;
  if (!tiles_changed && !releases_changed) return change;
  Result<std::shared_ptr<const Shelf>> shelf = read_releases();
  if (shelf) {
    change.shelf = *std::move(shelf);
  } else if (releases_changed) {
    change.refused.push_back(shelf.error());
  }
  return change;
}

}  // namespace stopover
