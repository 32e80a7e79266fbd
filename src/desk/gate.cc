#include "desk/gate.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>

#include "base/check.h"

namespace stopover {
namespace {

// Takes the same time wherever they differ.
bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char differ = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    differ = static_cast<unsigned char>(differ | (static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i])));
  }
  return differ == 0;
}

}  // namespace

std::string random_secret() {
  std::array<unsigned char, 32> bytes{};
  STOPOVER_CHECK(::getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
                 "the system gives no randomness");
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

// Cookies are the same for all ports of a machine: the name keeps two desks apart.
Gate::Gate(std::uint16_t port, std::string token, std::string cookie)
    : port_(port), token_(std::move(token)), cookie_(std::move(cookie)), name_(fmt::format("stopover_desk_{}", port)) {}

std::string Gate::address() const { return fmt::format("http://127.0.0.1:{}", port_); }

bool Gate::own(const DeskRequest& request) const {
  const bool host =
      request.host == fmt::format("127.0.0.1:{}", port_) || request.host == fmt::format("localhost:{}", port_);
  if (!host) return false;
  if (!request.origin.empty() && request.origin != fmt::format("http://{}", request.host)) return false;
  return request.fetch_site.empty() || request.fetch_site == "same-origin" || request.fetch_site == "none";
}

bool Gate::known(const DeskRequest& request) const {
  std::string_view rest = request.cookie;
  while (!rest.empty()) {
    std::size_t end = rest.find(';');
    if (end == std::string_view::npos) end = rest.size();
    std::string_view one = rest.substr(0, end);
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (one.starts_with(name_) && one.size() > name_.size() && one[name_.size()] == '=' &&
        same_secret(one.substr(name_.size() + 1), cookie_)) {
      return used_;
    }
    rest.remove_prefix(end == rest.size() ? end : end + 1);
  }
  return false;
}

bool Gate::admits_question(const DeskRequest& request) const {
  if (!own(request) || !known(request) || request.marker != "1") return false;
  return request.method != DeskMethod::post || !request.origin.empty();
}

std::string Gate::enter(std::string_view token) {
  if (used_ || !same_secret(token, token_)) return "";
  used_ = true;
  return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict", name_, cookie_);
}

}  // namespace stopover
