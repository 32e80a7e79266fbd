#include "bindings/task.h"

#include <algorithm>
#include <chrono>
#include <exception>

#include "base/field_words.h"

namespace stopover {

Task::Task(Work work, unsigned threads) {
  thread_ = std::thread([this, work = std::move(work), threads]() mutable {
    std::optional<Result<std::string>> result;
    try {
      result.emplace(work(observer(threads)));
    } catch (const std::exception& e) {
      result.emplace(Error{Failure::internal, e.what()});
    }
    work = nullptr;
    const std::lock_guard lock(mutex_);
    result_ = std::move(result);
    done_.notify_all();
  });
}

void Task::stop() {
  cancel();
  if (thread_.joinable()) thread_.join();
}

bool Task::wait(double seconds) {
  std::unique_lock lock(mutex_);
  return done_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return result_.has_value(); });
}

Task::Phase Task::phase() {
  const std::lock_guard lock(mutex_);
  return {phase_, step_, steps_};
}

std::vector<Task::Phase> Task::begun() {
  const std::lock_guard lock(mutex_);
  return std::exchange(begun_, {});
}

std::vector<std::pair<std::string, std::string>> Task::said() {
  const std::lock_guard lock(mutex_);
  return std::exchange(said_, {});
}

void Task::say(const char* how, std::string_view text) {
  const std::lock_guard lock(mutex_);
  said_.emplace_back(how, in_words_of(Face::python, text));
}

Observer Task::observer(unsigned threads) {
  Observer observer;
  observer.steps = [this](std::size_t total) {
    const std::lock_guard lock(mutex_);
    step_ = 0;
    steps_ = total;
  };
  observer.phase = [this](std::string_view name) {
    const std::lock_guard lock(mutex_);
    phase_ = name;
    step_ = steps_ == 0 ? step_ + 1 : std::min(step_ + 1, steps_);
    begun_.emplace_back(phase_, step_, steps_);
  };
  observer.pause = [this] {
    const std::lock_guard lock(mutex_);
    phase_.clear();
  };
  observer.note = [this](std::string_view text) { say("note", text); };
  observer.private_note = [this](std::string_view text) { say("private", text); };
  observer.warn = [this](std::string_view text) { say("warning", text); };
  observer.interrupted = [this] { return cancelled_.load(); };
  observer.threads = threads;
  return observer;
}

}  // namespace stopover
