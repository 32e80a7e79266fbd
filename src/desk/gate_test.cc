#include "desk/gate.h"

#include <gtest/gtest.h>

#include "desk/peer_user.h"

namespace stopover {
namespace {

const std::string kToken(64, 'a'), kCookie(64, 'b');
const std::string kGood = "other=1; stopover_desk_8090=" + kCookie;

DeskRequest asked() {
  DeskRequest request;
  request.host = "127.0.0.1:8090";
  request.cookie = kGood;
  request.marker = "1";
  return request;
}

TEST(Gate, TheTokenOpensOnce) {
  Gate gate(8090, kToken, kCookie);
  EXPECT_FALSE(gate.known(asked())) << "before anybody came in, no cookie is good";
  EXPECT_EQ(gate.enter(kCookie), "");
  EXPECT_EQ(gate.enter(""), "");
  EXPECT_EQ(gate.enter(kToken), "stopover_desk_8090=" + kCookie + "; Path=/; HttpOnly; SameSite=Strict");
  EXPECT_EQ(gate.enter(kToken), "");
  EXPECT_TRUE(gate.admits_question(asked()));
}

TEST(Gate, WantsItsOwnNameOriginAndMark) {
  Gate gate(8090, kToken, kCookie);
  (void)gate.enter(kToken);
  const auto refuses = [&](auto change) {
    DeskRequest request = asked();
    change(request);
    return !gate.admits_question(request);
  };
  for (const char* host : {"", "127.0.0.1", "127.0.0.1:80", "evil.example:8090", "127.0.0.1:8090.evil.example"})
    EXPECT_TRUE(refuses([&](DeskRequest& r) { r.host = host; })) << host;
  for (const char* origin : {"null", "http://evil.example", "http://127.0.0.1:8091", "https://127.0.0.1:8090"})
    EXPECT_TRUE(refuses([&](DeskRequest& r) { r.origin = origin; })) << origin;
  for (const char* site : {"cross-site", "same-site"})
    EXPECT_TRUE(refuses([&](DeskRequest& r) { r.fetch_site = site; })) << site;
  EXPECT_TRUE(refuses([](DeskRequest& r) { r.marker = ""; }));
  EXPECT_TRUE(refuses([](DeskRequest& r) { r.cookie = ""; }));
  EXPECT_TRUE(refuses([](DeskRequest& r) { r.cookie = "stopover_desk_8090="; }));
  EXPECT_TRUE(refuses([](DeskRequest& r) { r.method = DeskMethod::post; })) << "a post has an origin";
  EXPECT_FALSE(refuses([](DeskRequest& r) {
    r.method = DeskMethod::post;
    r.origin = "http://127.0.0.1:8090";
    r.fetch_site = "same-origin";
  }));
}

TEST(Gate, ASecretIsNeverTheSame) {
  EXPECT_EQ(random_secret().size(), 64u);
  EXPECT_NE(random_secret(), random_secret());
}

TEST(PeerUser, ReadsWhoseConnectionItIs) {
  const std::string table =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
      "   0: 0100007F:1F9A 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1\n"
      "   1: 0100007F:C350 0100007F:1F9A 01 00000000:00000000 00:00000000 00000000  1000        0 2 1\n"
      "   2: 0100007F:C351 0100007F:1F9A 01 00000000:00000000 00:00000000 00000000  1001        0 3 1\n";
  EXPECT_FALSE(belongs_to_another(table, 50000, 8090, 1000));
  EXPECT_TRUE(belongs_to_another(table, 50001, 8090, 1000));
  EXPECT_FALSE(belongs_to_another(table, 50002, 8090, 1000)) << "not told";
  EXPECT_FALSE(belongs_to_another("", 1, 2, 0));
}

TEST(Exchange, UndoesWhatAnAddressHides) {
  EXPECT_EQ(query_value("/x?a=1&folder=%2Fetc%2f..+b", "folder"), "/etc/.. b");
  EXPECT_EQ(query_value("/x?a", "a"), "");
  EXPECT_EQ(query_value("/x?bad=%zz%4", "bad"), "%zz%4");
  EXPECT_EQ(path_of("/x?y=1"), "/x");
}

}  // namespace
}  // namespace stopover
