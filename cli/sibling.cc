#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/commands.h"

namespace stopover {
namespace {

constexpr std::array<std::string_view, 3> kSiblings = {"audit", "evaluate", "reproduce"};

}  // namespace

void add_sibling(Cli& cli, const std::string& name, const std::string& summary) {
  cli.command({name, summary, {"stopover " + name + " --help"}, "Run by stopover-lab, which lies beside this program."},
              [](const Session&) { return Status(Error{Failure::internal, "the sibling was not run"}); });
}

void run_sibling(int argc, char** argv) {
  int at = word_at(1, argc, argv);
  if (at < argc && std::string_view(argv[at]) == "help") at = word_at(at + 1, argc, argv);
  if (at >= argc || std::find(kSiblings.begin(), kSiblings.end(), std::string_view(argv[at])) == kSiblings.end())
    return;
  std::error_code failed;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", failed);
  const std::string lab = (own.parent_path() / "stopover-lab").string();
  if (!failed) execv(lab.c_str(), argv);
  Terminal(error_options(argc, argv))
      .error({Failure::internal, fmt::format("{} is run by stopover-lab, which cannot be started\n  {}: {}", argv[at],
                                             lab, std::strerror(errno))});
  std::exit(static_cast<int>(Failure::internal));
}

}  // namespace stopover
