// Workshop: the desk's jobs, each in a process of its own (worker.h) that this same program is started as. One that
// crashes, is killed or runs out of memory leaves a sentence behind and nothing else.
//
//   Workshop workshop("/usr/bin/stopover", {"desk", "--worker"});
//   Result<std::string> id = workshop.start("plan", order);
//   workshop.look(*id, 0)          what it has told so far, from any thread
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"

namespace stopover {

struct JobView {
  std::string job;
  bool running = true;
  bool cancelled = false;         // somebody asked it to stop
  std::vector<std::string> told;  // lines of JSON, from the one asked for on
  std::size_t next = 0;           // of the line after them
  std::string result;             // JSON; "" as long as it runs, where it failed, or where its result is a text
  std::string error;              // JSON
  bool has_text = false;
  std::uint64_t milliseconds = 0;  // since it began, or that it took
};

class Workshop {
 public:
  // `program` and what it is started with.
  Workshop(std::string program, std::vector<std::string> arguments);
  ~Workshop();
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  // The job's id. `order`: what the worker is given. Fails (locked) while four are under way or, of `alone`, another of
  // that kind; (internal) where no process can be started.
  Result<std::string> start(const std::string& job, const std::string& order, bool alone = false);
  std::optional<JobView> look(const std::string& id, std::size_t from) const;
  std::optional<std::string> text(const std::string& id) const;
  // Asks it to stop at its next safe place; asked again, a second later or more, it is ended at once. False where it
  // does not run.
  bool cancel(const std::string& id);
  bool busy() const;
  // Asks all to stop and waits for them.
  void stop();

 private:
  struct Job;
  void attend(const std::shared_ptr<Job>& job, std::string order) const;
  void forget_old();

  std::string program_;
  std::vector<std::string> arguments_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Job>> jobs_;
  std::uint64_t count_ = 0;
};

}  // namespace stopover
