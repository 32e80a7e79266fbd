#include "desk/workshop.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "geo/json_fwd.h"

namespace stopover {
namespace {

constexpr std::size_t kMostRunning = 4, kMostKept = 40, kMostTold = 2'000;
constexpr std::size_t kLongestLine = std::size_t{256} << 20;

using Clock = std::chrono::steady_clock;

std::uint64_t since(Clock::time_point begin) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count());
}

std::string failure_json(int code, const std::string& message) {
  return Json{{"code", code}, {"message", message}, {"field", ""}}.dump();
}

// A worker, started with pipes on its standard input and output; nothing else of the desk is open in it.
struct Child {
  pid_t pid = -1;
  int to = -1, from = -1;
};

Result<Child> spawn(const std::string& program, const std::vector<std::string>& arguments) {
  int in[2], out[2];
  if (::pipe2(in, O_CLOEXEC) != 0) return Error{Failure::internal, "no pipe could be opened"};
  if (::pipe2(out, O_CLOEXEC) != 0) {
    ::close(in[0]);
    ::close(in[1]);
    return Error{Failure::internal, "no pipe could be opened"};
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  ::posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none, usual;
  ::sigemptyset(&none);
  ::sigemptyset(&usual);
  for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&usual, number);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &usual);
  // Ctrl-C at the terminal is for the desk, which then asks its workers.
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::vector<char*> words = {const_cast<char*>(program.c_str())};
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  Child child;
  const int failed = ::posix_spawn(&child.pid, program.c_str(), &actions, &attributes, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  ::close(in[0]);
  ::close(out[1]);
  if (failed != 0) {
    ::close(in[1]);
    ::close(out[0]);
    return Error{Failure::internal, fmt::format("{} cannot be started", program)};
  }
  child.to = in[1];
  child.from = out[0];
  return child;
}

std::string end_in_words(int status, bool cancelled) {
  if (cancelled) return failure_json(static_cast<int>(Failure::interrupted), "stopped, as you asked");
  if (WIFSIGNALED(status)) {
    return failure_json(static_cast<int>(Failure::internal),
                        fmt::format("the job's process was ended by signal {} before it was done\n  The desk goes on. "
                                    "Was there enough memory? If it was a publication, look at its ledger: what it had "
                                    "reserved is spent.",
                                    WTERMSIG(status)));
  }
  return failure_json(static_cast<int>(Failure::internal),
                      "the job's process ended without a word\n  The desk goes on.");
}

}  // namespace

struct Workshop::Job {
  std::string name;
  Child child;
  Clock::time_point begin = Clock::now(), asked{};
  std::thread thread;
  mutable std::mutex mutex;
  bool running = true, cancelled = false, has_text = false;
  std::uint64_t took = 0, number = 0;
  std::vector<std::string> told;
  std::string result, text, error;
};

Workshop::Workshop(std::string program, std::vector<std::string> arguments)
    : program_(std::move(program)), arguments_(std::move(arguments)) {}

Workshop::~Workshop() { stop(); }

Result<std::string> Workshop::start(const std::string& name, const std::string& order, bool alone) {
  const std::scoped_lock lock(mutex_);
  std::size_t running = 0;
  for (const auto& [id, job] : jobs_) {
    const std::scoped_lock own(job->mutex);
    if (job->running && alone && job->name == name) {
      return Error{Failure::locked, fmt::format("another {} is under way here\n  Wait for it, or stop it.", name)};
    }
    running += job->running ? 1 : 0;
  }
  if (running >= kMostRunning) return Error{Failure::locked, "four jobs are under way\n  Wait for one, or stop one."};
  forget_old();
  Result<Child> child = spawn(program_, arguments_);
  if (!child) return child.error();
  const auto job = std::make_shared<Job>();
  job->name = name;
  job->child = *child;
  job->number = ++count_;
  const std::string id = fmt::format("{}", count_);
  jobs_[id] = job;
  job->thread = std::thread([this, job, order] { attend(job, order); });
  return id;
}

