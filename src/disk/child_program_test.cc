#include "disk/child_program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

namespace stopover {
namespace {

TEST(ChildProgram, IsInAGroupOfItsOwnWithTheFilesItWasGiven) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  const int kept = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const std::string script = "cat; echo said; echo also >&2; [ -e /proc/self/fd/" + std::to_string(kept) +
                             " ] && echo kept; read process name state parent group rest </proc/self/stat; [ $process "
                             "= $group ] && echo alone";
  const ChildProgram child = start_program({"sh", "-c", script}, {.stream = ends[1], .inherited = kept});
  ASSERT_EQ(child.error, 0);
  close(ends[1]);
  std::string text;
  std::array<char, 64> buffer{};
  for (ssize_t n = 0; (n = read(ends[0], buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  EXPECT_EQ(text, "said\nalso\nkept\nalone\n");
  int status = 0;
  EXPECT_EQ(waitpid(child.process, &status, 0), child.process);
  close(ends[0]);
  close(kept);
}

TEST(ChildProgram, OneThatIsNotThereIsTold) {
  if (std::getenv("STOPOVER_EMULATED") != nullptr) GTEST_SKIP() << "qemu does not say that a program could not start";
  EXPECT_EQ(start_program({"no-such-program"}, {}).error, ENOENT);
}

}  // namespace
}  // namespace stopover
