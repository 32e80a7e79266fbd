// Rows that are held as they came give the sums of the matrix of the same rows.
#include "ingest/held_cells.h"

#include "ingest/ingest_fixture.h"
#include "ingest/matrix_reader.h"

namespace stopover {
namespace {

class HeldCellsTest : public IngestTest {};

// Cells that come again, rows of none, one and many trips, bad ones; more of them than a batch holds.
TEST_F(HeldCellsTest, AddUpAsTheMatrixDoes) {
  const std::string file = path("cells.parquet");
  Result<DuckSession> duck = DuckSession::open({.threads = 1, .memory_limit = ""});
  ASSERT_TRUE(
      duck->run(fmt::format("COPY (SELECT (hash(range) % 41)::INTEGER AS a0, (range % 30)::INTEGER AS a1, CASE "
                            "WHEN range % 3 > 0 THEN 1 WHEN range = 9 THEN 2305843009213693952 ELSE range % 7 "
                            "END::BIGINT AS count FROM range(50000)) TO {} (FORMAT PARQUET)",
                            quote_output(file))));
  const Domain domain = *Domain::of_shape({40, 30});
  ASSERT_TRUE(HeldCells::fit(domain));
  const Result<MatrixRead> expected = read_matrix(file, domain, {});
  ASSERT_TRUE(expected) << expected.error().message;
  EXPECT_GT(expected->dropped.total(), 0u);
  TallyTask task;
  task.widths = {40, 30};
  task.slots = 2;
  task.tree = {{0, 17, ~0, ~1}};
  task.root = 0;
  task.lattices.push_back({Cuts(2), {}});
  for (std::uint32_t at = 1; at < 40; ++at) task.lattices[0].cuts[0].push_back(at);
  for (std::uint32_t at = 1; at < 30; ++at) task.lattices[0].cuts[1].push_back(at);
  Tally of_matrix(task);
  MatrixSource::in_passes(expected->matrix).pass(of_matrix);
  const auto boxes = of_matrix.boxes(0);
  for (const unsigned threads : {1u, 3u}) {
    const auto held = HeldCells::read({file}, domain, {.threads = threads, .memory_limit = ""});
    ASSERT_TRUE(held) << held.error().message;
    EXPECT_EQ((*held)->dropped().text(), expected->dropped.text());
    EXPECT_EQ((*held)->total(), expected->matrix.total());
    EXPECT_EQ((*held)->matrix(), nullptr);
    Tally tally(task);
    (*held)->pass(tally);
    EXPECT_EQ(tally.boxes(0), boxes);
    for (std::size_t slot = 0; slot < 2; ++slot) EXPECT_EQ(tally.slot(slot), of_matrix.slot(slot));
  }
}

TEST_F(HeldCellsTest, KeysOfMoreThan64BitsDoNotFit) {
  EXPECT_TRUE(HeldCells::fit(*Domain::of_shape({1u << 16, 1u << 16, 1u << 16, 1u << 16})));
  EXPECT_FALSE(HeldCells::fit(*Domain::of_shape({1u << 16, 1u << 16, 1u << 16, (1u << 16) + 1})));
}

TEST_F(HeldCellsTest, FilesThatAreNoneAreRefused) {
  const std::string file = write("cells.parquet", "no Parquet");
  const auto held = HeldCells::read({file}, *Domain::of_shape({4, 4}), {});
  ASSERT_FALSE(held);
  EXPECT_EQ(held.error().failure, Failure::bad_input);
}

}  // namespace
}  // namespace stopover