// The oldest that are done.
void Workshop::forget_old() {
  while (jobs_.size() >= kMostKept) {
    auto oldest = jobs_.end();
    for (auto at = jobs_.begin(); at != jobs_.end(); ++at) {
      const std::scoped_lock own(at->second->mutex);
      if (at->second->running) continue;
      if (oldest == jobs_.end() || at->second->number < oldest->second->number) oldest = at;
    }
    if (oldest == jobs_.end()) return;
    if (oldest->second->thread.joinable()) oldest->second->thread.join();
    jobs_.erase(oldest);
  }
}

void Workshop::attend(const std::shared_ptr<Job>& job, std::string order) const {
  for (std::size_t at = 0; at < order.size();) {
    const ssize_t n = ::write(job->child.to, order.data() + at, order.size() - at);
    if (n <= 0) break;
    at += static_cast<std::size_t>(n);
  }
  ::close(job->child.to);
  std::string rest, buffer(std::size_t{1} << 16, '\0');
  const auto take = [&](std::string_view line) {
    Json told = Json::parse(line, nullptr, false);
    if (!told.is_object()) return;
    const std::scoped_lock lock(job->mutex);
    if (told.contains("result")) {
      job->result = told["result"].dump();
    } else if (told.contains("text") && told["text"].is_string()) {
      job->text = told["text"].get<std::string>();
      job->has_text = true;
    } else if (told.contains("error")) {
      job->error = told["error"].dump();
    } else if (job->told.size() < kMostTold) {
      told["at"] = since(job->begin);
      job->told.push_back(told.dump());
    }
  };
  for (;;) {
    const ssize_t n = ::read(job->child.from, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0 || rest.size() > kLongestLine) break;
    rest.append(buffer.data(), static_cast<std::size_t>(n));
    std::size_t begin = 0;
    for (std::size_t end; (end = rest.find('\n', begin)) != std::string::npos; begin = end + 1)
      take(std::string_view(rest).substr(begin, end - begin));
    rest.erase(0, begin);
  }
  ::close(job->child.from);
  // Waited for first, taken away under the lock: its number is not another's while somebody may still signal it.
  siginfo_t ended{};
  while (::waitid(P_PID, static_cast<id_t>(job->child.pid), &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  const std::scoped_lock lock(job->mutex);
  int status = 0;
  ::waitpid(job->child.pid, &status, 0);
  job->running = false;
  job->took = since(job->begin);
  if (job->result.empty() && !job->has_text && job->error.empty()) job->error = end_in_words(status, job->cancelled);
}

std::optional<JobView> Workshop::look(const std::string& id, std::size_t from) const {
  const std::scoped_lock lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return std::nullopt;
  const Job& job = *found->second;
  const std::scoped_lock own(job.mutex);
  JobView view{job.name, job.running, job.cancelled, {}, job.told.size(), job.result, job.error, job.has_text, 0};
  for (std::size_t i = std::min(from, job.told.size()); i < job.told.size(); ++i) view.told.push_back(job.told[i]);
  view.milliseconds = job.running ? since(job.begin) : job.took;
  return view;
}

std::optional<std::string> Workshop::text(const std::string& id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return std::nullopt;
  const std::scoped_lock own(found->second->mutex);
  if (!found->second->has_text) return std::nullopt;
  return found->second->text;
}

bool Workshop::cancel(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return false;
  Job& job = *found->second;
  const std::scoped_lock own(job.mutex);
  if (!job.running) return false;
  const bool again = job.cancelled && Clock::now() - job.asked > std::chrono::seconds(1);
  if (!job.cancelled || again) {
    ::kill(job.child.pid, again ? SIGKILL : SIGTERM);
    job.asked = Clock::now();
  }
  job.cancelled = true;
  return true;
}

bool Workshop::busy() const {
  const std::scoped_lock lock(mutex_);
  return std::any_of(jobs_.begin(), jobs_.end(), [](const auto& one) {
    const std::scoped_lock own(one.second->mutex);
    return one.second->running;
  });
}

void Workshop::stop() {
  std::vector<std::string> ids;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [id, job] : jobs_) ids.push_back(id);
  }
  for (const std::string& id : ids) cancel(id);
  const std::scoped_lock lock(mutex_);
  for (const auto& [id, job] : jobs_) {
    if (job->thread.joinable()) job->thread.join();
  }
  jobs_.clear();
}

}  // namespace stopover
