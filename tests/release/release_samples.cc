// release_samples FOLDER: writes small valid releases of every kind into FOLDER, for tests in other languages.
#include <cstdio>
#include <filesystem>

#include "release/sample_release.h"
#include "release_io/release_io.h"

namespace {

using namespace stopover;

Release cells() {
  Release release = sample::over(*Domain::of_shape({100, 100}), 10);
  Table t = sample::table("joint", {0, 1}, 10);
  t.kind = TableKind::cells;
  for (std::uint32_t i = 0; i < 5; ++i) t.append(sample::box({{2 * i, 2 * i + 1}, {7, 10}}), -1, 50, 10, 0);
  release.tables.push_back(t);
  sample::settle(release);
  return release;
}

Release with(Release release, Randomness randomness) {
  release.randomness = std::move(randomness);
  return release;
}

// As they were written before there was a field: a parameter names the key.
Release of_format_1(Release release, const std::string& key) {
  release.format = 1;
  if (key.empty()) return release;
  release.randomness = Randomness::repeatable(key);
  release.params = {{"test_key", key}};
  return release;
}

int write(const std::filesystem::path& directory, const Release& release) {
  std::filesystem::create_directories(directory);
  const Status status = write_release(release, directory);
  if (!status) std::fprintf(stderr, "%s\n", status.error().message.c_str());
  return status ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  return write(folder / "paper.odr", sample::paper(1, -2, 3)) + write(folder / "city.odr", sample::city()) +
         write(folder / "maps.odr", sample::maps()) + write(folder / "grid.odr", sample::grid(40)) +
         write(folder / "cells.odr", cells()) + write(folder / "stations.odr", sample::stations()) +
         write(folder / "believed.odr", sample::believed()) + write(folder / "gradual.odr", sample::gradual()) +
         write(folder / "testkey.odr", with(sample::city(), Randomness::repeatable("a key"))) +
         write(folder / "untold.odr", with(sample::city(), {})) +
         write(folder / "old.odr", of_format_1(sample::city(), "")) +
         write(folder / "oldkey.odr", of_format_1(sample::city(), "a key"));
}
