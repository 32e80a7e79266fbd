#include "job/spark_process.h"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/usage_error.h"

extern char** environ;

namespace stopover {
namespace {

constexpr int kPause = 20'000;           // microseconds
constexpr int kRounds = 50;              // of them: a second
constexpr double kUsualPatience = 10.0;  // seconds

}  // namespace

Result<SparkProcess> SparkProcess::start(std::vector<std::string> words, int lock) {
  const char* named = std::getenv("STOPOVER_PYTHON");
  words.insert(words.begin(), named != nullptr && *named != '\0' ? named : "python3");
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
  if (failed == 0) return SparkProcess(child);
  return usage_error(fmt::format("{} cannot be started: {}\n  Set STOPOVER_PYTHON to a Python with pyspark.", words[0],
                                 std::strerror(failed)));
}

SparkProcess::SparkProcess(SparkProcess&& other) noexcept
    : child_(std::exchange(other.child_, -1)), status_(other.status_) {}

SparkProcess::~SparkProcess() {
  if (child_ >= 0) stop(kUsualPatience);
}

bool SparkProcess::running() const {
  siginfo_t ended{};
  return child_ >= 0 && waitid(P_PID, static_cast<id_t>(child_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         ended.si_pid == 0;
}

void SparkProcess::stop(double seconds) {
  if (child_ < 0) return;
  if (running()) kill(-child_, SIGTERM);
  for (double waited = 0; running() && waited < seconds; waited += kPause / 1e6) usleep(kPause);
  if (running()) kill(-child_, SIGKILL);
  while (running()) usleep(kPause);
  collect();
}

void SparkProcess::collect() {
  kill(-child_, SIGKILL);  // what it left running; its number is still its own
  while (waitpid(child_, &status_, 0) < 0 && errno == EINTR) {
  }
  // Until they are gone, for a while at least: what they write lies in a folder that is about to be removed.
  for (int round = 0; round < kRounds && kill(-child_, 0) == 0; ++round) usleep(kPause);
  child_ = -1;
}

Status SparkProcess::outcome() {
  if (child_ >= 0) collect();
  if (WIFEXITED(status_) && WEXITSTATUS(status_) == 0) return {};
  if (WIFSIGNALED(status_) || WEXITSTATUS(status_) == 130)
    return Error{Failure::interrupted, "the Spark job was interrupted"};
  switch (WEXITSTATUS(status_)) {
    case 2:
      return usage_error(
          "the Python of the Spark job has no pyspark\n  Install it (pip install pyspark) or set STOPOVER_PYTHON.");
    case 3:
      return usage_error(
          "the Python of the Spark job lacks what counts there: the package stopover, numpy, pandas or pyarrow\n"
          "  Install them (pip install STOPOVER.whl numpy pandas pyarrow), for the executors too, or set STOPOVER_PYTHON.");
    case 4:
      return usage_error("Spark needs Java, and there is none\n  Install a Java runtime, or set JAVA_HOME.");
    default:
      return Error{Failure::bad_input, "the Spark job failed; its own words are above"};
  }
}

}  // namespace stopover
