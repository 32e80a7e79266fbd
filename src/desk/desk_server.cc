#include "desk/desk_server.h"

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/thread.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/check.h"
#include "base/usage_error.h"
#include "desk/peer_user.h"

namespace stopover {
namespace {

constexpr std::size_t kMaxHeaders = 16 * 1024;
constexpr ev_ssize_t kMaxBody = ev_ssize_t{64} << 20;  // a file of zones
constexpr int kSeconds = 60;

// Nothing of what is seen here is kept by a browser, shown inside another page or sent on.
constexpr std::array<std::pair<const char*, const char*>, 7> kHeaders = {{
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cache-Control", "no-store"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Permissions-Policy", "camera=(), microphone=(), geolocation=(), interest-cohort=()"},
    {"X-Robots-Tag", "noindex"},
}};
constexpr const char* kPolicy =
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; img-src data:";
// The page's own policy, in its head, names its script and style by their hashes; both count.
constexpr const char* kPagePolicy = "frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

std::string_view header(const evkeyvalq* headers, const char* name) {
  const char* value = evhttp_find_header(headers, name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

DeskMethod method_of(evhttp_cmd_type type) {
  if (type == EVHTTP_REQ_GET) return DeskMethod::get;
  return type == EVHTTP_REQ_POST ? DeskMethod::post : DeskMethod::other;
}

class EventDeskServer final : public DeskServer {
 public:
  EventDeskServer(int fd, std::uint16_t port) : fd_(fd), port_(port), touched_(now()) {
    evthread_use_pthreads();
    base_ = event_base_new();
    http_ = evhttp_new(base_);
    STOPOVER_CHECK(base_ != nullptr && http_ != nullptr, "libevent does not start");
    evhttp_set_timeout(http_, kSeconds);
    evhttp_set_max_headers_size(http_, kMaxHeaders);
    evhttp_set_max_body_size(http_, kMaxBody);
    evhttp_set_allowed_methods(http_, EVHTTP_REQ_GET | EVHTTP_REQ_HEAD | EVHTTP_REQ_POST | EVHTTP_REQ_OPTIONS |
                                          EVHTTP_REQ_PUT | EVHTTP_REQ_DELETE);
    evhttp_set_gencb(http_, [](evhttp_request* r, void* at) { static_cast<EventDeskServer*>(at)->handle(r); }, this);
  }
  ~EventDeskServer() override {
    stop();
    evhttp_free(http_);
    event_base_free(base_);
    if (fd_ >= 0) ::close(fd_);
  }

  std::uint16_t port() const override { return port_; }
  void start(Desk& desk) override {
    desk_ = &desk;
    STOPOVER_CHECK(evhttp_accept_socket(http_, fd_) == 0, "libevent does not listen");
    fd_ = -1;  // libevent's now
    thread_ = std::thread([this] { event_base_loop(base_, EVLOOP_NO_EXIT_ON_EMPTY); });
  }
  unsigned idle_seconds() const override { return static_cast<unsigned>(now() - touched_); }
  void stop() override {
    if (!thread_.joinable()) return;
    const timeval grace{0, 200'000};
    event_base_loopexit(base_, &grace);
    thread_.join();
  }

 private:
  static std::int64_t now() {
    return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  void handle(evhttp_request* request) {
    const evkeyvalq* headers = evhttp_request_get_input_headers(request);
    evbuffer* input = evhttp_request_get_input_buffer(request);
    const std::size_t size = evbuffer_get_length(input);
    const char* body = size == 0 ? "" : reinterpret_cast<const char*>(evbuffer_pullup(input, -1));
    const char* target = evhttp_request_get_uri(request);
    const DeskRequest asked{method_of(evhttp_request_get_command(request)),
                            target == nullptr ? "" : target,
                            header(headers, "Host"),
                            header(headers, "Origin"),
                            header(headers, "Cookie"),
                            header(headers, "Sec-Fetch-Site"),
                            header(headers, "X-Stopover-Desk"),
                            header(headers, "Content-Type"),
                            {body, size}};
    send(request, is_of_another_user(request) ? DeskReply{403, "application/json", "{}"} : desk_->reply(asked));
  }

  // Any user of this machine can reach the port; only the one who started the desk is answered.
  bool is_of_another_user(evhttp_request* request) const {
    char* address = nullptr;
    ev_uint16_t port = 0;
    evhttp_connection_get_peer(evhttp_request_get_connection(request), &address, &port);
    return belongs_to_another(port, port_);
  }

  void send(evhttp_request* request, const DeskReply& reply) {
    if (reply.status < 400) touched_ = now();
    evkeyvalq* headers = evhttp_request_get_output_headers(request);
    evhttp_add_header(headers, "Content-Type", reply.type.c_str());
    for (const auto& [name, value] : kHeaders) evhttp_add_header(headers, name, value);
    bool has_policy = false;
    for (const auto& [name, value] : reply.headers) {
      has_policy = has_policy || name == "Content-Security-Policy";
      evhttp_add_header(headers, name.c_str(), value.c_str());
    }
    if (!has_policy) {
      const bool page = reply.type.starts_with("text/html") && reply.status == 200;
      evhttp_add_header(headers, "Content-Security-Policy", page ? kPagePolicy : kPolicy);
      evhttp_add_header(headers, "X-Frame-Options", "DENY");
    }
    evbuffer* output = evhttp_request_get_output_buffer(request);
    evbuffer_add(output, reply.body.data(), reply.body.size());
    evhttp_send_reply(request, reply.status, reply.status < 300 ? "OK" : "Refused", nullptr);
  }

  int fd_;
  std::uint16_t port_;
  event_base* base_ = nullptr;
  evhttp* http_ = nullptr;
  Desk* desk_ = nullptr;
  std::atomic<std::int64_t> touched_;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<DeskServer>> DeskServer::listen(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return Error{Failure::internal, "no socket could be opened"};
  const int yes = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(port);
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(fd, reinterpret_cast<sockaddr*>(&place), sizeof place) != 0 || ::listen(fd, 64) != 0) {
    const std::string why = std::strerror(errno);
    ::close(fd);
    return usage_error(fmt::format(
        "port {} cannot be listened on: {}\n  Choose another with `port`, or 0 for a free one.", port, why));
  }
  socklen_t size = sizeof place;
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&place), &size);
  return std::unique_ptr<DeskServer>(std::make_unique<EventDeskServer>(fd, ntohs(place.sin_port)));
}

}  // namespace stopover
