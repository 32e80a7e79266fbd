// Observer: how a job speaks to whoever started it, and how it hears that it shall stop. The command line gives it its
// terminal, Python its own ears; the job is the same. One that says and hears nothing:
//
//   Result<Published> published = run_publish(spec, Observer());
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "base/result.h"

namespace stopover {

struct Observer {
  std::function<void(std::size_t)> steps = [](std::size_t) {};  // how many phases there will be
  std::function<void(std::string_view)> phase = [](std::string_view) {
  };  // one begins; fixed names, nothing about the data
  std::function<void()> pause = [] {};  // the current one is over
  // How far the current one is, in rows of the data (0 of 0: not known any more). Un-noised, as private_note.
  std::function<void(std::uint64_t done, std::uint64_t of)> progress = [](std::uint64_t, std::uint64_t) {};
  // Messages; fields in them stand between back quotes (base/field_words.h).
  std::function<void(std::string_view)> note = [](std::string_view) {};
  std::function<void(std::string_view)> warn = [](std::string_view) {};
  // Un-noised: for the curator's eyes. Called whatever the data are, with "" where there is nothing to tell: that it is
  // called says nothing (cli/terminal.h).
  std::function<void(std::string_view)> private_note = [](std::string_view) {};
  std::function<bool()> interrupted = [] { return false; };  // asked now and then, also by other threads
  unsigned threads = 0;                                      // for the work; DEFAULT: 0, all the machine's

  // Failure::interrupted once asked to stop.
  Status check() const { return interrupted() ? Status(Error{Failure::interrupted, "interrupted"}) : Status(); }
};

}  // namespace stopover
