#include "desk/folders.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/usage_error.h"

namespace stopover {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostEntries = 2'000;
constexpr std::array kParts = {"drafts", "releases", "ledgers", "zones", "exports"};

bool ends_with_one_of(const std::string& name, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view e) { return name.ends_with(e); });
}

// By the name alone, as far as it goes; "" for what cannot be chosen.
std::string kind_of(const fs::directory_entry& entry) {
  std::error_code none;
  const std::string name = entry.path().filename().string();
  if (entry.is_directory(none)) {
    if (name.ends_with(".odr") || fs::exists(entry.path() / "release.json", none)) return "release";
    for (const auto& child : fs::directory_iterator(entry.path(), none)) {
      if (child.path().extension() == ".odr") return "series";
    }
    return "folder";
  }
  if (!entry.is_regular_file(none)) return "";
  if (name.ends_with(".odrz")) return "release";
  if (name.ends_with(".ledger")) return "ledger";
  if (ends_with_one_of(name, {".geojson", ".json"})) return "zones";
  for (const std::string_view packed : {"", ".gz", ".zst"}) {
    for (const std::string_view plain : {".csv", ".jsonl", ".ndjson", ".txt"}) {
      if (name.ends_with(std::string(plain) + std::string(packed))) return "rows";
    }
  }
  return name.ends_with(".parquet") ? "rows" : "";
}

Error outside() {
  return {
      Failure::privacy,
      "that is not in a folder of this desk\n  Start it with the folder named, as in `data FOLDER`, to look there."};
}

std::vector<FolderEntry> entries_of(const std::string& folder) {
  std::vector<FolderEntry> entries;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(".") || entries.size() >= kMostEntries) continue;
    std::string kind = kind_of(*at);
    if (kind.empty()) continue;
    std::error_code none;
    const std::uint64_t bytes = at->is_regular_file(none) ? at->file_size(none) : 0;
    entries.push_back({name, at->path().string(), std::move(kind), none ? 0 : bytes});
  }
  std::sort(entries.begin(), entries.end(), [](const FolderEntry& a, const FolderEntry& b) {
    const bool first = a.kind == "folder" || a.kind == "series", second = b.kind == "folder" || b.kind == "series";
    return first != second ? first : a.name < b.name;
  });
  return entries;
}

}  // namespace

Result<Folders> Folders::open(const std::vector<std::string>& data, const std::string& own) {
  Folders folders;
  std::error_code failed;
  for (const std::string& folder : data) {
    const fs::path whole = fs::canonical(folder, failed);
    if (failed || !fs::is_directory(whole, failed)) {
      return Error{Failure::bad_input, fmt::format("`data {}` is not a folder", folder)};
    }
    folders.data_.push_back(whole.string());
  }
  if (!fs::exists(own, failed)) {
    fs::create_directories(fs::absolute(own, failed).parent_path(), failed);
    if (::mkdir(own.c_str(), 0700) != 0) {
      return Error{errno == ENOSPC ? Failure::disk_full : Failure::bad_input,
                   fmt::format("`folder {}` cannot be made", own)};
    }
  }
  folders.own_ = fs::canonical(own, failed).string();
  if (failed) return Error{Failure::bad_input, fmt::format("`folder {}` cannot be opened", own)};
  for (const char* part : kParts) {
    const std::string path = folders.own(part);
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
      return Error{errno == ENOSPC ? Failure::disk_full : Failure::bad_input, path + " cannot be made"};
    }
  }
  return folders;
}

bool Folders::inside(const std::string& path, bool own_only) const {
  const auto in = [&](const std::string& root) {
    return path == root || root == "/" || (path.starts_with(root) && path[root.size()] == '/');
  };
  return in(own_) || (!own_only && std::any_of(data_.begin(), data_.end(), in));
}

Result<std::string> Folders::readable(const std::string& path) const {
  if (path.empty() || path[0] != '/' || path.find('\0') != std::string::npos) return outside();
  std::error_code failed;
  const std::string whole = fs::canonical(path, failed).string();
  if (failed || !inside(whole, false)) return outside();
  return whole;
}

Result<std::string> Folders::writable(const std::string& path, bool anywhere) const {
  if (path.empty() || path[0] != '/' || path.find('\0') != std::string::npos) return outside();
  std::error_code failed;
  const fs::path given(path);
  if (given.filename().empty() || given.filename() == "." || given.filename() == "..") return outside();
  // A link would be followed by whoever writes: it must not be one, or lead to where it may.
  if (fs::exists(fs::symlink_status(given, failed))) {
    const std::string whole = fs::canonical(given, failed).string();
    if (failed || !inside(whole, !anywhere)) return outside();
    return whole;
  }
  const fs::path parent = fs::canonical(given.parent_path(), failed);
  if (failed || !inside(parent.string(), !anywhere)) return outside();
  return (parent / given.filename()).string();
}

Result<std::vector<FolderEntry>> Folders::list(const std::string& folder) const {
  const Result<std::string> whole = readable(folder);
  if (!whole) return whole.error();
  std::error_code failed;
  if (!fs::is_directory(*whole, failed)) return outside();
  std::vector<FolderEntry> kept;
  for (FolderEntry& entry : entries_of(*whole)) {
    if (readable(entry.path)) kept.push_back(std::move(entry));
  }
  return kept;
}

std::vector<FolderEntry> Folders::found(std::string_view kind) const {
  std::vector<std::string> places = {own("releases"), own("ledgers")};
  for (const std::string& folder : data_) {
    if (std::find(places.begin(), places.end(), folder) == places.end()) places.push_back(folder);
  }
  std::vector<FolderEntry> all;
  for (const std::string& place : places) {
    for (FolderEntry& entry : entries_of(place)) {
      if (entry.kind == kind && readable(entry.path)) all.push_back(std::move(entry));
    }
  }
  return all;
}

Result<std::string> plain_name(const std::string& name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == '_' || c == ' ';
  };
  if (name.empty() || name.size() > 80 || name[0] == '.' || name[0] == ' ' ||
      !std::all_of(name.begin(), name.end(), fits)) {
    return usage_error(fmt::format(
        "\"{}\" is no name for a file here\n  Use letters, digits, dots, dashes and underscores, at most 80.", name));
  }
  return name;
}

}  // namespace stopover
