// Server: respond() on a socket, by libevent: a few threads, any number of connections, slow ones included.
//
// Each thread has its own connections and answers them as they come. Questions that may take long (may_take_long) are
// answered one after the other by threads of their own, so that nobody waits for another's matrix; when many wait
// already, one more is refused (429).
//
//   Result<std::unique_ptr<Server>> server = Server::start(shelf, {.port = 8080});
//   ... server->replace(newer) ...            // at any time
//   server->stop();
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "serve/respond.h"
#include "serve/shelf.h"

namespace stopover {

// One line of the log. Nothing of what was asked, nor by whom.
struct AccessRecord {
  std::string_view route;
  int status = 0;
  std::size_t bytes = 0;
  std::uint64_t microseconds = 0;
};

struct ServerOptions {
  std::string address = "127.0.0.1";  // a number, IPv4 or IPv6
  std::uint16_t port = 8080;          // 0: any free one
  unsigned threads = 2;
  unsigned seconds = 15;           // a request must arrive, and a reply be taken, within
  unsigned question_seconds = 10;  // answering one question may take; then 422
  HttpLimits limits;
  Patience patience{.answers = 100'000,
                    .zone_cells = std::uint64_t{1} << 23,
                    .corners = 10'000,
                    .late = {}};  // `late` is the server's own
  // Called from several threads at once; may be empty.
  std::function<void(const AccessRecord&)> log;
};

class Server {
 public:
  // Fails (usage) on an address that is none or taken.
  static Result<std::unique_ptr<Server>> start(std::shared_ptr<const Shelf> shelf, const ServerOptions& options);
  virtual ~Server() = default;

  virtual std::uint16_t port() const = 0;
  // From now on every new request is answered from this shelf.
  virtual void replace(std::shared_ptr<const Shelf> shelf) = 0;
  // Takes no more connections, lets replies under way go out, ends its threads.
  virtual void stop() = 0;
};

}  // namespace stopover
