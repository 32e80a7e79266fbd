#include "cli/spark_job.h"

#include <fmt/format.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

extern char** environ;

namespace stopover {
namespace {

namespace fs = std::filesystem;

class PrivateFolder {
 public:
  PrivateFolder() : path_(fs::temp_directory_path().string() + "/stopover-spark-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  ~PrivateFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Result<std::string> find_job() {
  if (const char* named = std::getenv("STOPOVER_SPARK_JOB"); named != nullptr && *named != '\0') return std::string(named);
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  for (fs::path folder = program.parent_path();; folder = folder.parent_path()) {
    for (const char* place : {"spark/cells.py", "share/stopover/spark/cells.py"}) {
      if (fs::exists(folder / place, failed)) return (folder / place).string();
    }
    if (folder == folder.parent_path()) break;
  }
  return Error{Failure::usage, "the Spark job is not installed\n  Set STOPOVER_SPARK_JOB to the path of spark/cells.py."};
}

// {"odd_quotes": 3}
PrivateFacts read_facts(const std::string& path) {
  PrivateFacts facts;
  std::ifstream in(path);
  const nlohmann::json read = nlohmann::json::parse(in, nullptr, false);
  if (!read.is_object()) return facts;
  for (const auto& [name, count] : read.items()) {
    if (count.is_number_unsigned()) facts.emplace_back(name, count.get<std::uint64_t>());
  }
  return facts;
}

}  // namespace

Result<PrivateFacts> run_spark_job(Ingest& in, const std::string& master, const std::string& output) {
  const Result<std::string> plan = in.plan_json(SqlDialect::Engine::spark);
  if (!plan) return plan.error();
  const Result<std::string> job = find_job();
  if (!job) return job.error();
  const PrivateFolder folder;
  if (folder.path().empty()) return Error{Failure::internal, "no temporary folder could be made\n  Set TMPDIR to a folder with room."};
  const std::string plan_path = folder.path() + "/plan.json", cells = folder.path() + "/cells";
  std::ofstream(plan_path) << *plan;
  const char* named = std::getenv("STOPOVER_PYTHON");
  std::vector<std::string> words = {named != nullptr && *named != '\0' ? named : "python3", *job, plan_path, cells,
                                    "--master", master, "--scratch", folder.path()};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ);
  if (failed != 0) {
    return Error{Failure::usage, fmt::format("{} cannot be started: {}\n  Set STOPOVER_PYTHON to a Python with pyspark.", words[0], std::strerror(failed))};
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    if (Status s = in.adopt_cells(cells, output); !s) return s.error();
    return read_facts(cells + ".facts.json");
  }
  if (WIFSIGNALED(status) || WEXITSTATUS(status) == 130) return Error{Failure::interrupted, "the Spark job was interrupted"};
  if (WEXITSTATUS(status) == 2) {
    return Error{Failure::usage, fmt::format("{} has no pyspark\n  Install it (pip install pyspark) or set STOPOVER_PYTHON.", words[0])};
  }
  return Error{Failure::bad_input, "the Spark job failed; its own words are above"};
}

}  // namespace stopover
