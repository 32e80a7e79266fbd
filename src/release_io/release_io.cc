#include "release_io/release_io.h"

#include <fmt/format.h>

#include <exception>
#include <fstream>
#include <future>
#include <set>

#include "base/bad_input.h"
#include "base/disk_full.h"
#include "disk/private_folder.h"
#include "disk/sha256.h"
#include "disk/stored_zip.h"
#include "disk/write_file.h"
#include "duck/duck.h"
#include "geo/zone_set_json.h"
#include "release_io/content_hash.h"
#include "release_io/data_package.h"
#include "release_io/geo_file.h"
#include "release_io/release_document.h"
#include "release_io/release_folder.h"
#include "release_io/table_file.h"

namespace stopover {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDocument = "release.json";
constexpr std::uintmax_t kMaxDocument = std::uintmax_t{64} << 20;
constexpr std::uintmax_t kMaxZones = std::uintmax_t{512} << 20;

Error named(const fs::path& directory, Error error) {
  error.message = fmt::format("{}: {}", directory.string(), error.message);
  return error;
}

Release without_rows(const Release& release) {
  Release head = release.without_tables();
  for (const Table& table : release.tables) head.tables.push_back(table.without_rows());
  return head;
}

ReleaseDocument document_of(const Release& release) {
  ReleaseDocument document;
  document.release = without_rows(release);
  document.card = guarantee_card(release);
  document.writer = this_writer();
  if (release.domain.zones() != nullptr) document.zones_sha256 = sha256_of(zone_set_text(*release.domain.zones()));
  for (const Table& table : release.tables) document.files.push_back({table.rows(), content_sha256(table), ""});
  return document;
}

Result<std::string> read_text(const fs::path& path, std::uintmax_t most) {
  std::error_code failed;
  const std::uintmax_t size = fs::file_size(path, failed);
  if (failed) return bad_input(fmt::format("cannot read {}: {}", path.string(), failed.message()));
  if (size > most) return bad_input(fmt::format("{} is too large: {} bytes", path.string(), size));
  std::string text(size, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(size));
  if (!file || file.gcount() != static_cast<std::streamsize>(size)) {
    return bad_input("cannot read " + path.string());
  }
  return text;
}

// A file of the release itself, no link to somewhere else.
Status check_plain_file(const fs::path& path) {
  std::error_code failed;
  const fs::file_status status = fs::symlink_status(path, failed);
  if (status.type() == fs::file_type::not_found) return bad_input("there is no " + path.string());
  if (failed || !fs::is_regular_file(status)) return bad_input(path.string() + " is not a plain file");
  return {};
}

// What follows from the tables and lies beside them.
std::vector<std::string> companion_files(const Release& release) {
  if (release.format == 1) return {};
  std::vector<std::string> names = geo_files(release);
  names.emplace_back(kDataPackage);
  return names;
}

struct Stored {
  Release release;
  ReleaseDocument document;
};

// The domain with the zones that stand in their file.
Result<Domain> with_zones(const Domain& domain, const fs::path& directory, const std::string& wanted) {
  const fs::path path = directory / kZonesFile;
  if (Status ok = check_plain_file(path); !ok) return ok.error();
  const Result<std::string> text = read_text(path, kMaxZones);
  if (!text) return text.error();
  if (sha256_of(*text) != wanted) {
    return bad_input(std::string(kZonesFile) + " is damaged: it does not have the hash that release.json says");
  }
  Result<ZoneSet> zones = zone_set_of_text(*text);
  if (!zones) return bad_input(std::string(kZonesFile) + ": " + zones.error().message);
  Result<Domain> whole =
      Domain::make(domain.axes(), domain.stops(), std::make_shared<const ZoneSet>(std::move(*zones)));
  if (!whole) return bad_input(std::string(kZonesFile) + ": " + whole.error().message);
  return whole;
}

// All of them or none, each as it was hashed.
Status check_companions(const fs::path& directory, const Stored& stored) {
  const std::vector<Companion>& companions = stored.document.companions;
  if (companions.empty()) return {};
  std::vector<std::string> names;
  for (const Companion& companion : companions) names.push_back(companion.file);
  if (names != companion_files(stored.release)) return bad_input("release.json is damaged: it names other companions");
  for (const Companion& companion : companions) {
    const fs::path path = directory / companion.file;
    if (fs::is_symlink(path.parent_path())) return bad_input(path.parent_path().string() + " is a link");
    if (Status ok = check_plain_file(path); !ok) return ok;
    const Result<std::string> hash = sha256_of_file(path.string());
    if (!hash) return hash.error();
    if (*hash != companion.sha256) {
      return bad_input(companion.file + " is damaged: it does not have the hash that release.json says");
    }
  }
  return {};
}

Status check_contents(const Stored& stored) {
  for (std::size_t i = 0; i < stored.release.tables.size(); ++i) {
    const Table& table = stored.release.tables[i];
    if (content_sha256(table) != stored.document.files[i].content_sha256) {
      return bad_input(table_file_name(table) + ": its rows do not have the hash that release.json says");
    }
  }
  return {};
}

Status check_all(const Stored& stored) {
  if (Status ok = check_contents(stored); !ok) return ok;
  if (Status ok = check_release(stored.release); !ok) return bad_input(ok.error().message);
  return {};
}

// Everything but check_all.
Result<Stored> read_files(const fs::path& directory, unsigned threads, Reading reading) {
  if (Status ok = check_plain_file(directory / kDocument); !ok) return ok.error();
  Result<std::string> text = read_text(directory / kDocument, kMaxDocument);
  if (!text) return text.error();
  Result<ReleaseDocument> document = decode_document(*text);
  if (!document) return document.error();
  Stored stored{document->release, std::move(*document)};
  if (!stored.document.zones_sha256.empty()) {
    Result<Domain> domain = with_zones(stored.release.domain, directory, stored.document.zones_sha256);
    if (!domain) return domain.error();
    stored.release.domain = std::move(*domain);
  }

  for (std::size_t i = 0; i < stored.release.tables.size(); ++i) {
    const fs::path path = directory / table_file_name(stored.release.tables[i]);
    if (Status ok = check_plain_file(path); !ok) return ok.error();
    const Result<std::string> hash = sha256_of_file(path.string());
    if (!hash) return hash.error();
    if (*hash != stored.document.files[i].file_sha256) {
      return bad_input(path.filename().string() + " is damaged: it does not have the hash that release.json says");
    }
  }
  if (Status ok = check_companions(directory, stored); !ok) return ok.error();
  Result<DuckSession> duck = DuckSession::open({threads, ""});
  if (!duck) return duck.error();
  for (std::size_t i = 0; i < stored.release.tables.size(); ++i) {
    Table& table = stored.release.tables[i];
    const TableFile& file = stored.document.files[i];
    const std::string path = (directory / table_file_name(table)).string();
    const Status read = read_table(*duck, table, stored.release.domain, stored.release.k, file.rows, path, reading);
    if (!read) return read.error();
  }
  return stored;
}

Result<Stored> read_stored(const fs::path& directory, unsigned threads) {
  Result<Stored> stored = read_files(directory, threads, Reading::every_column);
  if (!stored) return stored;
  if (Status ok = check_all(*stored); !ok) return ok.error();
  return stored;
}

// Memory and the file system may fail anywhere below: as an exception here, as a value for callers.
template <typename T, typename Work>
Result<T> guarded(const fs::path& directory, Work work) {
  try {
    return work();
  } catch (const std::exception& failed) {
    return Error{Failure::internal, fmt::format("cannot work on {}: {}", directory.string(), failed.what())};
  }
}

// A file that lies in the directory, as the package lists it.
Result<PackagedFile> packaged(const fs::path& directory, std::string name, std::string title,
                              std::vector<FileColumn> columns) {
  const Result<std::string> hash = sha256_of_file((directory / name).string());
  if (!hash) return Error{Failure::internal, hash.error().message};
  return PackagedFile{std::move(name), std::move(title), *hash, std::move(columns)};
}

// Writes what follows from the tables, which lie there already, and notes it in the document.
Status write_companions(DuckSession& duck, const Release& release, ReleaseDocument& document,
                        const fs::path& directory) {
  std::vector<PackagedFile> files;
  const auto list = [&](const std::string& name, std::string title, std::vector<FileColumn> columns) -> Status {
    Result<PackagedFile> file = packaged(directory, name, std::move(title), std::move(columns));
    if (!file) return file.error();
    files.push_back(std::move(*file));
    return {};
  };
  for (std::size_t i = 0; i < release.tables.size(); ++i) {
    const Table& table = release.tables[i];
    const Status listed = list(table_file_name(table), i == 0 ? "Boxes of trips" : "Boxes of the map of one stop",
                               table_columns(table, release.domain, MoreColumns::of(table)));
    if (!listed) return listed;
  }
  for (const std::string& name : geo_files(release)) {
    if (Status ok = write_geo_file(duck, release, name, directory.string()); !ok) return ok;
    const bool is_map = name.starts_with(kMapsFolder);
    const Status listed =
        list(name, is_map ? "Map of one stop, as GeoParquet" : "Zones, as GeoParquet", geo_columns(release, name));
    if (!listed) return listed;
    document.companions.push_back({name, files.back().sha256});
  }
  const Result<std::string> text = data_package_text(document, files);
  if (!text) return text.error();
  const Status written = write_file((directory / kDataPackage).string(), *text);
  if (!written) return passed_on(written.error(), {Failure::internal, written.error().message});
  document.companions.push_back({kDataPackage, sha256_of(*text)});
  return {};
}

enum class Beside { nothing, companions };

Status write_files(const Release& release, ReleaseDocument document, const fs::path& directory, unsigned threads,
                   Beside beside) {
  Result<DuckSession> duck = DuckSession::open({threads, ""});
  if (!duck) return duck.error();
  for (std::size_t i = 0; i < release.tables.size(); ++i) {
    const Table& table = release.tables[i];
    const std::string path = (directory / table_file_name(table)).string();
    if (Status ok = write_table(*duck, table, release.domain, release.k, path); !ok) return ok;
    Result<std::string> hash = sha256_of_file(path);
    if (!hash) return Error{Failure::internal, hash.error().message};
    document.files[i].file_sha256 = *hash;
  }
  if (release.domain.zones() != nullptr) {
    const Status zones = write_file((directory / kZonesFile).string(), zone_set_text(*release.domain.zones()));
    if (!zones) return passed_on(zones.error(), {Failure::internal, zones.error().message});
  }
  if (beside == Beside::companions) {
    if (Status ok = write_companions(*duck, release, document, directory); !ok) return ok;
  }
  const Result<std::string> text = encode_document(document);
  if (!text) return text.error();
  const Status written = write_file((directory / kDocument).string(), *text);
  if (!written) return passed_on(written.error(), {Failure::internal, written.error().message});
  return {};
}

Beside companions_of(const Release& release) { return release.format == 1 ? Beside::nothing : Beside::companions; }

std::vector<std::string> files_of(const Release& release, Beside beside) {
  std::vector<std::string> names;
  for (const Table& table : release.tables) names.push_back(table_file_name(table));
  if (release.domain.zones() != nullptr) names.emplace_back(kZonesFile);
  if (beside == Beside::companions) {
    for (std::string& name : companion_files(release)) names.push_back(std::move(name));
  }
  names.emplace_back(kDocument);
  return names;
}

// Signatures and notes, which are added later (trust/release_papers.h) and are no part of the content.
bool is_paper(std::string_view name) {
  const std::size_t slash = name.find('/');
  const std::string_view folder = name.substr(0, slash);
  if (folder != "signatures" && folder != "old_signatures" && folder != "notes") return false;
  if (slash == std::string_view::npos) return true;
  const std::string_view file = name.substr(slash + 1);
  if (file == (folder == "notes" ? "superseded.json" : "statement.txt")) return true;
  constexpr std::string_view kEnding = ".minisig";
  return file.size() == 16 + kEnding.size() && file.ends_with(kEnding) &&
         file.find_first_not_of("0123456789ABCDEF") == 16;
}

Status check_no_other_files(const fs::path& directory, const std::vector<std::string>& files) {
  std::set<std::string> known(files.begin(), files.end());
  for (const std::string& file : files) {
    if (fs::path(file).has_parent_path()) known.insert(fs::path(file).parent_path().string());
  }
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory, failed)) {
    const std::string name = entry.path().lexically_relative(directory).generic_string();
    if (!known.contains(name) && !is_paper(name))
      return Error{Failure::check_failed, "\"" + name + "\" does not belong to the release"};
  }
  if (failed) return Error{Failure::check_failed, "the directory cannot be listed: " + failed.message()};
  return {};
}

