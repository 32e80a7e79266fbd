#include "serve/server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <thread>

#include "release/sample_release.h"
#include "serve/sample_archive.h"

namespace stopover {
namespace {

class Client {
 public:
  explicit Client(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(port);
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{600, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    open_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&place), sizeof place) == 0;
  }
  ~Client() { ::close(fd_); }
  Client(const Client&) = delete;

  bool open() const { return open_; }
  void send(std::string_view bytes) const { (void)!::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }
  // Until the server closes.
  std::string all() const {
    std::string text;
    char buffer[4096];
    for (ssize_t n; (n = ::recv(fd_, buffer, sizeof buffer, 0)) > 0;) text.append(buffer, static_cast<std::size_t>(n));
    return text;
  }
  // Whether the server hung up.
  bool ended() const {
    char next;
    return ::recv(fd_, &next, 1, MSG_DONTWAIT) == 0;
  }
  // What has come so far.
  std::string now() const {
    char buffer[4096];
    const ssize_t n = ::recv(fd_, buffer, sizeof buffer, MSG_DONTWAIT);
    return std::string(buffer, n > 0 ? static_cast<std::size_t>(n) : 0);
  }

 private:
  int fd_;
  bool open_ = false;
};

std::string ask(std::uint16_t port, std::string_view request) {
  const Client client(port);
  client.send(request);
  return client.all();
}

std::string question(std::string_view body) {
  return "POST /api/query HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: "
         "application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

constexpr std::string_view kHealth = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

std::shared_ptr<const Shelf> served_shelf(std::uint32_t n) { return *make_shelf({"grid.odr"}, {sample::grid(n)}); }

std::unique_ptr<Server> start(std::shared_ptr<const Shelf> of, unsigned seconds = 15, unsigned question_seconds = 10) {
  ServerOptions options;
  options.port = 0;
  options.seconds = seconds;
  options.question_seconds = question_seconds;
  Result<std::unique_ptr<Server>> server = Server::start(std::move(of), options);
  EXPECT_TRUE(server) << server.error().message;
  return std::move(*server);
}

TEST(Server, AnswersWithCarefulHeaders) {
  const std::unique_ptr<Server> server = start(served_shelf(8));
  const std::string reply = ask(server->port(), kHealth);
  EXPECT_TRUE(reply.starts_with("HTTP/1.1 200")) << reply;
  for (const char* header :
       {"X-Content-Type-Options: nosniff", "Content-Security-Policy: default-src 'none'", "Cache-Control: no-store"}) {
    EXPECT_NE(reply.find(header), std::string::npos) << header;
  }
  EXPECT_EQ(reply.find("Access-Control"), std::string::npos);
  EXPECT_NE(ask(server->port(), question("{}")).find("\"estimate\""), std::string::npos);
}

TEST(Server, SaysNoMoreThanAskedToHead) {
  const std::unique_ptr<Server> server = start(served_shelf(8));
  const std::string reply =
      ask(server->port(), "HEAD /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(reply.starts_with("HTTP/1.1 200")) << reply;
  EXPECT_TRUE(reply.ends_with("\r\n\r\n")) << reply;
  EXPECT_NE(reply.find("Content-Length: 16\r\n"), std::string::npos) << reply;
}

// A served_shelf with tiles of that many bytes.
std::shared_ptr<const Shelf> with_tiles(std::size_t size) {
  const std::string path = testing::TempDir() + "stopover-server-" + std::to_string(::getpid()) + ".pmtiles";
  std::ofstream(path, std::ios::binary) << sample::archive(size);
  const auto tiles = TileArchive::open(path);
  ::unlink(path.c_str());
  return *make_shelf({"grid.odr"}, {sample::grid(4)}, *tiles);
}

std::string part(std::string_view range, const std::string& more = "") {
  return "GET /basemap.pmtiles HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nRange: " + std::string(range) +
         "\r\n" + more + "\r\n";
}

TEST(Server, HandsOutPartsOfTheTiles) {
  const std::unique_ptr<Server> server = start(with_tiles(1000));
  const std::string bytes = sample::archive(1000);
  const std::string reply = ask(server->port(), part("bytes=100-299"));
  EXPECT_TRUE(reply.starts_with("HTTP/1.1 206 Partial Content\r\n")) << reply;
  EXPECT_TRUE(reply.ends_with("\r\n\r\n" + bytes.substr(100, 200)));
  for (const char* header :
       {"Content-Range: bytes 100-299/1000\r\n", "Accept-Ranges: bytes\r\n", "Content-Length: 200\r\n",
        "Content-Type: application/vnd.pmtiles\r\n", "Cross-Origin-Resource-Policy: same-origin\r\n"}) {
    EXPECT_NE(reply.find(header), std::string::npos) << header;
  }
  EXPECT_TRUE(ask(server->port(), part("bytes=1000-")).starts_with("HTTP/1.1 416"));
  EXPECT_TRUE(ask(server->port(), part("bytes=0-1", "If-Match: \"other\"\r\n")).starts_with("HTTP/1.1 412"));
  const std::string head =
      ask(server->port(), "HEAD /basemap.pmtiles HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 200")) << head;
  EXPECT_NE(head.find("Content-Length: 1000\r\n"), std::string::npos);
  EXPECT_TRUE(head.ends_with("\r\n\r\n"));
  const std::string known =
      ask(server->port(),
          "HEAD /basemap.pmtiles HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: *\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(known.starts_with("HTTP/1.1 304")) << known;
  EXPECT_EQ(known.find("Content-Length"), std::string::npos) << known;
}

constexpr std::chrono::minutes kPatience(10);  // as long as a very busy machine may take for anything

// Asks again and again, from several clients at once, while one served_shelf takes the other's place 40 times or more:
// until both were seen.
void ask_while_replaced(Server& server, const std::shared_ptr<const Shelf>& one,
                        const std::shared_ptr<const Shelf>& two, int clients, const std::function<void()>& ask_once,
                        const std::function<bool()>& both_seen) {
  std::atomic<bool> done = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < clients; ++i) {
    threads.emplace_back([&] {
      while (!done) ask_once();
    });
  }
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 40 || (!both_seen() && std::chrono::steady_clock::now() - begin < kPatience); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    server.replace(i % 2 == 0 ? two : one);
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
}

TEST(Server, EveryPartBelongsToOneFile) {
  const std::shared_ptr<const Shelf> one = with_tiles(1000), two = with_tiles(2000);
  const std::unique_ptr<Server> server = start(one);
  std::atomic<int> wrong = 0, seen[2] = {0, 0};
  ask_while_replaced(
      *server, one, two, 2,
      [&] {
        const std::string reply = ask(server->port(), part("bytes=0-799"));
        const std::size_t which = reply.find("/2000\r\n") != std::string::npos;
        ++seen[which];
        wrong += !reply.ends_with(sample::archive(which == 0 ? 1000 : 2000).substr(0, 800));
        wrong += reply.find((which == 0 ? one : two)->tiles->etag()) == std::string::npos;
      },
      [&] { return seen[0] > 0 && seen[1] > 0; });
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(seen[0], 0);
  EXPECT_GT(seen[1], 0);
}

TEST(Server, HoldsFewBytesOfTilesForThoseWhoDoNotTakeThem) {
  constexpr std::size_t kPart = std::size_t{8} << 20;
  const std::unique_ptr<Server> server = start(with_tiles(kPart));
  std::vector<std::unique_ptr<Client>> clients;
  int refused = 0;
  for (int i = 0; i < 12; ++i) {
    clients.push_back(std::make_unique<Client>(server->port()));
    clients.back()->send(part("bytes=0-"));
    std::string first;
    while (first.size() < 12) {
      first += clients.back()->now();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    refused += first.starts_with("HTTP/1.1 429");
  }
  EXPECT_EQ(refused, 4);
  clients.clear();
  const auto begin = std::chrono::steady_clock::now();
  const auto late = [&] { return std::chrono::steady_clock::now() - begin > kPatience; };
  std::string reply;
  do {
    reply = ask(server->port(), part("bytes=0-"));
  } while (reply.starts_with("HTTP/1.1 429") && !late());
  EXPECT_TRUE(reply.starts_with("HTTP/1.1 206"));
  EXPECT_TRUE(reply.ends_with(sample::archive(kPart)));
}

TEST(Server, RefusesAnAddressThatIsTaken) {
  const std::unique_ptr<Server> server = start(served_shelf(4));
  ServerOptions options;
  options.port = server->port();
  EXPECT_FALSE(Server::start(served_shelf(4), options));
  options.address = "somewhere";
  EXPECT_FALSE(Server::start(served_shelf(4), options));
}

TEST(Server, EveryAnswerBelongsToOneRelease) {
  const std::shared_ptr<const Shelf> one = served_shelf(8), two = served_shelf(16);
  const std::unique_ptr<Server> server = start(one);
  const std::string body = R"({"box": "a0=0:4,a1=0:4"})";
  const HttpLimits limits;
  const HttpRequest request{HttpMethod::post, "/api/query", "localhost", "application/json", body};
  const std::string before = respond(*one, request, limits).body, after = respond(*two, request, limits).body;
  ASSERT_NE(before, after);
  std::atomic<int> wrong = 0, old_ones = 0, new_ones = 0;
  ask_while_replaced(
      *server, one, two, 3,
      [&] {
        const std::string reply = ask(server->port(), question(body));
        const bool is_old = reply.ends_with(before), is_new = reply.ends_with(after);
        old_ones += is_old;
        new_ones += is_new;
        wrong += !is_old && !is_new;
      },
      [&] { return old_ones > 0 && new_ones > 0; });
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(old_ones, 0);
  EXPECT_GT(new_ones, 0);
}

TEST(Server, SlowClientsDoNotStopOthers) {
  const std::unique_ptr<Server> server =
      start(served_shelf(8), 100'000);  // waits for them longer than anybody for this test
  std::vector<std::unique_ptr<Client>> slow;
  for (int i = 0; i < 1000; ++i) {
    slow.push_back(std::make_unique<Client>(server->port()));
    if (!slow.back()->open()) break;
    slow.back()->send("POST /api/query HTTP/1.1\r\nHost: loc");
  }
  EXPECT_GE(slow.size(), 1000u);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(ask(server->port(), kHealth).starts_with("HTTP/1.1 200"));
}

// Thousands of zones that overlap: seconds of work, and then too large a matrix.
std::string long_question() {
  std::string features;
  for (int i = 0; i < 5000; ++i) {
    features +=
        std::string(i == 0 ? "" : ",") + R"({"type": "Feature", "properties": {"name": ")" + std::to_string(i) +
        R"("}, "geometry": {"type": "Polygon", "coordinates": [[[-122.52, 37.7], [-122.36, 37.7], [-122.36, 37.82], [-122.52, 37.7]]]}})";
  }
  return R"({"ask": "matrix", "overlaps": true, "zones": {"type": "FeatureCollection", "features": [)" + features +
         "]}}";
}

