#include "desk/desk.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/field_words.h"
#include "base/split.h"
#include "base/usage_error.h"
#include "desk/desk_page.h"
#include "desk/draft.h"
#include "desk/job_fields.h"
#include "desk/shown_script.h"
#include "disk/sha256.h"
#include "disk/write_file.h"
#include "page/basemap.h"
#include "page/template.h"

namespace stopover {
namespace {

namespace fs = std::filesystem;

// The page that a job made runs in a world of its own: it can read and ask nothing of the desk.
constexpr const char* kSandbox = "sandbox allow-scripts allow-downloads allow-popups; frame-ancestors 'self'";

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

DeskReply json_reply(const Json& json, int status = 200) { return {status, "application/json", dumped(json)}; }

DeskReply refused(int status, const std::string& message, const std::string& field = "") {
  return json_reply({{"error", {{"code", status}, {"message", message}, {"field", field}}}}, status);
}

DeskReply refused(const Error& error) {
  const int status = error.failure == Failure::privacy ? 403 : error.failure == Failure::locked ? 409 : 422;
  return json_reply({{"error",
                      {{"code", static_cast<int>(error.failure)},
                       {"message", in_words_of(Face::json, error.message)},
                       {"field", named_field(error.message)}}}},
                    status);
}

DeskReply plain_page(int status, const std::string& title, const std::string& text, const std::string& head = "") {
  return {status, "text/html; charset=utf-8",
          fmt::format("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><link rel=\"icon\" "
                      "href=\"data:,\">{2}<title>{0}</title></head><body>"
                      "<h1>{0}</h1><p>{1}</p></body></html>\n",
                      title, text, head)};
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return file ? std::string(std::istreambuf_iterator<char>(file), {}) : std::string();
}

std::string text_in(const Json& given, const char* name) {
  const auto found = given.find(name);
  return found != given.end() && found->is_string() ? found->get<std::string>() : "";
}

// A file that appears whole or not at all.
Status replace_file(const std::string& path, std::string_view text) {
  const std::string beside = path + ".new";
  if (Status s = write_file(beside, text, Readers::owner); !s) {
    std::error_code none;
    fs::remove(beside, none);
    return s;
  }
  std::error_code failed;
  fs::rename(beside, path, failed);
  if (failed) return Error{Failure::bad_input, path + " cannot be written"};
  return {};
}

Json entries_json(const std::vector<FolderEntry>& entries) {
  Json list = Json::array();
  for (const FolderEntry& entry : entries) {
    list.push_back({{"name", entry.name}, {"path", entry.path}, {"kind", entry.kind}, {"bytes", entry.bytes}});
  }
  return list;
}

DeskReply ground(const std::string& text) {
  std::vector<double> sides;
  for (const std::string& part : split(text, ',')) {
    double value = 0;
    const auto [end, failed] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (failed == std::errc() && end == part.data() + part.size()) sides.push_back(value);
  }
  if (sides.size() != 4 || !(sides[0] < sides[2]) || !(sides[1] < sides[3]))
    return refused(422, "a box is west,south,east,north");
  const Basemap map = cut_basemap(world_map(), {sides[0], sides[1], sides[2], sides[3]});
  Json towns = Json::array();
  for (const BasemapTown& town : map.towns) towns.push_back({town.name, town.lon, town.lat});
  return json_reply({{"land", map.land}, {"borders", map.borders}, {"places", std::move(towns)}});
}

}  // namespace

Desk::Desk(Gate& gate, const Folders& folders, Workshop& workshop, DeskOptions options)
    : gate_(gate), folders_(folders), workshop_(workshop), options_(std::move(options)) {}

DeskReply Desk::reply(const DeskRequest& request) {
  const std::string_view path = path_of(request.target);
  if (path.starts_with("/api/")) return api(request, path);
  // Host comes before all: a name that was bent to this machine gets nothing, not even the token's page.
  if (path == "/" && request.method == DeskMethod::get) {
    const std::string token = query_value(request.target, "token");
    DeskRequest from_anywhere = request;  // the address may be opened from a terminal or another program's window
    from_anywhere.fetch_site = {};
    from_anywhere.origin = {};
    if (!gate_.own(from_anywhere)) return plain_page(421, "Not here", "This desk does not answer under that name.");
    if (!token.empty() && !gate_.known(request)) {
      const std::string cookie = gate_.enter(token);
      if (cookie.empty()) {
        return plain_page(403, "This address was used",
                          "It opens the desk once. Go to the window where it is open, or start the desk again: your "
                          "drafts are kept.");
      }
      DeskReply reply = plain_page(200, "Opening the desk", "<a href=\"/\">Go on</a>",
                                   "<meta http-equiv=\"refresh\" content=\"0;url=/\">");
      reply.headers.emplace_back("Set-Cookie", cookie);
      return reply;
    }
    if (!token.empty()) {
      return plain_page(200, "Opening the desk", "<a href=\"/\">Go on</a>",
                        "<meta http-equiv=\"refresh\" content=\"0;url=/\">");
    }
  }
  if (!gate_.own(request)) return refused(421, "this desk does not answer that");
  if (!gate_.known(request)) {
    return plain_page(403, "The desk is not open here",
                      "Open it with the address that the program printed when it was started. It works once; start the "
                      "desk again for a new one.");
  }
  if (request.method != DeskMethod::get) return refused(405, "this is read by GET");
  if (path == "/") {
    if (desk_page().empty()) return plain_page(404, "No page", "This program was built without the desk's page.");
    return {200, "text/html; charset=utf-8", std::string(desk_page())};
  }
  if (path == "/text") return text(query_value(request.target, "job"));
  if (path == "/export") return exported(query_value(request.target, "path"));
  return refused(404, "nothing here");
}

DeskReply Desk::api(const DeskRequest& request, std::string_view path) {
  if (!gate_.own(request)) return refused(421, "this desk does not answer that");
  if (!gate_.admits_question(request)) return refused(403, "the desk is not open here");
  if (request.method == DeskMethod::get) return read(request, path);
  if (request.method == DeskMethod::post) return write(request, path);
  return refused(405, "the desk is asked by GET and POST");
}

DeskReply Desk::read(const DeskRequest& request, std::string_view path) {
  if (path == "/api/desk") return about();
  if (path == "/api/files") return files(query_value(request.target, "folder"));
  if (path == "/api/found") return found();
  if (path == "/api/drafts") return drafts();
  if (path == "/api/draft") return draft(query_value(request.target, "name"));
  if (path == "/api/jobs") return look(query_value(request.target, "id"), query_value(request.target, "from"));
  if (path == "/api/ground") return ground(query_value(request.target, "bbox"));
  return refused(404, "nothing here");
}

DeskReply Desk::write(const DeskRequest& request, std::string_view path) {
  if (path == "/api/zones") return keep_zones(query_value(request.target, "name"), request.body);
  if (!request.content_type.starts_with("application/json")) return refused(415, "send JSON");
  const Json given = Json::parse(request.body, nullptr, false);
  if (!given.is_object()) return refused(422, "that is not an object of JSON");
  if (path == "/api/draft") return keep_draft(given);
  if (path == "/api/draft/remove") return remove_draft(given);
  if (path == "/api/jobs") return start(given);
  if (path == "/api/jobs/stop") return json_reply({{"stopping", workshop_.cancel(text_in(given, "id"))}});
  if (path == "/api/script") {
    const ShownScript shown = shown_script(text_in(given, "job"), given.value("fields", Json::object()));
    return json_reply({{"command_line", shown.command_line}, {"python", shown.python}});
  }
  if (path == "/api/close") {
    closed_ = true;
    return json_reply({{"closed", true}});
  }
  return refused(404, "nothing here");
}

DeskReply Desk::about() const {
  return json_reply({{"version", options_.version},
                     {"data", folders_.data()},
                     {"folder", folders_.own()},
                     {"sql", options_.allow_sql},
                     {"repeatable", !options_.key.empty()},
                     {"idle_minutes", options_.idle_minutes}});
}

DeskReply Desk::files(const std::string& folder) const {
  const Result<std::vector<FolderEntry>> entries = folders_.list(folder);
  if (!entries) return refused(entries.error());
  return json_reply({{"folder", folder}, {"entries", entries_json(*entries)}});
}

DeskReply Desk::found() const {
  return json_reply({{"releases", entries_json(folders_.found("release"))},
                     {"series", entries_json(folders_.found("series"))},
                     {"ledgers", entries_json(folders_.found("ledger"))}});
}

DeskReply Desk::drafts() const {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folders_.own("drafts"), failed)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return json_reply({{"drafts", names}});
}

