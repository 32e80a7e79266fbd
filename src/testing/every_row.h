// For tests that run over every row of the table of mechanisms: a row with parameters that keep it quick.
//
//   class Contract : public EveryRow {};
//   TEST_P(Contract, ...) { mechanism_; params_; fits({16, 16}); }
//   STOPOVER_EVERY_ROW(Contract);
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "mechanism/mechanism.h"
#include "peers/lab_run.h"

namespace stopover {

class EveryRow : public ::testing::TestWithParam<std::size_t> {
 protected:
  // `limits`: values for those of these parameters that the row has.
  explicit EveryRow(const std::vector<std::pair<std::string, std::string>>& limits)
      : params_(*read_params(mechanism_, known(limits))) {}

  std::vector<std::pair<std::string, std::string>> known(
      const std::vector<std::pair<std::string, std::string>>& values) const {
    std::vector<std::pair<std::string, std::string>> result;
    for (const auto& value : values) {
      for (const ParamSpec& spec : mechanism_.params) {
        if (spec.name == value.first) result.push_back(value);
      }
    }
    return result;
  }
  bool fits(const std::vector<std::uint64_t>& shape) const {
    return static_cast<bool>(check_in_lab(mechanism_, params_, *Domain::of_shape(shape)));
  }

  const Mechanism& mechanism_ = mechanisms()[GetParam()];
  const Params params_;
};

#define STOPOVER_EVERY_ROW(suite)                                                                                    \
  INSTANTIATE_TEST_SUITE_P(EveryMechanism, suite, ::testing::Range<std::size_t>(0, ::stopover::mechanisms().size()), \
                           [](const auto& row) {                                                                     \
                             std::string name(::stopover::mechanisms()[row.param].name);                             \
                             std::replace(name.begin(), name.end(), '-', '_');                                       \
                             return name;                                                                            \
                           })

}  // namespace stopover
