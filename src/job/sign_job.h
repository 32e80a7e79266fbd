// Who vouches for a release, and whether it still stands: keys, signatures, notes, and the check of all of them.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/ledger_chain.h"
#include "trust/release_papers.h"

namespace stopover {

struct KeyFiles {
  std::string secret, open;  // NAME.key, readable by nobody else, and NAME.pub
  std::string name;          // of the key
  std::string line;          // the public key in one line
};
// Fails: output_exists where one of them is there; disk_full, bad_input.
Result<KeyFiles> new_key(const std::string& name);

// Adds a signature; the key's name. Fails: usage for a pack, else as read_release and SecretKey::read do.
Result<std::string> sign_release(const std::string& release, const SecretKey& key, unsigned threads = 0);

struct SupersedeSpec {
  std::string release;  // which is not to be used any more
  std::string by;       // the release that replaces it; "": it is withdrawn
  std::string why;      // one line
  std::string key;      // file of a secret key; "": the note is not signed
};
// Puts the note into the folder of `release`. Fails as sign_release does, and where both are the same release.
Result<SupersededNote> supersede(const SupersedeSpec& spec, unsigned threads = 0);

struct TrustSpec {
  std::string release;
  std::vector<std::string> signed_by;  // public keys, files or lines
  std::string heads;                   // a file of published heads of the ledger; "": not looked at
};
// After verify_release has passed: that the papers are good, that each key signed, that the ledger's head is one of
// those published. Fails: bad_input for a file that cannot be read, check_failed.
Result<ReleasePapers> check_trust(const TrustSpec& spec, unsigned threads = 0);

// One head per record, one per line: what a curator publishes, so that a ledger that was rolled back, forked or had a
// release that nobody was told of shows.
std::string heads_text(const LedgerChain& chain);
// Whether every head of such a text is one of this ledger's. Fails: check_failed, naming the first that is not;
// bad_input for lines that are no heads. `what` is named.
Status check_heads(const LedgerChain& chain, const std::string& text, const std::string& what);

}  // namespace stopover
