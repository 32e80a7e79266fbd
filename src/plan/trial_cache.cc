#include "plan/trial_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace stopover {

std::string TrialCache::path_of(const std::string& name) const {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return fmt::format("{}/{:016x}.trial", folder_, hash);
}

std::optional<Trial> TrialCache::find(const std::string& name) const {
  if (folder_.empty()) return std::nullopt;
  std::ifstream file(path_of(name), std::ios::binary);
  std::string stored;
  if (!std::getline(file, stored) || stored != name) return std::nullopt;
  return decode_trial(std::string(std::istreambuf_iterator<char>(file), {}));
}

void TrialCache::keep(const std::string& name, const Trial& trial) const {
  if (folder_.empty()) return;
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);
  const std::string path = path_of(name);
  const std::string partial = fmt::format("{}.{}", path, getpid());
  std::ofstream file(partial, std::ios::binary | std::ios::trunc);
  file << name << '\n' << encode_trial(trial) << '\n';
  file.close();
  if (file) std::filesystem::rename(partial, path, failed);
  if (!file || failed) std::filesystem::remove(partial, failed);
}

}  // namespace stopover
