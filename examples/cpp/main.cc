// Publishes a file of trips and asks the release, with an installed stopover.
//
//   publish_and_ask TRIPS.CSV FOLDER        an empty folder to write into
#include <stopover/publish.h>
#include <stopover/query.h>

#include <cstdio>
#include <string>

int fail(const stopover::Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return static_cast<int>(error.failure);
}

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const std::string folder = arguments[2];
  stopover::protect_process();

  stopover::RowsSpec rows;
  rows.source.input = arguments[1];
  rows.trips.shape = stopover::RowShape::trips;
  rows.unit.unit = stopover::Unit::trip;
  rows.box = stopover::DegreeBox{-122.52, 37.70, -122.36, 37.84};
  rows.grid = {64, 64};
  stopover::PublishSpec spec;
  spec.data = rows;
  spec.epsilon = stopover::kTicksPerEpsilon;
  spec.budget = stopover::kTicksPerEpsilon;
  spec.ledger = folder + "/city.ledger";
  spec.output = folder + "/city.odr";
  stopover::Observer observer;
  observer.phase = [](std::string_view name) { std::fprintf(stderr, "%s\n", std::string(name).c_str()); };
  const stopover::Result<stopover::Published> published = stopover::run_publish(spec, observer);
  if (!published) return fail(published.error());

  const stopover::Result<stopover::ReadyRelease> city = stopover::ReadyRelease::open(spec.output);
  if (!city) return fail(city.error());
  stopover::Question question;
  question.where = {{"origin", stopover::RegionTree::circle({37.79, -122.40, 2})}};
  const stopover::Result<stopover::Answer> answer = stopover::count(city->engine, question);
  if (!answer) return fail(answer.error());
  std::printf("%.0f trips, likely %.0f to %.0f\n", answer->estimate, answer->lower, answer->upper);
}
