#include "desk/worker.h"

#include <fmt/format.h>

#include <mutex>
#include <nlohmann/json.hpp>

#include "base/field_words.h"
#include "base/usage_error.h"
#include "desk/board_page.h"
#include "geo/json_fwd.h"
#include "job/export_job.h"
#include "job/fields_json.h"
#include "job/inspect_job.h"
#include "job/open_release.h"
#include "job/open_series.h"
#include "job/places_job.h"
#include "job/plan_job.h"
#include "job/rehearsal_job.h"
#include "job/reports.h"
#include "job/sign_job.h"
#include "job/state_folder.h"
#include "ledger/ledger.h"
#include "page/html_page.h"
#include "release_io/guarantee_card.h"
#include "release_io/release_io.h"
#include "trust/release_papers.h"
#include "zones/zone_file.h"

namespace stopover {
namespace {

// What a job ends with.
struct Told {
  std::string json;  // or
  std::string text;
};

// What each promises and not; and whether it counts between zones.
std::string cards_json(const std::vector<std::string>& paths, const std::vector<Release>& releases) {
  Json all = Json::array();
  for (std::size_t i = 0; i < releases.size(); ++i) {
    const GuaranteeCard card = guarantee_card(releases[i]);
    bool zones = false;
    for (const Axis& axis : releases[i].domain.axes()) zones = zones || axis.kind == AxisKind::zone;
    all.push_back({{"name", release_title(paths[i])},
                   {"title", card.title},
                   {"promise", card.promise},
                   {"not_covered", card.not_covered},
                   {"zones", zones}});
  }
  return Json{{"releases", std::move(all)}}.dump();
}

class Bench {
 public:
  Bench(const Json& order, const WorkerSurroundings& around)
      : around_(around), state_(order.value("state", "")), key_(order.value("test_key", "")) {
    observer_.steps = [this](std::size_t n) { say({{"steps", n}}); };
    observer_.phase = [this](std::string_view name) { say({{"phase", name}}); };
    observer_.note = [this](std::string_view text) { say({{"note", in_words_of(Face::json, text)}}); };
    observer_.warn = [this](std::string_view text) { say({{"warning", in_words_of(Face::json, text)}}); };
    observer_.private_note = [this](std::string_view text) {
      if (!text.empty()) say({{"private", in_words_of(Face::json, text)}});
    };
    observer_.interrupted = around.interrupted;
    observer_.threads = around.threads;
  }

