// The list of bad input, item by item: a row costs itself or its trip; the file as a whole is refused in clear words.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>

#include "ingest/ingest_fixture.h"

namespace stopover {
namespace {

class BadInput : public IngestTest {
 protected:
  // A shape, one good trip in it, and how a trip with other places and times reads there.
  struct Kind {
    RowShape shape;
    std::string header, good;
    std::string (*trip)(const std::string& user, const std::string& lat, const std::string& lng,
                        const std::string& time);
  };
  static std::string wide(const std::string& user, const std::string& lat, const std::string& lng,
                          const std::string& time) {
    return fmt::format("{},9,{},{},{},3.5,30.5,2000\n", user, lat, lng, time);
  }
  static std::string two_rows(const std::string& user, const std::string& lat, const std::string& lng,
                              const std::string& time) {
    return fmt::format("{0},9,{1},{2},{3}\n{0},9,3.5,30.5,2000\n", user, lat, lng, time);
  }
  std::vector<Kind> kinds() const {
    return {
        {RowShape::trips, "uid,tid,o_lat,o_lng,o_time,d_lat,d_lng,d_time\n", "g,1,1.5,10.5,1000,3.5,30.5,2000\n", wide},
        {RowShape::stops, "uid,tid,lat,lng,datetime\n", "g,1,1.5,10.5,1000\ng,1,3.5,30.5,2000\n", two_rows},
        {RowShape::pings, "uid,tid,lat,lng,datetime\n", "g,1,1.5,10.5,1000\ng,1,3.5,30.5,2000\n", two_rows}};
  }
  void use(const Kind& kind) {
    request_.shape = kind.shape;
    request_.stay_ms = 0;
    request_.max_trips_per_user = 5;
    request_.axes = {*parse_extra_axis("time-of-day")};
    names_ = {};
    names_.user = "uid";
    if (kind.shape == RowShape::trips) {
      names_.points = {{"o_lat", "o_lng", "o_time", "", ""}, {"d_lat", "d_lng", "d_time", "", ""}};
    } else {
      names_.time = "datetime";
    }
  }
  // The one good trip, whatever else is there.
  void expect_only_good(const std::string& more) {
    for (const Kind& kind : kinds()) {
      use(kind);
      EXPECT_EQ(cells_of_text(kind.header + more + kind.good + more), kGood) << more.substr(0, 100);
    }
  }
  // Trips of one user each, all in one file.
  struct Fault {
    std::string lat = "1.5", lng = "10.5", time = "1000", user = "";
  };
  void expect_dropped(const std::vector<Fault>& faults) {
    for (const Kind& kind : kinds()) {
      use(kind);
      std::string text = kind.header;
      for (std::size_t i = 0; i < faults.size(); ++i) {
        text += kind.trip(faults[i].user.empty() ? fmt::format("b{}", i) : faults[i].user, faults[i].lat, faults[i].lng,
                          faults[i].time);
      }
      EXPECT_EQ(cells_of_text(text + kind.good), kGood) << text.substr(0, 3000);
    }
  }
  Cells both(const std::string& user, const std::string& time) {
    Cells cells;
    for (const Kind& kind : kinds()) {
      use(kind);
      const Cells now = cells_of_text(kind.header + kind.trip(user, "1.5", "10.5", time) + kind.good);
      if (cells.empty()) cells = now;
      EXPECT_EQ(now, cells);
    }
    return cells;
  }