DeskReply Desk::draft(const std::string& name) const {
  const Result<std::string> plain = plain_name(name);
  if (!plain) return refused(plain.error());
  const std::string path = folders_.own("drafts") + "/" + *plain + ".toml";
  if (!fs::is_regular_file(fs::symlink_status(path))) return refused(404, "there is no such draft");
  const std::string text = read_text(path);
  Result<Json> draft = draft_json(text);
  if (!draft) return refused(draft.error());
  (*draft)["name"] = *plain;
  (*draft)["revision"] = sha256_of(text);
  return json_reply(*draft);
}

DeskReply Desk::keep_draft(const Json& given) const {
  const Result<std::string> plain = plain_name(text_in(given, "name"));
  if (!plain) return refused(plain.error());
  const std::string path = folders_.own("drafts") + "/" + *plain + ".toml";
  std::error_code none;
  const bool there = fs::exists(fs::symlink_status(path, none));
  const std::string now = there ? sha256_of(read_text(path)) : "";
  if (now != text_in(given, "revision")) {
    return refused(409, there ? "this draft was changed in another window\n  Open it again to go on from there."
                              : "this draft was removed in another window");
  }
  const Result<std::string> text = draft_toml(given);
  if (!text) return refused(text.error());
  if (Status s = replace_file(path, *text); !s) return refused(s.error());
  return json_reply({{"name", *plain}, {"revision", sha256_of(*text)}, {"path", path}});
}

