// The lemma of src/privacy/AUDIT.md, "From rows to the matrix", by trial: a data set, and the same with the rows of one
// more unit in it. Reading both succeeds; every cell holds at least as much with the unit as without it; and all cells
// together hold at most k more. So nobody else's trip came, went or moved.
//
// Data sets are small and full of ties: few ids, places and times, so that trips of one user share all of them. Rows
// are shuffled anew and read by another number of threads, in another number of buckets of users (user_bucket.h), for
// every reading, so a tie that is left to the engine comes out in two ways. The unit's rows hold anything: nonsense,
// other types, files that lack columns.
//
// 200 pairs; with STOPOVER_LONG_TESTS=1 10,000. With STOPOVER_PAIRS_TO=FOLDER the data, their Spark plans and DuckDB's
// cells are left there, for spark/neighbour_test.py to compare.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "ingest/csv_lines.h"
#include "ingest/ingest_fixture.h"

namespace stopover {
namespace {

namespace fs = std::filesystem;

using Row = std::vector<std::optional<std::string>>;  // a text a column
using Texts = std::vector<std::string>;

enum class Format { csv, json, parquet, hive };
enum class Role { id, number, time, category, zone };

struct Column {
  std::string name;
  Role role;
};

// Rows that lie in one file.
struct File {
  std::string name;  // in the folder of the data set
  std::vector<Row> rows;
  Texts raw;                       // csv, json: whole lines, in between
  std::vector<std::string> types;  // parquet: of every column; empty: it has none
};

class Neighbours : public IngestTest {
 protected:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  template <typename T>
  T pick(const std::vector<T>& list) {
    return list[below(list.size())];
  }