// Writes the release once more and compares: all bytes if this program wrote it, else what the companions hold.
Status check_written_again(const fs::path& directory, const Stored& stored, unsigned threads) {
  const bool same_writer = stored.document.writer == this_writer();
  const Beside beside = stored.document.companions.empty() ? Beside::nothing : Beside::companions;
  if (!same_writer && beside == Beside::nothing) return {};
  const Result<PrivateFolder> again = PrivateFolder::make(temporary_place(), "stopover-verify-");
  if (!again) return again.error();
  ReleaseDocument document = document_of(stored.release);
  const bool earlier =
      stored.release.format == 1 || stored.document.card == earlier_guarantee_card(stored.release);
  if (earlier) document.card = stored.document.card;  // its words were others
  const Status written = write_files(stored.release, std::move(document), again->path(), threads, beside);
  if (!written) return written;
  for (const std::string& name : files_of(stored.release, beside)) {
    if (!same_writer) break;
    const Result<std::string> ours = sha256_of_file(again->path() + "/" + name);
    const Result<std::string> theirs = sha256_of_file((directory / name).string());
    if (!ours || !theirs || *ours != *theirs) {
      return Error{Failure::check_failed, name + " differs from what the same program writes"};
    }
  }
  if (same_writer) return {};
  Result<DuckSession> duck = DuckSession::open({threads, ""});
  if (!duck) return duck.error();
  for (const std::string& name : geo_files(stored.release)) {
    const Status same = same_geo_content(*duck, again->path() + "/" + name, (directory / name).string());
    if (!same) return Error{Failure::check_failed, name + ": " + same.error().message};
  }
  return {};
}

