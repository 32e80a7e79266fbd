#include "job/spark_job.h"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "disk/private_folder.h"
#include "disk/write_file.h"

extern char** environ;

namespace stopover {
namespace {

namespace fs = std::filesystem;

// The job in a process group of its own, so that Python and Java both hear that it shall end: SIGTERM once it is
// interrupted, SIGKILL ten seconds later. `lock`: kept open in the child, so that the folder counts as in use while the
// job runs, even if this process is killed.
Result<int> run_and_wait(std::vector<std::string> words, int lock, const std::function<bool()>& interrupted) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t group;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, lock, lock);  // without close-on-exec
  posix_spawnattr_init(&group);
  posix_spawnattr_setflags(&group, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&group, 0);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0], &files, &group, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&group);
  if (failed != 0) {
    return Error{Failure::usage,
                 fmt::format("{} cannot be started: {}\n  Set STOPOVER_PYTHON to a Python with pyspark.", words[0],
                             std::strerror(failed))};
  }
  siginfo_t ended{};
  for (int asked_for_ms = 0;
       waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0;) {
    if (interrupted()) {
      if (asked_for_ms == 0) kill(-child, SIGTERM);
      asked_for_ms += 20;
      if (asked_for_ms > 10'000) kill(-child, SIGKILL);
    }
    usleep(20'000);
  }
  kill(-child, SIGKILL);  // what the job left running; its number is still its own
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
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

Result<std::string> find_spark_job() {
  if (const char* named = std::getenv("STOPOVER_SPARK_JOB"); named != nullptr && *named != '\0')
    return std::string(named);
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  for (fs::path folder = program.parent_path();; folder = folder.parent_path()) {
    for (const char* place : {"spark/cells.py", "share/stopover/spark/cells.py"}) {
      if (fs::exists(folder / place, failed)) return (folder / place).string();
    }
    if (folder == folder.parent_path()) break;
  }
  return Error{Failure::usage,
               "the Spark job is not installed\n  Set STOPOVER_SPARK_JOB to the path of spark/cells.py."};
}

Result<PrivateFacts> run_spark_job(Ingest& in, const std::string& master, const std::string& output,
                                   const std::function<bool()>& interrupted) {
  const Result<std::string> plan = in.plan_json(SqlDialect::Engine::spark);
  if (!plan) return plan.error();
  const Result<std::string> job = find_spark_job();
  if (!job) return job.error();
  const Result<PrivateFolder> folder = PrivateFolder::make(temporary_place(), "stopover-spark-");
  if (!folder) return folder.error();
  const std::string plan_path = folder->path() + "/plan.json", cells = folder->path() + "/cells";
  if (Status s = write_file(plan_path, *plan, Readers::owner); !s) return s.error();
  const char* named = std::getenv("STOPOVER_PYTHON");
  const Result<int> waited = run_and_wait({named != nullptr && *named != '\0' ? named : "python3", *job, plan_path,
                                           cells, "--master", master, "--scratch", folder->path(), "--with-parent"},
                                          folder->lock(), interrupted);
  if (!waited) return waited.error();
  const int status = *waited;
  if (interrupted()) return Error{Failure::interrupted, "the Spark job was interrupted"};
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    if (Status s = in.adopt_cells(cells, output); !s) return s.error();
    return read_facts(cells + ".facts.json");
  }
  if (WIFSIGNALED(status) || WEXITSTATUS(status) == 130)
    return Error{Failure::interrupted, "the Spark job was interrupted"};
  if (WEXITSTATUS(status) == 2) {
    return Error{
        Failure::usage,
        "the Python of the Spark job has no pyspark\n  Install it (pip install pyspark) or set STOPOVER_PYTHON."};
  }
  return Error{Failure::bad_input, "the Spark job failed; its own words are above"};
}

}  // namespace stopover
