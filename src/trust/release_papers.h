// What lies in a release's folder besides its content, and may be added later: who vouches for it, and whether it was
// replaced. No part of any hash of the release; each paper names the release it is about.
//
//   signatures/statement.txt   three lines: what it is, the content hash, the ledger's head after its reservation
//   signatures/KEY.minisig     of the statement, one per key; KEY is the key's name (trust/signing_key.h)
//   old_signatures/            the same of a release that was upgraded: over the content hash that it had in format 1
//   notes/superseded.json      that another release replaces this one, or that it was withdrawn, and why
//   notes/KEY.minisig          of that note; there may be none
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "release/release.h"
#include "trust/minisign.h"

namespace stopover {

struct SupersededNote {
  std::string release;  // content hash of the one that the note is about
  std::string by;       // content hash of the one that replaces it; "" where it was only withdrawn
  std::string why;      // one line
  std::string date;     // YYYY-MM-DD, UTC

  // "superseded on 2025-03-01 by release 1f2e3d4c5b6a: wrong year", for after "it was".
  std::string sentence() const;
  bool operator==(const SupersededNote&) const = default;
};

struct ReleasePapers {
  std::string statement;  // what signatures must be over, whether there are any or not
  std::vector<Minisignature> signatures;
  std::string old_statement;  // of an upgraded release, as it was before; "" for all others
  std::vector<Minisignature> old_signatures;
  std::optional<SupersededNote> note;
  std::string note_text;
  std::vector<Minisignature> note_signatures;

  // Names of keys.
  std::vector<std::string> signed_by() const;
  std::vector<std::string> signed_before_upgrade() const;
  std::vector<std::string> note_signed_by() const;
};

// "stopover release statement 1\ncontent_sha256 ...\nledger_head ...\n"
std::string release_statement(const std::string& content, const std::string& ledger_head);

// Those of the release with this content hash and head. `folder`: as ReleaseFolder has it. `upgraded_from`: as the
// release has it. Fails (bad_input) where a paper is damaged or about another release. Whether signatures are good only
// a key can tell (check_signed_by).
Result<ReleasePapers> read_papers(const std::filesystem::path& folder, const std::string& content,
                                  const std::string& ledger_head, const std::string& upgraded_from = "");

// Those of a release that was read from this path, a folder or a pack.
Result<ReleasePapers> papers_of(const std::string& path, const Release& release);
// The same where its content hash is known.
Result<ReleasePapers> papers_of(const std::string& path, const Release& release, const std::string& content);

// Whether each of the keys signed the release, now or before its upgrade, and the note where there is one. Fails
// (check_failed), naming the key.
Status check_signed_by(const ReleasePapers& papers, const std::vector<PublicKey>& keys);

// Takes the papers of a release over to the folder of the same one in another format: its signatures as old ones, its
// note as it is. Fails (disk_full, bad_input).
Status keep_papers(const std::filesystem::path& from, const std::filesystem::path& to);

// Puts the signature there; again the same for the same key. Fails (disk_full, bad_input).
Status add_signature(const std::filesystem::path& folder, const std::string& content, const std::string& ledger_head,
                     const SecretKey& key);

// Replaces a note that is there, and its signatures. `key`: may be nullptr. Fails: usage for a reason that is empty,
// too long (500 bytes) or not one line of UTF-8; disk_full, bad_input.
Status add_note(const std::filesystem::path& folder, const SupersededNote& note, const SecretKey* key);

}  // namespace stopover
