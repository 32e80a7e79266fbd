#include "job/fields_json.h"

#include <gtest/gtest.h>

#include "job/plan_job.h"

namespace stopover {
namespace {

TEST(FieldsJson, EveryKindOfValueArrives) {
  const Result<FieldValues> values = fields_of_json(
      R"({"n": 5000, "epsilon": [0.1, 0.3], "grid": "64x32", "formulas": true, "mechanism": ["eug"],
          "trips_per_person": null, "seed": 18446744073709551615, "extent_km": 12.5})");
  ASSERT_TRUE(values) << values.error().message;
  EXPECT_EQ(values->count("trips_per_person"), 0u);
  const Result<PlanSpec> spec = read_plan(*values);
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->n, 5000u);
  EXPECT_EQ(spec->epsilons, (std::vector<Ticks>{kTicksPerEpsilon / 10, 3 * kTicksPerEpsilon / 10}));
  EXPECT_EQ(spec->grid, std::pair(64u, 32u));
  EXPECT_TRUE(spec->formulas);
  EXPECT_EQ(spec->mechanisms, std::vector<std::string>{"eug"});
  EXPECT_EQ(spec->seed, UINT64_MAX);
  EXPECT_EQ(spec->extent_km, std::vector{12.5});
}

TEST(FieldsJson, WhatCannotBeAFieldIsNamed) {
  const struct {
    const char* text;
    Failure failure;
    const char* begins;
  } cases[] = {{"{\"n\": ", Failure::bad_input, "the fields are not valid JSON"},
               {"[1, 2]", Failure::usage, "the fields are a list"},
               {R"({"n": {"a": 1}})", Failure::usage, "`n` is {\"a\":1}"},
               {R"({"bbox": [1, "2"]})", Failure::usage, "`bbox` is [1,\"2\"]"}};
  for (const auto& c : cases) {
    const Result<FieldValues> values = fields_of_json(c.text);
    ASSERT_FALSE(values) << c.text;
    EXPECT_EQ(values.error().failure, c.failure);
    EXPECT_TRUE(values.error().message.starts_with(c.begins)) << values.error().message;
  }
}

}  // namespace
}  // namespace stopover
