#include "duck/arrow_rows.h"

#include <gtest/gtest.h>

namespace stopover {
namespace {

// A table of two batches made by hand: x BIGINT, y DOUBLE with every fifth value missing, name VARCHAR, and a list that
// is passed over. Batch b has rows b * kRows ..., behind three rows that its offset leaves out.
constexpr std::int64_t kRows = 5000, kHidden = 3;

struct Batch {
  std::vector<std::int64_t> x;
  std::vector<double> y;
  std::vector<std::uint8_t> y_valid, list_offsets;
  std::vector<std::int32_t> offsets;
  std::string letters;
  std::vector<const void*> x_buffers, y_buffers, name_buffers, list_buffers, no_buffers{nullptr};
  ArrowArray arrays[4], *children[4], inner{}, *inner_child[1]{&inner};
};

struct Made {
  int batches = 0, given = 0, released = 0, schemas_released = 0, stream_released = 0, fail_at = -1;
  const char* last = "u";  // format of the last column
  ArrowSchema children[4]{}, *child[4]{}, item{}, *item_child[1]{&item};
};

void schema_released(ArrowSchema* schema) {
  ++static_cast<Made*>(schema->private_data)->schemas_released;
  schema->release = nullptr;
}

void batch_released(ArrowArray* array) {
  auto* owner = static_cast<std::pair<Made*, std::unique_ptr<Batch>>*>(array->private_data);
  ++owner->first->released;
  delete owner;
  array->release = nullptr;
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  auto* made = static_cast<Made*>(stream->private_data);
  made->item = {"l", "item", nullptr, 0, 0, nullptr, nullptr, nullptr, nullptr};
  made->children[0] = {"l", "x", nullptr, 2, 0, nullptr, nullptr, nullptr, nullptr};
  made->children[1] = {"g", "y", nullptr, 2, 0, nullptr, nullptr, nullptr, nullptr};
  made->children[2] = {"+l", "many", nullptr, 2, 1, made->item_child, nullptr, nullptr, nullptr};
  made->children[3] = {made->last, "name", nullptr, 2, 0, nullptr, nullptr, nullptr, nullptr};
  for (int i = 0; i < 4; ++i) made->child[i] = &made->children[i];
  *out = {"+s", "", nullptr, 0, 4, made->child, nullptr, schema_released, made};
  return 0;
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  auto* made = static_cast<Made*>(stream->private_data);
  *out = {};
  if (made->given == made->fail_at) return 5;
  if (made->given == made->batches) return 0;
  const std::int64_t first = made->given++ * kRows;
  auto batch = std::make_unique<Batch>();
  Batch& b = *batch;
  b.y_valid.resize((kRows + kHidden + 7) / 8);
  b.offsets = {0};
  for (std::int64_t i = -kHidden; i < kRows; ++i) {
    const std::int64_t row = first + i;
    b.x.push_back(i < 0 ? -1'000'000 : row);
    b.y.push_back(i < 0 ? -1e9 : 0.5 * static_cast<double>(row));
    const auto bit = static_cast<std::size_t>(i + kHidden);
    if (i < 0 || row % 5 != 0) b.y_valid[bit / 8] = static_cast<std::uint8_t>(b.y_valid[bit / 8] | 1U << (bit % 8));
    b.letters += i < 0 ? "hidden" : "row " + std::to_string(row) + " of a table";
    b.offsets.push_back(static_cast<std::int32_t>(b.letters.size()));
  }
  b.x_buffers = {nullptr, b.x.data()};
  b.y_buffers = {b.y_valid.data(), b.y.data()};
  b.name_buffers = {nullptr, b.offsets.data(), b.letters.data()};
  b.list_buffers = {nullptr, nullptr};
  const std::int64_t all = kRows + kHidden;
  b.arrays[0] = {all, 0, 0, 2, 0, b.x_buffers.data(), nullptr, nullptr, nullptr, nullptr};
  b.arrays[1] = {all, -1, 0, 2, 0, b.y_buffers.data(), nullptr, nullptr, nullptr, nullptr};
  b.arrays[2] = {all, 0, 0, 2, 1, b.list_buffers.data(), b.inner_child, nullptr, nullptr, nullptr};
  b.arrays[3] = {all, 0, 0, 3, 0, b.name_buffers.data(), nullptr, nullptr, nullptr, nullptr};
  for (int i = 0; i < 4; ++i) b.children[i] = &b.arrays[i];
  auto* owner = new std::pair<Made*, std::unique_ptr<Batch>>(made, std::move(batch));
  *out = {kRows, 0, kHidden, 1, 4, b.no_buffers.data(), b.children, nullptr, batch_released, owner};
  return 0;
}

ArrowArrayStream stream_of(Made& made) {
  return {get_schema, get_next, [](ArrowArrayStream*) { return "the disk is gone\n  twice"; },
          [](ArrowArrayStream* s) {
            ++static_cast<Made*>(s->private_data)->stream_released;
            s->release = nullptr;
          },
          &made};
}

std::vector<std::string> one_row(DuckSession& duck, const std::string& sql) {
  Result<DuckRows> rows = duck.query(sql);
  if (!rows) return {rows.error().message};
  const Result<bool> more = rows->next();
  if (!more) return {more.error().message};
  std::vector<std::string> texts;
  for (std::size_t c = 0; *more && c < rows->columns(); ++c) texts.emplace_back(rows->text(c, 0));
  return texts;
}

// A session in which frame() are the rows.
Result<DuckSession> session_with(Made& made) {
  ArrowArrayStream stream = stream_of(made);
  Result<std::shared_ptr<const ArrowRows>> rows = ArrowRows::take(stream);
  if (!rows) return rows.error();
  Result<DuckSession> duck = DuckSession::open();
  if (!duck) return duck;
  if (Status added = add_arrow_table(*duck, "frame", *rows); !added) return added.error();
  return duck;
}

TEST(ArrowRows, IsScannedWhereItLies) {
  Made made{.batches = 3};
  {
    ArrowArrayStream stream = stream_of(made);
    Result<std::shared_ptr<const ArrowRows>> rows = ArrowRows::take(stream);
    ASSERT_TRUE(rows) << rows.error().message;
    EXPECT_EQ(made.stream_released, 1);
    EXPECT_EQ((*rows)->columns(), (std::vector<std::string>{"x", "y", "name"}));
    Result<DuckSession> duck = DuckSession::open({2, "1GB"});
    ASSERT_TRUE(duck);
    ASSERT_TRUE(add_arrow_table(*duck, "frame", *rows));
    EXPECT_EQ(one_row(*duck, "SELECT string_agg(column_type, ' ') FROM (DESCRIBE SELECT * FROM frame())")[0],
              "BIGINT DOUBLE VARCHAR");
    const std::string sums =
        "SELECT count(*)::VARCHAR, count(DISTINCT x)::VARCHAR, sum(x)::VARCHAR, count(y)::VARCHAR, sum(y)::VARCHAR "
        "FROM frame()";
    const std::vector<std::string> expected = {"15000", "15000", "112492500", "12000", "45000000.0"};
    EXPECT_EQ(one_row(*duck, sums), expected);
    EXPECT_EQ(one_row(*duck, sums), expected);  // a second time
    EXPECT_EQ(one_row(*duck, "SELECT count(*)::VARCHAR FROM frame()")[0], "15000");
    EXPECT_EQ(one_row(*duck, "SELECT count(*)::VARCHAR FROM frame() WHERE name = 'row ' || x || ' of a table'")[0],
              "15000");
    EXPECT_EQ(one_row(*duck, "SELECT count(*)::VARCHAR FROM frame() a JOIN frame() b USING (x)")[0], "15000");
    EXPECT_EQ(one_row(*duck, "SELECT name, y::VARCHAR FROM frame() WHERE x = 12344"),
              (std::vector<std::string>{"row 12344 of a table", "6172.0"}));
    EXPECT_EQ(made.released, 0);
  }
  EXPECT_EQ(made.released, 3);
  EXPECT_EQ(made.schemas_released, 1);
}

TEST(ArrowRows, MayBeEmpty) {
  Made made;
  Result<DuckSession> duck = session_with(made);
  ASSERT_TRUE(duck);
  EXPECT_EQ(one_row(*duck, "SELECT count(*)::VARCHAR, count(name)::VARCHAR FROM frame()"),
            (std::vector<std::string>{"0", "0"}));
}

TEST(ArrowRows, PassesOverTypesThatDuckDbDoesNotKnow) {
  Made made{.batches = 1, .last = "d:76,2,256"};
  Result<DuckSession> duck = session_with(made);
  ASSERT_TRUE(duck);
  EXPECT_EQ(one_row(*duck, "SELECT string_agg(column_name, ' ') FROM (DESCRIBE SELECT * FROM frame())")[0], "x y");
}

TEST(ArrowRows, KnowsTimesThatMayNotFit) {
  const auto risky = [](const char* format) {
    Made made{.batches = 0, .last = format};
    ArrowArrayStream stream = stream_of(made);
    return (*ArrowRows::take(stream))->may_overflow("name");
  };
  EXPECT_TRUE(risky("tss:UTC"));
  EXPECT_TRUE(risky("tsm:Europe/Rome"));
  EXPECT_FALSE(risky("tss:"));
  EXPECT_FALSE(risky("tsu:UTC"));
  EXPECT_FALSE(risky("u"));
}

TEST(ArrowRows, TellsTheStreamsOwnReason) {
  Made made{.batches = 3, .fail_at = 2};
  ArrowArrayStream stream = stream_of(made);
  Result<std::shared_ptr<const ArrowRows>> rows = ArrowRows::take(stream);
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().failure, Failure::bad_input);
  EXPECT_EQ(rows.error().message, "the table in memory cannot be read\n  the disk is gone");
  EXPECT_EQ(made.released, 2);
  EXPECT_EQ(made.stream_released, 1);
}

}  // namespace
}  // namespace stopover
