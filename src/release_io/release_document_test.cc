#include "release_io/release_document.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "disk/sha256.h"
#include "release/sample_release.h"
#include "release_io/content_hash.h"
#include "release_io/release_io.h"

namespace stopover {
namespace {

ReleaseDocument document_of(const Release& release) {
  ReleaseDocument document;
  document.release = release;
  document.card = guarantee_card(release);
  document.writer = this_writer();
  for (Table& table : document.release.tables) {
    document.files.push_back({table.rows(), content_sha256(table), std::string(64, 'a')});
    Table head;
    head.name = table.name;
    head.kind = table.kind;
    head.axes = table.axes;
    head.ticks = table.ticks;
    head.view = table.view;
    head.smooth = table.smooth;
    table = head;
  }
  return document;
}

// As the specification says it, written down a second time.
std::string sign(nlohmann::json json) {
  nlohmann::json content = json;
  for (const char* key : {"content_sha256", "json_sha256", "guarantee", "writer"}) {
    if (content.is_object()) content.erase(key);
  }
  if (content.is_object() && content.contains("tables") && content["tables"].is_array()) {
    for (nlohmann::json& table : content["tables"]) {
      if (table.is_object()) table.erase("file_sha256");
    }
  }
  if (json.is_object()) {
    json["content_sha256"] = sha256_of(content.dump());
    json.erase("json_sha256");
    json["json_sha256"] = sha256_of(json.dump());
  }
  return json.dump(2) + "\n";
}

const std::string kText = *encode_document(document_of(sample::city()));

TEST(ReleaseDocument, GoesBothWays) {
  const Result<ReleaseDocument> maps = decode_document(*encode_document(document_of(sample::maps())));
  ASSERT_TRUE(maps) << maps.error().message;
  EXPECT_EQ(maps->release, document_of(sample::maps()).release);
  const ReleaseDocument before = document_of(sample::city());
  const Result<ReleaseDocument> after = decode_document(kText);
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(after->release, before.release);
  EXPECT_EQ(after->files, before.files);
  EXPECT_EQ(after->card, before.card);
  EXPECT_EQ(after->writer, before.writer);
  EXPECT_EQ(after->content_sha256, *content_sha256(before));
  EXPECT_EQ(after->content_sha256, *content_sha256(sample::city()));
  EXPECT_EQ(sign(nlohmann::json::parse(kText)), kText);
}

TEST(ReleaseDocument, ACalibrationGoesBothWaysAndIsHashed) {
  ReleaseDocument document = document_of(sample::maps());
  const std::string without = *content_sha256(document);
  Calibration& table = document.release.calibration.emplace();
  table.draws = 6;
  table.questions = 4800;
  table.weights = {1.5, 0.25, 0, 0.125, 1e-9, 0, 3};
  table.tails = {0.25, 0.025};
  table.signals = {0.1, 20};
  table.below = {0, -0.5, -1, -2};
  table.above = {1, 4, 1, 2.5};
  EXPECT_NE(*content_sha256(document), without);
  const Result<ReleaseDocument> after = decode_document(*encode_document(document));
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(after->release.calibration, document.release.calibration);
  table.above[1] = 0.5;
  EXPECT_FALSE(decode_document(*encode_document(document)));
}

Probes some_probes() {
  constexpr std::size_t kCells = Probes::kGroups * Probes::kClasses;
  Probes probes;
  probes.ticks = 25'000'000;
  probes.lattices = 36;
  probes.counts.assign(Probes::kEntries, -3);
  probes.scales.assign(kCells, 1.5);
  probes.squares.assign(kCells, 0.25);
  probes.signals.assign(kCells, 2);
  probes.whole.assign(kCells * Probes::kBelow.size(), 7);
  probes.tails = {0.25, 0.025};
  probes.below.assign(2 * kCells, 1.25);
  probes.above.assign(2 * kCells, 2.5);
  return probes;
}

// Releases written before the scale was told stay valid, byte for byte, and are known for what they are.
TEST(ReleaseDocument, ProbesSayTheirScaleAndItIsHashed) {
  ReleaseDocument document = document_of(sample::maps());
  Probes& probes = document.release.probes.emplace(some_probes());
  const std::string now = *content_sha256(document);
  for (const std::uint32_t scale : {Probes::kScale, Probes::kScale - 1, Probes::kScale + 1, 0u}) {
    probes.scale = scale;
    const std::string text = *encode_document(document);
    EXPECT_EQ(text.find("\"scale\": ") == std::string::npos, scale == 0);
    EXPECT_EQ(*content_sha256(document) == now, scale == Probes::kScale);
    const Result<ReleaseDocument> after = decode_document(text);
    ASSERT_TRUE(after) << after.error().message;
    EXPECT_EQ(after->release.probes, probes);
    EXPECT_EQ(after->release.has_unread_probes(), scale != Probes::kScale);
    EXPECT_EQ(after->release.has_likely_intervals(), scale == Probes::kScale);
  }
  probes.scale = Probes::kScale;
  nlohmann::json json = nlohmann::json::parse(*encode_document(document));
  for (const nlohmann::json& bad : {nlohmann::json(0), nlohmann::json(-2), nlohmann::json("2"), nlohmann::json(2.5)}) {
    json["probes"]["scale"] = bad;
    EXPECT_FALSE(decode_document(sign(json))) << bad;
  }
}

// Format 1 stays as it was for ever; what a table's rows hash to is the same in both.
TEST(ReleaseDocument, HashesOfFormat1) {
  EXPECT_EQ(content_sha256(sample::paper(1, -2, 3).tables[0]),
            "836b63c9a74be7af171ccda43f03a52c11ac3f635dab40d1e8365c100bde435d");
  const auto old = [](Release release) {
    release.format = 1;
    return *content_sha256(release);
  };
  EXPECT_EQ(old(sample::paper(1, -2, 3)), "5b93c620f7a56bc68572eee41a5ca6fef5973a21221c3f89c2348b23bce3299b");
  EXPECT_EQ(old(sample::city()), "76d5c3e497ab98fac5f69b0ff9b428a8af11cfc35f3c239dd00da76417ff165a");
}

Release with(Release release, Randomness randomness) {
  release.randomness = std::move(randomness);
  return release;
}

TEST(ReleaseDocument, RandomnessGoesBothWaysAndIsHashed) {
  const std::string of_system = *content_sha256(sample::city());
  for (const Randomness& randomness :
       {Randomness::repeatable("a"), Randomness::repeatable("system"), Randomness::repeatable(""), Randomness()}) {
    const ReleaseDocument before = document_of(with(sample::city(), randomness));
    const std::string text = *encode_document(before);
    EXPECT_EQ(nlohmann::json::parse(text)["randomness"], randomness.text());
    const Result<ReleaseDocument> after = decode_document(text);
    ASSERT_TRUE(after) << after.error().message;
    EXPECT_EQ(after->release, before.release);
    EXPECT_FALSE(after->release.is_private());
    EXPECT_NE(*content_sha256(before), of_system) << randomness.text();
  }
  EXPECT_NE(*content_sha256(with(sample::city(), Randomness::repeatable("a"))),
            *content_sha256(with(sample::city(), Randomness::repeatable("b"))));
}

// Whoever calls a repeatable key the system's must make both hashes anew, and then the card does not fit; with a new
// card too it is another release, which no ledger has committed to.
TEST(ReleaseDocument, ARepeatableKeyCannotBeHidden) {
  nlohmann::json json =
      nlohmann::json::parse(*encode_document(document_of(with(sample::city(), Randomness::repeatable("a")))));
  const nlohmann::json honest = json;
  const auto refused = [](const std::string& text, const std::string& part) {
    const Result<ReleaseDocument> read = decode_document(text);
    ASSERT_FALSE(read) << part;
    EXPECT_NE(read.error().message.find(part), std::string::npos) << read.error().message;
  };
  json["randomness"] = "system";
  json["guarantee"] = nlohmann::json::parse(kText)["guarantee"];
  json.erase("json_sha256");
  json["json_sha256"] = sha256_of(json.dump());
  refused(json.dump(2) + "\n", "hash content_sha256");
  json = honest;
  json["randomness"] = "system";
  refused(sign(json), "its card says \"No privacy");
  json = honest;
  json["guarantee"] = nlohmann::json::parse(kText)["guarantee"];
  refused(sign(json), "its randomness is repeatable:a");
  json = honest;
  json.erase("randomness");
  refused(sign(json), "has no \"randomness\"");
  json["format"] = 1;
  json["randomness"] = "repeatable:a";
  refused(sign(json), "unknown key \"randomness\"");
}

TEST(ReleaseDocument, Format1ToldOfItsKeyInAParameter) {
  Release old = sample::city();
  old.format = 1;
  const std::string text = *encode_document(document_of(old));
  EXPECT_FALSE(nlohmann::json::parse(text).contains("randomness"));
  EXPECT_TRUE(decode_document(text)->release.is_private());

  nlohmann::json json = nlohmann::json::parse(text);
  json["params"]["test_key"] = "b";
  const Result<ReleaseDocument> read = decode_document(sign(json));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->release.randomness, Randomness::repeatable("b"));
  EXPECT_TRUE(read->card.title.starts_with("Pure")) << "the file's own words stay";
  EXPECT_TRUE(guarantee_card(read->release).title.starts_with("No privacy"));
  EXPECT_EQ(*encode_document(*read), sign(json)) << "bit for bit";
}

// The hash of before is what the same content had in format 1: nobody can claim another's.
TEST(ReleaseDocument, UpgradedFromIsRecomputed) {
  for (const Randomness& randomness : {Randomness::system(), Randomness::repeatable("b")}) {
    Release old = with(sample::city(), randomness);
    old.format = 1;
    if (randomness.is_repeatable()) old.params.emplace_back("test_key", "b");
    Release upgraded = with(sample::city(), randomness);
    upgraded.upgraded_from = *content_sha256(document_of(old));
    const ReleaseDocument before = document_of(upgraded);
    const std::string text = *encode_document(before);
    const Result<ReleaseDocument> after = decode_document(text);
    ASSERT_TRUE(after) << after.error().message;
    EXPECT_EQ(after->release, before.release);
    EXPECT_NE(*content_sha256(before), upgraded.upgraded_from);
    const auto expect_refused = [&](const char* key, const nlohmann::json& value, const std::string& part) {
      nlohmann::json json = nlohmann::json::parse(text);
      json[key] = value;
      const Result<ReleaseDocument> forged = decode_document(sign(json));
      ASSERT_FALSE(forged) << key;
      EXPECT_NE(forged.error().message.find(part), std::string::npos) << forged.error().message;
    };
    expect_refused("upgraded_from", std::string(64, '0'), "does not have the hash upgraded_from");
    expect_refused("date", "2001-01-01", "does not have the hash upgraded_from");
    expect_refused("k", 7, "does not have the hash upgraded_from");
    expect_refused("description", {{"title", "x"}}, "format 1 cannot say what it says");
  }
}

TEST(ReleaseDocument, TheHashIsOfTheContentAlone) {
  ReleaseDocument document = document_of(sample::city());
  const std::string before = *content_sha256(document);
  document.writer.version = "9.9.9";
  document.files[0].file_sha256 = std::string(64, 'b');
  document.card.title = "In other words.";
  EXPECT_EQ(*content_sha256(document), before);
  document.release.number += 1;
  EXPECT_NE(*content_sha256(document), before);
}

TEST(ReleaseDocument, EveryFlippedBitIsNoticed) {
  for (std::size_t i = 0; i < kText.size(); ++i) {
    std::string text = kText;
    text[i] = static_cast<char>(text[i] ^ (1 << (i % 8)));
    const Result<ReleaseDocument> read = decode_document(text);
    ASSERT_FALSE(read) << "byte " << i;
    ASSERT_EQ(read.error().failure, Failure::bad_input);
  }
}

TEST(ReleaseDocument, EveryTruncationIsNoticed) {
  for (std::size_t i = 0; i < kText.size(); ++i) ASSERT_FALSE(decode_document(kText.substr(0, i))) << i;
  EXPECT_FALSE(decode_document(kText + "\n"));
}

// Every value replaced by others, every key left out, doubled or added, with the hashes made right again: what is left
// to refuse it is the structure alone. Returns how many were tried.
int mutate(const nlohmann::json& whole, const nlohmann::json::json_pointer& at, const std::string& trail) {
  int tried = 0;
  const auto refused = [&](const nlohmann::json& changed, const std::string& how) {
    ++tried;
    const std::string text = sign(changed);
    const Result<ReleaseDocument> read = decode_document(text);
    EXPECT_FALSE(read) << trail << " " << how;
  };
  const nlohmann::json& value = whole.at(at);
  const bool is_hash = trail == "/content_sha256" || trail == "/json_sha256";  // these are made right again
  for (const nlohmann::json& other :
       {nlohmann::json(nullptr), nlohmann::json(true), nlohmann::json(-1), nlohmann::json(0.5),
        nlohmann::json(nlohmann::json::object()), nlohmann::json(nlohmann::json::array({1})), nlohmann::json(1e300),
        nlohmann::json(18446744073709551615u)}) {
    if (is_hash || (trail == "/params" && other.is_object()) || (value.is_boolean() && other.is_boolean())) continue;
    nlohmann::json changed = whole;
    changed[at] = other;
    refused(changed, "as " + other.dump());
  }
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) {
      const bool free = trail == "/params";
      if (!free && key != "content_sha256" && key != "json_sha256") {
        nlohmann::json changed = whole;
        changed[at].erase(key);
        refused(changed, "without " + key);
      }
      tried += mutate(whole, at / key, trail + "/" + key);
    }
    nlohmann::json changed = whole;
    changed[at]["zzz"] = trail == "/params" ? nlohmann::json(1) : nlohmann::json("x");
    refused(changed, "with an unknown key");
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) tried += mutate(whole, at / i, trail + "/" + std::to_string(i));
  }
  return tried;
}

