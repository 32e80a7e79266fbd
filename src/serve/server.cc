#include "serve/server.h"

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
#include <event2/thread.h>
#include <event2/util.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace stopover {
namespace {

constexpr std::size_t kMaxHeaders = 16 * 1024;
constexpr std::size_t kMostWaiting = 32;                       // long questions
constexpr std::size_t kMostTileBytes = std::size_t{64} << 20;  // of parts on their way, all clients together
constexpr const char* kTooMany = "{\"error\":{\"message\":\"too many long questions are waiting\"}}\n";
constexpr const char* kTooManyParts = "{\"error\":{\"message\":\"too many parts of the basemap are on their way\"}}\n";
// Besides the page's own policy (in its head): what only a header can say.
constexpr std::array<std::pair<const char*, const char*>, 5> kHeaders = {{
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cache-Control", "no-store"},
    {"X-Frame-Options", "DENY"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
}};
constexpr const char* kPolicy = "default-src 'none'; frame-ancestors 'none'";
constexpr const char* kPagePolicy = "frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

HttpMethod method_of(evhttp_cmd_type type) {
  switch (type) {
    case EVHTTP_REQ_GET:
      return HttpMethod::get;
    case EVHTTP_REQ_HEAD:
      return HttpMethod::head;
    case EVHTTP_REQ_POST:
      return HttpMethod::post;
    case EVHTTP_REQ_OPTIONS:
      return HttpMethod::options;
    default:
      return HttpMethod::other;
  }
}

std::string_view header(const evkeyvalq* headers, const char* name) {
  const char* value = evhttp_find_header(headers, name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

const char* reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 206:
      return "Partial Content";
    case 304:
      return "Not Modified";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 416:
      return "Range Not Satisfiable";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    default:
      return "Bad Request";
  }
}

Result<int> listening_socket(const std::string& address, std::uint16_t port) {
  sockaddr_storage place{};
  int size = sizeof place;
  if (evutil_parse_sockaddr_port(address.c_str(), reinterpret_cast<sockaddr*>(&place), &size) != 0) {
    return Error{Failure::usage, fmt::format("{} is not an address\n  Write a number such as 127.0.0.1 or "
                                             "::1.",
                                             address)};
  }
  (place.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&place)->sin6_port
                               : reinterpret_cast<sockaddr_in*>(&place)->sin_port) = htons(port);
  const int fd = ::socket(place.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return Error{Failure::internal, "no socket could be opened"};
  const int yes = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (::bind(fd, reinterpret_cast<sockaddr*>(&place), static_cast<socklen_t>(size)) != 0 || ::listen(fd, 1024) != 0) {
    const std::string why = std::strerror(errno);
    ::close(fd);
    return Error{
        Failure::usage,
        fmt::format("port {} of {} cannot be listened on: {}\n  Choose another with `port`, or 0 for a free one.", port,
                    address, why)};
  }
  return fd;
}

void allow_many_connections() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 65536);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

class EventServer final : public Server {
 public:
  EventServer(std::shared_ptr<const Shelf> shelf, const ServerOptions& options, int fd)
      : options_(options), shelf_(std::move(shelf)), fd_(fd) {
    sockaddr_storage place{};
    socklen_t size = sizeof place;
    ::getsockname(fd_, reinterpret_cast<sockaddr*>(&place), &size);
    port_ = ntohs(place.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&place)->sin6_port
                                              : reinterpret_cast<sockaddr_in*>(&place)->sin_port);
    const unsigned threads = std::max(1u, options_.threads);
    for (unsigned i = 0; i < threads; ++i) loops_.push_back(std::make_unique<Loop>(*this));
    for (const auto& loop : loops_)
      loop->thread = std::thread([&l = *loop] { event_base_loop(l.base, EVLOOP_NO_EXIT_ON_EMPTY); });
    for (unsigned i = 0; i < (threads + 1) / 2; ++i) workers_.emplace_back([this] { work(); });
  }
  ~EventServer() override { stop(); }

  std::uint16_t port() const override { return port_; }
  void replace(std::shared_ptr<const Shelf> shelf) override {
    const std::scoped_lock lock(shelf_mutex_);
    shelf_.swap(shelf);
  }

  void stop() override {
    if (stopped_) return;
    stopped_ = true;
    {
      const std::scoped_lock lock(mutex_);
      stopping_ = true;
    }
    waiting_.notify_all();
    for (std::thread& worker : workers_) worker.join();
    for (const auto& loop : loops_) {
      loop->soon([](evutil_socket_t, short, void* at) { static_cast<Loop*>(at)->close(); }, loop.get());
    }
    for (const auto& loop : loops_) loop->thread.join();
    loops_.clear();
    ::close(fd_);
  }

