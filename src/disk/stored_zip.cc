#include "disk/stored_zip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>

#include "base/disk_full.h"

namespace stopover {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;
constexpr std::size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22;
constexpr std::uint16_t kVersion = 20, kUtf8 = 0x0800, kFirstDay = 0x0021;  // 1980-01-01
constexpr std::uint32_t kPlainFile = 0100644U << 16;
constexpr std::uint64_t kMost = 0xffffffffU;
constexpr std::size_t kChunk = std::size_t{1} << 20;

struct Entry {
  std::string name;
  std::uint32_t crc = 0;
  std::uint64_t size = 0, at = 0;
};

void put(std::string& bytes, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
}

// What both headers of an entry have in common, from the flags to the length of the name.
void put_facts(std::string& bytes, const Entry& entry) {
  put(bytes, kUtf8, 2);
  put(bytes, 0, 2);  // stored
  put(bytes, 0, 2);  // midnight
  put(bytes, kFirstDay, 2);
  put(bytes, entry.crc, 4);
  put(bytes, entry.size, 4);
  put(bytes, entry.size, 4);
  put(bytes, entry.name.size(), 2);
  put(bytes, 0, 2);  // no extra fields
}

std::string local_header(const Entry& entry) {
  std::string bytes;
  put(bytes, kLocal, 4);
  put(bytes, kVersion, 2);
  put_facts(bytes, entry);
  return bytes + entry.name;
}

std::string central_header(const Entry& entry) {
  std::string bytes;
  put(bytes, kCentral, 4);
  put(bytes, (3 << 8) | kVersion, 2);  // made on Unix
  put(bytes, kVersion, 2);
  put_facts(bytes, entry);
  put(bytes, 0, 2);  // no comment
  put(bytes, 0, 2);  // first disk
  put(bytes, 0, 2);  // not a text
  put(bytes, kPlainFile, 4);
  put(bytes, entry.at, 4);
  return bytes + entry.name;
}

Error bad(const std::string& what) { return {Failure::bad_input, what}; }

// Copies `size` bytes, or all where it is kMost + 1, and gives their checksum and number.
struct Copied {
  std::uint32_t crc = 0;
  std::uint64_t size = 0;
};
Copied copy(std::istream& in, std::ostream* out, std::uint64_t most) {
  std::vector<char> chunk(kChunk);
  Copied copied;
  copied.crc = static_cast<std::uint32_t>(crc32(0, nullptr, 0));
  while (copied.size < most && in && (out == nullptr || *out)) {
    in.read(chunk.data(), static_cast<std::streamsize>(std::min<std::uint64_t>(kChunk, most - copied.size)));
    const auto n = static_cast<std::size_t>(in.gcount());
    if (n == 0) break;
    copied.crc = static_cast<std::uint32_t>(
        crc32(copied.crc, reinterpret_cast<const Bytef*>(chunk.data()), static_cast<uInt>(n)));
    copied.size += n;
    if (out != nullptr) out->write(chunk.data(), static_cast<std::streamsize>(n));
  }
  return copied;
}

class ZipReader {
 public:
  explicit ZipReader(const std::string& path) : file_(path, std::ios::binary) {
    std::error_code failed;
    size_ = fs::file_size(path, failed);
    if (failed) size_ = 0;
  }

  Result<std::vector<Entry>> entries() {
    // No comment may follow the end, so that it has one place.
    const std::string end = bytes(size_ < kEndSize ? 0 : size_ - kEndSize, kEndSize);
    if (end.empty() || number(end, 0, 4) != kEnd || number(end, 20, 2) != 0)
      return bad("it has no end of a ZIP archive");
    const std::uint64_t n = number(end, 10, 2), size = number(end, 12, 4), at = number(end, 16, 4);
    if (at + size + kEndSize != size_) return bad("its directory is not where it should be");
    const std::string directory = bytes(at, size);
    if (directory.size() != size) return bad("its directory cannot be read");
    std::vector<Entry> entries;
    std::uint64_t used = 0;
    std::size_t here = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      if (directory.size() - here < kCentralSize || number(directory, here, 4) != kCentral) {
        return bad("its directory is damaged");
      }
      const std::uint64_t method = number(directory, here + 10, 2), packed = number(directory, here + 20, 4);
      const std::uint64_t name = number(directory, here + 28, 2);
      const std::uint64_t rest = number(directory, here + 30, 2) + number(directory, here + 32, 2);
      Entry entry{"", static_cast<std::uint32_t>(number(directory, here + 16, 4)), number(directory, here + 24, 4),
                  number(directory, here + 42, 4)};
      if (directory.size() - here - kCentralSize < name + rest) return bad("its directory is damaged");
      entry.name = directory.substr(here + kCentralSize, name);
      here += kCentralSize + name + rest;
      if (entry.name.ends_with('/') && entry.size == 0) continue;  // a folder
      if (method != 0 || packed != entry.size) return bad(entry.name + " is compressed, which a pack's files are not");
      used += kLocalSize + name + entry.size;
      if (used > at) return bad("its files overlap");
      entries.push_back(std::move(entry));
    }
    if (here != directory.size()) return bad("its directory is damaged");
    return entries;
  }