  // What is asked for, and the columns that rows have for it.
  void choose_request() {
    request_ = {};
    names_ = {};
    columns_.clear();
    request_.box = {0, 0, 4, 4};
    request_.columns = request_.rows = 4;
    request_.shape = pick<RowShape>({RowShape::trips, RowShape::stops, RowShape::stops, RowShape::pings});
    format_ = pick<Format>({Format::csv, Format::json, Format::parquet, Format::parquet, Format::hive});
    by_user_ = request_.shape == RowShape::pings || !one_in(6);
    if (by_user_) request_.max_trips_per_user = 1 + static_cast<std::uint32_t>(below(3));
    if (one_in(8)) request_.bound_key = "other";
    const bool wide = request_.shape == RowShape::trips;
    std::vector<StopModel> models = {StopModel::od, StopModel::od, StopModel::first, StopModel::first_mid_last,
                                     StopModel::od_vias};
    if (!wide) models.insert(models.end(), {StopModel::last, StopModel::counts, StopModel::counts});
    if (!wide && by_user_) models.push_back(StopModel::frames);
    request_.model = pick(models);
    const bool frames = request_.model == StopModel::frames;
    if (request_.model == StopModel::od_vias) request_.vias = 1;
    if (request_.model == StopModel::counts)
      request_.counts = one_in(2) ? std::vector<std::uint32_t>{2, 3} : std::vector<std::uint32_t>{2, 3, 4};
    if (!wide && (request_.model == StopModel::od_vias || request_.model == StopModel::counts))
      request_.spread = one_in(2);
    if (frames) request_.frames = *parse_frames("day=06:00-18:00,night=20:00-28:00");
    const bool few = request_.stops() < 4, category = few && one_in(3), clock = few && one_in(3);
    if (category)
      request_.axes.push_back(
          *parse_extra_axis(one_in(2) ? "category:purpose=home,work" : "category:purpose=home,work,*"));
    if (clock) request_.axes.push_back(*parse_extra_axis("time-of-day:4"));
    // Zones by their ids, and an axis of the trip itself.
    if (one_in(3)) {
      request_.zones = zones_named({"a", "b", "7", "home"});
      request_.zones_by_id = true;
    }
    const bool of_trip = request_.stops() * (2 + request_.axes.size()) < kMaxAxes && !frames &&
                         request_.model != StopModel::counts && request_.shape != RowShape::pings && one_in(3);
    if (of_trip) request_.trip_axes = {*parse_trip_axis("category:class=home,work,*")};
    names_.user = "uid";
    columns_ = {{"uid", Role::id}};
    const bool streams = request_.shape == RowShape::pings && one_in(3);
    if (!frames && (request_.shape != RowShape::pings || streams)) {
      names_.trip = "tid";
      columns_.push_back({"tid", Role::id});
    }
    if (wide) {
      for (std::size_t i = 0; i < request_.stops(); ++i) {
        PointColumns point = {fmt::format("lat{}", i), fmt::format("lng{}", i), clock ? fmt::format("time{}", i) : "",
                              category ? fmt::format("purpose{}", i) : "", ""};
        if (request_.zones) {
          names_.zones.push_back(fmt::format("zone{}", i));
          columns_.push_back({names_.zones.back(), Role::zone});
        } else {
          columns_.push_back({point.lat, Role::number});
          columns_.push_back({point.lng, Role::number});
        }
        if (clock) columns_.push_back({point.time, Role::time});
        if (category) columns_.push_back({point.category, Role::category});
        names_.points.push_back(point);
      }
      if (of_trip) columns_.push_back({"class", Role::category});
      return;
    }
    if (request_.shape == RowShape::stops && !frames && !one_in(3)) {
      names_.seq = "seq";
      columns_.push_back({"seq", Role::number});
    }
    if (request_.shape == RowShape::pings || frames || clock || !names_.seq) {
      names_.time = "at";
      columns_.push_back({"at", Role::time});
    }
    if (of_trip) columns_.push_back({"class", Role::category});
    if (request_.zones) {
      names_.zones = {"zone"};
      columns_.push_back({"zone", Role::zone});
    } else {
      columns_.push_back({"lat", Role::number});
      columns_.push_back({"lng", Role::number});
    }
    if (category) columns_.push_back({"purpose", Role::category});
    request_.stay_ms = one_in(2) ? 0 : 10 * 60'000;
    request_.cut_by_day = one_in(2);
    request_.cut_gap_ms = pick<std::int64_t>({30 * 60'000, 6 * 3'600'000});
  }

  // Two days, each a span by itself; now and then a third one, whose rows are late.
  void choose_spans() {
    choose_request();
    constexpr std::int64_t kDay = 86'400'000, kFirst = 18'262;  // 2020-01-01
    request_.spans = {{kFirst * kDay, (kFirst + 1) * kDay}, {(kFirst + 1) * kDay, (kFirst + 2) * kDay}};
    request_.late.clear();
    request_.day_types.clear();
    if (one_in(3)) {  // the second span has two days, each of another type
      request_.spans[1].until = (kFirst + 3) * kDay;
      request_.day_types = *parse_day_types(one_in(2) ? "thursday,wednesday,friday" : "wednesday,thursday,friday");
    } else if (one_in(2)) {
      request_.late = {{(kFirst + 2) * kDay, (kFirst + 3) * kDay}};
    }
    if (names_.time) return;
    names_.time = "at";
    columns_.push_back({"at", Role::time});
  }

  std::string place() {
    return fmt::format("{}.{}", below(3), pick<std::string>({"5", "5", "25", "5001", "50000001"}));
  }
  static std::string moment(std::uint64_t minute) {
    return fmt::format("2020-01-{:02}T{:02}:{:02}:00Z", 1 + minute / 1440, minute / 60 % 24, minute % 60);
  }
  std::string value(Role role, bool odd) {
    if (odd && one_in(4)) {
      return pick<std::string>({"",
                                " ",
                                "nan",
                                "-inf",
                                "1e400",
                                "99999999999999999999",
                                "9223372036854775807",
                                "-0",
                                "0x1",
                                "2020-13-45",
                                "true",
                                "\xc3\xa9",
                                "'",
                                "\\",
                                "NULL",
                                "-1",
                                "4",
                                "3.9999999999999999",
                                "1e9",
                                "4102444800",
                                "x,y",
                                "a\"b",
                                "[1]",
                                std::string(300, '7')});
    }
    switch (role) {
      case Role::id:
        return pick<std::string>({"1", "1", "2", "3", "07", "a", "b", "10000000000000000", "10000000000000001"});
      case Role::number:
        return place();
      case Role::time:
        return moment(10 * below(300));
      case Role::category:
        return pick<std::string>({"home", "work", "shop"});
      case Role::zone:
        return pick<std::string>({"a", "b", "7", "7", "07", "home", "nowhere"});
    }
    return "";
  }
  // Some rows of a user; of one trip, if so many are wanted.
  std::vector<Row> rows_of(const std::string& user, std::size_t most, bool odd, bool one_trip) {
    std::vector<Row> rows;
    const bool wide = request_.shape == RowShape::trips;
    const std::size_t trips = one_trip ? 1 : 1 + below(most);
    for (std::size_t trip = 0; trip < trips; ++trip) {
      // Where a trip is the unit, rows with one user and trip id are it: nobody else has this one.
      const std::string id = one_trip ? "z" : value(Role::id, odd);
      const std::size_t size = wide ? 1 : 2 + below(request_.shape == RowShape::pings ? 7 : 3);
      std::string lat = place(), lng = place();
      std::uint64_t minute = pick<std::uint64_t>({480, 480, 1200, 1290}) + 1440 * below(2);
      const auto go_on = [&] {
        minute += pick<std::uint64_t>({0, 10, 10, 20, 60});
        if (one_in(2)) return;
        lat = place();
        lng = place();
      };
      for (std::size_t i = 0; i < size; ++i) {
        Row row;
        for (const Column& column : columns_) {
          std::optional<std::string>& cell = row.emplace_back();
          if (odd && column.name != "uid" && column.name != "tid" && one_in(12)) {
            if (!one_in(3)) cell = value(column.role, true);
          } else if (column.name == "uid") {
            cell = user;
          } else if (column.name == "tid") {
            cell = id;
          } else if (column.name == "seq") {
            cell = std::to_string(one_in(5) ? below(3) : i);
          } else if (column.role == Role::time) {
            cell = moment(minute);
          } else if (column.role == Role::category || column.role == Role::zone) {
            cell = value(column.role, false);
          } else {
            if (column.name.starts_with("lat")) go_on();
            cell = column.name.starts_with("lat") ? lat : lng;
          }
        }
        rows.push_back(row);
        if (one_in(5) && !(one_trip && wide)) rows.push_back(row);
      }
    }
    return rows;
  }

  // Lines without a word of anybody else in them.
  std::string junk() {
    if (format_ == Format::json) {
      return pick<std::string>({"{\"uid\":\"z\"", "[]", "null", "\xff", "{}", "{\"uid\":{\"uid\":\"u0\"}}",
                                std::string(100, '['), "\xef\xbb\xbf{\"uid\":\"z\"}", "{\"uid\":\"\\ud800\"}",
                                "{\"uid\":1e999}", std::string("{\"uid\":\"z\0\"}", 12), "7", "\r", " "});
    }
    return pick<std::string>({"\"", "\"z,1", "z,\"1,2", "\"z\"x,1,2,3", "z", ",,,,", "\xff\xfe",
                              std::string("z\0,1", 4), "\r\r", "z,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16",
                              "\xef\xbb\xbfz,1", "\"\"\"", "z,'; DROP TABLE rows; --", " \t",
                              std::string((1 << 20) + 10, 'x')});
  }

  std::vector<std::string> types(bool anything) {
    std::vector<std::string> list;
    for (const Column& column : columns_) {
      const std::vector<Texts> usable = {
          {"VARCHAR", "VARCHAR", "VARCHAR", "BIGINT", "DOUBLE", "INTEGER"},
          {"DOUBLE", "DOUBLE", "FLOAT", "VARCHAR", "DECIMAL(18,9)", "INTEGER"},
          {"TIMESTAMP", "TIMESTAMP", "TIMESTAMPTZ", "BIGINT", "DOUBLE", "DATE", "VARCHAR"},
          {"VARCHAR", "VARCHAR", "INTEGER"},
          {"VARCHAR", "VARCHAR", "INTEGER", "BIGINT"}};
      const Texts odd = {"", "BOOLEAN", "INTEGER[]", "STRUCT(a INTEGER)", "BLOB", "TIME", "TIMESTAMP_MS"};
      list.push_back(anything && one_in(5) ? pick(odd) : pick(usable[static_cast<std::size_t>(column.role)]));
    }
    return list;
  }

  std::string csv_line(const Row& row) {
    Texts fields;
    for (const auto& cell : row)
      fields.push_back(!cell ? "" : one_in(6) ? "\"" + doubled(*cell) + "\"" : quote_csv(*cell));
    return fmt::format("{}", fmt::join(fields, ","));
  }
  static std::string doubled(const std::string& text) {
    std::string out;
    for (const char c : text) out.append(c == '"' ? 2 : 1, c);
    return out;
  }
  std::string json_line(const Row& row) {
    Texts members;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string name = nlohmann::json(columns_[c].name).dump();
      if (!row[c]) {
        if (one_in(2)) members.push_back(name + ":null");
        continue;
      }
      // As a number it must be the same id: -0 is 0.
      const bool number = !row[c]->empty() && *row[c] != "-0" && nlohmann::json::accept(*row[c]) &&
                          row[c]->find_first_not_of("0123456789.-") == std::string::npos;
      members.push_back(name + ":" + (number && one_in(2) ? *row[c] : nlohmann::json(*row[c]).dump()));
    }
    return (one_in(9) ? "\xef\xbb\xbf{" : "{") + fmt::format("{}", fmt::join(members, ",")) + "}";
  }

  // The data set as it lies on the disk: in a folder, or in one file.
  std::string write_set(const std::string& name, std::vector<File> files) {
    const std::string folder = path(name);
    fs::remove_all(folder);
    const std::string end = format_ == Format::csv ? ".csv" : format_ == Format::json ? ".jsonl" : ".parquet";
    for (File& file : files) {
      const fs::path at = folder + "/" + file.name + end;
      fs::create_directories(at.parent_path());
      std::shuffle(file.rows.begin(), file.rows.end(), random_);
      if (format_ == Format::parquet || format_ == Format::hive) {
        write_parquet(at.string(), file);
        continue;
      }
      std::ofstream out(at, std::ios::binary);
      Texts header;
      for (const Column& column : columns_) header.push_back(column.name);
      if (format_ == Format::csv) out << fmt::format("{}\n", fmt::join(header, ","));
      Texts lines = file.raw;
      for (const Row& row : file.rows) lines.push_back(format_ == Format::csv ? csv_line(row) : json_line(row));
      std::shuffle(lines.begin(), lines.end(), random_);
      for (const std::string& line : lines) out << line << (one_in(5) ? "\r\n" : "\n");
    }
    return folder;
  }
  void write_parquet(const std::string& to, const File& file) {
    Texts list;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string& type = file.types[c];
      const std::string text = fmt::format("v[{}]", c + 1);
      if (type.empty() ||
          (format_ == Format::hive && columns_[c].name == "uid" && to.find("uid=") != std::string::npos))
        continue;
      const bool nested = type == "INTEGER[]" || type.starts_with("STRUCT") || type == "BLOB";
      const bool clock = columns_[c].role == Role::time && (type == "BIGINT" || type == "DOUBLE");
      const std::string from = clock ? fmt::format("epoch_ms(TRY_CAST({} AS TIMESTAMP)) // 1000", text) : text;
      const std::string value =
          nested ? fmt::format("CAST(NULL AS {})", type) : fmt::format("TRY_CAST({} AS {})", from, type);
      list.push_back(fmt::format("{} AS \"{}\"", value, columns_[c].name));
    }
    if (list.empty()) list.emplace_back("1 AS other");
    Texts rows;
    for (const Row& row : file.rows) {
      Texts cells;
      for (const auto& cell : row) cells.push_back(cell ? quote_literal(*cell) : "NULL");
      rows.push_back(fmt::format("(CAST([{}] AS VARCHAR[]))", fmt::join(cells, ", ")));
    }
    const std::string from = rows.empty() ? "(SELECT CAST([] AS VARCHAR[]) AS v) WHERE false"
                                          : fmt::format("(VALUES {}) AS t(v)", fmt::join(rows, ", "));
    const Status written =
        writer_->run(fmt::format("COPY (SELECT {} FROM {}) TO {}", fmt::join(list, ", "), from, quote_output(to)));
    ASSERT_TRUE(written) << written.error().message;
  }

