#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "ingest/csv_lines.h"
#include "query/answerer.h"
#include "query/batch.h"
#include "release_io/release_io.h"

namespace stopover {
namespace {

struct Options {
  std::string release, box, range, batch, output, estimates = "consistent", level = "0.95";
  bool overwrite = false;
};

Result<AnswerOptions> answer_options(const Options& o) {
  AnswerOptions options;
  const Result<Estimates> estimates = parse_estimates(o.estimates);
  if (!estimates) return estimates.error();
  options.estimates = *estimates;
  const Result<double> level = parse_decimal("--level", o.level);
  if (!level) return level.error();
  if (Status s = check_level(*level); !s) return s.error();
  options.level = *level;
  return options;
}

Result<BoxQuery> read_box(const Options& o, const Domain& domain) {
  BoxQuery query = BoxQuery::whole(domain);
  if (!o.box.empty()) {
    const Result<BoxQuery> box = parse_box(domain, o.box);
    if (!box) return box.error();
    query = intersect(query, *box);
  }
  if (!o.range.empty()) {
    const Result<BoxQuery> range = parse_range(domain, o.range);
    if (!range) return range.error();
    query = intersect(query, *range);
  }
  return query;
}

void show(const Answer& a, const Terminal& terminal) {
  if (terminal.json()) {
    terminal.print(nlohmann::ordered_json{{"estimate", rounded(a.estimate)},
                                          {"noise_lower", rounded(a.noise_lower)},
                                          {"noise_upper", rounded(a.noise_upper)},
                                          {"level", a.level},
                                          {"partitions_cut", a.partitions_cut},
                                          {"aligned", a.aligned}}
                       .dump(2));
    return;
  }
  std::string text = fmt::format("{}\n  noise alone: {} to {} ({} %)\n  ",
                                 terminal.paint(Tone::strong, number_text(a.estimate)), number_text(a.noise_lower),
                                 number_text(a.noise_upper), number_text(100 * a.level));
  text += a.aligned ? "The box cuts no partition, so that interval is the whole story."
                    : fmt::format("The box cuts {} partition{}: how trips lie inside {} is not in that interval.",
                                  grouped(a.partitions_cut), a.partitions_cut == 1 ? "" : "s",
                                  a.partitions_cut == 1 ? "it" : "them");
  terminal.print(text);
}

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
      return in_file({Failure::bad_input, fmt::format("line {} is too long or has a quote that does not end", lines->number())});
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
  if (!columns) return Error{Failure::bad_input, fmt::format("{} is empty\n  Its first line must be a header such as a0_lo,a0_hi", path)};
  return batch;
}

std::string answers_text(const Batch& batch, const std::vector<Answer>& answers) {
  std::string text;
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    for (const std::string& field : batch.rows[i]) text.append(quote_csv(field)).append(",");
    if (i == 0) {
      text.append("estimate,noise_lower,noise_upper\n");
    } else {
      const Answer& a = answers[i - 1];
      text.append(fmt::format("{},{},{}\n", number_text(a.estimate), number_text(a.noise_lower), number_text(a.noise_upper)));
    }
  }
  return text;
}

Status run_batch(const Options& o, const Release& release, const BoxIndex& index, const AnswerOptions& options,
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
    session.terminal.print(nlohmann::ordered_json{{"answers", answers.size()}, {"output", o.output}}.dump(2));
  } else {
    session.terminal.print(fmt::format("{}: {} answer{}", o.output, grouped(answers.size()), answers.size() == 1 ? "" : "s"));
  }
  return {};
}

Status run(const Options& o, const Session& session) {
  const Result<AnswerOptions> options = answer_options(o);
  if (!options) return options.error();
  if (!o.batch.empty() && (!o.box.empty() || !o.range.empty())) {
    return Error{Failure::usage, "--batch goes alone, without --box and --range\n  Write the boxes into the batch's rows."};
  }
  if (o.batch.empty() && !o.output.empty()) return Error{Failure::usage, "-o goes with --batch\n  A single answer goes to stdout."};
  Progress progress(session.terminal);
  progress.phase("reading the release");
  const Result<Release> release = read_release(o.release, session.threads);
  if (!release) return release.error();
  const Result<BoxIndex> index = BoxIndex::make(*release);
  if (!index) return index.error();
  progress.pause();
  if (!o.batch.empty()) return run_batch(o, *release, *index, *options, session);
  const Result<BoxQuery> box = read_box(o, release->domain);
  if (!box) return box.error();
  show(answer(*index, *box, *options), session.terminal);
  return {};
}

}  // namespace

void add_query(Cli& cli) {
  const auto o = std::make_shared<Options>();
  CLI::App& app = cli.command(
      {"query",
       "how many trips are in a box, with the noise's interval",
       {"stopover query g4.odr --box a0=0:16,a2=4:20",
        "stopover query city.odr --range a0=-122.45:-122.40,a1=37.75:37.80 --json",
        "stopover query g4.odr --batch boxes.csv -o answers.csv"},
       "Cells are half-open: a0=0:16 is the cells 0 to 15. An axis that is not named is taken whole. A batch is a table with "
       "the header a0_lo,a0_hi,... and one box a row; the answers are its columns, then estimate, noise_lower, noise_upper."},
      [o](const Session& session) { return run(*o, session); });
  option(app, "release", o->release, "RELEASE", "the folder NAME.odr")->required();
  option(app, "--box", o->box, "A=LO:HI,...", "in cells");
  option(app, "--range", o->range, "A=LO:HI,...", "in the axes' own coordinates (degrees)");
  option(app, "--batch", o->batch, "FILE", "many boxes: a .csv with a header a0_lo,a0_hi,...");
  option(app, "-o,--output", o->output, "FILE", "with --batch: where the answers go (stdout)");
  flag(app, "--overwrite", o->overwrite, "replace the output if it is there");
  option(app, "--estimates", o->estimates, "WHICH", "consistent (default) or plain, the paper's");
  option(app, "--level", o->level, "L", "of the interval (0.95)");
}

}  // namespace stopover