  void say(const Json& thing) {
    const std::scoped_lock lock(mutex_);
    around_.tell(thing.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  }

  Result<Told> run(const std::string& job, const Json& fields) {
    const Result<FieldValues> values = fields_of_json(fields.dump());
    if (!values) return values.error();
    if (job == "columns" || job == "places" || job == "inspect") return look(job, *values);
    if (job == "plan") return plan(*values);
    if (job == "publish" || job == "rehearse") return publish(*values, job == "rehearse");
    if (job == "export") return make_export(*values);
    if (job == "zones") return zones(*values);
    if (job == "ledger") return ledger(*values);
    if (job == "explorer" || job == "card" || job == "board" || job == "verify") return release(job, *values);
    return usage_error(fmt::format("there is no job {}", job));
  }

 private:
  Result<Told> look(const std::string& job, const FieldValues& values) const {
    Result<RowsSpec> rows = read_inspect(values);
    if (!rows) return rows.error();
    if (job == "places") {
      const Result<Places> places = run_places(*rows, observer_);
      if (!places) return places.error();
      return Told{places->json(), ""};
    }
    if (job == "columns") {
      rows->box.reset();
      rows->box_from.clear();
      rows->zones = {};
      rows->columns.zones.clear();
    }
    const Result<Inspection> told = run_inspect(std::move(*rows), observer_);
    if (!told) return told.error();
    return Told{told->json(), ""};
  }

  Result<Told> plan(const FieldValues& values) const {
    const Result<PlanSpec> spec = read_plan(values);
    if (!spec) return spec.error();
    const Result<Planned> planned = run_plan(*spec, observer_);
    if (!planned) return planned.error();
    return Told{planned->report().json(), ""};
  }

  Result<Told> publish(const FieldValues& values, bool rehearse) const {
    Result<PublishSpec> spec = read_publish(values);
    if (!spec) return spec.error();
    spec->state = state_;
    spec->test_key = key_;
    if (rehearse) {
      const Result<DryRun> told = run_rehearsal(*spec, observer_, around_.key_by_name);
      if (!told) return told.error();
      return Told{told->json(), ""};
    }
    const Result<Published> published = run_publish(*spec, observer_, around_.key_by_name);
    if (!published) return published.error();
    return Told{published->json(), ""};
  }

  Result<Told> make_export(const FieldValues& values) const {
    const Result<ExportSpec> spec = read_export(values);
    if (!spec) return spec.error();
    const Result<Exported> made = run_export(*spec, observer_);
    if (!made) return made.error();
    return Told{made->json, ""};
  }

  Result<Told> zones(const FieldValues& values) const {
    ZoneFile file;
    FieldReader fields(values);
    fields.text("zones", file.path).text("zone_id", file.id).names("levels", file.levels);
    fields.truth("overlaps", file.allow_overlaps);
    if (Status s = fields.done(); !s) return s.error();
    const Result<ZoneSet> zones = read_zones(file);
    if (!zones) return zones.error();
    constexpr std::size_t kMostDrawn = 3000, kMostCorners = 200;
    Json drawn = Json::array();
    for (const ZoneRecord& zone : zones->all()) {
      if (drawn.size() >= kMostDrawn) break;
      Json one = {{"id", zone.id}};
      if (zones->has_places()) one["at"] = {zone.place.x, zone.place.y};
      for (const std::vector<Ring>& polygon : zone.polygons) {
        Json ring = Json::array();
        const std::size_t step = polygon[0].size() / kMostCorners + 1;
        for (std::size_t i = 0; i < polygon[0].size(); i += step) ring.push_back({polygon[0][i].x, polygon[0][i].y});
        one["rings"].push_back(std::move(ring));
      }
      drawn.push_back(std::move(one));
    }
    return Told{Json{{"zones", zones->size()}, {"form", to_string(zones->form())}, {"drawn", std::move(drawn)}}.dump(),
                ""};
  }

  Result<Told> ledger(const FieldValues& values) const {
    std::string path;
    FieldReader fields(values);
    fields.text("ledger", path);
    if (Status s = fields.done(); !s) return s.error();
    const Result<std::string> folder = state_folder(state_);
    if (!folder) return folder.error();
    const std::unique_ptr<FileSystem> files = posix_file_system();
    const Result<LedgerChain> chain = Ledger::read(*files, path, *folder);
    if (!chain) return chain.error();
    return Told{ledger_json(*chain), ""};
  }

  Result<Told> release(const std::string& job, const FieldValues& values) const {
    std::string path;
    std::vector<std::string> ledgers;
    FieldReader fields(values);
    fields.text("release", path);
    if (job == "board") fields.texts("ledgers", ledgers);
    if (Status s = fields.done(); !s) return s.error();
    if (job == "verify") return verify(path);
    const Result<std::vector<std::string>> paths = release_paths({path}, observer_);
    if (!paths) return paths.error();
    std::vector<Release> releases;
    std::vector<std::string> superseded;
    for (const std::string& one : *paths) {
      Result<Release> opened = open_release(one, observer_);
      if (!opened) return opened.error();
      const Result<ReleasePapers> papers = papers_of(one, *opened);
      if (!papers) return papers.error();
      superseded.push_back(papers->note ? papers->note->sentence() : "");
      releases.push_back(std::move(*opened));
    }
    if (job == "explorer") {
      Result<std::string> page = html_page(*paths, releases, superseded);
      if (!page) return page.error();
      return Told{"", std::move(*page)};
    }
    if (job == "card") return Told{cards_json(*paths, releases), ""};
    const Result<std::string> content = content_sha256(releases.back());
    if (!content) return content.error();
    const Result<ReleasePapers> papers = papers_of(paths->back(), releases.back());
    if (!papers) return papers.error();
    return Told{"", board_page({paths->back(), releases.back(), *content, *papers, ""}, releases,
                               ledger_of(releases.back(), ledgers))};
  }

  // The one of these ledgers that the release was charged to; a ledger that cannot be read is none.
  std::optional<BoardLedger> ledger_of(const Release& release, const std::vector<std::string>& ledgers) const {
    const std::string id = release.ledger_head.substr(0, release.ledger_head.find(':'));
    const Result<std::string> folder = state_folder(state_);
    if (!folder || id.empty()) return std::nullopt;
    const std::unique_ptr<FileSystem> files = posix_file_system();
    for (const std::string& path : ledgers) {
      Result<LedgerChain> chain = Ledger::read(*files, path, *folder);
      if (chain && chain->head().id == id) return BoardLedger{release_title(path), std::move(*chain)};
    }
    return std::nullopt;
  }

  Result<Told> verify(const std::string& path) const {
    const Accept accept = around_.key_by_name ? Accept::repeatable : Accept::private_only;
    const Result<std::vector<std::string>> paths = release_paths({path}, observer_);
    if (!paths) return paths.error();
    Json all = Json::array();
    for (const std::string& one : *paths) {
      const Result<Randomness> ok = verify_release(one, around_.threads, accept);
      Json told = {{"release", one}, {"pass", static_cast<bool>(ok)}};
      if (!ok && ok.error().failure != Failure::check_failed) return ok.error();
      if (!ok) told["reason"] = ok.error().message;
      if (ok) {
        told["private"] = ok->is_private();
        const Result<ReleasePapers> papers = check_trust({one, {}, ""}, around_.threads);
        if (!papers) return papers.error();
        told["signed_by"] = papers->signed_by();
        if (papers->note) told["superseded"] = papers->note->sentence();
      }
      all.push_back(std::move(told));
    }
    return Told{Json{{"releases", std::move(all)}}.dump(), ""};
  }

  const WorkerSurroundings& around_;
  std::string state_, key_;
  Observer observer_;
  std::mutex mutex_;
};

}  // namespace

int run_worker(std::string_view order, const WorkerSurroundings& around) {
  const Json parsed = Json::parse(order, nullptr, false);
  const bool good = parsed.is_object() && parsed.value("job", Json()).is_string() && parsed.contains("fields");
  Bench bench(good ? parsed : Json::object(), around);
  Result<Told> told = good ? bench.run(parsed["job"].get<std::string>(), parsed["fields"])
                           : Result<Told>(usage_error("a worker is given a job and its fields as JSON"));
  if (!told) {
    const Error& error = told.error();
    bench.say({{"error",
                {{"code", static_cast<int>(error.failure)},
                 {"message", in_words_of(Face::json, error.message)},
                 {"field", named_field(error.message)}}}});
    return static_cast<int>(error.failure);
  }
  if (told->json.empty()) {
    bench.say({{"text", told->text}});
  } else {
    bench.say({{"result", Json::parse(told->json, nullptr, false)}});
  }
  return 0;
}

}  // namespace stopover
