#include "ingest/user_column.h"

#include <algorithm>
#include <array>

namespace stopover {
namespace {

// Each alone, and with one of the endings after it.
constexpr std::array<std::string_view, 33> kPersons = {
    "user",  "usr",        "person",      "individual", "rider",      "member",   "device",   "customer", "account",
    "card",  "client",     "passenger",   "driver",     "subscriber", "subject",  "phone",    "mobile",   "handset",
    "agent", "respondent", "participant", "traveller",  "traveler",   "panelist", "employee", "patient",  "student",
    "owner", "holder",     "cardholder",  "vehicle",    "taxi",       "cab"};
constexpr std::array<std::string_view, 10> kEndings = {"",   "id", "ids", "hash",   "key",
                                                       "no", "nr", "num", "number", "uuid"};
// Whole names.
constexpr std::array<std::string_view, 15> kUserNames = {
    "uid",  "uuid", "pid",  "imei",  "imsi",          "msisdn",       "adid",    "idfa",
    "gaid", "maid", "caid", "email", "advertisingid", "advertiserid", "username"};

}  // namespace

bool looks_like_user(std::string_view column) {
  std::string name;
  for (const char c : column) {
    if (c >= 'A' && c <= 'Z') name += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) name += c;
  }
  if (std::find(kUserNames.begin(), kUserNames.end(), name) != kUserNames.end()) return true;
  return std::any_of(kPersons.begin(), kPersons.end(), [&](std::string_view person) {
    return name.starts_with(person) &&
           std::find(kEndings.begin(), kEndings.end(), std::string_view(name).substr(person.size())) != kEndings.end();
  });
}

std::optional<std::string> find_user_column(const std::vector<std::string>& columns) {
  const auto found = std::find_if(columns.begin(), columns.end(), looks_like_user);
  return found == columns.end() ? std::nullopt : std::optional(*found);
}

}  // namespace stopover
