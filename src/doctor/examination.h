// examine: what this machine has of what stopover uses, what it lacks, and how to get that. Reads no data, writes
// nothing, and starts other programs only to ask for their versions.
//
//   for (const Finding& f : examine({"0.1.0"})) ...
//   is_fit(findings)     // nothing is bad: all commands that need nothing else will work
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stopover {

enum class Health {
  ok,
  lacking,  // something can not be done, or is slow; the rest works
  bad,      // releases cannot be made or read here
};

// "ok", "lacking", "bad"
std::string_view health_text(Health health);

struct Finding {
  std::string name;  // "state folder"
  Health health = Health::ok;
  std::string found;  // what is there: a version, a path, a size; or what is wrong
  std::string used;   // what for
  std::string get;    // how to get it; empty where all is well
};

struct Patient {
  std::string version;  // the program's own
};

// Always the same ones, in the same order.
std::vector<Finding> examine(const Patient& patient);

bool is_fit(const std::vector<Finding>& findings);

}  // namespace stopover
