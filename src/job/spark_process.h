// SparkProcess: a Python program that drives Spark, in a process group of its own, so that Python and Java both hear
// that they shall end. It is the Python of STOPOVER_PYTHON (python3). When this object goes, all of the group has
// ended.
//
//   Result<SparkProcess> process = SparkProcess::start({"count.py", folder}, lock);
//   while (process->running()) ...;
//   process->outcome()
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace stopover {

class SparkProcess {
 public:
  // `lock`: a descriptor that is kept open in the child, so that a folder counts as in use while it runs, even if this
  // process is killed. Fails (usage) where there is no such Python.
  static Result<SparkProcess> start(std::vector<std::string> words, int lock);
  SparkProcess(SparkProcess&& other) noexcept;
  SparkProcess& operator=(SparkProcess&&) = delete;
  // Stops.
  ~SparkProcess();

  bool running() const;
  // SIGTERM to all of the group, SIGKILL after so many seconds; then nothing of it runs any more.
  void stop(double seconds);
  // How it ended, in words: nothing where all went well, else what it lacked (usage), that it was interrupted, or that
  // it failed (bad_input). REQUIRES: it is not running.
  Status outcome();

 private:
  explicit SparkProcess(int child) : child_(child) {}
  void collect();

  int child_ = -1;  // -1 once its status is known
  int status_ = 0;
};

}  // namespace stopover
