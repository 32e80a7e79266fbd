#include "ledger/ledger_chain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "disk/sha256.h"

namespace stopover {
namespace {

const std::string kContent(64, 'c');

// Lines hashed by an independent program (Python's hashlib): the format may not drift.
const std::string kGolden =
    "1 GENESIS ticks=1000000000 ref=1 time=- note=00000000000000000000000000000001 "
    "hash=ea6df779a1651473052b292c3da293a9e7452aacb5bba662960204dc79f2527b\n"
    "2 RESERVE ticks=100000000 ref=0 time=2025-03-01T09:30:00Z note=daf-entropy "
    "hash=2a714bc504b36b587064337603e39cbd9622ade862fbceffd94ae5d1065d7428\n"
    "3 COMMIT ticks=0 ref=2 time=- note=abababababababababababababababababababababababababababababababab "
    "hash=6f451516d24781be84fcb977d57f9960e4f0fe5eb049d55acc825ff060cd5c7e\n"
    "4 RESERVE ticks=250000000 ref=0 time=2025-03-02T09:30:00Z note=eug "
    "hash=4ea411c444334438a9b922b05e9b46341f61d58fac65a71d4671458316cb2431\n"
    "5 ABORT ticks=0 ref=4 time=- note=- hash=ed281bf50efee61e4c96bb962272dca5b609f98da2e3e67126d7c152c558b898\n";

// The same of format 2: words between note and hash.
const std::string kGolden2 =
    "1 GENESIS ticks=1000000000 ref=2 time=- note=00000000000000000000000000000001 "
    "hash=3d8a38c9d8a39ea17c276652b9e5a6cd2f0872672c82afe9a28cde6091f40051\n"
    "2 RESERVE ticks=100000000 ref=0 time=2025-03-01T09:30:00Z note=daf-entropy "
    "comment=spring%20table,%20100%25%20of%20Z%C3%BCrich nonce=0123456789abcdef0123456789abcdef "
    "release=city.odr "
    "hash=6af47f7682ed23fb187caba2b24ab82e0ece829a85773aa258a6044c080d0af8\n"
    "3 COMMIT ticks=0 ref=2 time=- note=abababababababababababababababababababababababababababababababab "
    "hash=1f479ac62939f46fef25da727b2f47c3dba7184593328f33c5493f681a2a436d\n"
    "4 RESERVE ticks=250000000 ref=0 time=2025-03-02T09:30:00Z note=eug "
    "nonce=55555555555555555555555555555555 "
    "hash=6c4141c2af31b6763c1757bfe815c566116ac8da0b017b518e1c4276598e3234\n";

// Writes records one after the other, without asking whether they make sense.
struct Writer {
  std::string text;
  std::string previous = std::string(64, '0');
  std::uint64_t number = 0;