// Nothing may hide in a pack between its files: they give its bytes again.
Status check_packed_again(const fs::path& path, const ReleaseFolder& folder) {
  if (!folder.is_pack()) return {};
  const Result<PrivateFolder> place = PrivateFolder::make(temporary_place(), "stopover-verify-");
  if (!place) return place.error();
  const std::string again = place->path() + "/again.odrz";
  if (Status packed = pack_release(folder.path(), again); !packed) return packed.error();
  const Result<std::string> ours = sha256_of_file(again), theirs = sha256_of_file(path.string());
  if (ours && theirs && *ours == *theirs) return {};
  return Error{Failure::check_failed, "the pack differs from what packing its files gives"};
}

// Last of all, so that what else is wrong is told first.
Status check_private(const Randomness& randomness, Accept accept) {
  if (randomness.is_private() || (randomness.is_repeatable() && accept == Accept::repeatable)) return {};
  return Error{Failure::check_failed,
               fmt::format("it was {}\n  {}", randomness.warning(),
                           randomness.is_repeatable()
                               ? "Its other rules hold. If a release for tests is what you expect: `accept_test_key`"
                               : "Its other rules hold. Publish it again with stopover publish.")};
}

Result<Randomness> verify_stored(const fs::path& directory, Accept accept, unsigned threads) {
  const Result<Stored> stored = read_stored(directory, threads);
  if (!stored) return stored.error();
  const Beside beside = stored->document.companions.empty() ? Beside::nothing : Beside::companions;
  if (Status ok = check_no_other_files(directory, files_of(stored->release, beside)); !ok) return ok.error();
  if (Status ok = check_written_again(directory, *stored, threads); !ok) return ok.error();
  if (Status ok = check_private(stored->release.randomness, accept); !ok) return ok.error();
  return stored->release.randomness;
}

}  // namespace

