#include "trust/release_papers.h"

#include <gtest/gtest.h>

#include <fstream>

#include "disk/private_folder.h"
#include "release/sample_release.h"
#include "release_io/release_folder.h"
#include "release_io/release_io.h"

namespace stopover {
namespace {

namespace fs = std::filesystem;

class ReleasePapersTest : public ::testing::Test {
 protected:
  ReleasePapersTest() : place_(std::move(*PrivateFolder::make(temporary_place(), "stopover-papers-test-"))) {
    fs::create_directories(folder());
    EXPECT_TRUE(write_release(release_, folder()));
    content_ = *content_sha256(release_);
  }
  std::string folder() const { return place_.path() + "/x.odr"; }
  Status sign(const SecretKey& key) { return add_signature(folder(), content_, release_.ledger_head, key); }
  void expect_refused(const std::string& part) {
    const Result<ReleasePapers> papers = papers_of(folder(), release_);
    ASSERT_FALSE(papers) << part;
    EXPECT_EQ(papers.error().failure, Failure::bad_input);
    EXPECT_NE(papers.error().message.find(part), std::string::npos) << papers.error().message;
  }

  PrivateFolder place_;
  Release release_ = sample::city();
  std::string content_;
  SecretKey mine_ = *SecretKey::make(), yours_ = *SecretKey::make();
};

TEST_F(ReleasePapersTest, SeveralKeysSign) {
  EXPECT_TRUE(papers_of(folder(), release_)->signatures.empty());
  ASSERT_TRUE(sign(mine_));
  ASSERT_TRUE(sign(yours_));
  ASSERT_TRUE(sign(mine_)) << "again";
  const Result<ReleasePapers> papers = papers_of(folder(), release_);
  ASSERT_TRUE(papers) << papers.error().message;
  EXPECT_EQ(papers->signed_by().size(), 2U);
  EXPECT_TRUE(check_signed_by(*papers, {mine_.public_key(), yours_.public_key()}));
  const Status stranger = check_signed_by(*papers, {mine_.public_key(), SecretKey::make()->public_key()});
  ASSERT_FALSE(stranger);
  EXPECT_EQ(stranger.error().failure, Failure::check_failed);
  EXPECT_NE(stranger.error().message.find("is not signed by key"), std::string::npos);
  const auto verified = verify_release(folder());
  EXPECT_TRUE(verified) << verified.error().message;
  const std::string pack = place_.path() + "/x.odrz";
  ASSERT_TRUE(pack_release(folder(), pack));
  EXPECT_TRUE(verify_release(pack));
  EXPECT_TRUE(check_signed_by(*papers_of(pack, release_), {mine_.public_key()}));
}

TEST_F(ReleasePapersTest, ASignatureIsOfOneRelease) {
  ASSERT_TRUE(sign(mine_));
  Release other = sample::city();
  other.date = "2024-03-01";
  const std::string moved = place_.path() + "/y.odr";
  fs::create_directories(moved);
  ASSERT_TRUE(write_release(other, moved));
  fs::copy(folder() + "/signatures", moved + "/signatures");
  EXPECT_FALSE(papers_of(moved, other)) << "the statement is another's";
  std::ofstream(moved + "/signatures/statement.txt") << release_statement(*content_sha256(other), other.ledger_head);
  const Result<ReleasePapers> forged = papers_of(moved, other);
  ASSERT_TRUE(forged);
  const Status checked = check_signed_by(*forged, {mine_.public_key()});
  ASSERT_FALSE(checked);
  EXPECT_NE(checked.error().message.find("forged or damaged"), std::string::npos);
}

TEST_F(ReleasePapersTest, NotesAreShownAndSigned) {
  EXPECT_EQ(add_note(folder(), {content_, "", "two\nlines", "2025-01-01"}, nullptr).error().failure, Failure::usage);
  const SupersededNote note{content_, std::string(64, 'a'), "wrong year", "2025-01-01"};
  ASSERT_TRUE(add_note(folder(), note, &mine_));
  Result<ReleasePapers> papers = papers_of(folder(), release_);
  ASSERT_TRUE(papers) << papers.error().message;
  EXPECT_EQ(papers->note, note);
  EXPECT_EQ(note.sentence(), "superseded on 2025-01-01 by release aaaaaaaaaaaa: wrong year");
  EXPECT_FALSE(check_signed_by(*papers, {mine_.public_key()})) << "the release itself is not signed";
  ASSERT_TRUE(sign(mine_));
  ASSERT_TRUE(sign(yours_));
  papers = papers_of(folder(), release_);
  EXPECT_TRUE(check_signed_by(*papers, {mine_.public_key()}));
  EXPECT_FALSE(check_signed_by(*papers, {yours_.public_key()})) << "the note is not";
  ASSERT_TRUE(add_note(folder(), {content_, "", "withdrawn", "2025-01-02"}, nullptr));
  papers = papers_of(folder(), release_);
  EXPECT_EQ(papers->note->sentence(), "withdrawn on 2025-01-02: withdrawn");
  EXPECT_TRUE(papers->note_signatures.empty()) << "they were of the note before";
  EXPECT_TRUE(verify_release(folder()));
}

TEST_F(ReleasePapersTest, DamagedPapersAreRefused) {
  ASSERT_TRUE(sign(mine_));
  const std::string name = folder() + "/signatures/" + key_name(mine_.public_key().id) + ".minisig";
  fs::rename(name, folder() + "/signatures/0123456789ABCDEF.minisig");
  expect_refused("another key than its name");
  std::ofstream(folder() + "/signatures/0123456789ABCDEF.minisig") << "x";
  expect_refused("is not a signature");
  fs::remove_all(folder() + "/signatures");
  ASSERT_TRUE(add_note(folder(), {std::string(64, 'b'), "", "x", "2025-01-01"}, nullptr));
  expect_refused("about another release");
  std::ofstream(folder() + "/notes/superseded.json") << "{}";
  expect_refused("not a note");
  std::ofstream(folder() + "/notes/more.txt") << "{}";
  EXPECT_FALSE(verify_release(folder())) << "no other file belongs there";
}

}  // namespace
}  // namespace stopover