  Writer& add(RecordKind kind, Ticks ticks, std::uint64_t ref = 0, const std::string& note = "-",
              const std::map<std::string, std::string>& words = {}) {
    LedgerRecord record{kind, ++number, ticks, ref, "-", note};
    record.words = words;
    text += encode_record(record, previous);
    previous = record.hash;
    return *this;
  }
  static Writer begun(Ticks budget = 1000) {
    return Writer().add(RecordKind::genesis, budget, 1, std::string(32, 'a'));
  }
};

LedgerChain good(const std::string& text) {
  Result<LedgerChain> chain = read_chain(text, "x.ledger");
  EXPECT_TRUE(chain) << chain.error().message << "\n" << text;
  return chain ? *chain : LedgerChain();
}

void expect_corrupt(const std::string& text, const std::string& where = "") {
  const Result<LedgerChain> chain = read_chain(text, "x.ledger");
  ASSERT_FALSE(chain) << text;
  EXPECT_EQ(chain.error().failure, Failure::privacy);
  EXPECT_EQ(chain.error().message.find("the ledger x.ledger is corrupt"), 0U);
  EXPECT_NE(chain.error().message.find(where), std::string::npos) << chain.error().message;
  EXPECT_NE(chain.error().message.find("`witnesses RELEASE.odr`"), std::string::npos);
}

// The file after its next append, a RESERVE of one tick.
std::string appended(const std::string& text) {
  const LedgerChain chain = good(text);
  LedgerRecord record{RecordKind::reserve, chain.next_number, 1};
  record.words["nonce"] = std::string(32, '7');
  return text + chain.mend + encode_record(record, chain.next_previous);
}

// A ledger with a repaired torn end in the middle and a RESERVE at the end.
std::string repaired() {
  const std::string text = Writer::begun().add(RecordKind::reserve, 100).text;
  const std::string more = appended(text);
  return appended(more.substr(0, more.size() - 30));
}

TEST(LedgerChain, ReadsTheGoldenFileAndAddsItUp) {
  const LedgerChain chain = good(kGolden);
  ASSERT_EQ(chain.records.size(), 5U);
  EXPECT_EQ(chain.budget(), 1'000'000'000U);
  EXPECT_EQ(chain.spent, 350'000'000U);
  EXPECT_EQ(chain.reserved, 250'000'000U);  // aborted, and still spent
  EXPECT_EQ(chain.left(), 650'000'000U);
  EXPECT_TRUE(chain.open.empty());
  EXPECT_TRUE(chain.mend.empty());
  EXPECT_EQ(chain.records[1].note, "daf-entropy");
  EXPECT_EQ(chain.records[1].time, "2025-03-01T09:30:00Z");
  EXPECT_EQ(chain.records[4].kind, RecordKind::abort);
  EXPECT_EQ(chain.records[4].ref, 4U);
  EXPECT_EQ(kind_name(chain.records[2].kind), "COMMIT");
  EXPECT_EQ(format_head(chain.head()), "00000000000000000000000000000001:5:" + chain.records[4].hash);
}

TEST(LedgerChain, EncodesWhatItDecodes) {
  for (const std::string& golden : {kGolden, kGolden2}) {
    std::string previous(64, '0');
    std::string again;
    for (LedgerRecord record : good(golden).records) {
      again += encode_record(record, previous);
      previous = record.hash;
    }
    EXPECT_EQ(again, golden);
  }
}

TEST(LedgerChain, ReadsTheWordsOfFormat2) {
  const LedgerChain chain = good(kGolden2);
  EXPECT_EQ(chain.spent, 350'000'000U);
  EXPECT_EQ(chain.records[1].note, "daf-entropy");
  EXPECT_EQ(chain.records[1].words,
            (std::map<std::string, std::string>{{"comment", "spring table, 100% of Z\xc3\xbcrich"},
                                                {"nonce", "0123456789abcdef0123456789abcdef"},
                                                {"release", "city.odr"}}));
  EXPECT_EQ(chain.records[3].words.size(), 1U);
  LedgerRecord strange{RecordKind::reserve, 1, 1};
  strange.words["comment"] = "two\nlines\x1b[31m =%20 hash=" + std::string(64, '0');
  const std::string line = encode_record(strange, kContent);
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
  const auto again = decode_record(line.substr(0, line.size() - 1), kContent);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->words.at("comment"), "two_lines_[31m =%20 hash=" + std::string(64, '0'));
}

TEST(LedgerChain, Format2NeedsANonceAndFormat1IsContinuedWithOne) {
  using enum RecordKind;
  const std::string nonce(32, 'b');
  const Writer two = Writer().add(genesis, 1000, 2, std::string(32, 'a'));
  EXPECT_EQ(good(Writer(two).add(reserve, 5, 0, "eug", {{"nonce", nonce}}).text).spent, 5U);
  expect_corrupt(Writer(two).add(reserve, 5, 0, "eug").text, "line 2");
  expect_corrupt(Writer(two).add(reserve, 5, 0, "eug", {{"comment", "x"}}).text, "line 2");
  expect_corrupt(Writer(two).add(reserve, 5, 0, "eug", {{"nonce", nonce + "b"}}).text, "line 2");
  const std::string continued = appended(kGolden);
  EXPECT_EQ(good(continued).records.back().words.at("nonce"), std::string(32, '7'));
  EXPECT_EQ(good(appended(continued)).spent, good(kGolden).spent + 2);
}

TEST(LedgerChain, WhatALaterFormatAddsIsRefusedByName) {
  using enum RecordKind;
  const std::string id(32, 'a'), nonce(32, 'b');
  const Writer begun = Writer().add(genesis, 1000, 2, id).add(reserve, 5, 0, "eug", {{"nonce", nonce}});
  for (const std::string& text :
       {Writer().add(genesis, 1000, 3, id).text, Writer().add(genesis, 1000, 2, id, {{"period", "month"}}).text,
        Writer(begun).add(reserve, 5, 0, "eug", {{"nonce", nonce}, {"period", "2019-01"}}).text,
        Writer(begun).add(commit, 0, 2, kContent, {{"comment", "x"}}).text}) {
    const Result<LedgerChain> chain = read_chain(text, "x.ledger");
    ASSERT_FALSE(chain) << text;
    EXPECT_EQ(chain.error().failure, Failure::privacy);
    EXPECT_NE(chain.error().message.find("newer version"), std::string::npos) << chain.error().message;
  }
}

TEST(LedgerChain, RefusesWhatIsNoLedger) {
  for (const char* text : {"", "\n", "hello\n", "1 GENESIS", "PAR1\0\0\0\0", "{}\n"}) expect_corrupt(text, "line 1");
  expect_corrupt(Writer().add(RecordKind::reserve, 5).text, "line 1");
  expect_corrupt(Writer().add(RecordKind::genesis, 0, 1, std::string(32, 'a')).text);
  expect_corrupt(Writer().add(RecordKind::genesis, kMaxTicks + 1, 1, std::string(32, 'a')).text);
  expect_corrupt(Writer().add(RecordKind::genesis, 5, 0, std::string(32, 'a')).text);
  expect_corrupt(Writer().add(RecordKind::genesis, 5, 1, "../../../../etc/passwd").text);
}

TEST(LedgerChain, RefusesWellHashedRecordsThatMakeNoSense) {
  using enum RecordKind;
  EXPECT_EQ(good(Writer::begun().add(reserve, 1000).text).left(), 0U);
  expect_corrupt(Writer::begun().add(reserve, 1001).text, "line 2");
  expect_corrupt(Writer::begun().add(reserve, 999).add(reserve, 2).text, "line 3");
  expect_corrupt(Writer::begun().add(reserve, 1).add(reserve, ~Ticks{0}).text, "line 3");  // would wrap around
  expect_corrupt(Writer::begun().add(reserve, 0).text);
  expect_corrupt(Writer::begun().add(genesis, 5, 1, std::string(32, 'a')).text);
  expect_corrupt(Writer::begun().add(commit, 0, 1, kContent).text);
  expect_corrupt(Writer::begun().add(commit, 0, 2, kContent).text);
  expect_corrupt(Writer::begun().add(reserve, 5).add(commit, 0, 2, kContent).add(commit, 0, 2, kContent).text,
                 "line 4");
  expect_corrupt(Writer::begun().add(reserve, 5).add(abort, 0, 2).add(commit, 0, 2, kContent).text, "line 4");
  expect_corrupt(Writer::begun().add(reserve, 5).add(commit, 5, 2, kContent).text);
  Writer skips = Writer::begun();
  ++skips.number;
  expect_corrupt(skips.add(reserve, 5).text, "line 2");
}

TEST(LedgerChain, RefusesRecordsTakenOutSwappedOrFromAnotherLedger) {
  const std::size_t second = kGolden.find("2 RESERVE");
  const std::size_t third = kGolden.find("3 COMMIT");
  const std::size_t fourth = kGolden.find("4 RESERVE");
  expect_corrupt(kGolden.substr(0, second) + kGolden.substr(third), "line 2");
  expect_corrupt(kGolden.substr(0, second) + kGolden.substr(third, fourth - third) +
                 kGolden.substr(second, third - second) + kGolden.substr(fourth));
  const std::string other = Writer::begun().add(RecordKind::reserve, 5).text;
  expect_corrupt(kGolden.substr(0, second) + other.substr(other.find('\n') + 1));
}

TEST(LedgerChain, RefusesOtherSpellings) {
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"2 RES", "02 RES"},
                                                        {"ticks=1000000000 ", "ticks=01000000000 "},
                                                        {"ref=0", "ref=00"},
                                                        {" ref", "  ref"},
                                                        {"RESERVE", "reserve"},
                                                        {"ticks=100000000 ref=0", "ref=0 ticks=100000000"},
                                                        {"=daf", "=DAF"},
                                                        {"\n2", "\r\n2"},
                                                        {"hash=2a", "hash=2A"},
                                                        {"ticks=100000000", "ticks=+100000000"}}) {
    std::string text = kGolden;
    text.replace(text.find(from), from.size(), to);
    expect_corrupt(text);
  }
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{{"%20", "_"},
                                                                                 {"%20", " "},
                                                                                 {"%C3", "%c3"},
                                                                                 {"spring", "%73pring"},
                                                                                 {"%25", "%"},
                                                                                 {" release=city.odr", ""},
                                                                                 {"release=", "Release="}}) {
    std::string text = kGolden2;
    text.replace(text.find(from), from.size(), to);
    expect_corrupt(text, "line 2");
  }
}

