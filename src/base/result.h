// Result<T>: a value, or an Error that says what was wrong, where, and what to do instead.
//
// Expected failure is a value: every function that a user's input can make fail returns one of these. No exceptions
// cross a room's border (base, domain, release and query are compiled to WebAssembly without them).
//
//   Result<Ticks> e = parse_epsilon("0.1");
//   if (!e) return e.error();
//   use(*e);
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/check.h"

namespace stopover {

// The process exit codes of the command line; Python's exception family mirrors them.
enum class Failure : int {
  internal = 1,       // a bug or an impossible system answer
  usage = 2,          // a flag or argument has a bad value
  bad_input = 3,      // a file cannot be read or is not what it should be
  privacy = 4,        // refused because the guarantee would not hold
  check_failed = 5,   // verify or audit said no
  output_exists = 6,  // the output is already there
  locked = 7,         // another process holds what this one needs: the same again later may work
  disk_full = 8,      // there was no room to write
  interrupted = 130,
};

struct Error {
  Failure failure = Failure::internal;
  // First line: what was wrong, naming the value. Further lines (indented by the caller): why, and what to type
  // instead.
  std::string message;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Error error) : error_(std::move(error)) {}

  explicit operator bool() const { return value_.has_value(); }
  const Error& error() const { return error_; }

  // REQUIRES: the result holds a value.
  T& operator*() & { return checked(); }
  const T& operator*() const& { return const_cast<Result*>(this)->checked(); }
  T&& operator*() && { return std::move(checked()); }
  T* operator->() { return &checked(); }
  const T* operator->() const { return &const_cast<Result*>(this)->checked(); }

 private:
  T& checked() {
    STOPOVER_CHECK(value_.has_value(), "value of a failed result was used");
    return *value_;
  }
  std::optional<T> value_;
  Error error_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), ok_(false) {}
  explicit operator bool() const { return ok_; }
  const Error& error() const { return error_; }

 private:
  Error error_;
  bool ok_ = true;
};

using Status = Result<void>;

}  // namespace stopover
