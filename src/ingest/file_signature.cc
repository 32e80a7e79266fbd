#include "ingest/file_signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace stopover {
namespace {

struct Magic {
  FileSignature signature;
  std::string_view bytes, words;
};
constexpr std::array<Magic, 6> kMagic = {{{FileSignature::gzip, "\x1f\x8b", "gzip"},
                                          {FileSignature::zstd, "\x28\xb5\x2f\xfd", "zstd"},
                                          {FileSignature::parquet, "PAR1", "Parquet"},
                                          {FileSignature::zip, "PK\x03\x04", "a ZIP or Excel file"},
                                          {FileSignature::bzip2, "BZh", "bzip2"},
                                          {FileSignature::xz,
                                           "\xfd"
                                           "7zXZ",
                                           "xz"}}};

}  // namespace

FileSignature signature_of(std::string_view first_bytes) {
  const auto* found =
      std::find_if(kMagic.begin(), kMagic.end(), [&](const Magic& m) { return first_bytes.starts_with(m.bytes); });
  return found == kMagic.end() ? FileSignature::none : found->signature;
}

std::string_view to_string(FileSignature signature) {
  const auto* found =
      std::find_if(kMagic.begin(), kMagic.end(), [&](const Magic& m) { return m.signature == signature; });
  return found == kMagic.end() ? "no format that stopover knows" : found->words;
}

Status check_parquet(const std::string& path) {
  const auto unreadable = [&](std::string_view why) {
    return Error{Failure::bad_input, fmt::format("cannot read {}\n  {}", path, why)};
  };
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::array<char, 8> first{};
  std::array<char, 4> last{};
  if (!file) return unreadable(std::strerror(errno));
  file.read(first.data(), first.size());
  const std::string_view begin(first.data(), static_cast<std::size_t>(file.gcount()));
  if (begin.empty()) return unreadable("It is empty.");
  const FileSignature is = signature_of(begin);
  if (is != FileSignature::parquet && !begin.starts_with("PARE")) {
    return unreadable(is == FileSignature::none
                          ? "It is not a Parquet file: it does not begin with PAR1."
                          : fmt::format("It is {}, not a Parquet file, whatever its name says.", to_string(is)));
  }
  file.clear();
  file.seekg(-static_cast<std::streamoff>(last.size()), std::ios::end);
  file.read(last.data(), last.size());
  const std::string_view end(last.data(), last.size());
  if (!file || begin.size() < first.size() || (end != "PAR1" && end != "PARE")) {
    return unreadable("The file is damaged or cut: it does not end as a Parquet file does. Copy it again.");
  }
  return {};
}

}  // namespace stopover
