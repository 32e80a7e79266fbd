#include "job/field_values.h"

#include <fmt/format.h>

#include <cmath>

#include "base/nearest.h"
#include "base/split.h"
#include "base/usage_error.h"
#include "job/parse_number.h"
#include "text/figure_text.h"

namespace stopover {

void FieldReader::fail(Error error) {
  if (!fault_) fault_ = std::move(error);
}

void FieldReader::wrong_kind(std::string_view field, std::string_view wanted) {
  fail(usage_error(fmt::format("`{}` must be {}", field, wanted)));
}

const FieldValue* FieldReader::take(std::string_view field) {
  asked_.emplace(field);
  const auto found = values_.find(field);
  if (fault_ || found == values_.end()) return nullptr;
  const auto* text = std::get_if<std::string>(&found->second);
  return text != nullptr && text->empty() ? nullptr : &found->second;
}

bool FieldReader::has(std::string_view field) { return take(field) != nullptr; }

bool FieldReader::is_text(std::string_view field) {
  const FieldValue* value = take(field);
  return value != nullptr && std::holds_alternative<std::string>(*value);
}

std::optional<std::string> FieldReader::text_value(std::string_view field) {
  const FieldValue* value = take(field);
  if (value == nullptr) return std::nullopt;
  if (const auto* text = std::get_if<std::string>(value)) return *text;
  if (const auto* number = std::get_if<std::int64_t>(value)) return std::to_string(*number);
  wrong_kind(field, "a text");
  return std::nullopt;
}

std::optional<std::uint64_t> FieldReader::whole_value(std::string_view field, std::uint64_t min, std::uint64_t max) {
  const FieldValue* value = take(field);
  if (value == nullptr) return std::nullopt;
  const auto* text = std::get_if<std::string>(value);
  const auto* number = std::get_if<std::int64_t>(value);
  const auto* decimal = std::get_if<double>(value);
  if (text == nullptr && number == nullptr && decimal == nullptr) {
    wrong_kind(field, "a whole number");
    return std::nullopt;
  }
  const Result<std::uint64_t> parsed = parse_whole_number(field,
                                                          text != nullptr     ? *text
                                                          : number != nullptr ? std::to_string(*number)
                                                                              : number_text(*decimal),
                                                          min, max);
  if (parsed) return *parsed;
  fail(parsed.error());
  return std::nullopt;
}

std::optional<double> FieldReader::decimal_value(std::string_view field) {
  const FieldValue* value = take(field);
  if (value == nullptr) return std::nullopt;
  if (const auto* number = std::get_if<std::int64_t>(value)) return static_cast<double>(*number);
  if (const auto* number = std::get_if<double>(value); number != nullptr && std::isfinite(*number)) return *number;
  if (const auto* text = std::get_if<std::string>(value)) {
    const Result<double> parsed = parse_decimal(field, *text);
    if (parsed) return *parsed;
    fail(parsed.error());
    return std::nullopt;
  }
  wrong_kind(field, "a number such as 1.5");
  return std::nullopt;
}

std::optional<Ticks> FieldReader::epsilon_value(std::string_view field) {
  const FieldValue* value = take(field);
  if (value == nullptr) return std::nullopt;
  const std::string what = fmt::format("`{}`", field);
  const auto* text = std::get_if<std::string>(value);
  const auto* whole = std::get_if<std::int64_t>(value);
  const auto* decimal = std::get_if<double>(value);
  if (text == nullptr && whole == nullptr && decimal == nullptr) {
    wrong_kind(field, "a number above 0 and at most 1000");
    return std::nullopt;
  }
  const Result<Ticks> ticks = text != nullptr
                                  ? parse_epsilon(*text, what)
                                  : epsilon_of(whole != nullptr ? static_cast<double>(*whole) : *decimal, what);
  if (ticks) return *ticks;
  fail(ticks.error());
  return std::nullopt;
}

FieldReader& FieldReader::text(std::string_view field, std::string& target) {
  if (std::optional<std::string> given = text_value(field)) target = std::move(*given);
  return *this;
}

FieldReader& FieldReader::text(std::string_view field, std::optional<std::string>& target) {
  if (std::optional<std::string> given = text_value(field)) target = std::move(*given);
  return *this;
}

FieldReader& FieldReader::truth(std::string_view field, bool& target) {
  const FieldValue* value = take(field);
  if (value == nullptr) return *this;
  if (const auto* given = std::get_if<bool>(value)) {
    target = *given;
  } else {
    wrong_kind(field, "true or false");
  }
  return *this;
}

FieldReader& FieldReader::texts(std::string_view field, std::vector<std::string>& target) {
  const FieldValue* value = take(field);
  if (value == nullptr) return *this;
  if (const auto* list = std::get_if<std::vector<std::string>>(value)) {
    target = *list;
  } else if (const auto* numbers = std::get_if<std::vector<double>>(value)) {
    target.clear();
    for (const double number : *numbers) target.push_back(number_text(number));
  } else if (std::optional<std::string> one = text_value(field)) {
    target = {std::move(*one)};
  }
  return *this;
}

FieldReader& FieldReader::names(std::string_view field, std::vector<std::string>& target, char between) {
  const FieldValue* value = take(field);
  if (value == nullptr) return *this;
  if (const auto* text = std::get_if<std::string>(value)) {
    target = split(*text, between);
    return *this;
  }
  return texts(field, target);
}

FieldReader& FieldReader::decimals(std::string_view field, std::vector<double>& target, char between) {
  const FieldValue* value = take(field);
  if (value == nullptr) return *this;
  if (const auto* list = std::get_if<std::vector<double>>(value)) {
    target = *list;
    return *this;
  }
  const auto* texts = std::get_if<std::vector<std::string>>(value);
  const auto* text = std::get_if<std::string>(value);
  if (texts == nullptr && text == nullptr) {
    if (const std::optional<double> one = decimal_value(field)) target = {*one};
    return *this;
  }
  target.clear();
  for (const std::string& part : texts != nullptr ? *texts : split(*text, between)) {
    const Result<double> number = parse_decimal(field, part);
    if (number) {
      target.push_back(*number);
    } else {
      fail(number.error());
    }
  }
  return *this;
}

FieldReader& FieldReader::epsilons(std::string_view field, std::vector<Ticks>& target) {
  const FieldValue* value = take(field);
  if (value == nullptr) return *this;
  const std::string what = fmt::format("`{}`", field);
  const auto add = [&](const Result<Ticks>& ticks) { ticks ? target.push_back(*ticks) : fail(ticks.error()); };
  target.clear();
  if (const auto* list = std::get_if<std::vector<double>>(value)) {
    for (const double epsilon : *list) add(epsilon_of(epsilon, what));
  } else if (const auto* texts = std::get_if<std::vector<std::string>>(value)) {
    for (const std::string& text : *texts) add(parse_epsilon(text, what));
  } else if (const auto* text = std::get_if<std::string>(value)) {
    for (const std::string& part : split(*text, ',')) add(parse_epsilon(part, what));
  } else if (const std::optional<Ticks> one = epsilon_value(field)) {
    target = {*one};
  }
  return *this;
}

FieldReader& FieldReader::epsilon(std::string_view field, Ticks& target) {
  if (const std::optional<Ticks> ticks = epsilon_value(field)) target = *ticks;
  return *this;
}

FieldReader& FieldReader::epsilon(std::string_view field, std::optional<Ticks>& target) {
  if (const std::optional<Ticks> ticks = epsilon_value(field)) target = ticks;
  return *this;
}

FieldReader& FieldReader::decimal(std::string_view field, double& target) {
  if (const std::optional<double> number = decimal_value(field)) target = *number;
  return *this;
}

FieldReader& FieldReader::decimal(std::string_view field, std::optional<double>& target) {
  if (const std::optional<double> number = decimal_value(field)) target = number;
  return *this;
}

Status FieldReader::done() const {
  if (fault_) return *fault_;
  for (const auto& [field, value] : values_) {
    if (asked_.contains(field)) continue;
    const std::vector<std::string> known(asked_.begin(), asked_.end());
    return usage_error(fmt::format("`{}` does not go with this\n {}", field, did_you_mean(field, known)));
  }
  return {};
}

}  // namespace stopover