// Hashed as it stands, so that only the rules of spelling can refuse it.
TEST(LedgerChain, RefusesOtherSpellingsOfWordsEvenWellHashed) {
  const std::string nonce = " nonce=" + std::string(32, 'b');
  for (const std::string& words : {nonce + " comment=x", " comment=x comment=x" + nonce, " comment=%73" + nonce,
                                   " comment=%c3" + nonce, " comment=%" + nonce, " comment=%1B" + nonce,
                                   " comment" + nonce, "  comment=x" + nonce, " comment=x" + nonce + " "}) {
    const std::string body = "2 RESERVE ticks=5 ref=0 time=- note=eug" + words;
    const std::string genesis = Writer().add(RecordKind::genesis, 1000, 2, std::string(32, 'a')).text;
    const std::string previous = good(genesis).next_previous;
    expect_corrupt(genesis + body + " hash=" + sha256_of(previous + " " + body) + "\n", "line 2");
  }
}

// Every byte of the file with every bit flipped and with some awkward values (in the short file: with all values) is
// refused. The one exception is the last newline turned into a zero, which looks as if it had never been written: the
// last record is then torn, and spent is what it was.
TEST(LedgerChain, NoChangedByteGoesUnnoticed) {
  for (const std::string& text : {kGolden, kGolden2, repaired(), kGolden.substr(0, kGolden.find("3 COMMIT"))}) {
    const Ticks spent = good(text).spent;
    for (std::size_t at = 0; at < text.size(); ++at) {
      for (int value = 0; value < 256; ++value) {
        const bool one_bit = std::has_single_bit(static_cast<unsigned>(value ^ static_cast<unsigned char>(text[at])));
        const bool awkward = std::string_view("\0\n 09af", 7).find(static_cast<char>(value)) != std::string_view::npos;
        if (!one_bit && !awkward && text.size() > 300) continue;
        std::string changed = text;
        changed[at] = static_cast<char>(value);
        if (changed == text) continue;
        if (at + 1 == text.size() && value == 0) {
          EXPECT_EQ(good(changed).spent, spent);
          EXPECT_EQ(good(changed).head().records + 1, good(text).head().records);  // so a kept head refuses it
        } else {
          ASSERT_FALSE(read_chain(changed, "x")) << "byte " << at << " became " << value << "\n" << changed;
        }
      }
    }
  }
}

