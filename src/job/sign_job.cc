#include "job/sign_job.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/bad_input.h"
#include "base/usage_error.h"
#include "disk/write_file.h"
#include "release_io/release_io.h"
#include "text/clock.h"

namespace stopover {
namespace {

namespace fs = std::filesystem;

struct Opened {
  Release release;
  std::string content;
};

Result<Opened> open(const std::string& path, unsigned threads) {
  Result<Release> release = read_release(path, threads);
  if (!release) return release.error();
  Result<std::string> content = content_sha256(*release);
  if (!content) return content.error();
  return Opened{std::move(*release), std::move(*content)};
}

// A folder that papers can be put into.
Status check_folder(const std::string& path) {
  std::error_code none;
  if (!fs::is_regular_file(path, none)) return {};
  return usage_error(
      fmt::format("{} is one file, to which nothing is added\n  Sign or mark the folder, then pack it.", path));
}

// Lines that are heads; empty ones and those that begin with # are for people.
Result<std::vector<LedgerHead>> parse_heads(const std::string& text, const std::string& what) {
  std::vector<LedgerHead> heads;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') continue;
    Result<LedgerHead> head = parse_head(line);
    if (!head) return bad_input(fmt::format("{}: \"{:.100}\" is not the head of a ledger", what, line));
    heads.push_back(std::move(*head));
  }
  if (heads.empty()) return bad_input(what + " holds no head of a ledger");
  return heads;
}

Status check_published(const std::string& ledger_head, const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return bad_input("cannot read " + file);
  const Result<std::vector<LedgerHead>> heads = parse_heads({std::istreambuf_iterator<char>(in), {}}, file);
  if (!heads) return heads.error();
  const Result<LedgerHead> own = parse_head(ledger_head);
  if (!own) return Error{Failure::check_failed, "it does not say which ledger paid for it"};
  for (const LedgerHead& head : *heads) {
    if (head.id != own->id || head.records != own->records) continue;
    if (head.hash == own->hash) return {};
    return Error{Failure::check_failed,
                 fmt::format("the published record {} of its ledger is another: the ledger was forked or rolled back",
                             own->records)};
  }
  return Error{Failure::check_failed, fmt::format("record {} of its ledger {} is not among the published heads in {}",
                                                  own->records, own->id, file)};
}

}  // namespace

Result<KeyFiles> new_key(const std::string& name) {
  KeyFiles made{name + ".key", name + ".pub", "", ""};
  for (const std::string& path : {made.secret, made.open}) {
    std::error_code none;
    if (!fs::exists(path, none)) continue;
    return Error{Failure::output_exists,
                 fmt::format("{} is there already\n  A key is never replaced: choose another name.", path)};
  }
  const Result<SecretKey> key = SecretKey::make();
  if (!key) return key.error();
  const std::string text = public_key_text(key->public_key());
  made.name = key_name(key->public_key().id);
  made.line = text.substr(text.find('\n') + 1);
  made.line.pop_back();
  if (Status s = write_file(made.secret, key->pem(), Readers::owner); !s) return s.error();
  if (Status s = write_file(made.open, text); !s) return s.error();
  return made;
}

Result<std::string> sign_release(const std::string& release, const SecretKey& key, unsigned threads) {
  if (Status s = check_folder(release); !s) return s.error();
  const Result<Opened> opened = open(release, threads);
  if (!opened) return opened.error();
  if (Status s = add_signature(release, opened->content, opened->release.ledger_head, key); !s) return s.error();
  return key_name(key.public_key().id);
}

Result<SupersededNote> supersede(const SupersedeSpec& spec, unsigned threads) {
  if (Status s = check_folder(spec.release); !s) return s.error();
  std::optional<SecretKey> key;
  if (!spec.key.empty()) {
    Result<SecretKey> read = SecretKey::read(spec.key);
    if (!read) return read.error();
    key = std::move(*read);
  }
  const Result<Opened> old = open(spec.release, threads);
  if (!old) return old.error();
  SupersededNote note{old->content, "", spec.why, utc_now().substr(0, 10)};
  if (!spec.by.empty()) {
    const Result<Opened> next = open(spec.by, threads);
    if (!next) return next.error();
    if (next->content == old->content) {
      return usage_error(fmt::format("{} and {} are the same release", spec.release, spec.by));
    }
    note.by = next->content;
  }
  if (Status s = add_note(spec.release, note, key ? &*key : nullptr); !s) return s.error();
  return note;
}

Result<ReleasePapers> check_trust(const TrustSpec& spec, unsigned threads) {
  std::vector<PublicKey> keys;
  for (const std::string& text : spec.signed_by) {
    const Result<PublicKey> key = read_public_key(text);
    if (!key) return key.error();
    keys.push_back(*key);
  }
  const Result<Release> release = read_release(spec.release, threads);
  if (!release) return release.error();
  Result<ReleasePapers> papers = papers_of(spec.release, *release);
  if (!papers) return Error{Failure::check_failed, papers.error().message};
  const auto named = [&](const Error& error) {
    return Error{error.failure,
                 error.failure == Failure::check_failed ? spec.release + ": " + error.message : error.message};
  };
  if (Status s = check_signed_by(*papers, keys); !s) return named(s.error());
  if (!spec.heads.empty()) {
    if (Status s = check_published(release->ledger_head, spec.heads); !s) return named(s.error());
  }
  return papers;
}

std::string heads_text(const LedgerChain& chain) {
  std::string text;
  for (const LedgerRecord& record : chain.records) {
    text += format_head({chain.records.front().note, record.number, record.hash}) + "\n";
  }
  return text;
}

Status check_heads(const LedgerChain& chain, const std::string& text, const std::string& what) {
  const Result<std::vector<LedgerHead>> heads = parse_heads(text, what);
  if (!heads) return heads.error();
  for (const LedgerHead& head : *heads) {
    const bool there = head.id == chain.records.front().note && head.records >= 1 &&
                       head.records <= chain.records.size() && chain.records[head.records - 1].hash == head.hash;
    if (there) continue;
    return Error{Failure::check_failed,
                 fmt::format("record {} of ledger {} in {} is not in this ledger: it was rolled back, forked, or is "
                             "another one",
                             head.records, head.id, what)};
  }
  return {};
}

}  // namespace stopover