 private:
  struct Loop {
    explicit Loop(EventServer& s) : server(s), base(event_base_new()), http(evhttp_new(base)) {
      STOPOVER_CHECK(base != nullptr && http != nullptr, "libevent does not start");
      evhttp_set_timeout(http, static_cast<int>(s.options_.seconds));
      evhttp_set_max_headers_size(http, kMaxHeaders);
      // Somewhat more than is taken, and methods that are none of ours: what respond() refuses gets a reason in JSON,
      // what libevent refuses a page of its own.
      evhttp_set_max_body_size(http, 2 * static_cast<ev_ssize_t>(s.options_.limits.body));
      evhttp_set_allowed_methods(http, EVHTTP_REQ_GET | EVHTTP_REQ_HEAD | EVHTTP_REQ_POST | EVHTTP_REQ_OPTIONS |
                                           EVHTTP_REQ_PUT | EVHTTP_REQ_DELETE | EVHTTP_REQ_PATCH);
      evhttp_set_gencb(
          http, [](evhttp_request* r, void* at) { static_cast<Loop*>(at)->server.handle(r, *static_cast<Loop*>(at)); },
          this);
      // libevent closes what it was given, so every loop listens on a copy.
      accepting = evhttp_accept_socket_with_handle(http, ::dup(s.fd_));
      STOPOVER_CHECK(accepting != nullptr, "libevent does not listen");
    }
    void close() {
      evconnlistener_disable(evhttp_bound_socket_get_listener(accepting));
      const timeval grace{0, 300'000};
      event_base_loopexit(base, &grace);
    }
    void soon(event_callback_fn call, void* with) const {
      const timeval now{0, 0};
      STOPOVER_CHECK(event_base_once(base, -1, EV_TIMEOUT, call, with, &now) == 0, "libevent takes no event");
    }
    ~Loop() {
      evhttp_free(http);
      event_base_free(base);
    }
    EventServer& server;
    event_base* base;
    evhttp* http;
    evhttp_bound_socket* accepting = nullptr;
    std::thread thread;
  };

  using Clock = std::chrono::steady_clock;

  // A long question on its way: from its loop to a worker and back. Only its loop touches `request`.
  struct Job {
    EventServer& server;
    Loop& loop;
    evhttp_request* request;  // nullptr: libevent has freed it
    std::shared_ptr<const Shelf> shelf;
    std::string target, host, content_type, body, origin;
    Clock::time_point begin;
    HttpReply reply{429, "application/json", kTooMany, "query"};
    std::atomic<bool> gone = false;  // nobody waits for it any more
  };

  void handle(evhttp_request* request, Loop& loop) {
    const Clock::time_point begin = Clock::now();
    const evkeyvalq* headers = evhttp_request_get_input_headers(request);
    evbuffer* input = evhttp_request_get_input_buffer(request);
    const std::size_t size = evbuffer_get_length(input);
    const char* body = size == 0 ? "" : reinterpret_cast<const char*>(evbuffer_pullup(input, -1));
    const char* target = evhttp_request_get_uri(request);
    const HttpRequest asked{method_of(evhttp_request_get_command(request)),
                            target == nullptr ? "" : target,
                            header(headers, "Host"),
                            header(headers, "Content-Type"),
                            {body, size},
                            header(headers, "Origin"),
                            header(headers, "Range"),
                            header(headers, "If-Match"),
                            header(headers, "If-None-Match"),
                            header(headers, "If-Range")};
    std::shared_ptr<const Shelf> shelf = shelf_now();
    if (!may_take_long(asked)) {
      send(request, respond(*shelf, asked, options_.limits, patience_from(begin)), begin);
      return;
    }
    std::unique_ptr<Job> job(new Job{*this, loop, request, std::move(shelf), std::string(asked.target),
                                     std::string(asked.host), std::string(asked.content_type), std::string(asked.body),
                                     std::string(asked.origin), begin});
    {
      const std::scoped_lock lock(mutex_);
      if (jobs_.size() < kMostWaiting && !stopping_) {
        evhttp_connection_set_closecb(
            evhttp_request_get_connection(request), [](evhttp_connection*, void* at) { left(*static_cast<Job*>(at)); },
            job.get());
        jobs_.push_back(std::move(job));
      }
    }
    if (job == nullptr) {
      waiting_.notify_one();
    } else {
      send(request, {429, "application/json", kTooMany, "query"}, begin);
    }
  }

  // The client went away. A request that was still in the connection goes with it; one that was taken out of it must
  // be replied to all the same, which frees it.
  static void left(Job& job) {
    job.gone = true;
    if (job.request != nullptr && evhttp_request_get_connection(job.request) != nullptr) job.request = nullptr;
  }