  const Cells kGood = {{{10, 1, 0, 30, 3, 0}, 1}};
  const Cells kTwice = {{{10, 1, 0, 30, 3, 0}, 2}};
};

TEST_F(BadInput, TheCasesAreGoodWithoutTheFault) { EXPECT_EQ(both("b", "1000"), kTwice); }

TEST_F(BadInput, NotANumber) {
  std::vector<Fault> faults;
  for (const char* bad : {"nan", "NaN", "-nan", "x", "0x10", "1_0", "\"1,5\"", "--1", "1e", "."}) {
    faults.push_back({.lat = bad});
    faults.push_back({.lng = bad});
  }
  expect_dropped(faults);
}

TEST_F(BadInput, Infinite) {
  expect_dropped({{.lat = "inf"}, {.lat = "-inf"}, {.lng = "Infinity"}, {.lat = "1e400"}, {.lng = "-1e999"}});
}

TEST_F(BadInput, MissingCoordinates) {
  expect_dropped({{.lat = ""}, {.lng = ""}, {.lat = "   "}});
  expect_only_good("b,9\nc\n");
}

TEST_F(BadInput, OutOfTheBox) {
  expect_dropped({{.lat = "-0.0001"}, {.lat = "50"}, {.lng = "100"}, {.lng = "-1"}, {.lat = "1e300"}});
}

TEST_F(BadInput, ExchangedCoordinatesAreHintedAt) {
  for (const Kind& kind : kinds()) {
    use(kind);
    Result<Ingest> in = open(write("in.csv", kind.header + kind.trip("b", "70.5", "1.5", "1000") + kind.good));
    const Result<PrivateFacts> facts = in->row_facts();
    ASSERT_TRUE(facts);
    const std::map<std::string, std::uint64_t> named(facts->begin(), facts->end());
    EXPECT_EQ(named.at("exchanged"), 1U);
    EXPECT_EQ(named.at("outside_the_box"), 1U);
  }
}

TEST_F(BadInput, FactsAddUp) {
  for (const Kind& kind : kinds()) {
    use(kind);
    const std::string bad = kind.trip("", "1.5", "10.5", "1000") + kind.trip("b", "", "10.5", "1000") +
                            kind.trip("c", "1.5", "70000", "1000") + kind.trip("d", "1.5", "10.5", "soon") +
                            "\"unclosed\n";
    Result<Ingest> in = open(write("in.csv", kind.header + bad + kind.good));
    const Result<PrivateFacts> facts = in->row_facts();
    ASSERT_TRUE(facts);
    std::map<std::string, std::uint64_t> named(facts->begin(), facts->end());
    const bool trips = kind.shape == RowShape::trips;
    EXPECT_EQ(named["rows_read"], trips ? 5U : 10U);
    EXPECT_EQ(named["without_user"], trips ? 1U : 2U);
    EXPECT_EQ(named["without_position"], 1U);
    EXPECT_EQ(named["outside_the_box"], 1U);
    EXPECT_EQ(named["without_time"], trips ? 0U : 1U);
    EXPECT_EQ(named["unreadable"], 1U);
  }
}

TEST_F(BadInput, EmptyUserIds) {
  expect_dropped({{.user = "\"\""}});
  expect_only_good(",9,1.5,10.5,1000,3.5,30.5,2000\n,9,1.5,10.5,1000\n,9,3.5,30.5,2000\n");
}

TEST_F(BadInput, OddUserIds) {
  const std::vector<std::string> odd = {"\"a,\"\"b\"\"\"",
                                        "\xc3\xbc",
                                        "'; DROP TABLE rows; --",
                                        " ",
                                        "-0",
                                        "1e3",
                                        "NULL",
                                        "null",
                                        "\xf0\x9f\x9a\xb2",
                                        "g ",
                                        "G",
                                        "%s",
                                        "\\",
                                        std::string(1000, 'u')};
  for (const Kind& kind : kinds()) {
    use(kind);
    std::string text = kind.header + kind.good;
    for (const std::string& user : odd) text += kind.trip(user, "1.5", "10.5", "1000");
    EXPECT_EQ(cells_of_text(text), (Cells{{{10, 1, 0, 30, 3, 0}, 1 + odd.size()}}));
  }
}

TEST_F(BadInput, UnparsableTimes) {
  std::vector<Fault> faults;
  for (const char* bad : {"soon", "", "-5", "4102444800", "2020-02-30", "2020-13-01 10:00", "1970-01-01 25:00",
                          "1970-01-01T00:00+99:99", "1e400", "nan", "12:30", "01/02/2020", "1969-12-31"}) {
    faults.push_back({.time = bad});
  }
  expect_dropped(faults);
}

TEST_F(BadInput, MixedZones) {
  const std::vector<std::string> same = {"1970-01-01T00:16:40Z",
                                         "1970-01-01 01:16:40+01:00",
                                         "1970-01-01T05:46:40.000+0530",
                                         "1970-01-01 00:16:40",
                                         "1000.0",
                                         " 1000 "};
  for (const Kind& kind : kinds()) {
    use(kind);
    std::string text = kind.header + kind.good;
    for (std::size_t i = 0; i < same.size(); ++i) text += kind.trip(fmt::format("b{}", i), "1.5", "10.5", same[i]);
    EXPECT_EQ(cells_of_text(text), (Cells{{{10, 1, 0, 30, 3, 0}, 1 + same.size()}}));
  }
}

TEST_F(BadInput, DuplicateStops) {
  use(kinds()[1]);
  const std::string header = kinds()[1].header, good = kinds()[1].good;
  EXPECT_EQ(cells_of_text(header + good + good + good), kGood) << "a stop told again is one stop";
  EXPECT_EQ(cells_of_text(header + good + "b,9,1.5,10.5,1000\nb,9,1.5,10.5,1000\n"), kGood)
      << "one point, told twice, is no trip";
  use(kinds()[2]);
  EXPECT_EQ(cells_of_text(header + good + good), kGood);
}

TEST_F(BadInput, NegativeDurationsAndTimeGoingBackwards) {
  use(kinds()[0]);
  EXPECT_EQ(cells_of_text(kinds()[0].header + wide("b", "1.5", "10.5", "2001") + kinds()[0].good), kGood);
  use(kinds()[1]);
  names_.seq = "tid";  // any number will do for an order
  request_.model = StopModel::od;
  const std::string header = "uid,trip,tid,lat,lng,datetime\n";
  names_.trip = "trip";
  EXPECT_EQ(
      cells_of_text(header + "g,1,1,1.5,10.5,1000\ng,1,2,3.5,30.5,2000\nb,1,1,1.5,10.5,1000\nb,1,2,3.5,30.5,999\n"),
      kGood);
}

TEST_F(BadInput, ATripOfOnePoint) {
  for (std::size_t kind : {1, 2}) {
    use(kinds()[kind]);
    EXPECT_EQ(cells_of_text(kinds()[kind].header + kinds()[kind].good + "b,9,1.5,10.5,1000\n"), kGood);
  }
}

TEST_F(BadInput, AUserWithManyTripsHasK) {
  use(kinds()[0]);
  std::string text = kinds()[0].header;
  for (int trip = 0; trip < 100'000; ++trip) text += fmt::format("b,{},1.5,10.5,1000,3.5,30.5,2000\n", trip);
  EXPECT_EQ(cells_of_text(text), (Cells{{{10, 1, 0, 30, 3, 0}, 5}}));
  EXPECT_EQ(cells_of_text(text + kinds()[0].good), (Cells{{{10, 1, 0, 30, 3, 0}, 6}}));
}

TEST_F(BadInput, HugeFields) {
  const std::string huge(3 << 20, 'x'), large(1 << 19, 'y');
  expect_only_good(huge + "\n");
  // What is left of a line that was cut would be a row of a user with a long name.
  for (std::size_t mib = 1; mib <= 4; ++mib) {
    expect_only_good(std::string((mib << 20) + 1000, 'x') + ",9,1.5,10.5,1000,3.5,30.5,2000\n");
  }
  expect_only_good("b," + huge + ",1.5,10.5,1000,3.5,30.5,2000\n");
  expect_only_good("b,9," + large + "," + large.substr(5) + "\n");
  EXPECT_EQ(both(large, "1000"), kTwice) << "a line of less than a MiB is a row";
  expect_dropped({{.lat = "1." + std::string(100'000, '0') + "e99999"}});
}

TEST_F(BadInput, ZeroBytes) {
  const std::string zero(1, '\0');
  expect_only_good(zero + "\n");
  expect_only_good("b,9,1.5" + zero + ",10.5,1000,3.5,30.5,2000\n");
  expect_only_good(zero + "b,9,1.5,10.5,1000\n" + "b,9,3.5,30.5,2000" + zero + "\n");
}

TEST_F(BadInput, BytesThatAreNoText) {
  std::string all;
  for (const char* bad :
       {"\xff\xfe\n", "\xc0\x80,9,1.5,10.5,1000\n", "b\xed\xa0\x80,9,1.5,10.5,1000,3.5,30.5,2000\n", "\xf8\n"})
    all += bad;
  expect_only_good(all);
}

TEST_F(BadInput, UnclosedQuotesAndStrayOnes) {
  std::string all;
  for (const char* bad : {"\"\n", "\"b,9,1.5,10.5,1000\n", "b,\"9,1.5,10.5,1000,3.5,30.5,2000\n",
                          "\"b\"x,9,1.5,10.5,1000,3.5,30.5,2000\n", "\"\"\"\n"}) {
    all += bad;
  }
  expect_only_good(all);
}

TEST_F(BadInput, AByteOrderMarkAndCarriageReturns) {
  for (const Kind& kind : kinds()) {
    use(kind);
    std::string text = "\xef\xbb\xbf";
    for (const char c : kind.header + kind.good) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
    EXPECT_EQ(cells_of_text(text), kGood);
    // Elsewhere it is a part of the text, wherever the row stands.
    const std::string marked = kind.trip(
        "\xef\xbb\xbf"
        "g",
        "1.5", "10.5", "1000");
    EXPECT_EQ(cells_of_text(kind.header + marked + kind.good), cells_of_text(kind.header + kind.good + marked));
  }
  expect_only_good("\r\r\n");
  expect_only_good("\r\n\n \t\n");
}

TEST_F(BadInput, TooManyFields) { expect_only_good("b,9,1.5,10.5,1000,3.5,30.5,2000,1,1\n"); }

TEST_F(BadInput, BigNumbersOfJsonStayDifferentIds) {
  request_.shape = RowShape::trips;
  request_.max_trips_per_user = 1;
  const auto row = [](std::string_view user) {
    return fmt::format("{{\"uid\":{},\"o_lat\":1.5,\"o_lng\":10.5,\"d_lat\":3.5,\"d_lng\":30.5}}\n", user);
  };
  const auto count = [&](std::string_view a, std::string_view b) {
    std::uint64_t total = 0;
    for (const auto& [cell, n] : cells(write("in.jsonl", row(a) + row(b)))) total += n;
    return total;
  };
  EXPECT_EQ(count("100000000000000000001", "100000000000000000002"), 2U);
  EXPECT_EQ(count("100000000000000000001", "\"100000000000000000001\""), 1U);
  EXPECT_EQ(count("12345678901234567", "12345678901234568"), 2U);
  EXPECT_EQ(count("1", "null"), 1U);
  EXPECT_EQ(count("1", "[2]"), 1U);
  EXPECT_EQ(count("1", "true"), 2U);
  EXPECT_EQ(count("1", "\"\\u0000\""), 1U);
  for (const char* line : {"null\n", "7\n", "\"x\"\n", "[{\"uid\":5}]\n", "{\"uid\":1}x\n", "{\"uid\":1\n", "\n",
                           "{\"uid\":1e999}\n", "{\"uid\":\"\\ud800\"}\n"}) {
    EXPECT_EQ(cells(write("in.jsonl", line + row("1"))).size(), 1U) << line;
  }
}

TEST_F(BadInput, AMarkBeforeAJsonLineCountsForNothingWhereverItStands) {
  request_.shape = RowShape::trips;
  request_.max_trips_per_user = 1;
  const std::string row = R"({"uid":1,"o_lat":1.5,"o_lng":10.5,"d_lat":3.5,"d_lng":30.5})",
                    other = R"({"uid":2,"o_lat":5.5,"o_lng":5.5,"d_lat":5.5,"d_lng":5.5})";
  EXPECT_EQ(cells(write("in.jsonl", "\xef\xbb\xbf" + row + "\n")), (Cells{{{10, 1, 30, 3}, 1}}));
  EXPECT_EQ(cells(write("in.jsonl", other + "\n\xef\xbb\xbf" + row + "\n")),
            (Cells{{{5, 5, 5, 5}, 1}, {{10, 1, 30, 3}, 1}}));
}

// Whoever writes a newline writes lines: what stands between two of them is a row, whosever id it has. It is told.
TEST_F(BadInput, ALineIsARowAlsoInsideOfQuotes) {
  use(kinds()[0]);
  const std::string smuggled = "s,1,1.5,10.5,1000,3.5,30.5,2000\n";
  const std::string field = "z,\"1\n" + smuggled + smuggled + "\",1.5,10.5,1000,3.5,30.5,2000\n";
  Result<Ingest> in = open(write("in.csv", kinds()[0].header + field + kinds()[0].good + "\"q\"\"\",9,,,,,,\n"));
  EXPECT_EQ(cells_of(in->matrices()->front()), (Cells{{{10, 1, 0, 30, 3, 0}, 3}}));
  const Result<PrivateFacts> facts = in->row_facts();
  const std::map<std::string, std::uint64_t> named(facts->begin(), facts->end());
  EXPECT_EQ(named.at("odd_quotes"), 2U) << "where the field opens and where it closes; not where quotes are in pairs";
  EXPECT_EQ(named.at("unreadable"), 2U);
}

TEST_F(BadInput, JsonLinesMayBeEmptyAndTakeTheUsualNames) {
  request_.max_trips_per_user = 2;
  EXPECT_EQ(cells(write("in.jsonl", "")), Cells{});
  EXPECT_EQ(cells(write("in.jsonl",
                        "{\"uid\":1,\"tid\":1,\"datetime\":5,\"lat\":1.5,\"lng\":10.5}\n{\"uid\":1,\"tid\":1,"
                        "\"datetime\":6,\"lat\":3.5,\"lng\":30.5}\n")),
            (Cells{{{10, 1, 30, 3}, 1}}));
}

TEST_F(BadInput, AFileWithoutRowsIsFine) {
  for (const Kind& kind : kinds()) {
    use(kind);
    EXPECT_EQ(cells_of_text(kind.header), Cells{});
  }
}

// Declared forms of CSV give the same cells.
TEST_F(BadInput, EncodingsAndDelimiters) {
  const auto changed = [](std::string text, char delimiter) {
    std::replace(text.begin(), text.end(), ',', delimiter);
    return text;
  };
  for (const Kind& kind : kinds()) {
    use(kind);
    const std::string text = kind.header + kind.trip("Z\xfcrich \x96", "1.5", "10.5", "1000") + kind.good;
    form_ = {TextEncoding::windows1252, ','};
    EXPECT_EQ(cells_of_text(text), kTwice);
    form_ = {TextEncoding::latin1, ','};
    EXPECT_EQ(cells_of_text(text), kTwice);
    for (const char delimiter : {';', '\t', '|', '^', '~'}) {
      form_ = {TextEncoding::latin1, delimiter};
      EXPECT_EQ(cells_of_text(changed(text, delimiter)), kTwice) << delimiter;
    }
    form_ = {TextEncoding::utf16, ','};
    std::string wide = "\xff\xfe";
    for (const char c : kind.header + kind.good) wide += {c, '\0'};
    EXPECT_EQ(cells_of_text(wide), kGood);
    // A line with half a pair in it, and one with a zero, cost themselves.
    EXPECT_EQ(cells_of_text(wide + std::string("\x3d\xd8\n\0\0\0\n\0", 8) + wide.substr(2 + 2 * kind.header.size())),
              kind.shape == RowShape::trips ? kTwice : kGood);
    form_ = {};
    EXPECT_EQ(cells_of_text(text), kGood);
  }
}

TEST_F(BadInput, TheSameIdInTwoEncodingsIsOneUser) {
  use(kinds()[0]);
  request_.max_trips_per_user = 1;
  const std::string utf8 = kinds()[0].header + kinds()[0].trip("Z\xc3\xbcrich", "1.5", "10.5", "1000") +
                           kinds()[0].trip("Ina", "1.5", "10.5", "1000");
  const std::string latin = kinds()[0].header + kinds()[0].trip("Z\xfcrich", "1.5", "10.5", "1000") +
                            kinds()[0].trip("Ina", "1.5", "10.5", "1000");
  const Cells expected = cells_of_text(utf8);
  form_ = {TextEncoding::latin1, ','};
  EXPECT_EQ(cells_of_text(latin), expected);
}

TEST_F(BadInput, DecimalCommas) {
  for (const Kind& kind : kinds()) {
    use(kind);
    form_ = {TextEncoding::utf8, ';'};
    std::string text = kind.header + kind.good;
    std::replace(text.begin(), text.end(), ',', ';');
    std::replace(text.begin(), text.end(), '.', ',');
    EXPECT_EQ(cells_of_text(text), Cells{});
    request_.decimal_comma = true;
    EXPECT_EQ(cells_of_text(text), kGood);
    request_.decimal_comma = false;
    form_ = {};
  }
}

TEST_F(BadInput, LinesInAnotherEncodingAreCounted) {
  use(kinds()[0]);
  const auto facts_of = [&](const std::string& text) {
    Result<Ingest> in = open(write("in.csv", kinds()[0].header + kinds()[0].good + text));
    const Result<PrivateFacts> facts = in->row_facts();
    return std::map<std::string, std::uint64_t>(facts->begin(), facts->end());
  };
  auto facts = facts_of("Z\xfcrich,9\nZ\xfcrich \x96,9\n\x81,9\n\"open,9\n" + std::string("zero\0,\n", 7));
  EXPECT_EQ(facts["unreadable"], 5U);
  EXPECT_EQ(facts["not_utf8"], 3U);
  EXPECT_EQ(facts["like_latin1"], 1U);
  EXPECT_EQ(facts["like_windows1252"], 1U);
  facts = facts_of("");
  EXPECT_EQ(facts["not_utf8"], 0U);
  EXPECT_TRUE(facts.contains("like_latin1"));
  form_ = {TextEncoding::latin1, ','};
  EXPECT_FALSE(facts_of("Z\xfcrich,9\n").contains("not_utf8")) << "all lines are as declared";
}

TEST_F(BadInput, ARowCannotMakeJsonLinesAPackedFile) {
  use(kinds()[1]);
  EXPECT_EQ(cells(write("in.jsonl", "\x1f\x8b\x08 mine\n")), Cells{});
  EXPECT_EQ(cells(write("in.jsonl", "\xff\xfe\n")), Cells{});
}

// Half a file is not read as if it were all of it: the words are those of whoever found it out.
TEST_F(BadInput, AFileThatIsCutIsRefusedWhileItIsRead) {
  use(kinds()[0]);
  std::string text = kinds()[0].header;
  for (std::uint64_t i = 0; i < 50'000; ++i)
    text += fmt::format("u{},{},1.5,10.5,1000,3.5,30.5,2000\n", i, i * i * 2654435761U % 1000003);
  gzFile file = gzopen(path("cut.csv.gz").c_str(), "wb");
  ASSERT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
  gzclose(file);
  std::filesystem::resize_file(path("cut.csv.gz"), std::filesystem::file_size(path("cut.csv.gz")) - 100);
  Result<Ingest> in = open(path("cut.csv.gz"));
  ASSERT_TRUE(in) << in.error().message;
  const Status read = in->load();
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().failure, Failure::bad_input);
  EXPECT_EQ(
      read.error().message,
      fmt::format("cannot read {}\n  The file is damaged or cut: it ends inside its gzip data. Copy or pack it again.",
                  path("cut.csv.gz")));
}

// The file as a whole.
TEST_F(BadInput, StructuralFaultsNameTheFault) {
  use(kinds()[1]);
  const std::string header = kinds()[1].header;
  const auto says = [&](const std::string& file, Failure failure, const std::string& text) {
    const Error error = refusal(file);
    EXPECT_EQ(error.failure, failure) << error.message;
    EXPECT_NE(error.message.find(text), std::string::npos) << error.message;
  };
  says(write("a.csv", "uid,tid,lat,datetime\n"), Failure::bad_input, "there is no column lng");
  says(write("a.csv", ""), Failure::bad_input, "is empty");
  says(write("a.csv", "\n\n"), Failure::bad_input, "is empty");
  says(write("a.csv", "\"uid,tid\n"), Failure::bad_input, "is not a list of columns");
  says(write("a.parquet", ""), Failure::bad_input, "cannot read");
  says(write("a.parquet", "PAR1 half"), Failure::bad_input, "damaged or cut");
  says(write("a.csv", "uid;tid;lat;lng;datetime\n"), Failure::bad_input, "try `delimiter ';'`");
  says(write("a.csv", "uid\ttid\tlat\tlng\tdatetime\n"), Failure::bad_input, "try `delimiter tab`");
  says(write("a.csv",
             "uid,tid,lat,lng,stra\xdf"
             "e\n"),
       Failure::bad_input, "is not UTF-8\n  It looks like latin1: try `encoding latin1`");
  says(write("a.csv", "uid,tid,lat,lng,\x80\n"), Failure::bad_input, "try `encoding windows-1252`");
  says(write("a.csv", std::string("\xff\xfeu\0i\0d\0\n\0", 10)), Failure::bad_input, "try `encoding utf-16`");
  says(write("a.csv", "\x1f\x8b\x08..."), Failure::bad_input, "It is gzip, though its name does not say so");
  says(write("a.csv.gz", header), Failure::bad_input, "It is not gzip, though its name says so");
  form_ = {TextEncoding::latin1, ','};
  says(write("a.jsonl", ""), Failure::usage, "are for CSV files");
  form_ = {};
  says(write("a.csv.gz", std::string("\x1f\x8b\x08\0\0\0\0\0\0\3 broken", 17)), Failure::bad_input, "a.csv.gz");
  says(write("a.csv.zst", "not zstd"), Failure::bad_input, "a.csv.zst");
  says(path("none"), Failure::bad_input, "No such file");
  const std::string locked = write("locked.csv", header);
  std::filesystem::permissions(locked, std::filesystem::perms::none);
  if (geteuid() != 0) says(locked, Failure::bad_input, "locked.csv");
  std::filesystem::create_directories(path("empty"));
  says(path("empty"), Failure::bad_input, "a folder without tables");
  std::filesystem::create_directories(path("mixed"));
  write("mixed/a.csv", header);
  write("mixed/b.jsonl", "");
  says(path("mixed"), Failure::bad_input, "of different kinds");
  std::filesystem::create_directories(path("others"));
  write("others/a.csv", header);
  write("others/b.csv", "uid,tid\n");
  says(path("others"), Failure::bad_input, "has other columns");
  request_.timezone = "Europe/Atlantis";
  says(write("a.csv", header), Failure::usage, "there is no timezone");
}

}  // namespace
}  // namespace stopover
