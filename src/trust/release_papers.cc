#include "trust/release_papers.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/bad_input.h"
#include "base/disk_full.h"
#include "disk/write_file.h"
#include "release_io/release_folder.h"
#include "release_io/release_io.h"

namespace stopover {
namespace {

namespace fs = std::filesystem;

constexpr const char *kSignatures = "signatures", *kOldSignatures = "old_signatures", *kNotes = "notes",
                     *kStatement = "statement.txt", *kNote = "superseded.json", *kEnding = ".minisig";
constexpr std::size_t kMostBytes = 100'000, kMostWhy = 500, kMostSignatures = 1000;

Result<std::string> small_text(const fs::path& path) {
  std::error_code failed;
  if (!fs::is_regular_file(fs::symlink_status(path, failed)) || fs::file_size(path, failed) > kMostBytes) {
    return bad_input(fmt::format("{}/{} is not a small plain file", path.parent_path().filename().string(),
                                 path.filename().string()));
  }
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// All KEY.minisig of a folder, in order of names.
Result<std::vector<Minisignature>> read_signatures(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (at->path().extension() == kEnding) paths.push_back(at->path());
  }
  if (paths.size() > kMostSignatures) return bad_input(folder.string() + " holds too many signatures");
  std::sort(paths.begin(), paths.end());
  std::vector<Minisignature> signatures;
  for (const fs::path& path : paths) {
    const std::string what = folder.filename().string() + "/" + path.filename().string();
    const Result<std::string> text = small_text(path);
    if (!text) return text.error();
    Result<Minisignature> signature = parse_minisignature(*text, what);
    if (!signature) return signature.error();
    if (key_name(signature->key) != path.stem()) return bad_input(what + " is of another key than its name says");
    signatures.push_back(std::move(*signature));
  }
  return signatures;
}

// The same, all of one statement.
Result<std::vector<Minisignature>> read_signed(const fs::path& folder, const std::string& wanted) {
  const Result<std::string> statement = small_text(folder / kStatement);
  if (!statement) return statement.error();
  if (*statement != wanted) {
    return bad_input(fmt::format("{}/{} is about another release", folder.filename().string(), kStatement));
  }
  return read_signatures(folder);
}

std::vector<std::string> names_of(const std::vector<Minisignature>& signatures) {
  std::vector<std::string> names;
  for (const Minisignature& signature : signatures) names.push_back(key_name(signature.key));
  return names;
}

std::string note_text(const SupersededNote& note) {
  return nlohmann::json{{"kind", note.by.empty() ? "withdrawn" : "superseded"},
                        {"release", note.release},
                        {"by", note.by},
                        {"why", note.why},
                        {"date", note.date}}
             .dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

Result<SupersededNote> parse_note(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  SupersededNote note;
  for (const auto& [key, value] :
       {std::pair{"release", &note.release}, {"by", &note.by}, {"why", &note.why}, {"date", &note.date}}) {
    if (json.is_object() && json.contains(key) && json[key].is_string()) *value = json[key].get<std::string>();
  }
  if (note_text(note) == text) return note;
  return bad_input("notes/superseded.json is not a note as stopover writes it");
}

bool is_one_line(const std::string& text) {
  try {
    (void)nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    return false;
  }
  return !text.empty() && text.size() <= kMostWhy &&
         std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 127; });
}

// Whole or not at all, as readers may look at any time.
Status put(const fs::path& path, const std::string& text) {
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  if (failed) {
    return Error{write_failure(failed.value()),
                 fmt::format("cannot make {}: {}", path.parent_path().string(), failed.message())};
  }
  const fs::path partial = path.parent_path().parent_path() / ("." + path.filename().string() + ".partial");
  if (Status written = write_file(partial.string(), text); !written) return written;
  fs::rename(partial, path, failed);
  if (!failed) return {};
  return Error{write_failure(failed.value()), fmt::format("cannot write {}: {}", path.string(), failed.message())};
}

Status put_signature(const fs::path& folder, const std::string& message, const std::string& comment,
                     const SecretKey& key) {
  return put(folder / (key_name(key.public_key().id) + kEnding), minisign(key, message, comment));
}

Status check_key(const std::vector<Minisignature>& signatures, const PublicKey& key, const std::string& message,
                 const char* what) {
  for (const Minisignature& signature : signatures) {
    if (signature.key != key.id) continue;
    if (is_signed_by(signature, key, message)) return {};
    return Error{Failure::check_failed,
                 fmt::format("the signature of its {} by key {} is forged or damaged", what, key_name(key.id))};
  }
  return Error{Failure::check_failed, fmt::format("its {} is not signed by key {}", what, key_name(key.id))};
}

}  // namespace

std::string SupersededNote::sentence() const {
  return by.empty() ? fmt::format("withdrawn on {}: {}", date, why)
                    : fmt::format("superseded on {} by release {:.12}: {}", date, by, why);
}