TEST(LedgerChain, NoInsertedOrRemovedByteGoesUnnoticed) {
  for (const std::string& text : {kGolden, kGolden2, repaired()}) {
    for (std::size_t at = 0; at + 1 < text.size(); ++at) {
      ASSERT_FALSE(read_chain(std::string(text).erase(at, 1), "x")) << "without byte " << at;
      for (const char c : {' ', '\n', '0', 'a', '\0'}) {
        ASSERT_FALSE(read_chain(std::string(text).insert(at, 1, c), "x")) << "with another byte at " << at;
      }
    }
  }
}

// Cut anywhere: what remains never shows less than the whole records in it, nor less than a reservation of which the
// ticks can still be read; it can be continued; and unless only the last newline is gone its head is an older one.
TEST(LedgerChain, CutAnywhere) {
  for (const std::string& text : {kGolden, kGolden2, repaired()}) {
    const std::size_t first = text.find('\n');
    for (std::size_t size = 0; size < text.size(); ++size) {
      const std::string cut = text.substr(0, size);
      if (size < first) {
        expect_corrupt(cut);
        continue;
      }
      const LedgerChain chain = good(cut);
      Ticks whole = 0;
      for (const LedgerRecord& record : chain.records) {
        if (record.kind == RecordKind::reserve || record.kind == RecordKind::repair) whole += record.ticks;
      }
      const std::string line = cut.substr(cut.rfind('\n') + 1);
      const std::size_t ticks = line.find("RESERVE ticks=");
      const bool legible = ticks != std::string::npos && line.find(' ', ticks + 14) != std::string::npos;
      const bool torn = chain.mend.size() > 1;
      EXPECT_EQ(torn, chain.spent > whole || (!line.empty() && chain.mend != "\n") || cut.ends_with(" TORN\n")) << cut;
      if (torn && legible) {
        EXPECT_EQ(chain.spent, whole + std::stoull(line.substr(ticks + 14))) << cut;
      }
      if (!torn) {
        EXPECT_EQ(chain.spent, whole);
      }
      if (size + 1 < text.size()) {
        EXPECT_LT(chain.head().records, good(text).head().records);
      }
      EXPECT_EQ(good(appended(cut)).spent, chain.spent + 1);
    }
  }
}