  void work() {
    for (;;) {
      std::unique_ptr<Job> job;
      {
        std::unique_lock lock(mutex_);
        waiting_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
        if (jobs_.empty()) return;
        job = std::move(jobs_.front());
        jobs_.pop_front();
      }
      if (!job->gone && !stopping_)
        job->reply =
            respond(*job->shelf, {HttpMethod::post, job->target, job->host, job->content_type, job->body, job->origin},
                    options_.limits, patience_from(Clock::now(), &job->gone));
      const Loop& loop = job->loop;
      loop.soon([](evutil_socket_t, short, void* at) { deliver(std::unique_ptr<Job>(static_cast<Job*>(at))); },
                job.release());
    }
  }

  static void deliver(std::unique_ptr<Job> job) {
    if (job->request == nullptr) return;
    if (evhttp_connection* connection = evhttp_request_get_connection(job->request)) {
      evhttp_connection_set_closecb(connection, nullptr, nullptr);
    }
    job->server.send(job->request, std::move(job->reply), job->begin);
  }

  std::shared_ptr<const Shelf> shelf_now() const {
    const std::scoped_lock lock(shelf_mutex_);
    return shelf_;
  }

  Patience patience_from(Clock::time_point begin, const std::atomic<bool>* gone = nullptr) const {
    Patience patience = options_.patience;
    patience.late = [this, gone, end = begin + std::chrono::seconds(options_.question_seconds)] {
      return stopping_ || (gone != nullptr && *gone) || Clock::now() > end;
    };
    return patience;
  }

  // Part of a file, until it is sent or nobody waits for it any more.
  struct Part {
    std::string bytes;
    std::atomic<std::size_t>& on_their_way;
    ~Part() { on_their_way -= bytes.size(); }
  };

  void send(evhttp_request* request, HttpReply reply, Clock::time_point begin) {
    const std::size_t size = reply.body.size();
    const bool is_part = reply.route == "basemap" && size > 0 && reply.status < 300;
    std::unique_ptr<Part> part;
    if (is_part) {
      const bool fits = (tile_bytes_ += size) <= kMostTileBytes;
      part.reset(new Part{std::move(reply.body), tile_bytes_});
      if (!fits) {
        part.reset();
        reply = {429, "application/json", kTooManyParts, "basemap"};
      }
    }
    evkeyvalq* out = evhttp_request_get_output_headers(request);
    for (const auto& [name, value] : kHeaders) evhttp_add_header(out, name, value);
    evhttp_add_header(out, "Content-Security-Policy", reply.route == "page" ? kPagePolicy : kPolicy);
    evhttp_add_header(out, "Content-Type", reply.content_type.c_str());
    for (const auto& [name, value] : reply.headers) evhttp_add_header(out, name, value.c_str());
    evbuffer* text = evbuffer_new();
    STOPOVER_CHECK(text != nullptr, "no memory for a reply");
    if (evhttp_request_get_command(request) == EVHTTP_REQ_HEAD) {
      // libevent would send the body. With 304 the length would have to be that of a whole one.
      if (reply.status != 304)
        evhttp_add_header(out, "Content-Length", std::to_string(reply.length.value_or(reply.body.size())).c_str());
    } else if (part != nullptr) {
      const std::string& bytes = part->bytes;
      STOPOVER_CHECK(evbuffer_add_reference(
                         text, bytes.data(), bytes.size(),
                         [](const void*, std::size_t, void* at) { delete static_cast<Part*>(at); }, part.get()) == 0,
                     "no memory for a reply");
      (void)part.release();
    } else {
      STOPOVER_CHECK(evbuffer_add(text, reply.body.data(), reply.body.size()) == 0, "no memory for a reply");
    }
    evhttp_send_reply(request, reply.status, reason_of(reply.status), text);
    evbuffer_free(text);
    if (options_.log) {
      const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
      options_.log({reply.route, reply.status, size, static_cast<std::uint64_t>(took.count())});
    }
  }

  const ServerOptions options_;
  // A mutex, as std::atomic<std::shared_ptr> of libstdc++ 12 is no help: its load unlocks with memory_order_relaxed, so
  // that a store which follows does not wait for what was read.
  mutable std::mutex shelf_mutex_;
  std::shared_ptr<const Shelf> shelf_;
  int fd_;
  std::uint16_t port_ = 0;
  std::atomic<std::size_t> tile_bytes_ = 0;
  bool stopped_ = false;
  std::vector<std::unique_ptr<Loop>> loops_;
  std::mutex mutex_;  // of the jobs
  std::condition_variable waiting_;
  std::deque<std::unique_ptr<Job>> jobs_;
  std::atomic<bool> stopping_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace

Result<std::unique_ptr<Server>> Server::start(std::shared_ptr<const Shelf> shelf, const ServerOptions& options) {
  evthread_use_pthreads();
  allow_many_connections();
  const Result<int> fd = listening_socket(options.address, options.port);
  if (!fd) return fd.error();
  return std::unique_ptr<Server>(std::make_unique<EventServer>(std::move(shelf), options, *fd));
}

}  // namespace stopover
