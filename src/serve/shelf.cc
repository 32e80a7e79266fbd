#include "serve/shelf.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "base/bad_input.h"
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

std::string about(const std::string& name, const std::string& content, const Release& release, std::size_t partitions,
                  const ReleasePapers& papers) {
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
            {"partitions", partitions},
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

std::vector<const ShelfRelease*> Shelf::members() const {
  std::vector<const ShelfRelease*> found;
  for (const auto& release : releases) {
    if (release->period) found.push_back(release.get());
  }
  std::sort(found.begin(), found.end(),
            [](const ShelfRelease* a, const ShelfRelease* b) { return *a->period < *b->period; });
  for (std::size_t i = 1; i < found.size(); ++i) {
    if (*found[i]->period == *found[i - 1]->period || found[i]->period->kind != found[0]->period->kind) return {};
  }
  return found;
}

Result<ShelfSeries> Shelf::series() const {
  ShelfSeries series;
  series.releases = members();
  for (const ShelfRelease* release : series.releases) {
    Result<EngineStore::Engine> engine = release->engine();
    if (!engine) return engine.error();
    series.engines.push_back({*release->period, engine->get()});
    series.held.push_back(std::move(*engine));
  }
  return series;
}

namespace {

Status put(Shelf& shelf, std::shared_ptr<const ShelfRelease> release) {
  if (!shelf.releases.empty() && shelf.find(release->name) != nullptr) {
    return Error{Failure::usage,
                 fmt::format("{} is served twice\n  Releases are told apart by their folders' names.", release->name)};
  }
  shelf.releases.push_back(std::move(release));
  return {};
}

// Of what releases take on a page, while it is made: as they are, as text, in the page, and that once more.
constexpr std::size_t kPageCopies = 5;

Result<std::shared_ptr<const Shelf>> finished(std::shared_ptr<Shelf> shelf, std::span<const PagePart> pages,
                                              std::shared_ptr<const TileArchive> tiles) {
  std::size_t bytes = 0;
  for (const PagePart& page : pages) {
    bytes += page.pack.size();
    if (shelf->on_page > 0 && bytes > kMostPageBytes) break;
    ++shelf->on_page;
  }
  Result<std::string> page = explorer_page(pages.first(shelf->on_page), "", tiles != nullptr);
  if (page) {
    shelf->page = std::move(*page);
  } else if (page.error().failure != Failure::internal) {
    return page.error();
  }
  shelf->tiles = std::move(tiles);
  return std::shared_ptr<const Shelf>(std::move(shelf));
}

}  // namespace

Result<std::shared_ptr<const Shelf>> make_shelf(const std::vector<std::string>& names,
                                                const std::vector<Release>& releases,
                                                std::shared_ptr<const TileArchive> tiles,
                                                const std::vector<ReleasePapers>& papers) {
  auto shelf = std::make_shared<Shelf>();
  std::vector<PagePart> pages;
  for (std::size_t i = 0; i < releases.size(); ++i) {
    Result<QueryEngine> made = QueryEngine::make(releases[i]);
    if (!made) return made.error();
    const EngineStore::Engine engine = std::make_shared<const QueryEngine>(std::move(*made));
    const Result<std::string> content = content_sha256(releases[i]);
    if (!content) return content.error();
    const ReleasePapers own = papers.empty() ? ReleasePapers() : papers[i];
    std::string words = about(names[i], *content, releases[i], engine->index().partitions(), own);
    const Status there =
        put(*shelf, std::make_shared<const ShelfRelease>(ShelfRelease{
                        names[i], *content, std::move(words), releases[i].domain, releases[i].randomness,
                        period_of(releases[i]), [engine]() -> Result<EngineStore::Engine> { return engine; }}));
    if (!there) return there.error();
    Result<PagePart> page = page_part({names[i], &releases[i], own.note ? own.note->sentence() : ""});
    if (!page) return page.error();
    pages.push_back(std::move(*page));
  }
  return finished(std::move(shelf), pages, std::move(tiles));
}

namespace {

// A release is replaced by renaming, so its directory's inode tells; or it is one file.
std::string state_of_release(const std::string& path) {
  std::error_code none;
  if (std::filesystem::is_regular_file(path, none)) return state_of(path);
  std::string text;
  for (const char* file : {"/release.json", "/notes/superseded.json", "/signatures"}) text += state_of(path + file);
  return text;
}

}  // namespace

std::string ShelfLoader::release_state() const {
  std::string text;
  for (const std::string& path : paths_) text += state_of_release(path);
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

// The engine is made on the way, and stays if there is room for it.
Result<ShelfLoader::Read> ShelfLoader::read(const std::string& path) const {
  std::string state = state_of_release(path);
  std::optional<Result<QueryEngine>> made;
  Result<ReadRelease> release =
      read_for_answers(path, 1, [&](const Release& read) { made.emplace(QueryEngine::make(read)); });
  if (!release) return release.error();
  if (!*made) return made->error();
  const Result<ReleasePapers> papers = papers_of(path, release->release, release->content_sha256);
  if (!papers) return papers.error();
  const std::string name = title_of(path), content = release->content_sha256;
  std::string words = about(name, content, release->release, (*made)->index().partitions(), *papers);
  Result<PagePart> page = page_part({name, &release->release, papers->note ? papers->note->sentence() : ""});
  if (!page) return page.error();
  const auto engine = [path, content, store = engines_]() -> Result<EngineStore::Engine> {
    return store->get(content, [&]() -> Result<QueryEngine> {
      std::optional<Result<QueryEngine>> again;
      const Result<ReadRelease> read =
          read_for_answers(path, 2, [&](const Release& there) { again.emplace(QueryEngine::make(there)); });
      if (!read) return read.error();
      if (read->content_sha256 != content) return bad_input("the release was replaced: ask again in a moment");
      return std::move(*again);
    });
  };
  const Result<EngineStore::Engine> kept = engines_->get(content, [&] { return std::move(*made); });
  if (!kept) return kept.error();
  return Read{std::move(state),
              std::make_shared<const ShelfRelease>(ShelfRelease{name, content, std::move(words),
                                                                release->release.domain, release->release.randomness,
                                                                period_of(release->release), engine}),
              std::move(*page)};
}

Result<std::shared_ptr<const Shelf>> ShelfLoader::read_releases() {
  loaded_releases_ = release_state();
  auto shelf = std::make_shared<Shelf>();
  std::vector<PagePart> pages;
  std::map<std::string, Read> all;
  std::size_t bytes = 0;
  for (const std::string& path : paths_) {
    const auto before = read_.find(path);
    if (before != read_.end() && before->second.state == state_of_release(path)) {
      all.insert_or_assign(path, before->second);
    } else {
      Result<Read> now = read(path);
      if (!now) return now.error();
      all.insert_or_assign(path, std::move(*now));
    }
    if (Status ok = put(*shelf, all.at(path).release); !ok) return ok.error();
    if (bytes <= kMostPageBytes) pages.push_back(all.at(path).page);
    bytes += all.at(path).page.pack.size();
  }
  read_ = std::move(all);
  engines_->spare(kPageCopies * std::min(bytes, kMostPageBytes));
  return finished(std::move(shelf), pages, archive_);
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