TEST(LedgerChain, TornEndIsSealedAndNamed) {
  const std::string whole = Writer::begun().add(RecordKind::reserve, 100).text;
  const std::string torn = "3 RESERVE ticks=50 ref=0 time=20";
  const LedgerChain chain = good(whole + torn);
  EXPECT_EQ(chain.spent, 150U);
  EXPECT_EQ(chain.reserved, 150U);
  EXPECT_EQ(chain.head().records, 2U);
  const std::string text = appended(whole + torn);
  EXPECT_EQ(text.find(whole + torn + " TORN\n3 REPAIR ticks=50 ref=0 time=- note=" + sha256_of(torn) + " hash="), 0U);
  const LedgerChain mended = good(text);
  EXPECT_EQ(mended.spent, 151U);
  EXPECT_EQ(mended.records.size(), 4U);
  EXPECT_TRUE(mended.mend.empty());
  EXPECT_EQ(good(appended(text)).spent, 152U);
}

TEST(LedgerChain, TornEndCountsOnlyWhatCanBeReadAndFits) {
  const std::string whole = Writer::begun().add(RecordKind::reserve, 100).text;
  EXPECT_EQ(good(whole + "3 RESERVE ticks=50").spent, 100U);  // perhaps 500
  EXPECT_EQ(good(whole + "3 RESERVE ticks=900 ").spent, 1000U);
  EXPECT_EQ(good(whole + "3 RESERVE ticks=901 ").spent, 100U);  // never begun by this program
  EXPECT_EQ(good(whole + "3 RESERVE ticks=99999999999999999999999 ").spent, 100U);
  EXPECT_EQ(good(whole + "4 RESERVE ticks=50 ref").spent, 100U);
  EXPECT_EQ(good(whole + std::string(200, '\0')).spent, 100U);
  EXPECT_EQ(good(whole + "3 RESERVE ticks=50 " + std::string(200, '\0')).spent, 150U);
  EXPECT_EQ(good(whole + "3 COMMIT ticks=0 ref=2").reserved, 100U);
}

