#include "doctor/examination.h"

#include <fmt/format.h>
#include <langinfo.h>
#include <locale.h>
#include <sys/random.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "disk/private_folder.h"
#include "doctor/other_program.h"
#include "duck/duck.h"
#include "job/spark_job.h"
#include "job/state_folder.h"
#include "page/template.h"
#include "text/figure_text.h"

namespace stopover {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kGigabyte = 1'000'000'000;
constexpr int kPatience = 5;  // seconds, for another program's version

std::string size_text(std::uint64_t bytes) {
  return figure_text(static_cast<double>(bytes) / static_cast<double>(kGigabyte)) + " GB";
}

std::string value_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

Finding own_program(const Patient& patient) {
  std::error_code failed;
  return {"program", Health::ok,
          fmt::format("stopover {}, {}", patient.version, fs::read_symlink("/proc/self/exe", failed).string()),
          "everything", ""};
}

Finding laboratory() {
  Finding f{"laboratory", Health::ok, "", "audit, evaluate, reproduce", ""};
  std::error_code failed;
  const fs::path lab = fs::read_symlink("/proc/self/exe", failed).parent_path() / "stopover-lab";
  if (access(lab.c_str(), X_OK) == 0) {
    f.found = lab.string();
  } else {
    f = {f.name, Health::lacking, "stopover-lab does not lie beside stopover", f.used,
         "Install both programs into one folder."};
  }
  return f;
}

Finding duckdb() {
  Finding f{"DuckDB", Health::ok, DuckSession::version(), "reads and writes all tables", ""};
  if (const Result<DuckSession> session = DuckSession::open(); !session) {
    f.health = Health::bad;
    f.found += ", which does not start: " + session.error().message;
    f.get = "Look at the temporary folder below; else install stopover again.";
  }
  return f;
}

Finding entropy() {
  Finding f{"entropy", Health::ok, "getrandom", "the noise of every release", ""};
  std::array<unsigned char, 32> bytes{};
  const ssize_t n = getrandom(bytes.data(), bytes.size(), GRND_NONBLOCK);
  const int failed = errno;
  std::fill(bytes.begin(), bytes.end(), static_cast<unsigned char>(0));
  if (n == static_cast<ssize_t>(bytes.size())) return f;
  f.health = Health::bad;
  f.found = fmt::format("the system has none yet: {}", std::strerror(failed));
  f.get = "Wait until the machine has started; a virtual one may need virtio-rng.";
  return f;
}

// The folder itself, or the nearest above it that is there.
fs::path there_of(fs::path folder) {
  std::error_code failed;
  folder = fs::absolute(folder, failed);
  while (!fs::exists(folder, failed) && folder.has_parent_path() && folder != folder.parent_path()) {
    folder = folder.parent_path();
  }
  return folder;
}

Finding state() {
  Finding f{"state folder", Health::ok, "", "remembers ledgers, so that none is spent twice", ""};
  const Result<std::string> folder = state_folder("");
  if (!folder) {
    f.health = Health::bad;
    f.found = "neither XDG_STATE_HOME nor HOME is set";
    f.get = "Set HOME, or name a folder with `state` whenever you publish.";
    return f;
  }
  f.found = *folder;
  const fs::path there = there_of(*folder);
  std::error_code failed;
  const bool made = there == fs::absolute(*folder, failed);
  if (!made) f.found += " (made with the first ledger)";
  if (!fs::is_directory(there, failed) || access(there.c_str(), W_OK | X_OK) != 0) {
    f.health = Health::bad;
    f.found = fmt::format("{} cannot be written to", there.string());
    f.get = "Make it yours, or set XDG_STATE_HOME to a folder that lasts.";
  }
  return f;
}

Finding room_on_disk(std::string name, const std::string& folder, std::string used, Health unwritable,
                     std::string get) {
  Finding f{std::move(name), Health::ok, folder, std::move(used), ""};
  struct statvfs disk{};
  if (access(folder.c_str(), W_OK | X_OK) != 0 || statvfs(folder.c_str(), &disk) != 0) {
    f.health = unwritable;
    f.found += fmt::format(" cannot be written to: {}", std::strerror(errno));
    f.get = std::move(get);
    return f;
  }
  const std::uint64_t free = std::uint64_t{disk.f_bavail} * disk.f_frsize;
  f.found += fmt::format(", {} free", size_text(free));
  if (free < kGigabyte) {
    f.health = Health::lacking;
    f.get = "Make room: rows that do not fit in memory take about as much as the input.";
  }
  return f;
}

std::uint64_t number_in(const std::string& path, std::string_view word) {
  std::ifstream in(path);
  for (std::string name; in >> name;) {
    std::uint64_t value = 0;
    if (word.empty()) return std::strtoull(name.c_str(), nullptr, 10);  // "max" is 0: no limit
    if (name == word && in >> value) return value;
  }
  return 0;
}

Finding memory() {
  const std::uint64_t total = number_in("/proc/meminfo", "MemTotal:") * 1024;
  const std::uint64_t limit = number_in("/sys/fs/cgroup/memory.max", "");
  const std::uint64_t all = limit > 0 ? std::min(limit, total) : total;
  const std::uint64_t left = std::min(number_in("/proc/meminfo", "MemAvailable:") * 1024, all);
  Finding f{"memory", Health::ok, fmt::format("{}, {} of it available", size_text(all), size_text(left)),
            "releases are made and asked in memory", ""};
  if (total == 0) {
    f.found = "not known";
  } else if (left < kGigabyte) {
    f.health = Health::lacking;
    f.get = "Small releases work. For millions of trips free some, or take a larger machine.";
  }
  return f;
}

Finding processors() {
  return {"processors", Health::ok, fmt::format("{}", std::max(1U, std::thread::hardware_concurrency())),
          "speed alone; `threads` says how many are used", ""};
}

Finding locale() {
  Finding f{"locale", Health::ok, "", "names with accents; figures never depend on it", ""};
  std::string named;
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (named.empty()) named = value_of(variable);
  }
  if (named.empty()) named = "C";
  const locale_t set = newlocale(LC_CTYPE_MASK, "", nullptr);
  const std::string codes = set == nullptr ? "" : nl_langinfo_l(CODESET, set);
  if (set != nullptr) freelocale(set);
  f.found = fmt::format("{}{}", named, codes.empty() ? ", which is not installed" : ", " + codes);
  if (codes != "UTF-8") {
    f.health = Health::lacking;
    f.get = "export LC_ALL=C.UTF-8";
  }
  return f;
}