Result<std::string> content_sha256(const Release& release) { return content_sha256(document_of(release)); }

std::vector<std::string> release_files(const Release& release) { return files_of(release, companions_of(release)); }

Status write_release(const Release& release, const fs::path& directory, unsigned threads) {
  return guarded<void>(directory, [&] {
    return write_files(release, document_of(release), directory, threads, companions_of(release));
  });
}

Result<Release> read_release(const fs::path& path, unsigned threads) {
  const Result<ReleaseFolder> folder = ReleaseFolder::open(path);
  if (!folder) return folder.error();
  Result<Stored> stored = guarded<Stored>(path, [&] { return read_stored(folder->path(), threads); });
  if (stored) return std::move(stored->release);
  return named(path, stored.error());
}

Result<ReadRelease> read_for_answers(const fs::path& path, unsigned threads,
                                     const std::function<void(const Release&)>& meanwhile) {
  const Result<ReleaseFolder> folder = ReleaseFolder::open(path);
  if (!folder) return folder.error();
  Result<ReadRelease> read = guarded<ReadRelease>(path, [&]() -> Result<ReadRelease> {
    Result<Stored> stored = read_files(folder->path(), threads, Reading::own_columns);
    if (!stored) return stored.error();
    if (Status ok = check_walkable(stored->release); !ok) return bad_input(ok.error().message);
    // On one core there is nothing to win, and memory to lose.
    const auto how = threads == 1 ? std::launch::deferred : std::launch::async;
    std::future<Status> checked = std::async(how, [&] { return check_all(*stored); });
    meanwhile(stored->release);
    if (Status ok = checked.get(); !ok) return ok.error();
    // The hash of the content is over what was read, now that its rows have the hashes that it names.
    ReleaseDocument document = std::move(stored->document);
    document.release = without_rows(stored->release);
    const Result<std::string> content = content_sha256(document);
    if (!content) return content.error();
    return ReadRelease{std::move(stored->release), *content};
  });
  if (read) return read;
  return named(path, read.error());
}

Result<Randomness> verify_release(const fs::path& path, unsigned threads, Accept accept) {
  const Result<ReleaseFolder> folder = ReleaseFolder::open(path);
  if (!folder) return folder.error();
  std::error_code failed;
  if (!fs::exists(folder->path() / kDocument, failed)) {
    return bad_input(fmt::format("there is no release at {}\n  A release has a {} in it.", path.string(), kDocument));
  }
  Result<Randomness> verified = guarded<Randomness>(path, [&]() -> Result<Randomness> {
    if (Status ok = check_packed_again(path, *folder); !ok) return ok.error();
    return verify_stored(folder->path(), accept, threads);
  });
  if (verified) return verified;
  Error error = named(path, verified.error());
  if (error.failure == Failure::bad_input || error.failure == Failure::usage) error.failure = Failure::check_failed;
  return error;
}

}  // namespace stopover
