#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/grouped.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/query_question.h"
#include "cli/query_series.h"
#include "cli/terminal_observer.h"
#include "ingest/csv_lines.h"
#include "job/open_release.h"
#include "job/open_series.h"
#include "job/output.h"
#include "query/answerer.h"
#include "query/batch.h"
#include "query/query_engine.h"
#include "question/question_json.h"
#include "question/region_kind.h"
#include "question/series_json.h"
#include "release_io/release_folder.h"
#include "release_io/release_io.h"
#include "text/figure_text.h"

namespace stopover {
namespace {

struct QueryOptions {
  QueryFlags asked;
  SeriesFlags series;
  std::string release, compare, batch, output;
  bool overwrite = false;
};

struct Batch {
  std::vector<std::vector<std::string>> rows;  // the header first
  std::vector<BoxQuery> boxes;
};

Result<Batch> read_batch(const std::string& path, const Domain& domain) {
  const auto in_file = [&](const Error& e) { return Error{e.failure, fmt::format("{}: {}", path, e.message)}; };
  Result<CsvLines> lines = CsvLines::open(path);
  if (!lines) return lines.error();
  Batch batch;
  std::optional<BatchColumns> columns;
  std::vector<std::string> fields;
  for (;;) {
    const Result<bool> more = lines->next();
    if (!more) return more.error();
    if (!*more) break;
    std::string_view line = lines->line();
    if (!columns && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
    if (lines->cut() || !split_csv(line, fields)) {
      return in_file(
          {Failure::bad_input, fmt::format("line {} is too long or has a quote that does not end", lines->number())});
    }
    if (!columns) {
      Result<BatchColumns> found = BatchColumns::of_header(domain, fields);
      if (!found) return in_file(found.error());
      columns = std::move(*found);
    } else {
      const std::vector<std::string_view> views(fields.begin(), fields.end());
      const Result<BoxQuery> box = columns->box(domain, views, batch.rows.size());
      if (!box) return in_file(box.error());
      batch.boxes.push_back(*box);
    }
    batch.rows.push_back(fields);
  }
  if (!columns)
    return Error{Failure::bad_input,
                 fmt::format("{} is empty\n  Its first line must be a header such as a0_lo,a0_hi", path)};
  return batch;
}

std::string answers_text(const Batch& batch, const std::vector<Answer>& answers) {
  std::string text;
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    for (const std::string& field : batch.rows[i]) text.append(quote_csv(field)).append(",");
    if (i == 0) {
      for (const auto& [name, value] : kAnswerNumbers) text.append(name).append(",");
      text.append("claimed\n");
    } else {
      const Answer& a = answers[i - 1];
      for (const auto& [name, value] : kAnswerNumbers) text.append(number_text(a.*value)).append(",");
      text.append(a.claimed ? "true\n" : "false\n");
    }
  }
  return text;
}

Status run_batch(const QueryOptions& o, const Release& release, const BoxIndex& index, const AnswerOptions& options,
                 const Session& session) {
  const std::unique_ptr<FileSystem> files = posix_file_system();
  std::optional<Output> output;
  if (!o.output.empty()) {
    Result<Output> begun = Output::begin(*files, o.output, o.overwrite);
    if (!begun) return begun.error();
    output.emplace(std::move(*begun));
  }
  Progress progress(session.terminal);
  progress.phase("reading the batch");
  const Result<Batch> batch = read_batch(o.batch, release.domain);
  if (!batch) return batch.error();
  progress.phase("answering");
  std::vector<Answer> answers(batch->boxes.size());
  answer_all(index, batch->boxes, options, answers);
  const std::string text = answers_text(*batch, answers);
  if (!output) {
    progress.pause();
    session.terminal.print(std::string_view(text).substr(0, text.size() - 1));
    return {};
  }
  if (Status s = files->write_file(output->path(), text); !s) return s;
  if (Status s = output->finish(); !s) return s;
  progress.pause();
  if (session.terminal.json()) {
    nlohmann::ordered_json told = {{"answers", answers.size()}, {"output", o.output}};
    if (!release.is_private()) told["not_private"] = release.randomness.warning();
    session.terminal.print(told.dump(2));
  } else {
    session.terminal.print(
        fmt::format("{}: {} answer{}", o.output, grouped(answers.size()), answers.size() == 1 ? "" : "s"));
  }
  return {};
}

// Into the file that -o names.
Status write_reply(const QueryOptions& o, const std::string& text, const std::vector<std::string>& notes,
                   const Terminal& terminal) {
  const std::unique_ptr<FileSystem> files = posix_file_system();
  Result<Output> output = Output::begin(*files, o.output, o.overwrite);
  if (!output) return output.error();
  if (Status s = files->write_file(output->path(), text); !s) return s;
  if (Status s = output->finish(); !s) return s;
  for (const std::string& note : notes) terminal.note(note);
  terminal.print(terminal.json()
                     ? nlohmann::ordered_json{{"output", o.output}}.dump(2)
                     : fmt::format("{}: {} lines", o.output,
                                   grouped(static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')))));
  return {};
}

Status run_series(const QueryOptions& o, const Session& session) {
  if (!o.batch.empty() || !o.compare.empty()) {
    const char* flag = o.batch.empty() ? "--compare" : "--batch";
    return Error{Failure::usage, fmt::format("{} goes with one release, and {} is a series\n  {}", flag, o.release,
                                             o.batch.empty() ? "Two of its periods: --period 2019-03 --against 2019-01"
                                                             : "Name one of its releases.")};
  }
  const Result<SeriesQuestion> question = series_question_of(o.asked, o.series);
  if (!question) return question.error();
  const bool as_json = o.output.ends_with(".json");
  if (!o.output.empty() && !as_json && !o.output.ends_with(".csv")) {
    return Error{Failure::usage,
                 fmt::format("{} cannot be written\n  Give -o a name that ends in .csv or .json.", o.output)};
  }
  Progress progress(session.terminal);
  progress.phase("reading the releases");
  const Result<OpenSeries> series = OpenSeries::open(o.release, terminal_observer(session.terminal, session.threads));
  if (!series) return series.error();
  progress.phase("answering");
  const Result<SeriesReply> reply = ask_series(series->engines(), *question);
  progress.pause();
  if (!reply) return reply.error();
  std::vector<std::string> notes = series->notes;
  notes.insert(notes.end(), reply->notes.begin(), reply->notes.end());
  const Terminal& terminal = session.terminal;
  if (!o.output.empty()) {
    return write_reply(o, as_json ? json_of(*reply, series->notes) + "\n" : csv_of_series(*reply), notes, terminal);
  }
  terminal.print(terminal.json() ? json_of(*reply, series->notes)
                                 : text_of_series(*reply, terminal) + notes_text(notes));
  return {};
}

Status run_query(const QueryOptions& o, const Session& session) {
  if (is_series_folder(o.release)) return run_series(o, session);
  if (const std::string flag = o.series.given(); !flag.empty()) {
    if (const Result<ReleaseFolder> found = ReleaseFolder::open(o.release); !found) return found.error();
    return Error{Failure::usage,
                 fmt::format("{} goes with a series, and {} is one release\n  A series is a folder of releases, one "
                             "for each period (docs/guide/series.md).",
                             flag, o.release)};
  }
  const bool batch = !o.batch.empty();
  if (batch && (!o.asked.box.empty() || !o.asked.range.empty() || o.asked.asks_regions() || !o.compare.empty())) {
    return Error{Failure::usage,
                 "--batch goes alone, without --box, --range and --stop\n  Write the boxes into the batch's rows."};
  }
  const Result<Question> question = question_of(o.asked);
  if (!question) return question.error();
  const bool table = question->ask != Ask::count && question->ask != Ask::share;
  const bool as_json = o.output.ends_with(".json");
  if (!batch && !o.output.empty() && !as_json && !(table && o.output.ends_with(".csv"))) {
    return Error{Failure::usage, fmt::format("{} cannot be written\n  {}", o.output,
                                             table ? "Give -o a name that ends in .csv or .json."
                                                   : "A single answer goes to stdout, or to a name that ends in .json; "
                                                     "tables and --batch go to .csv, too.")};
  }
  Progress progress(session.terminal);
  progress.phase("reading the release");
  const Observer observer = terminal_observer(session.terminal, session.threads);
  const Result<ReadyRelease> ready = ReadyRelease::open(o.release, observer);
  if (!ready) return ready.error();
  const QueryEngine& engine = ready->engine;
  if (batch) {
    progress.pause();
    return run_batch(o, ready->release, engine.index(), {.estimates = question->estimates, .level = question->level},
                     session);
  }
  std::optional<QueryEngine> other;
  bool itself = false;  // by whatever name
  if (!o.compare.empty()) {
    Result<ReadyRelease> second = ReadyRelease::open(o.compare, observer);
    if (!second) return second.error();
    itself = ready->content == second->content;
    other.emplace(std::move(second->engine));
  }
  progress.phase("answering");
  const Result<Reply> reply = ask(engine, *question, itself ? &engine : other ? &*other : nullptr);
  progress.pause();
  if (!reply) return reply.error();
  if (!o.output.empty()) {
    return write_reply(o, as_json ? json_of(*reply) + "\n" : csv_of_reply(*reply), reply->notes, session.terminal);
  }
  session.terminal.print(session.terminal.json() ? json_of(*reply) : text_of_reply(*reply, session.terminal));
  return {};
}

}  // namespace

void add_query(Cli& cli) {
  const auto o = std::make_shared<QueryOptions>();
  for (const auto& [flag, stop] : {std::pair{"--origin", "origin"},
                                   {"--from", "origin"},
                                   {"--destination", "destination"},
                                   {"--to", "destination"},
                                   {"--via", "via1"},
                                   {"--where", "NAME"},
                                   {"--zone", "NAME"}}) {
    cli.guessed("query", flag, std::string("--stop ") + stop + "=REGION, as in --stop origin=zone:Mission");
  }
  CLI::App& app = cli.command(
      {"query",
       "how many trips go through boxes, circles, polygons or zones",
       {"stopover query sf.odr --stop origin=circle:37.795,-122.393,1\n"
        "--stop destination=bbox:-122.45,37.74,-122.38,37.80",
        "stopover query sf.odr --stop via1=polygon:area.geojson --given origin --top 10",
        "stopover query sf.odr --stop origin=zone:Mission --zones zones.geojson --json",
        "stopover query g4.odr --box a0=0:16,a2=4:20", "stopover query g4.odr --batch boxes.csv -o answers.csv",
        "stopover query city --stop origin=zone:Mission --zones zones.geojson --trend"},
       "A region is " + region_forms() +
           "; polygon:FILE reads a GeoJSON file, zones come with --zones. Several --stop of one stop must all hold, "
           "and a stop that is "
           "not named may be anywhere. Cells are half-open: a0=0:16 is the cells 0 to 15. A batch is a table with "
           "the header a0_lo,a0_hi,... and one box per row; the answers are its columns, then estimate, noise_lower, "
           "noise_upper, bounds_lower, bounds_upper, lower, upper and claimed. "
           "What each number means: docs/guide/answers.md."},
      [o](const Session& session) { return run_query(*o, session); });
  QueryFlags& q = o->asked;
  option(app, "release", o->release, "RELEASE", "the folder NAME.odr, or NAME.odrz; or a series, a folder of them")
      ->required();
  options(app, "--stop", q.stops, "NAME=REGION", "where trips are at a stop (origin, via1, ..., destination)");
  options(app, "--any-stop", q.any_stop, "REGION", "trips that are in the region at one stop at least");
  options(app, "--no-stop", q.no_stop, "REGION", "trips that are in the region at no stop");
  option(app, "--in-order", q.in_order, "A > B", "trips that are in A and at a later stop in B");
  option(app, "--zones", q.zones, "FILE", "named areas (GeoJSON FeatureCollection)");
  option(app, "--zone-name", q.zone_name, "PROPERTY", "the property with a zone's name (name, id, ...)");
  option(app, "--given", q.given, "STOP",
         "with a region at STOP: where its trips go or come from; without one: where at STOP the trips through the "
         "regions are");
  option(app, "--top", q.top, "K", "the K largest combinations of zones or tiles");
  option(app, "--matrix", q.matrix, "FROM,TO", "from every zone to every zone");
  flag(app, "--totals", q.totals, "every stop by itself, by zones or tiles");
  flag(app, "--share", q.share, "the share of all trips");
  option(app, "--share-of", q.share_of, "STOP,...", "the share of the trips in the regions of these stops");
  option(app, "--over", q.over, "STOP,...", "the stops a table runs over");
  option(app, "--tiles", q.tiles, "N", "without --zones: a stop's map in N x N tiles");
  cli.renamed("query", "--overlapping-zones", "--overlaps");
  flag(app, "--overlaps", q.overlaps, "allow zones that overlap; their trips count in each");
  flag(app, "--together", q.together, "widen the intervals so that all rows of a table hold together");
  options(app, "--minus", q.minus, "NAME=REGION",
          "how many more than there: the difference, and how many times as many");
  option(app, "--above", q.above, "N", "how sure one may be that it is more than N");
  flag(app, "--at-least", q.at_least, "what it is at least, that end alone at the level");
  flag(app, "--at-most", q.at_most, "what it is at most");
  option(app, "--compare", o->compare, "RELEASE",
         "the same in another release, and the difference: a count, --top, --matrix or --totals");
  flag(app, "--change", o->series.change, "of a series: how each period differs from the one before");
  option(app, "--period", o->series.period, "PERIOD", "of a series: this one alone, or FIRST..LAST");
  option(app, "--against", o->series.against, "PERIOD", "the period that --period is compared with");
  flag(app, "--trend", o->series.trend, "of a series: how many trips more with each period");
  flag(app, "--changes", o->series.changes,
       "of a series: the zones or tiles that surely changed most; --top says how many");
  flag(app, "--sum", o->series.sum, "of a series: all periods together");
  option(app, "--spec", q.spec, "FILE", "the whole question as JSON (docs/guide/answers.md)");
  option(app, "--box", q.box, "A=LO:HI,...", "in cells");
  option(app, "--range", q.range, "A=LO:HI,...", "in the axes' own coordinates (degrees)");
  option(app, "--batch", o->batch, "FILE", "many boxes: a .csv with a header a0_lo,a0_hi,...");
  option(app, "-o,--output", o->output, "FILE",
         "where the answers go (stdout): of tables and --batch a .csv, or .json");
  flag(app, "--overwrite", o->overwrite, "replace the output if it is there");
  option(app, "--estimates", q.estimates, "WHICH", "consistent (default; never negative) or plain (raw noisy counts)");
  option(app, "--level", q.level, "L", "confidence level of the intervals (0.95)");
}

}  // namespace stopover
