// PackedBytes: the bytes of a file, unpacked: NAME.gz by zlib, NAME.zst by zstd, all others as they are.
//
// A file that is cut or damaged is an error, wherever that shows: half of a file must not pass for all of it. So are
// bytes after the end of a packed file that are not packed themselves (zeros may follow, as tape and disk blocks leave
// them), and a file that is packed in another way than its name says.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/result.h"

namespace stopover {

class PackedBytes {
 public:
  // Fails (bad_input) when the file cannot be opened or is not what its name says. `rows_from_the_start`: the file has
  // no header, so that its first bytes may be a row's; then an unpacked file is taken as it is, whatever it begins
  // with.
  static Result<PackedBytes> open(const std::string& path, bool rows_from_the_start);

  // At most `most` bytes; 0 at the end of the file. Fails (bad_input).
  Result<std::size_t> read(char* into, std::size_t most);

 private:
  struct State;
  struct Close {
    void operator()(State* state) const;
  };
  PackedBytes() = default;
  Result<bool> fill();
  Result<std::size_t> read_gzip(char* into, std::size_t most);
  Result<std::size_t> read_zstd(char* into, std::size_t most);

  std::unique_ptr<State, Close> state_;
};

}  // namespace stopover
