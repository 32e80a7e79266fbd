#include "ingest/ingest_fixture.h"

namespace stopover {
namespace {

// A table of doubles, one batch, as another program would hand it over.
struct Doubles {
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;
  std::vector<std::vector<const void*>> buffers{};
  std::vector<ArrowSchema> fields{};
  std::vector<ArrowSchema*> field{};
  std::vector<ArrowArray> arrays{};
  std::vector<ArrowArray*> array{};
  const void* none[1] = {nullptr};
  const char* format = "g";
  int given = 0;

  Result<std::shared_ptr<const ArrowRows>> take() {
    given = 0;
    ArrowArrayStream stream{
        [](ArrowArrayStream* s, ArrowSchema* out) { return static_cast<Doubles*>(s->private_data)->schema(out); },
        [](ArrowArrayStream* s, ArrowArray* out) { return static_cast<Doubles*>(s->private_data)->next(out); },
        [](ArrowArrayStream*) { return ""; }, [](ArrowArrayStream* s) { s->release = nullptr; }, this};
    return ArrowRows::take(stream);
  }
  int schema(ArrowSchema* out) {
    fields.clear();
    field.clear();
    for (const std::string& name : names)
      fields.push_back({format, name.c_str(), nullptr, 2, 0, nullptr, nullptr, nullptr, nullptr});
    for (ArrowSchema& f : fields) field.push_back(&f);
    *out = {
        "+s",   "", nullptr, 0, std::ssize(field), field.data(), nullptr, [](ArrowSchema* s) { s->release = nullptr; },
        nullptr};
    return 0;
  }
  int next(ArrowArray* out) {
    *out = {};
    if (given++ > 0) return 0;
    const std::int64_t rows = std::ssize(columns[0]);
    for (const auto& column : columns) buffers.push_back({nullptr, column.data()});
    for (auto& b : buffers) arrays.push_back({rows, 0, 0, 2, 0, b.data(), nullptr, nullptr, nullptr, nullptr});
    for (ArrowArray& a : arrays) array.push_back(&a);
    *out = {
        rows,   0, 0, 1, std::ssize(array), none, array.data(), nullptr, [](ArrowArray* a) { a->release = nullptr; },
        nullptr};
    return 0;
  }
};

class ArrowSource : public IngestTest {
 protected:
  Result<Ingest> open_table(Doubles& table) const {
    const Result<std::shared_ptr<const ArrowRows>> rows = table.take();
    if (!rows) return rows.error();
    return Ingest::open({"", "", {}, *rows}, names_, request_, {1, "", [] { return false; }});
  }
};

TEST_F(ArrowSource, GivesTheCellsOfTheSameRowsInAFile) {
  request_.shape = RowShape::trips;
  Doubles table{{"fare", "o_lat", "o_lng", "d_lat", "d_lng"}, std::vector<std::vector<double>>(5)};
  std::string text = "fare,o_lat,o_lng,d_lat,d_lng\n";
  for (int i = 0; i < 3000; ++i) {
    const double row[5] = {static_cast<double>(i % 700), 0.25 + i % 60, 0.5 + i % 110, 49.5 - i % 40, 99.5 - i % 90};
    for (std::size_t c = 0; c < 5; ++c) table.columns[c].push_back(row[c]);
    text += fmt::format("{},{},{},{},{}\n", row[0], row[1], row[2], row[3], row[4]);
  }
  Result<Ingest> in = open_table(table);
  ASSERT_TRUE(in) << in.error().message;
  const Result<std::vector<Matrix>> matrices = in->matrices();
  ASSERT_TRUE(matrices) << matrices.error().message;
  const Cells found = cells_of(matrices->front());
  EXPECT_GT(found.size(), 100U);
  EXPECT_EQ(found, cells(write("same.csv", text)));
  const Result<PrivateFacts> facts = in->row_facts();
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->front().second, 3000U);
}

TEST_F(ArrowSource, RefusesTimesOfWhichOneCouldEndTheRun) {
  Doubles table{{"tid", "datetime", "lat", "lng"}, std::vector<std::vector<double>>(4, std::vector<double>(1))};
  table.format = "tss:UTC";
  const Result<Ingest> in = open_table(table);
  ASSERT_FALSE(in);
  EXPECT_EQ(in.error().failure, Failure::bad_input);
}

}  // namespace
}  // namespace stopover