std::vector<std::string> ReleasePapers::signed_by() const { return names_of(signatures); }
std::vector<std::string> ReleasePapers::signed_before_upgrade() const { return names_of(old_signatures); }
std::vector<std::string> ReleasePapers::note_signed_by() const { return names_of(note_signatures); }

std::string release_statement(const std::string& content, const std::string& ledger_head) {
  return fmt::format("stopover release statement 1\ncontent_sha256 {}\nledger_head {}\n", content, ledger_head);
}

Result<ReleasePapers> read_papers(const fs::path& folder, const std::string& content, const std::string& ledger_head,
                                  const std::string& upgraded_from) {
  ReleasePapers papers;
  papers.statement = release_statement(content, ledger_head);
  if (!upgraded_from.empty()) papers.old_statement = release_statement(upgraded_from, ledger_head);
  std::error_code none;
  if (fs::exists(folder / kSignatures, none)) {
    Result<std::vector<Minisignature>> signatures = read_signed(folder / kSignatures, papers.statement);
    if (!signatures) return signatures.error();
    papers.signatures = std::move(*signatures);
  }
  if (fs::exists(folder / kOldSignatures, none)) {
    Result<std::vector<Minisignature>> signatures = read_signed(folder / kOldSignatures, papers.old_statement);
    if (!signatures) return signatures.error();
    papers.old_signatures = std::move(*signatures);
  }
  if (fs::exists(folder / kNotes, none)) {
    Result<std::string> text = small_text(folder / kNotes / kNote);
    if (!text) return text.error();
    Result<SupersededNote> note = parse_note(*text);
    if (!note) return note.error();
    if (note->release != content && (upgraded_from.empty() || note->release != upgraded_from))
      return bad_input("notes/superseded.json is about another release");
    Result<std::vector<Minisignature>> signatures = read_signatures(folder / kNotes);
    if (!signatures) return signatures.error();
    papers.note = std::move(*note);
    papers.note_text = std::move(*text);
    papers.note_signatures = std::move(*signatures);
  }
  return papers;
}

Result<ReleasePapers> papers_of(const std::string& path, const Release& release) {
  const Result<std::string> content = content_sha256(release);
  if (!content) return content.error();
  return papers_of(path, release, *content);
}

Result<ReleasePapers> papers_of(const std::string& path, const Release& release, const std::string& content) {
  const Result<ReleaseFolder> folder = ReleaseFolder::open(path);
  if (!folder) return folder.error();
  Result<ReleasePapers> papers = read_papers(folder->path(), content, release.ledger_head, release.upgraded_from);
  if (papers) return papers;
  Error error = papers.error();
  error.message = path + ": " + error.message;
  return error;
}

Status check_signed_by(const ReleasePapers& papers, const std::vector<PublicKey>& keys) {
  for (const PublicKey& key : keys) {
    const std::vector<std::string> before = papers.signed_before_upgrade(), now = papers.signed_by();
    const std::string name = key_name(key.id);
    const bool old = std::find(now.begin(), now.end(), name) == now.end() &&
                     std::find(before.begin(), before.end(), name) != before.end();
    const Status ok = old ? check_key(papers.old_signatures, key, papers.old_statement, "content before the upgrade")
                          : check_key(papers.signatures, key, papers.statement, "content");
    if (!ok) return ok;
    if (!papers.note) continue;
    if (Status ok = check_key(papers.note_signatures, key, papers.note_text, "note"); !ok) return ok;
  }
  return {};
}

Status keep_papers(const fs::path& from, const fs::path& to) {
  std::error_code none;
  for (const auto& [own, kept] : {std::pair{kSignatures, kOldSignatures}, {kNotes, kNotes}}) {
    if (!fs::exists(from / own, none)) continue;
    std::error_code failed;
    for (fs::directory_iterator at(from / own, failed), end; !failed && at != end; at.increment(failed)) {
      const Result<std::string> text = small_text(at->path());
      if (!text) return text.error();
      if (Status ok = put(to / kept / at->path().filename(), *text); !ok) return ok;
    }
    if (failed) return bad_input(fmt::format("cannot read {}: {}", (from / own).string(), failed.message()));
  }
  return {};
}

Status add_signature(const fs::path& folder, const std::string& content, const std::string& ledger_head,
                     const SecretKey& key) {
  const std::string statement = release_statement(content, ledger_head);
  if (Status ok = put(folder / kSignatures / kStatement, statement); !ok) return ok;
  return put_signature(folder / kSignatures, statement, "stopover release " + content, key);
}

Status add_note(const fs::path& folder, const SupersededNote& note, const SecretKey* key) {
  if (!is_one_line(note.why)) {
    return Error{Failure::usage,
                 fmt::format("`why` must be one line of 1 to {} bytes, not \"{:.80}\"", kMostWhy, note.why)};
  }
  std::error_code none;
  fs::remove_all(folder / kNotes, none);
  const std::string text = note_text(note);
  if (Status ok = put(folder / kNotes / kNote, text); !ok) return ok;
  if (key == nullptr) return {};
  return put_signature(folder / kNotes, text, "stopover note on " + note.release, *key);
}

}  // namespace stopover
