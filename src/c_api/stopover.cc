// The functions of stopover.h: JSON to fields or a question, the typed job or the engine, its result as JSON.
// Exceptions (no memory left) are caught here: they must not reach C.
#include <stopover/stopover.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "base/field_words.h"
#include "job/export_job.h"
#include "job/fields_json.h"
#include "job/inspect_job.h"
#include "job/open_release.h"
#include "job/plan_job.h"
#include "job/plan_report.h"
#include "job/protect.h"
#include "job/publish_job.h"
#include "job/rehearsal_job.h"
#include "job/reports.h"
#include "question/question_json.h"

struct stopover_release {
  stopover::ReadyRelease ready;
};

namespace stopover {
namespace {

void put(char** reply, const std::string& text) {
  if (reply == nullptr) return;
  *reply = static_cast<char*>(std::malloc(text.size() + 1));
  if (*reply != nullptr) std::memcpy(*reply, text.c_str(), text.size() + 1);
}

int refuse(const Error& error, char** reply) {
  put(reply, json_of(error));
  return static_cast<int>(error.failure);
}

// Runs what gives a Result<std::string>.
template <typename Work>
int reply_with(char** reply, const Work& work) {
  try {
    const Result<std::string> result = work();
    if (!result) return refuse(result.error(), reply);
    put(reply, *result);
    return STOPOVER_OK;
  } catch (const std::bad_alloc&) {
    if (reply != nullptr) *reply = nullptr;
    return STOPOVER_INTERNAL;
  } catch (const std::exception& thrown) {
    return refuse({Failure::internal, thrown.what()}, reply);
  }
}

Error missing(const char* what) { return {Failure::usage, std::string(what) + " is NULL"}; }

// Passes on what a job tells, and on the caller's thread alone.
class Ears {
 public:
  explicit Ears(const stopover_observer* given) : given_(given) {}
  Ears(const Ears&) = delete;
  Ears& operator=(const Ears&) = delete;

  Observer observer() {
    Observer observer;
    if (given_ == nullptr) return observer;
    observer.steps = [this](std::size_t steps) { steps_ = static_cast<int>(steps); };
    observer.phase = [this](std::string_view name) {
      ++step_;
      tell(STOPOVER_PHASE, name);
    };
    observer.note = [this](std::string_view text) { tell(STOPOVER_NOTE, text); };
    observer.warn = [this](std::string_view text) { tell(STOPOVER_WARNING, text); };
    observer.private_note = [this](std::string_view text) { tell(STOPOVER_PRIVATE, text); };
    observer.interrupted = [this] { return stopped(); };
    observer.threads = given_->threads;
    return observer;
  }

 private:
  void tell(int what, std::string_view text) {
    if (given_->tell == nullptr) return;
    if (given_->tell(given_->context, what, in_words_of(Face::json, text).c_str(), step_, steps_) != 0) stop_ = true;
  }

  bool stopped() const {
    // Written by others at any time. atomic_ref wants what is not const; nothing is stored.
    return stop_ || (given_->stop != nullptr && std::atomic_ref<int>(*const_cast<int*>(given_->stop)).load() != 0);
  }

  const stopover_observer* given_;
  int step_ = 0, steps_ = 0;
  std::atomic<bool> stop_ = false;
};

// `read`: fields to a spec; `run`: a spec and an observer to a result; `json`: the result as JSON.
template <typename Read, typename Run, typename AsJson>
int run_job(const char* fields, const stopover_observer* given, char** reply, const Read& read, const Run& run,
            const AsJson& json) {
  return reply_with(reply, [&]() -> Result<std::string> {
    if (fields == nullptr) return missing("fields");
    const Result<FieldValues> values = fields_of_json(fields);
    if (!values) return values.error();
    const auto spec = read(*values);
    if (!spec) return spec.error();
    Ears ears(given);
    const auto result = run(*spec, ears.observer());
    if (!result) return result.error();
    return json(*result);
  });
}

}  // namespace
}  // namespace stopover

using namespace stopover;

const char* stopover_version(void) { return STOPOVER_VERSION; }

void stopover_free(char* reply) { std::free(reply); }

void stopover_protect(void) { protect_process(); }

int stopover_open(const char* path, stopover_release** release, char** error) {
  if (release == nullptr) return refuse(missing("release"), error);
  *release = nullptr;
  char* reply = nullptr;
  const int code = reply_with(error == nullptr ? nullptr : &reply, [&]() -> Result<std::string> {
    if (path == nullptr) return missing("path");
    Result<ReadyRelease> ready = ReadyRelease::open(path);
    if (!ready) return ready.error();
    *release = new stopover_release{std::move(*ready)};
    return std::string();
  });
  if (code == STOPOVER_OK) {
    stopover_free(reply);
  } else if (error != nullptr) {
    *error = reply;
  }
  return code;
}

void stopover_close(stopover_release* release) { delete release; }

int stopover_info(const stopover_release* release, char** reply) {
  return reply_with(reply, [&]() -> Result<std::string> {
    if (release == nullptr) return missing("release");
    return info_json(release->ready.release, release->ready.content, release->ready.papers);
  });
}

int stopover_ask(const stopover_release* release, const char* question, char** reply) {
  return reply_with(reply, [&]() -> Result<std::string> {
    if (release == nullptr) return missing("release");
    if (question == nullptr) return missing("question");
    return ask_question(release->ready.engine, question);
  });
}

int stopover_compare(const stopover_release* first, const stopover_release* second, const char* question,
                     char** reply) {
  return reply_with(reply, [&]() -> Result<std::string> {
    if (first == nullptr || second == nullptr) return missing("release");
    if (question == nullptr) return missing("question");
    return ask_question(first->ready.engine, question, &second->ready.engine);
  });
}

int stopover_publish(const char* fields, const stopover_observer* observer, char** reply) {
  const auto read = [](const FieldValues& values) { return read_publish(values); };
  const auto run = [](const PublishSpec& spec, const Observer& ears) { return run_publish(spec, ears); };
  return run_job(fields, observer, reply, read, run, [](const Published& made) { return made.json(); });
}

int stopover_dry_run(const char* fields, const stopover_observer* observer, char** reply) {
  const auto read = [](const FieldValues& values) { return read_publish(values); };
  const auto run = [](const PublishSpec& spec, const Observer& ears) { return run_rehearsal(spec, ears); };
  return run_job(fields, observer, reply, read, run, [](const DryRun& told) { return told.json(); });
}

int stopover_inspect(const char* fields, const stopover_observer* observer, char** reply) {
  const auto json = [](const Inspection& told) { return told.json(); };
  return run_job(fields, observer, reply, read_inspect, run_inspect, json);
}

int stopover_plan(const char* fields, const stopover_observer* observer, char** reply) {
  const auto run = [](const PlanSpec& spec, const Observer& ears) { return run_plan(spec, ears); };
  const auto json = [](const Planned& made) { return made.report().json(); };
  return run_job(fields, observer, reply, read_plan, run, json);
}

int stopover_export(const char* fields, const stopover_observer* observer, char** reply) {
  return run_job(fields, observer, reply, read_export, run_export, [](const Exported& made) { return made.json; });
}
