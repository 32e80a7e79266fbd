// FieldValues: what a face was given for a job, by the names of its fields. The command line has texts, Python and JSON
// have numbers, truths and lists as well; FieldReader makes the typed fields of a spec of either.
//
//   FieldReader fields(values);
//   fields.text("ledger", spec.ledger).epsilon("epsilon", spec.epsilon).whole("expect_trips", spec.expect_trips, 1,
//   1'000'000);
//   if (Status s = fields.done(); !s) return s.error();      // the first fault, or a name that nobody asked for
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/ticks.h"

namespace stopover {

using FieldValue = std::variant<bool, std::int64_t, double, std::string, std::vector<double>, std::vector<std::string>>;
using FieldValues = std::map<std::string, FieldValue, std::less<>>;

// Every function takes one field and leaves its target as it is where the field was not given or is "". After a fault
// the rest is passed over.
class FieldReader {
 public:
  explicit FieldReader(const FieldValues& values) : values_(values) {}

  // Whether the field was given, and is not "".
  bool has(std::string_view field);
  bool is_text(std::string_view field);

  FieldReader& text(std::string_view field, std::string& target);
  FieldReader& text(std::string_view field, std::optional<std::string>& target);
  FieldReader& truth(std::string_view field, bool& target);
  // One text each; a lone text is a list of one.
  FieldReader& texts(std::string_view field, std::vector<std::string>& target);
  // A list, or a text with `between` its parts.
  FieldReader& names(std::string_view field, std::vector<std::string>& target, char between = ',');
  FieldReader& decimals(std::string_view field, std::vector<double>& target, char between = ',');
  FieldReader& epsilons(std::string_view field, std::vector<Ticks>& target);
  FieldReader& epsilon(std::string_view field, Ticks& target);
  FieldReader& epsilon(std::string_view field, std::optional<Ticks>& target);
  FieldReader& decimal(std::string_view field, double& target);
  FieldReader& decimal(std::string_view field, std::optional<double>& target);

  // A whole number; `Number` an unsigned integer or an optional one.
  template <typename Number>
  FieldReader& whole(std::string_view field, Number& target, std::uint64_t min, std::uint64_t max) {
    if (const std::optional<std::uint64_t> value = whole_value(field, min, max)) {
      if constexpr (requires { typename Number::value_type; }) {
        target = static_cast<typename Number::value_type>(*value);
      } else {
        target = static_cast<Number>(*value);
      }
    }
    return *this;
  }

  // A text with a meaning of its own: `parse` gives a Result of it.
  template <typename T, typename Parse>
  FieldReader& parsed(std::string_view field, T& target, Parse parse) {
    if (const std::optional<std::string> given = text_value(field)) {
      auto result = parse(*given);
      if (result) {
        target = std::move(*result);
      } else {
        fail(result.error());
      }
    }
    return *this;
  }

  // The same of every text of a list.
  template <typename T, typename Parse>
  FieldReader& parsed_each(std::string_view field, std::vector<T>& target, Parse parse) {
    std::vector<std::string> given;
    texts(field, given);
    for (const std::string& one : given) {
      auto result = parse(one);
      if (result) {
        target.push_back(std::move(*result));
      } else {
        fail(result.error());
      }
    }
    return *this;
  }

  // A fault of the caller's finding; the first one counts.
  void fail(Error error);
  bool failed() const { return fault_.has_value(); }

  // Fails with the first fault; and (usage) where a field was given that nobody asked for.
  Status done() const;

 private:
  const FieldValue* take(std::string_view field);
  std::optional<std::string> text_value(std::string_view field);
  std::optional<std::uint64_t> whole_value(std::string_view field, std::uint64_t min, std::uint64_t max);
  std::optional<double> decimal_value(std::string_view field);
  std::optional<Ticks> epsilon_value(std::string_view field);
  void wrong_kind(std::string_view field, std::string_view wanted);

  const FieldValues& values_;
  std::set<std::string, std::less<>> asked_;
  std::optional<Error> fault_;
};

}  // namespace stopover
