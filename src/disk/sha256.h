// SHA-256, as lower-case hex.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace stopover {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::string_view bytes) { add(bytes.data(), bytes.size()); }
  void add(const void* bytes, std::size_t size);
  // The digest; nothing may be added afterwards.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256_of(std::string_view bytes);
// Fails (bad_input) when the file cannot be read.
Result<std::string> sha256_of_file(const std::string& path);

}  // namespace stopover