TEST(Server, LongQuestionsStopNobodyAndAreGivenUp) {
  const std::unique_ptr<Server> server = start(*make_shelf({"city.odr"}, {sample::city()}), 15, 1);
  const std::string words = question(long_question());
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 40; ++i) {
    clients.push_back(std::make_unique<Client>(server->port()));
    clients.back()->send(words);
  }
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(ask(server->port(), question("{}")).starts_with("HTTP/1.1 200"));
  int given_up = 0, refused = 0;  // whose turn comes first is not said
  while ((given_up == 0 || refused == 0) && std::chrono::steady_clock::now() - begin < kPatience) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    for (const auto& client : clients) {
      const std::string told = client->now();
      given_up += told.starts_with("HTTP/1.1 422");
      refused += told.starts_with("HTTP/1.1 429");
    }
  }
  EXPECT_GT(given_up, 0);
  EXPECT_GT(refused, 0);
  clients.clear();  // those whose turn has not come go away
  EXPECT_TRUE(ask(server->port(), kHealth).starts_with("HTTP/1.1 200"));
}

TEST(Server, LetsGoOfWhoeverDoesNotFinish) {
  const std::unique_ptr<Server> server = start(served_shelf(4), 1);
  const Client client(server->port());
  client.send("POST /api/query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{");
  client.all();
  EXPECT_TRUE(client.ended());
}