Finding explorer() {
  if (!page_template().empty()) return {"page", Health::ok, "inside the program", "html, serve, demo", ""};
  return {
      "page", Health::lacking, "this program was built without it", "html, serve, demo",
      "Install node, clang 19 and wasi-libc before it is built (scripts/install-deps), or take a finished package."};
}

Finding browser() {
  Finding f{"browser", Health::ok, "", "shows pages; serve with `open` starts it", ""};
  for (const std::string& name : {value_of("BROWSER"), std::string("xdg-open"), std::string("open"),
                                  std::string("firefox"), std::string("chromium"), std::string("google-chrome")}) {
    f.found = program_path(name);
    if (!f.found.empty()) return f;
  }
  f.health = Health::lacking;
  f.found = "none found";
  f.get = "Copy the page to a machine that has one, or: apt install xdg-utils firefox-esr";
  return f;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

Finding spark() {
  Finding f{"Spark", Health::lacking, "", "cells with `engine spark`, `counts_from spark`", ""};
  const std::string named = value_of("STOPOVER_PYTHON");
  const std::string python = named.empty() ? "python3" : named;
  const std::string home = value_of("JAVA_HOME");
  if (const Result<std::string> job = find_spark_job(); !job) {
    f.found = "spark/cells.py is not installed";
    f.get = "Set STOPOVER_SPARK_JOB to its path.";
  } else if (program_path(python).empty()) {
    f.found = fmt::format("there is no {}", python);
    f.get = "Install Python, or set STOPOVER_PYTHON to one with pyspark.";
  } else if (const std::string version = first_line(
                 said_by({python, "-c", "import importlib.metadata as m; print(m.version('pyspark'))"}, kPatience));
             version.empty()) {
    f.found = fmt::format("{} has no pyspark", python);
    f.get =
        fmt::format("{} -m pip install 'pyspark>=4.0' pyarrow, or set STOPOVER_PYTHON to one that has them.", python);
  } else if (program_path(home.empty() ? "java" : home + "/bin/java").empty()) {
    f.found = fmt::format("pyspark {}, but no java", version);
    f.get = "Install Java 17 or later (apt install openjdk-17-jre-headless), or set JAVA_HOME.";
  } else {
    f.health = Health::ok;
    f.found = fmt::format("pyspark {} of {}, with java", version, python);
  }
  return f;
}

}  // namespace

std::string_view health_text(Health health) {
  switch (health) {
    case Health::ok:
      return "ok";
    case Health::lacking:
      return "lacking";
    case Health::bad:
      break;
  }
  return "bad";
}

std::vector<Finding> examine(const Patient& patient) {
  std::error_code failed;
  return {
      own_program(patient),
      laboratory(),
      duckdb(),
      entropy(),
      state(),
      room_on_disk("temporary folder", temporary_place(), "rows that do not fit in memory", Health::bad,
                   "Set TMPDIR to a folder that you can write to."),
      room_on_disk("this folder", fs::current_path(failed).string(), "where outputs go that are named without a folder",
                   Health::lacking, "Change to another folder, or name outputs with theirs."),
      memory(),
      processors(),
      locale(),
      explorer(),
      browser(),
      spark()};
}

bool is_fit(const std::vector<Finding>& findings) {
  return std::none_of(findings.begin(), findings.end(), [](const Finding& f) { return f.health == Health::bad; });
}

}  // namespace stopover
