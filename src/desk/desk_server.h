// DeskServer: Desk::reply on a socket of this machine alone, by libevent: one thread, since all work is done in other
// processes.
//
//   Result<std::unique_ptr<DeskServer>> server = DeskServer::listen(0);     // then the gate, which needs the port
//   (*server)->start(desk);
//   ... (*server)->idle_seconds() ... (*server)->stop();
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "desk/desk.h"

namespace stopover {

class DeskServer {
 public:
  // 127.0.0.1 and no other address. Fails (usage) on a port that is taken.
  static Result<std::unique_ptr<DeskServer>> listen(std::uint16_t port);
  virtual ~DeskServer() = default;

  virtual std::uint16_t port() const = 0;
  // REQUIRES: the desk outlives it; called once.
  virtual void start(Desk& desk) = 0;
  // Since somebody who may come in last asked something.
  virtual unsigned idle_seconds() const = 0;
  virtual void stop() = 0;
};

}  // namespace stopover