  Status unpack(const Entry& entry, const std::string& output) {
    const std::string head = bytes(entry.at, kLocalSize);
    if (head.empty() || number(head, 0, 4) != kLocal) return bad(entry.name + " is not where the directory says");
    const std::uint64_t at = entry.at + kLocalSize + number(head, 26, 2) + number(head, 28, 2);
    if (at + entry.size > size_) return bad(entry.name + " is cut off");
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(at));
    std::ofstream out(output, std::ios::binary | std::ios::trunc);
    const Copied copied = copy(file_, &out, entry.size);
    out.close();
    if (!out) return Error{write_failure(errno), fmt::format("cannot write {}", output)};
    if (copied.size != entry.size || copied.crc != entry.crc) return bad(entry.name + " is damaged");
    return {};
  }

 private:
  static std::uint64_t number(std::string_view bytes, std::size_t at, int size) {
    std::uint64_t value = 0;
    for (int i = 0; i < size; ++i) value |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
    return value;
  }
  // Empty where there are not as many.
  std::string bytes(std::uint64_t at, std::uint64_t n) {
    if (n > size_ || at > size_ - n) return "";
    std::string text(n, '\0');
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(at));
    file_.read(text.data(), static_cast<std::streamsize>(n));
    return file_ ? text : "";
  }

  std::ifstream file_;
  std::uint64_t size_ = 0;
};

// "a/b" at most, of usual characters, nothing hidden, nothing that leads out.
bool is_good_name(const std::string& name) {
  const std::size_t slash = name.find('/');
  const auto is_word = [](std::string_view word) {
    return !word.empty() && word.front() != '.' && std::all_of(word.begin(), word.end(), [](unsigned char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' ||
             c == '.';
    });
  };
  if (name.size() > 255) return false;
  if (slash == std::string::npos) return is_word(name);
  return is_word(std::string_view(name).substr(0, slash)) && is_word(std::string_view(name).substr(slash + 1));
}

}  // namespace

bool is_zip(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 4> begin{};
  file.read(begin.data(), begin.size());
  return file && std::string_view(begin.data(), begin.size()) == std::string_view("PK\3\4", 4);
}

Status write_stored_zip(const std::string& folder, std::vector<std::string> names, const std::string& output) {
  std::sort(names.begin(), names.end());
  const Error too_large{Failure::usage, fmt::format("{} is too large for a ZIP archive: more than 4 GiB, or 65,535 "
                                                    "files\n  Send the folder as it is.",
                                                    folder)};
  if (names.size() > 0xffff) return too_large;
  std::ofstream out(output, std::ios::binary | std::ios::trunc);
  std::string directory;
  std::uint64_t at = 0;
  for (const std::string& name : names) {
    // Twice through the file: its checksum stands before it.
    Entry entry{name, 0, 0, at};
    const std::string path = (fs::path(folder) / name).string();
    std::ifstream first(path, std::ios::binary), second(path, std::ios::binary);
    if (!first || !second) return bad("cannot read " + path);
    const Copied looked = copy(first, nullptr, kMost + 1);
    entry.crc = looked.crc;
    entry.size = looked.size;
    const std::string head = local_header(entry);
    if (at + head.size() + entry.size + directory.size() + kCentralSize + name.size() + kEndSize > kMost) {
      return too_large;
    }
    out.write(head.data(), static_cast<std::streamsize>(head.size()));
    const Copied copied = copy(second, &out, kMost + 1);
    if (out && (copied.size != entry.size || copied.crc != entry.crc)) return bad(path + " changed meanwhile");
    at += head.size() + entry.size;
    directory += central_header(entry);
  }
  std::string end;
  put(end, kEnd, 4);
  put(end, 0, 4);  // one disk
  put(end, names.size(), 2);
  put(end, names.size(), 2);
  put(end, directory.size(), 4);
  put(end, at, 4);
  put(end, 0, 2);  // no comment
  out.write(directory.data(), static_cast<std::streamsize>(directory.size()));
  out.write(end.data(), static_cast<std::streamsize>(end.size()));
  out.close();
  if (!out) return Error{write_failure(errno), fmt::format("cannot write {}", output)};
  return {};
}

Status unpack_stored_zip(const std::string& archive, const std::string& folder) {
  ZipReader reader(archive);
  const Result<std::vector<Entry>> entries = reader.entries();
  if (!entries) return entries.error();
  std::set<std::string> seen;
  for (const Entry& entry : *entries) {
    if (!is_good_name(entry.name)) return bad("it holds a file of a bad name: " + entry.name.substr(0, 80));
    if (!seen.insert(entry.name).second) return bad(entry.name + " is in it twice");
  }
  for (const Entry& entry : *entries) {
    const fs::path path = fs::path(folder) / entry.name;
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    if (failed) return Error{write_failure(failed.value()), fmt::format("cannot make {}", path.parent_path().string())};
    if (Status ok = reader.unpack(entry, path.string()); !ok) return ok;
  }
  return {};
}

}  // namespace stopover
