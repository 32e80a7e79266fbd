// TrialCache: trials kept between runs, one small file each, in a folder of the user's. They are public and can be
// lost at any time: whatever cannot be read is made again, whatever cannot be written is not kept.
#pragma once

#include <optional>
#include <string>

#include "plan/trial.h"

namespace stopover {

class TrialCache {
 public:
  // "": keeps nothing. The folder is made when first needed.
  explicit TrialCache(std::string folder) : folder_(std::move(folder)) {}

  // `name` says everything that decides the trial; it is stored beside it and compared.
  std::optional<Trial> find(const std::string& name) const;
  void keep(const std::string& name, const Trial& trial) const;

 private:
  std::string path_of(const std::string& name) const;
  std::string folder_;
};

}  // namespace stopover
