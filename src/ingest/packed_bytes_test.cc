#include "ingest/packed_bytes.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>

#include "ingest/file_signature.h"

namespace stopover {
namespace {

std::string gzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string zstd(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  return packed;
}

class PackedBytesTest : public testing::Test {
 protected:
  PackedBytesTest() : folder_(testing::TempDir() + "packed-XXXXXX") { EXPECT_NE(mkdtemp(folder_.data()), nullptr); }
  ~PackedBytesTest() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << bytes;
    return folder_ + "/" + name;
  }
  // All of it, or the message.
  Result<std::string> read(const std::string& name, const std::string& bytes, std::size_t most = 100,
                           bool rows_from_the_start = false) const {
    Result<PackedBytes> file = PackedBytes::open(write(name, bytes), rows_from_the_start);
    if (!file) return file.error();
    std::string all, piece(most, '\0');
    for (;;) {
      const Result<std::size_t> got = file->read(piece.data(), most);
      if (!got) return got.error();
      if (*got == 0) return all;
      all.append(piece, 0, *got);
    }
  }
  void refused(const Result<std::string>& read, const std::string& says) const {
    ASSERT_FALSE(read) << says;
    EXPECT_EQ(read.error().failure, Failure::bad_input);
    EXPECT_NE(read.error().message.find(says), std::string::npos) << read.error().message;
  }

  std::string folder_;
};

TEST_F(PackedBytesTest, ReadsWhatWasPacked) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += std::to_string(i * i) + "\n";
  const std::string large(5'000'000, 'x');
  for (const std::size_t most : {1U, 7U, 100'000U}) {
    EXPECT_EQ(*read("a.csv", text, most), text);
    EXPECT_EQ(*read("a.csv.gz", gzip(text), most), text);
    EXPECT_EQ(*read("a.csv.zst", zstd(text), most), text);
  }
  EXPECT_EQ(*read("a.gz", gzip(large), 4096), large);
  EXPECT_EQ(*read("a.zst", zstd(large), 4096), large);
  EXPECT_EQ(*read("a.gz", gzip(text) + gzip("") + gzip(text)), text + text) << "files joined by cat";
  EXPECT_EQ(*read("a.zst", zstd(text) + zstd(text)), text + text);
  EXPECT_EQ(*read("a.gz", gzip(text) + std::string(512, '\0')), text);
  EXPECT_EQ(*read("a.csv", ""), "");
  EXPECT_EQ(*read("a.gz", gzip("")), "");
}

TEST_F(PackedBytesTest, ACutFileIsRefusedWhereverItIsCut) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += std::to_string(i * i) + "\n";
  const std::string packed = gzip(text), frame = zstd(text);
  for (std::size_t size = 0; size < packed.size(); ++size)
    refused(read("a.gz", packed.substr(0, size)), "damaged or cut: it ");
  for (std::size_t size = 4; size < frame.size(); ++size)
    refused(read("a.zst", frame.substr(0, size)), "damaged or cut: it ends inside its zstd data");
  refused(read("a.zst", ""), "damaged or cut: it is empty");
  refused(read("a.gz", gzip(text) + packed.substr(0, packed.size() / 2)),
          "damaged or cut: it ends inside its gzip data");
}

TEST_F(PackedBytesTest, ADamagedFileIsRefused) {
  std::string packed = gzip(std::string(1000, 'a') + "b"), frame = zstd("abc");
  refused(read("a.gz", packed + "garbage"), "after its gzip data come bytes that are not gzip");
  refused(read("a.zst", frame + "garbage"), "after its zstd data come bytes that are not zstd");
  packed[packed.size() - 6] ^= 1;
  refused(read("a.gz", packed), "damaged or cut: incorrect data check");
}

TEST_F(PackedBytesTest, ANameThatDoesNotFitIsTold) {
  refused(read("a.csv", gzip("x")), "It is gzip, though its name does not say so. Rename it " + folder_ + "/a.csv.gz");
  refused(read("a.csv", zstd("x")), "Rename it " + folder_ + "/a.csv.zst");
  refused(read("a.csv", "PK\x03\x04 sheet"), "It is a ZIP or Excel file");
  refused(read("a.csv", "PAR1...."), "It is Parquet, not text");
  refused(read("a.csv.gz", "uid,lat,lng\n"),
          "It is not gzip, though its name says so. If it is plain text, rename it " + folder_ + "/a.csv");
  refused(read("a.csv.zst", "uid,lat,lng\n"), "It is not zstd");
  refused(read("a.csv.gz", zstd("x")), "It is zstd, not gzip");
}

// Where rows begin with the file, its first bytes are a row's and change nothing.
TEST_F(PackedBytesTest, ARowCannotMakeItsFileAPackedOne) {
  const std::string row = "\x1f\x8b\x08 row\n{}\n";
  EXPECT_EQ(*read("a.jsonl", row, 100, true), row);
}

TEST_F(PackedBytesTest, ParquetFilesAreWhole) {
  const auto says = [&](const std::string& bytes) {
    const Status checked = check_parquet(write("a.parquet", bytes));
    return checked ? "" : checked.error().message;
  };
  EXPECT_EQ(says("PAR1 something PAR1"), "");
  EXPECT_NE(says("PAR1 something").find("damaged or cut"), std::string::npos);
  EXPECT_NE(says("PAR1").find("damaged or cut"), std::string::npos);
  EXPECT_NE(says("").find("It is empty"), std::string::npos);
  EXPECT_NE(says("uid,lat,lng\n").find("does not begin with PAR1"), std::string::npos);
  EXPECT_NE(says(gzip("x")).find("It is gzip, not a Parquet file"), std::string::npos);
  EXPECT_NE(check_parquet(folder_ + "/none.parquet").error().message.find("No such file"), std::string::npos);
}

}  // namespace
}  // namespace stopover
