#include "release_io/release_io.h"

#include <fmt/format.h>

#include <exception>
#include <fstream>
#include <set>

#include "base/bad_input.h"
#include "base/disk_full.h"
#include "disk/private_folder.h"
#include "disk/sha256.h"
#include "disk/write_file.h"
#include "duck/duck.h"
#include "geo/zone_set_json.h"
#include "release_io/content_hash.h"
#include "release_io/release_document.h"
#include "release_io/table_file.h"

namespace stopover {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDocument = "release.json";
constexpr std::uintmax_t kMaxDocument = std::uintmax_t{64} << 20;
constexpr std::uintmax_t kMaxZones = std::uintmax_t{512} << 20;

Error no_release(const fs::path& directory) {
  std::error_code none;
  if (fs::is_regular_file(directory, none)) {
    return bad_input(
        fmt::format("{} is a file, not a release\n  A release is a folder such as NAME.odr. A ledger is "
                    "looked at with: stopover ledger {}",
                    directory.string(), directory.string()));
  }
  return bad_input(
      fmt::format("there is no release at {}\n  A release is a directory such as NAME.odr with a {} in it.",
                  directory.string(), kDocument));
}

Error named(const fs::path& directory, Error error) {
  error.message = fmt::format("{}: {}", directory.string(), error.message);
  return error;
}

Release without_rows(const Release& release) {
  Release head;
  head.format = release.format;
  head.domain = release.domain;
  head.mechanism = release.mechanism;
  head.params = release.params;
  head.epsilon = release.epsilon;
  head.unit = release.unit;
  head.k = release.k;
  head.answer_model = release.answer_model;
  head.charges = release.charges;
  head.spent = release.spent;
  head.calibration = release.calibration;
  head.randomness = release.randomness;
  head.number = release.number;
  head.ledger_head = release.ledger_head;
  head.date = release.date;
  for (const Table& table : release.tables) {
    Table& copy = head.tables.emplace_back();
    copy.name = table.name;
    copy.kind = table.kind;
    copy.axes = table.axes;
    copy.ticks = table.ticks;
    copy.view = table.view;
    copy.smooth = table.smooth;
  }
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

Result<Stored> read_stored(const fs::path& directory, unsigned threads) {
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
  Result<DuckSession> duck = DuckSession::open({threads, ""});
  if (!duck) return duck.error();
  for (std::size_t i = 0; i < stored.release.tables.size(); ++i) {
    Table& table = stored.release.tables[i];
    const TableFile& file = stored.document.files[i];
    const std::string path = (directory / table_file_name(table)).string();
    const Status read = read_table(*duck, table, stored.release.domain, stored.release.k, file.rows, path);
    if (!read) return read.error();
    if (content_sha256(table) != file.content_sha256) {
      return bad_input(table_file_name(table) + ": its rows do not have the hash that release.json says");
    }
  }
  if (Status ok = check_release(stored.release); !ok) return bad_input(ok.error().message);
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

Status write_files(const Release& release, ReleaseDocument document, const fs::path& directory, unsigned threads) {
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
  const Result<std::string> text = encode_document(document);
  if (!text) return text.error();
  const Status written = write_file((directory / kDocument).string(), *text);
  if (!written) return passed_on(written.error(), {Failure::internal, written.error().message});
  return {};
}

Status check_no_other_files(const fs::path& directory, const Release& release) {
  std::set<std::string> known = {kDocument};
  for (const Table& table : release.tables) known.insert(table_file_name(table));
  if (release.domain.zones() != nullptr) known.insert(kZonesFile);
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, failed)) {
    const std::string name = entry.path().filename().string();
    if (!known.contains(name)) return Error{Failure::check_failed, "\"" + name + "\" does not belong to the release"};
  }
  if (failed) return Error{Failure::check_failed, "the directory cannot be listed: " + failed.message()};
  return {};
}

Status check_same_bytes(const fs::path& directory, const Stored& stored, unsigned threads) {
  const Result<PrivateFolder> again = PrivateFolder::make(temporary_place(), "stopover-verify-");
  if (!again) return again.error();
  ReleaseDocument document = document_of(stored.release);
  if (stored.release.format == 1) document.card = stored.document.card;  // its words were others
  if (Status ok = write_files(stored.release, std::move(document), again->path(), threads); !ok) return ok;
  for (const fs::directory_entry& entry : fs::directory_iterator(again->path())) {
    const fs::path name = entry.path().filename();
    const Result<std::string> ours = sha256_of_file(entry.path().string());
    const Result<std::string> theirs = sha256_of_file((directory / name).string());
    if (!ours || !theirs || *ours != *theirs) {
      return Error{Failure::check_failed, name.string() + " differs from what the same program writes"};
    }
  }
  return {};
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
  if (Status ok = check_no_other_files(directory, stored->release); !ok) return ok.error();
  if (stored->document.writer == this_writer()) {
    if (Status ok = check_same_bytes(directory, *stored, threads); !ok) return ok.error();
  }
  if (Status ok = check_private(stored->release.randomness, accept); !ok) return ok.error();
  return stored->release.randomness;
}

}  // namespace

Result<std::string> content_sha256(const Release& release) { return content_sha256(document_of(release)); }

Status write_release(const Release& release, const fs::path& directory, unsigned threads) {
  return guarded<void>(directory, [&] { return write_files(release, document_of(release), directory, threads); });
}

Result<Release> read_release(const fs::path& directory, unsigned threads) {
  std::error_code failed;
  if (!fs::is_directory(directory, failed)) return no_release(directory);
  Result<Stored> stored = guarded<Stored>(directory, [&] { return read_stored(directory, threads); });
  if (stored) return std::move(stored->release);
  return named(directory, stored.error());
}

Result<Randomness> verify_release(const fs::path& directory, unsigned threads, Accept accept) {
  std::error_code failed;
  if (!fs::is_directory(directory, failed) || !fs::exists(directory / kDocument, failed)) return no_release(directory);
  Result<Randomness> verified =
      guarded<Randomness>(directory, [&] { return verify_stored(directory, accept, threads); });
  if (verified) return verified;
  Error error = named(directory, verified.error());
  if (error.failure == Failure::bad_input || error.failure == Failure::usage) error.failure = Failure::check_failed;
  return error;
}

}  // namespace stopover
