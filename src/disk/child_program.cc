#include "disk/child_program.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

extern char** environ;

namespace stopover {

ChildProgram start_program(std::vector<std::string> words, const ChildFiles& given) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t group;
  posix_spawn_file_actions_init(&files);
  if (given.stream >= 0) {
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, given.stream, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, given.stream, STDERR_FILENO);
  }
  // Onto itself: without close-on-exec.
  if (given.inherited >= 0) posix_spawn_file_actions_adddup2(&files, given.inherited, given.inherited);
  posix_spawnattr_init(&group);
  posix_spawnattr_setflags(&group, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&group, 0);
  ChildProgram child;
  child.error = posix_spawnp(&child.process, arguments[0], &files, &group, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&group);
  return child;
}

}  // namespace stopover
