#include "job/spark_source.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/bad_input.h"
#include "disk/private_folder.h"
#include "disk/write_file.h"
#include "ingest/tally_wire.h"
#include "job/spark_job.h"
#include "job/spark_process.h"

namespace stopover {
namespace {

namespace fs = std::filesystem;

constexpr double kPatience = 1.0;  // seconds, for who wants to stop

std::vector<std::string> parquet_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    if (entry.path().extension() == ".parquet") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The program, its folder, and one pass after another.
class SparkCounter {
 public:
  static Result<std::shared_ptr<SparkCounter>> start(const SparkRows& rows, const SparkPlace& place) {
    const Result<std::string> job = find_spark_job();
    if (!job) return job.error();
    std::error_code failed;
    Result<PrivateFolder> folder = PrivateFolder::make(fs::absolute(place.folder, failed).string(), "stopover-spark-");
    if (!folder) return folder.error();
    nlohmann::ordered_json told{{"parts", nlohmann::ordered_json::array()}};
    for (const std::string& file : rows.files) told["files"].push_back(fs::absolute(file, failed).string());
    if (rows.files.empty()) told["plan"] = nlohmann::ordered_json::parse(rows.plan);
    for (const TripPart& part : rows.parts) {
      nlohmann::ordered_json one{{"axes", nlohmann::ordered_json::array()}};
      for (const Axis& axis : part.domain.axes()) one["axes"].push_back(axis.name);
      if (rows.parts.size() > 1) one["stops"] = part.stops;
      told["parts"].push_back(std::move(one));
    }
    if (Status s = write_file(folder->path() + "/job.json", told.dump(), Readers::owner); !s) return s.error();
    Result<SparkProcess> process = SparkProcess::start({(fs::path(*job).parent_path() / "count.py").string(),
                                                        folder->path(), "--master", place.master, "--with-parent"},
                                                       folder->lock());
    if (!process) return process.error();
    return std::shared_ptr<SparkCounter>(new SparkCounter(std::move(*folder), std::move(*process), place));
  }

  ~SparkCounter() { process_.stop(kPatience); }

  // `rows`: how many there will be, for progress; 0: not known.
  Result<RowsSeen> pass(std::size_t part, Tally& tally, std::uint64_t rows) {
    const std::string name = std::to_string(passes_++), sums = folder_.path() + "/sums-" + name;
    if (Status s = write_file(folder_.path() + "/task-" + name + ".bin", task_bytes(tally.task()), Readers::owner); !s)
      return s.error();
    // Named last, so that it is whole when it is seen.
    const std::string asked = folder_.path() + "/ask-" + name;
    if (Status s = write_file(asked + ".new", std::to_string(part), Readers::owner); !s) return s.error();
    std::error_code failed;
    fs::rename(asked + ".new", asked, failed);
    if (Status s = wait_for(sums + ".done", rows); !s) return s.error();
    Result<RowsSeen> seen = add_sums(parquet_in(sums), tally, place_.interrupted);
    fs::remove_all(sums, failed);
    return seen;
  }

  PrivateFacts facts() const { return read_spark_facts(folder_.path() + "/cells.facts.json"); }

 private:
  SparkCounter(PrivateFolder folder, SparkProcess process, SparkPlace place)
      : folder_(std::move(folder)), process_(std::move(process)), place_(std::move(place)) {}

  Status wait_for(const std::string& file, std::uint64_t rows) {
    std::error_code failed;
    for (unsigned round = 0; !fs::exists(file, failed); ++round) {
      if (place_.interrupted()) {
        process_.stop(kPatience);
        return Error{Failure::interrupted, "interrupted"};
      }
      if (!process_.running()) {
        if (Status s = process_.outcome(); !s) return s;
        return bad_input("the Spark job ended too early");
      }
      if (rows > 0 && round % 10 == 0) tell(rows);
      usleep(20'000);
    }
    return {};
  }

  void tell(std::uint64_t rows) const {
    std::ifstream in(folder_.path() + "/progress");
    std::uint64_t done = 0, all = 0;
    if (in >> done >> all && all > 0 && done <= all)
      place_.progress(static_cast<std::uint64_t>(u128{rows} * done / all), rows);
  }

  PrivateFolder folder_;  // goes last
  SparkProcess process_;
  SparkPlace place_;
  std::size_t passes_ = 0;
};

class SparkSource final : public CountSource {
 public:
  SparkSource(std::shared_ptr<SparkCounter> counter, std::size_t part, const Domain& domain, const RowsSeen& seen)
      : counter_(std::move(counter)), part_(part), domain_(domain), seen_(seen) {}
  const Domain& domain() const override { return domain_; }
  std::uint64_t total() const override { return seen_.trips; }
  void pass(Tally& tally) const override {
    const Result<RowsSeen> seen = counter_->pass(part_, tally, seen_.rows);
    if (!seen) throw SourceFailure(seen.error());
    if (*seen != seen_) throw SourceFailure(bad_input("the cells were changed while they were counted on Spark"));
  }

 private:
  std::shared_ptr<SparkCounter> counter_;
  std::size_t part_;
  Domain domain_;
  RowsSeen seen_;
};

}  // namespace

Result<SparkSources> open_spark_sources(const SparkRows& rows, const SparkPlace& place) {
  Result<std::shared_ptr<SparkCounter>> counter = SparkCounter::start(rows, place);
  if (!counter) return counter.error();
  SparkSources found;
  for (std::size_t part = 0; part < rows.parts.size(); ++part) {
    const Domain& domain = rows.parts[part].domain;
    TallyTask all;  // one box
    for (const Axis& axis : domain.axes()) all.widths.push_back(axis.cells);
    all.slots = 1;
    Tally tally(all);
    const Result<RowsSeen> seen = (*counter)->pass(part, tally, 0);
    if (!seen) return seen.error();
    if (tally.slot(0) != seen->trips) return bad_input("the sums of Spark do not add up");
    found.dropped.outside += seen->dropped.outside;
    found.dropped.bad_count += seen->dropped.bad_count;
    found.sources.push_back(std::make_unique<SparkSource>(*counter, part, domain, *seen));
  }
  found.facts = (*counter)->facts();
  return found;
}

}  // namespace stopover