TEST(ReleaseDocument, TheStructureIsStrict) {
  EXPECT_GT(mutate(nlohmann::json::parse(kText), nlohmann::json::json_pointer(), ""), 500);
}

TEST(ReleaseDocument, BadValuesAreNamed) {
  const auto refused = [](const char* pointer, const nlohmann::json& value, const std::string& part) {
    nlohmann::json json = nlohmann::json::parse(kText);
    json[nlohmann::json::json_pointer(pointer)] = value;
    const Result<ReleaseDocument> read = decode_document(sign(json));
    ASSERT_FALSE(read) << pointer << " = " << value;
    EXPECT_NE(read.error().message.find(part), std::string::npos) << read.error().message;
  };
  refused("/format", 3, "format 3, this program reads formats 1 to 2");
  refused("/randomness", "fresh", "the randomness is system, repeatable:NAME or not told, not \"fresh\"");
  refused("/epsilon", "0.10", "hash content_sha256");
  refused("/epsilon", "1e-1", "epsilon");
  refused("/epsilon", "nan", "epsilon");
  refused("/k", 0, "k must be a whole number from 1");
  refused("/k", 4294967296, "k must be a whole number");
  refused("/unit", "person", "the unit is trip or user");
  refused("/tables/0/kind", "cover", "a table's kind is partition or cells, not \"cover\"");
  refused("/tables/0/multiplicity", 2, "a table's multiplicity must be 1");
  refused("/mechanism", 7, "mechanism must be a text");
  refused("/domain/axes/0/cells", 0, "an axis's cells");
  refused("/domain/axes/0/cells", 2147483649, "an axis's cells");
  refused("/domain/axes/0/lower", "nan", "decimal");
  refused("/domain/axes/0/lower", "inf", "decimal");
  refused("/domain/axes/0/lower", "1e999", "decimal");
  refused("/domain/axes/0/lower", "-122.520", "hash content_sha256");
  refused("/domain/axes/0/lower", "12x", "decimal");
  refused("/domain/axes/0/upper", "-200", "increasing");
  refused("/domain/axes/0/name", "d_lon", "two axes");
  refused("/domain/stops", nlohmann::json::array(), "stops must not be empty");
  refused("/domain/stops/0/axes/0", "nowhere", "stop origin");
  refused("/tables/0/axes/0", "nowhere", "unknown axis");
  refused("/tables/0/name", "../evil", "short word");
  refused("/tables/0/file", "/etc/passwd", "short word");
  refused("/tables/0/rows", 0, "rows");
  refused("/tables/0/rows", 2147483648, "rows");
  refused("/tables/0/file_sha256", "XYZ", "64 hex digits");
  refused("/charges/0/times", 0, "times");
}