  // Everybody else: a few users, in one file or more, each of a type of its own.
  std::vector<File> others() {
    std::vector<File> files;
    const std::size_t users = 1 + below(6);
    const bool hive = format_ == Format::hive;
    const std::size_t count = hive ? users : 1 + below(3);
    // Two types of file at most: every one is a reading of its own, and plans get long.
    const std::vector<std::vector<std::string>> two = {types(false), types(false)};
    for (std::size_t i = 0; i < count; ++i) {
      files.push_back({hive ? fmt::format("uid=u{}/part", i) : fmt::format("m{}", i), {}, {}, two[one_in(3) ? 1 : 0]});
    }
    for (std::size_t user = 0; user < users; ++user) {
      for (Row& row : rows_of(fmt::format("u{}", user), 6, one_in(3), false)) {
        files[hive ? user : below(count)].rows.push_back(std::move(row));
      }
    }
    if (format_ == Format::csv || format_ == Format::json) {
      while (one_in(3)) files[below(count)].raw.push_back(junk());
    }
    return files;
  }

  // The same with one more unit, and how many trips it may have.
  std::uint64_t add_unit(std::vector<File>& files) {
    const std::uint64_t k = request_.max_trips_per_user.value_or(1);
    const std::uint64_t ids = by_user_ && one_in(4) ? 3 : 1;
    const bool apart = format_ == Format::hive || one_in(2);
    const std::vector<std::string> own = types(true);
    for (std::uint64_t id = 0; id < ids; ++id) {
      const std::string user = ids == 1 ? "z" : fmt::format("z{}", id);
      std::vector<Row> rows = rows_of(user, 9, !one_in(3), !by_user_);
      if (!apart) {
        // (In a file that cannot hold its user id a trip would be nobody's: another one.)
        const std::size_t one = below(files.size());
        for (Row& row : rows) files[by_user_ ? below(files.size()) : one].rows.push_back(std::move(row));
        continue;
      }
      // A file that sorts first or last, of any types; in parts it may lie deeper than others, or nowhere.
      const std::string at = format_ != Format::hive
                                 ? pick<std::string>({"a", "x"}) + std::to_string(id)
                                 : pick<std::string>({"uid=" + user + "/part", "uid=" + user + "/day=1/part",
                                                      "uid=" + user + "=1/part", "part" + user});
      files.insert(files.begin() + static_cast<std::ptrdiff_t>(below(files.size() + 1)),
                   File{at, std::move(rows), {}, own});
    }
    if (format_ == Format::csv || format_ == Format::json) {
      while (!one_in(3)) files[below(files.size())].raw.push_back(junk());
    }
    return ids * k;
  }