TEST(LedgerChain, RepairsThatWereTornThemselvesAreRepaired) {
  const std::string whole = Writer::begun().add(RecordKind::reserve, 100).text;
  std::string text = whole + "3 RESERVE ticks=50 ref";
  for (const std::size_t lost : {1, 60, 100, 130, 170, 200, 240, 250}) {
    const std::string next = appended(text);
    ASSERT_LT(lost, next.size() - text.size());
    const std::string cut = next.substr(0, next.size() - lost);
    EXPECT_GE(good(cut).spent, 150U) << cut;
    EXPECT_EQ(good(appended(cut)).spent, good(cut).spent + 1) << cut;
    if (lost > 70) text = cut;  // go on with a file that has one more torn line
  }
  EXPECT_GE(std::count(text.begin(), text.end(), '\n'), 4);
}

TEST(LedgerChain, ARecordWithoutItsNewlineIsARecord) {
  const std::string text = kGolden.substr(0, kGolden.size() - 1);
  const LedgerChain chain = good(text);
  EXPECT_EQ(chain.records.size(), 5U);
  EXPECT_EQ(chain.mend, "\n");
  EXPECT_EQ(appended(text), appended(kGolden));
}

TEST(LedgerChain, TornLinesAreNotTakenForRepairedOnes) {
  const std::string whole = Writer::begun().add(RecordKind::reserve, 100).text;
  expect_corrupt(whole + "3 RESERVE ticks=50 ref\n", "line 3");          // a newline is only ever written last
  expect_corrupt(whole + "3 RESERVE ticks=50 TORN\nhello\n", "line 4");  // sealed, but then no REPAIR
  std::string text = repaired();
  text.replace(text.find("REPAIR ticks=1"), 14, "REPAIR ticks=0");
  expect_corrupt(text, "line 4");
}

TEST(LedgerHead, RoundTripAndRefusals) {
  const LedgerHead head{std::string(32, '3'), 17, std::string(64, 'f')};
  const std::string text = format_head(head);
  const Result<LedgerHead> again = parse_head(text);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->id, head.id);
  EXPECT_EQ(again->records, 17U);
  EXPECT_EQ(again->hash, head.hash);
  for (const std::string& bad :
       {std::string(), std::string(":"), std::string("::"), text + "\n", " " + text, text + ":", text.substr(1),
        text.substr(0, text.size() - 1), head.id + ":017:" + head.hash, head.id + ":0:" + head.hash,
        head.id + ":-1:" + head.hash, head.id + head.hash, head.id + ":99999999999999999999:" + head.hash,
        "../" + text}) {
    const Result<LedgerHead> parsed = parse_head(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_EQ(parsed.error().failure, Failure::bad_input);
  }
}

TEST(LedgerWords, AreOneShortPrintableWord) {
  EXPECT_EQ(one_word("daf-entropy"), "daf-entropy");
  EXPECT_EQ(one_word(""), "-");
  EXPECT_EQ(one_word("a b\nc\td\x7f\xc3\xa9"), "a_b_c_d___");
  EXPECT_EQ(one_word(std::string(1000, 'x')), std::string(64, 'x'));
}

}  // namespace
}  // namespace stopover