TEST(ReleaseDocument, HostileTextsAreRefused) {
  for (const std::string& text :
       {std::string(), std::string("null"), std::string("[]"), std::string("{}"), std::string(1 << 20, '['),
        std::string(1 << 20, '{'), std::string(1 << 20, '"'), std::string("\"\\"), std::string("\xff\xfe"),
        "{\"format\": 1" + std::string(100, '0') + "}", std::string("{\"a\":") + std::string(1000, '[') + "}"}) {
    const Result<ReleaseDocument> read = decode_document(text);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().failure, Failure::bad_input);
  }
  std::string doubled = kText;  // the same key twice: JSON readers disagree on which one counts
  doubled.replace(doubled.find("\"k\": 4"), 6, "\"k\": 1,\n  \"k\": 4");
  EXPECT_FALSE(decode_document(doubled));
}

TEST(ReleaseDocument, OnlyWhatMayBePublicIsInIt) {
  std::vector<std::string> keys;
  const nlohmann::json json = nlohmann::json::parse(kText);
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"answer_model", "charges", "content_sha256", "date", "domain", "epsilon",
                                            "format", "guarantee", "json_sha256", "k", "ledger_head", "mechanism",
                                            "number", "params", "randomness", "spent", "tables", "unit", "writer"}));
}

TEST(ReleaseDocument, NamesMustBeUtf8) {
  Release release = sample::paper(0, 0, 0);
  release.params = {{"note", "\xff"}};
  const Result<std::string> text = encode_document(document_of(release));
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().failure, Failure::usage);
}

}  // namespace
}  // namespace stopover