  struct Outcome {
    std::vector<Cells> parts;
    std::string plan;  // Spark's, where it is wanted
  };
  Result<Outcome> read(const std::string& folder) {
    buckets_ = one_in(3) ? 2 + below(2) : 1;
    Result<Ingest> in = open(folder, 1 + static_cast<unsigned>(below(4)));
    if (!in) return in.error();
    Result<std::vector<Matrix>> matrices = in->matrices();
    if (!matrices) return matrices.error();
    if (one_in(4)) {
      if (const Result<PrivateFacts> facts = in->row_facts(); !facts) return facts.error();
    }
    Outcome outcome;
    for (const Matrix& matrix : *matrices) outcome.parts.push_back(cells_of(matrix));
    if (kept_ != nullptr) outcome.plan = *in->plan_json(SqlDialect::Engine::spark);
    return outcome;
  }
  void keep(const Outcome& outcome, const std::string& name) const {
    nlohmann::json cells = nlohmann::json::array();
    for (std::size_t part = 0; part < outcome.parts.size(); ++part) {
      for (const auto& [cell, count] : outcome.parts[part]) {
        nlohmann::json row = cell;
        row.push_back(count);
        cells.push_back(std::move(row));
      }
    }
    std::ofstream(fmt::format("{}/{}.json", kept_, name))
        << nlohmann::json{{"plan", nlohmann::json::parse(outcome.plan)},
                          {"cells", cells},
                          {"by_count", outcome.parts.size() > 1}}
               .dump();
  }

