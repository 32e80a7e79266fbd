#include "cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace stopover {
namespace {

void write(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

}  // namespace

Progress::Progress(const Terminal& terminal) : options_(terminal.options()) {
  const bool watched = options_.progress == ProgressMode::automatic && !options_.quiet;
  if (watched) watcher_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

Progress::~Progress() {
  if (watcher_.joinable()) {
    watcher_.request_stop();
    watcher_.join();
  }
  end_phase();
}

void Progress::steps(std::size_t total) {
  const std::lock_guard lock(mutex_);
  step_ = 0;
  steps_ = total;
}

std::string Progress::label(bool bar) const {
  if (steps_ == 0) return phase_;
  if (!bar) return fmt::format("[{}/{}] {}", step_, steps_, phase_);
  return fmt::format("[{:#<{}}{:-<{}}] {}", "", step_, "", steps_ - step_, phase_);
}

void Progress::phase(std::string_view name) {
  const std::lock_guard lock(mutex_);
  end_phase();
  phase_ = name;
  step_ = std::min(step_ + 1, steps_);
  since_ = Clock::now();
  if (options_.progress == ProgressMode::always) write(fmt::format("{}...\n", label(false)));
  changed_.notify_all();
}

void Progress::rows(std::uint64_t done, std::uint64_t of) {
  const std::lock_guard lock(mutex_);
  if (done < rows_ || of != of_) pass_since_ = Clock::now();
  rows_ = done;
  of_ = of;
}

std::string Progress::pass() const {
  if (of_ == 0 || rows_ == 0 || rows_ >= of_) return "";
  const double seconds = std::max(1e-3, std::chrono::duration<double>(Clock::now() - pass_since_).count());
  const double done = static_cast<double>(rows_), rate = done / seconds;
  return fmt::format("; {:.0f} % of a pass, {:.1f} million rows a second, {:.0f} s left",
                     100 * done / static_cast<double>(of_), rate / 1e6, static_cast<double>(of_ - rows_) / rate);
}

void Progress::pause() {
  const std::lock_guard lock(mutex_);
  end_phase();
}

void Progress::end_phase() {
  if (!phase_.empty() && options_.progress == ProgressMode::json) {
    const double seconds = std::chrono::duration<double>(Clock::now() - since_).count();
    write(fmt::format("{{\"phase\":\"{}\",\"seconds\":{:.3f}}}\n", phase_, seconds));
  }
  if (shown_ && options_.live_err) write("\r\x1b[K");
  phase_.clear();
  rows_ = of_ = 0;
  shown_ = false;
}

void Progress::show(double seconds) {
  if (options_.live_err) {
    write(fmt::format("\r\x1b[K{}... {:.0f} s{}", label(true), seconds, pass()));
  } else if (!shown_) {
    write(fmt::format("{}...\n", label(false)));
  }
  shown_ = true;
}

void Progress::watch(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    changed_.wait_for(lock, stop, std::chrono::milliseconds(250), [] { return false; });
    if (phase_.empty()) continue;
    const double seconds = std::chrono::duration<double>(Clock::now() - since_).count();
    if (seconds >= 1) show(seconds);
  }
}

}  // namespace stopover
