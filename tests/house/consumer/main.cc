// The smallest project that uses an installed stopover: a matrix in memory is published and the release asked.
// Argument: an empty folder to write into. Prints "published and asked".
#include <array>
#include <iostream>
#include <string>

#include "ledger/file_system.h"
#include "publish/publish.h"
#include "query/answerer.h"
#include "release_io/release_io.h"

using namespace stopover;

int fail(const Error& error) {
  std::cerr << error.message << '\n';
  return static_cast<int>(error.failure);
}

int main(int, char** arguments) {
  const std::string folder = arguments[1];
  const Result<Domain> domain = Domain::of_shape({8, 8});
  if (!domain) return fail(domain.error());
  MatrixBuilder builder(*domain);
  builder.add(std::array{3u, 4u}, 1000);
  const Matrix matrix = std::move(builder).build();

  const Mechanism* mechanism = find_mechanism("eug");
  const Result<Params> params = read_params(*mechanism, {});
  if (!params) return fail(params.error());
  PublishRequest request{.parts = {{"", mechanism, *params, {}}}, .output = folder + "/small.odr"};
  request.epsilon = *parse_epsilon("0.5");
  request.budget = *parse_epsilon("1");
  request.ledger = folder + "/small.ledger";
  request.time = "2025-03-01T09:30:00Z";
  const auto files = posix_file_system();
  const auto store = release_store();
  const Result<PublishOutcome> outcome = publish(request, {&matrix, 1}, {*files, *store, KeySource::system()});
  if (!outcome) return fail(outcome.error());

  const Result<Release> release = read_release(request.output);
  if (!release) return fail(release.error());
  const Result<BoxIndex> index = BoxIndex::make(*release);
  if (!index) return fail(index.error());
  const Answer all = answer(*index, BoxQuery::whole(*domain));
  // Noise of 1,000 is out of the question at this epsilon.
  if (outcome->left != *parse_epsilon("0.5") || all.estimate < 500 || all.estimate > 1500) return 1;
  std::cout << "published and asked\n";
}
