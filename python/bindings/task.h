// Task: a long job on a thread of its own, for Python to wait for. The thread never calls Python, so Python stays free
// to show progress, to run other threads and to hear Ctrl-C.
//
//   Task task([](const Observer& observer) { return run_publish(...); }, threads);
//   while (!task.wait(0.1)) show(task.phase());          // on Ctrl-C: task.cancel(), and go on waiting
//   task.result()
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "base/result.h"
#include "job/observer.h"

namespace stopover {

class Task {
 public:
  // JSON, or what went wrong.
  using Work = std::function<Result<std::string>(const Observer&)>;

  // Begins at once.
  Task(Work work, unsigned threads);
  // Stops.
  ~Task() { stop(); }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  // Whether it is done, after at most so many seconds.
  bool wait(double seconds);
  // Asks it to stop at its next safe place.
  void cancel() { cancelled_ = true; }
  // Cancels and waits.
  void stop();
  // A phase's name ("" between phases), its number, and how many there are (0: not known).
  using Phase = std::tuple<std::string, std::size_t, std::size_t>;
  Phase phase();
  // Those that began since the last call.
  std::vector<Phase> begun();
  // What was said since the last call: (note | private | warning, text).
  std::vector<std::pair<std::string, std::string>> said();
  // REQUIRES: wait() gave true.
  const Result<std::string>& result() const { return *result_; }

 private:
  Observer observer(unsigned threads);
  void say(const char* how, std::string_view text);

  std::atomic<bool> cancelled_ = false;
  std::mutex mutex_;
  std::condition_variable done_;
  std::string phase_;
  std::size_t step_ = 0, steps_ = 0;
  std::vector<Phase> begun_;
  std::vector<std::pair<std::string, std::string>> said_;
  std::optional<Result<std::string>> result_;
  std::thread thread_;
};

}  // namespace stopover