DeskReply Desk::remove_draft(const Json& given) const {
  const Result<std::string> plain = plain_name(text_in(given, "name"));
  if (!plain) return refused(plain.error());
  std::error_code none;
  return json_reply({{"removed", fs::remove(folders_.own("drafts") + "/" + *plain + ".toml", none)}});
}

DeskReply Desk::start(const Json& given) {
  const std::string job = text_in(given, "job");
  Result<Json> fields = checked_fields(job, given.value("fields", Json::object()), folders_, options_.allow_sql);
  if (!fields) return refused(fields.error());
  if (job == "board") {
    // Which of them it was paid from, the release tells.
    for (const FolderEntry& entry : folders_.found("ledger")) (*fields)["ledgers"].push_back(entry.path);
  }
  if (job == "publish") {
    // Typed by whoever spends: the release's own name.
    const std::string name = fs::path(text_in(*fields, "output")).stem().string();
    if (name.empty() || text_in(given, "confirm") != name) {
      return refused(422, "type the release's name to publish it\n  What is spent cannot be had back.", "output");
    }
  }
  const Json order = {{"job", job}, {"fields", *fields}, {"state", options_.state}, {"test_key", options_.key}};
  const Result<std::string> id = workshop_.start(job, dumped(order), job == "publish");
  if (!id) return refused(id.error());
  return json_reply({{"id", *id}, {"fields", *fields}});
}

DeskReply Desk::look(const std::string& id, const std::string& from) const {
  std::size_t first = 0;
  std::from_chars(from.data(), from.data() + from.size(), first);
  const std::optional<JobView> view = workshop_.look(id, first);
  if (!view) return refused(404, "there is no such job");
  Json told = Json::array();
  for (const std::string& line : view->told) told.push_back(Json::parse(line, nullptr, false));
  Json all = {
      {"id", id},     {"job", view->job},   {"running", view->running},           {"cancelled", view->cancelled},
      {"told", told}, {"next", view->next}, {"milliseconds", view->milliseconds}, {"text", view->has_text}};
  if (!view->result.empty()) all["result"] = Json::parse(view->result, nullptr, false);
  if (!view->error.empty()) all["error"] = Json::parse(view->error, nullptr, false);
  return json_reply(all);
}

DeskReply Desk::keep_zones(const std::string& name, std::string_view text) const {
  const Result<std::string> plain = plain_name(name);
  if (!plain) return refused(plain.error());
  const bool known = plain->ends_with(".geojson") || plain->ends_with(".json") || plain->ends_with(".csv") ||
                     plain->ends_with(".txt") || plain->ends_with(".parquet");
  if (!known) return refused(422, "a file of zones ends in .geojson, .json, .csv, .txt or .parquet");
  if (text.empty()) return refused(422, "that file is empty");
  const std::string path = folders_.own("zones") + "/" + *plain;
  if (Status s = replace_file(path, text); !s) return refused(s.error());
  return json_reply({{"path", path}});
}

DeskReply Desk::text(const std::string& id) const {
  std::optional<std::string> page = workshop_.text(id);
  if (!page) return refused(404, "nothing here");
  DeskReply reply{200, "text/html; charset=utf-8", std::move(*page)};
  reply.headers.emplace_back("Content-Security-Policy", kSandbox);
  return reply;
}

DeskReply Desk::exported(const std::string& path) const {
  const Result<std::string> whole = folders_.readable(path);
  if (!whole || !whole->starts_with(folders_.own("exports") + "/") || !fs::is_regular_file(*whole)) {
    return refused(404, "nothing here");
  }
  DeskReply reply{200, "application/octet-stream", read_text(*whole)};
  std::string name;
  for (const char c : fs::path(*whole).filename().string())
    name += c >= ' ' && c < 127 && c != '"' && c != '\\' ? c : '_';
  reply.headers.emplace_back("Content-Disposition", fmt::format("attachment; filename=\"{}\"", name));
  return reply;
}

}  // namespace stopover