  std::mt19937_64 random_{29};
  const char* kept_ = std::getenv("STOPOVER_PAIRS_TO");
  Result<DuckSession> writer_ = DuckSession::open({.threads = 1, .memory_limit = ""});
  std::vector<Column> columns_;
  Format format_ = Format::csv;
  bool by_user_ = true;
};

TEST_F(Neighbours, DifferByAtMostKTripsAndInNobodyElses) {
  const bool far = std::getenv("STOPOVER_LONG_TESTS") != nullptr;
  const std::uint64_t sets = far ? 1000 : 25, pairs_of_a_set = far ? 10 : 8;
  if (kept_ != nullptr) folder_ = kept_;
  std::uint64_t added = 0, at_the_bound = 0, trips = 0;
  for (std::uint64_t set = 0; set < sets; ++set) {
    choose_request();
    const std::vector<File> base = others();
    const std::string name = kept_ != nullptr ? fmt::format("{}-", set) : "";
    const Result<Outcome> without = read(write_set(name + "without", base));
    ASSERT_TRUE(without) << "set " << set << ": " << without.error().message;
    if (kept_ != nullptr) keep(*without, name + "without");
    for (const Cells& part : without->parts) {
      for (const auto& [cell, count] : part) trips += count;
    }
    for (std::uint64_t pair = 0; pair < pairs_of_a_set; ++pair) {
      SCOPED_TRACE(fmt::format("set {}, pair {}, format {}, shape {}, model {}", set, pair, static_cast<int>(format_),
                               static_cast<int>(request_.shape), static_cast<int>(request_.model)));
      std::vector<File> more = base;
      const std::uint64_t most = add_unit(more);
      const std::string with_name = name + (kept_ != nullptr ? fmt::format("with{}", pair) : "with");
      const Result<Outcome> with = read(write_set(with_name, more));
      ASSERT_TRUE(with) << with.error().message;
      if (kept_ != nullptr) keep(*with, with_name);
      std::uint64_t gained = 0;
      for (std::size_t part = 0; part < with->parts.size(); ++part) {
        for (const auto& [cell, count] : without->parts[part]) {
          const auto now = with->parts[part].find(cell);
          ASSERT_TRUE(now != with->parts[part].end() && now->second >= count)
              << "another user's trip is gone from " << fmt::format("{}", fmt::join(cell, ","));
          gained -= count;
        }
        for (const auto& [cell, count] : with->parts[part]) gained += count;
      }
      ASSERT_LE(gained, most);
      added += gained;
      at_the_bound += gained == most ? 1 : 0;
    }
  }
  // The test is not blind.
  const std::uint64_t pairs = sets * pairs_of_a_set;
  fmt::print("{} pairs; {} trips of others, {} of the units, {} pairs at the bound\n", pairs, trips, added,
             at_the_bound);
  EXPECT_GT(trips, sets);
  EXPECT_GT(added, pairs / 4);
  EXPECT_GT(at_the_bound, pairs / 20);
  if (kept_ != nullptr) folder_ = testing::TempDir() + "none";
}

// A person's rows of one period (or a trip's) are a unit: what that person has in the other period is in both data sets
// and stays, and so does everybody else.
TEST_F(Neighbours, OfOnePeriodDifferByAtMostKTripsThereAndNowhereElse) {
  if (kept_ != nullptr) GTEST_SKIP() << "Spark compares cells without periods";
  const bool far = std::getenv("STOPOVER_LONG_TESTS") != nullptr;
  const std::uint64_t sets = far ? 2000 : 25, pairs_of_a_set = 3;
  std::uint64_t moved = 0, at_the_bound = 0, others_there = 0;
  for (std::uint64_t set = 0; set < sets; ++set) {
    choose_spans();
    const std::vector<File> base = others();
    for (std::uint64_t pair = 0; pair < pairs_of_a_set; ++pair) {
      SCOPED_TRACE(fmt::format("set {}, pair {}, format {}, shape {}, model {}", set, pair, static_cast<int>(format_),
                               static_cast<int>(request_.shape), static_cast<int>(request_.model)));
      const std::size_t at = static_cast<std::size_t>(
          std::find_if(columns_.begin(), columns_.end(), [](const Column& c) { return c.name == "at"; }) -
          columns_.begin());
      std::vector<File> without = base, with = base;
      if (format_ == Format::hive) {
        for (std::vector<File>* files : {&without, &with}) files->push_back({"uid=z/part", {}, {}, base[0].types});
      }
      // (A trip whose id the file cannot hold is nobody's, so where it is the unit it lies in one file.)
      const std::size_t one = format_ == Format::hive ? with.size() - 1 : below(with.size());
      for (Row& row : rows_of("z", 9, !one_in(3), !by_user_)) {
        const bool moves = row[at] && (row[at]->starts_with("2020-01-02") ||
                                       (!request_.day_types.empty() && row[at]->starts_with("2020-01-03")));
        const std::size_t file = format_ == Format::hive || !by_user_ ? one : below(with.size());
        with[file].rows.push_back(row);
        if (!moves) without[file].rows.push_back(row);
      }
      const Result<Outcome> before = read(write_set("without", without)), after = read(write_set("with", with));
      ASSERT_TRUE(before) << before.error().message;
      ASSERT_TRUE(after) << after.error().message;
      const std::size_t parts = before->parts.size() / 2;
      std::uint64_t gained = 0;
      for (std::size_t part = 0; part < parts; ++part) {
        ASSERT_EQ(before->parts[part], after->parts[part]) << "the other period is not the same";
        for (const auto& [cell, count] : before->parts[parts + part]) {
          const auto now = after->parts[parts + part].find(cell);
          ASSERT_TRUE(now != after->parts[parts + part].end() && now->second >= count) << "another's trip is gone";
          gained -= count;
          others_there += count;
        }
        for (const auto& [cell, count] : after->parts[parts + part]) gained += count;
      }
      const std::uint64_t most = by_user_ ? *request_.max_trips_per_user : 1;
      ASSERT_LE(gained, by_user_ || request_.shape != RowShape::trips ? most : 2 * most);
      moved += gained;
      at_the_bound += gained == most ? 1 : 0;
    }
  }
  fmt::print("{} pairs; {} trips of others there, {} moved, {} pairs at the bound\n", sets * pairs_of_a_set,
             others_there, moved, at_the_bound);
  EXPECT_GT(others_there, sets);
  EXPECT_GT(moved, sets / 4);
  EXPECT_GT(at_the_bound, sets / 10);
}

}  // namespace
}  // namespace stopover
