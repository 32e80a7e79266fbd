#include "doctor/other_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include "base/split.h"
#include "disk/child_program.h"

namespace stopover {
namespace {

bool can_be_run(const std::string& path) { return access(path.c_str(), X_OK) == 0; }

// Until the other side closes or the time is over; whether it closed.
bool read_all(int pipe, int seconds, std::string& text) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  std::array<char, 4096> buffer{};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd waiting{pipe, POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(left.count())) < 0 && errno != EINTR) return false;
    if (waiting.revents == 0) continue;
    const ssize_t n = read(pipe, buffer.data(), buffer.size());
    if (n == 0) return true;
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) text.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

}  // namespace

std::string program_path(const std::string& name) {
  if (name.empty()) return "";
  if (name.find('/') != std::string::npos) return can_be_run(name) ? name : "";
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path == nullptr ? "" : path, ':')) {
    const std::string place = (folder.empty() ? "." : folder) + "/" + name;
    if (can_be_run(place)) return place;
  }
  return "";
}

std::string said_by(std::vector<std::string> words, int seconds) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return "";
  const auto [child, failed] = start_program(std::move(words), {.stream = ends[1]});
  close(ends[1]);
  std::string text;
  if (failed == 0) {
    const bool ended = read_all(ends[0], seconds, text);
    if (!ended) kill(-child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!ended || !WIFEXITED(status) || WEXITSTATUS(status) != 0) text.clear();
  }
  close(ends[0]);
  return text;
}

}  // namespace stopover
