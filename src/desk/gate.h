// Gate: who may come in to the desk. One address with a token is told once, on the curator's own terminal; whoever
// opens it first gets a cookie, and the token is worth nothing from then on.
//
//   Gate gate(port, random_secret(), random_secret());
//   gate.admit(request)            for every request but the one that brings the token
//   gate.enter("token")            the cookie, once
//
// What a request must have, besides the cookie:
//   Host            this desk's own address and port: a name that was bent to this machine is turned away
//   Origin          none, or this desk's own; Sec-Fetch-Site none or same-origin. Cookies do not tell ports apart, and
//                   neither does SameSite: another program's page on this machine must not speak for the curator
//   X-Stopover-Desk on every question to the API: a form, a picture or a link of another page cannot send it
// There is no CORS at all: no other origin may read anything.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "desk/exchange.h"

namespace stopover {

// 256 bits of the system's randomness, in hex. Ends the process where there are none.
std::string random_secret();

class Gate {
 public:
  Gate(std::uint16_t port, std::string token, std::string cookie);

  // Whether it comes from this machine's own page of this desk, cookie or not: Host, Origin, Sec-Fetch-Site.
  bool own(const DeskRequest& request) const;
  // Whether it has the cookie.
  bool known(const DeskRequest& request) const;
  // Whether a question to the API may be answered: own, known, and marked.
  bool admits_question(const DeskRequest& request) const;

  // The value of Set-Cookie where this is the token and it comes for the first time; else "".
  std::string enter(std::string_view token);
  const std::string& token() const { return token_; }
  std::string address() const;  // http://127.0.0.1:8090

 private:
  std::uint16_t port_;
  std::string token_, cookie_, name_;
  bool used_ = false;
};

}  // namespace stopover
