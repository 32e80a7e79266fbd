#include "job/releases_beside.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "ledger/file_system.h"
#include "ledger/ledger_chain.h"

namespace stopover {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = 16 << 20;
constexpr std::size_t kMostReleases = 1000;

// The id of the ledger that paid for the release; empty if it cannot be told.
std::string ledger_id(const fs::path& release) {
  const fs::path card = release / "release.json";
  std::error_code failed;
  if (!fs::is_regular_file(card, failed) || fs::file_size(card, failed) > kMostBytes) return "";
  std::ifstream file(card);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  constexpr std::string_view kKey = "\"ledger_head\"";
  const std::size_t key = text.find(kKey);
  if (key == std::string::npos) return "";
  const std::size_t begin = text.find('"', key + kKey.size());
  const std::size_t end = begin == std::string::npos ? begin : text.find('"', begin + 1);
  if (end == std::string::npos) return "";
  const Result<LedgerHead> head = parse_head(std::string_view(text).substr(begin + 1, end - begin - 1));
  return head ? head->id : "";
}

}  // namespace

std::string releases_beside(const std::string& output, const std::string& ledger) {
  std::set<std::string> names, ids;
  for (const std::string& folder : {parent_directory(output), parent_directory(ledger)}) {
    std::error_code failed;
    for (fs::directory_iterator at(folder, failed), end; !failed && at != end && names.size() < kMostReleases;
         at.increment(failed)) {
      if (at->path().extension() != ".odr") continue;
      const std::string id = ledger_id(at->path());
      if (id.empty()) continue;
      names.insert(at->path().lexically_normal().string());
      ids.insert(id);
    }
  }
  if (names.empty()) return "";
  const std::string others = names.size() == 1 ? "was" : fmt::format("and {} more beside it were", names.size() - 1);
  return fmt::format(
      "the ledger {} is new, but {} {} paid from {}\n"
      "  Are they about the same people? Then their budget is there, not in a new ledger: stop, and give that one.",
      ledger, *names.begin(), others,
      ids.size() == 1 ? "another one, " + *ids.begin() : fmt::format("{} others", ids.size()));
}

}  // namespace stopover
