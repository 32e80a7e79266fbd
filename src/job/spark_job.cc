#include "job/spark_job.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "disk/private_folder.h"
#include "disk/write_file.h"
#include "job/spark_process.h"

namespace stopover {
namespace fs = std::filesystem;

PrivateFacts read_spark_facts(const std::string& path) {
  PrivateFacts facts;
  std::ifstream in(path);
  const nlohmann::json read = nlohmann::json::parse(in, nullptr, false);
  if (!read.is_object()) return facts;
  for (const auto& [name, count] : read.items()) {
    if (count.is_number_unsigned()) facts.emplace_back(name, count.get<std::uint64_t>());
  }
  return facts;
}

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
  Result<SparkProcess> process = SparkProcess::start(
      {*job, plan_path, cells, "--master", master, "--scratch", folder->path(), "--with-parent"}, folder->lock());
  if (!process) return process.error();
  while (process->running() && !interrupted()) usleep(20'000);
  if (interrupted()) {
    process->stop(10);
    return Error{Failure::interrupted, "the Spark job was interrupted"};
  }
  if (Status s = process->outcome(); !s) return s.error();
  if (Status s = in.adopt_cells(cells, output); !s) return s.error();
  return read_spark_facts(cells + ".facts.json");
}

}  // namespace stopover