TEST(Server, SurvivesWhatIsNotHttp) {
  const std::unique_ptr<Server> server = start(served_shelf(4));
  std::uint64_t state = 7;
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = i % 3 == 0   ? "POST /api/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                                       "application/json\r\nContent-Length: 40\r\n\r\n"
                        : i % 3 == 1 ? "GET / HTTP/1.1\r\n"
                                     : "";
    for (int k = 0; k < 40; ++k) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      bytes += static_cast<char>(state >> 56);
    }
    const Client client(server->port());
    client.send(bytes);
  }
  EXPECT_TRUE(ask(server->port(), kHealth).starts_with("HTTP/1.1 200"));
  const std::string long_one = "POST /api/query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n";
  EXPECT_TRUE(ask(server->port(), long_one).starts_with("HTTP/1.1 413"));
}

TEST(Server, StopsAndCanBeStartedAgain) {
  std::unique_ptr<Server> server = start(served_shelf(4));
  const std::uint16_t port = server->port();
  server->stop();
  server->stop();
  server.reset();
  EXPECT_FALSE(Client(port).open());
  ServerOptions options;
  options.port = port;
  const Result<std::unique_ptr<Server>> again = Server::start(served_shelf(4), options);
  ASSERT_TRUE(again);
  EXPECT_TRUE(ask(port, kHealth).starts_with("HTTP/1.1 200"));
}

}  // namespace
}  // namespace stopover
