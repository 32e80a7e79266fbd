// ChildProgram: another program, started in a process group of its own: a Ctrl-C on the terminal is not for it, and a
// signal to the group reaches all that it started.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace stopover {

// What the program gets besides the three usual streams, and what those are.
struct ChildFiles {
  int stream = -1;     // for what it says on stdout and stderr; with it, its stdin is empty. DEFAULT: all as ours
  int inherited = -1;  // stays open in the program under the same number. DEFAULT: none
};

struct ChildProgram {
  pid_t process = -1;
  int error = 0;  // errno where it could not be started
};

// The first word is the program, looked for in PATH.
ChildProgram start_program(std::vector<std::string> words, const ChildFiles& given);

}  // namespace stopover
