// run_worker: one job of the desk in a process of its own, so that whatever becomes of it leaves the desk alive.
//
//   stdin    {"job": "publish", "fields": {...}, "state": "...", "test_key": ""}
//   stdout   a line of JSON for each thing that is told, and one at the end:
//            {"steps": 5}  {"phase": "reading rows"}  {"note": ...}  {"warning": ...}  {"private": ...}
//            {"result": ...} or {"text": "<!doctype html>..."}, or {"error": {"code": 4, "message": ..., "field": ...}}
//
// Jobs and their fields are those of every other face (src/job):
//   columns, places, inspect   read_inspect      plan      read_plan          export   read_export
//   rehearse, publish          read_publish
// and of what is there already:
//   zones      {zones, zone_id, levels, overlaps}   a file of zones, to draw
//   explorer   {release}            the explorer's page (text)
//   card       {release}            what each of its releases promises, and what not
//   board      {release, ledgers}   a page for people who decide (text); of a series, of its latest release
//   verify     {release}            all rules and hashes
//   ledger     {ledger}             balance, records, calendar
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "job/publish_job.h"

namespace stopover {

struct WorkerSurroundings {
  std::function<void(const std::string& line)> tell;  // a line, with its end; called by one thread at a time
  std::function<bool()> interrupted = [] { return false; };
  unsigned threads = 0;
  KeyByName key_by_name = nullptr;
};

// The process's exit code: 0, or that of the error that was told.
int run_worker(std::string_view order, const WorkerSurroundings& surroundings);

}  // namespace stopover
