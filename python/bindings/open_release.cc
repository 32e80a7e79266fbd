#include "bindings/open_release.h"

#include "base/field_words.h"
#include "exports/export_card.h"
#include "exports/geo_layers.h"
#include "ingest/cells_file.h"
#include "job/info_form.h"
#include "job/reports.h"
#include "page/html_page.h"
#include "page/page.h"

namespace stopover {

Result<OpenRelease> OpenRelease::open(const std::string& path, unsigned threads) {
  Result<ReadyRelease> ready = ReadyRelease::open(path, threads);
  if (!ready) return ready.error();
  return OpenRelease(path, std::move(*ready));
}

std::string OpenRelease::info() const { return info_json(ready_.release, ready_.content, ready_.papers); }

std::string OpenRelease::card() const {
  return in_words_of(Face::python, info_text(path_, ready_.release, ready_.content, Paper(), ready_.papers));
}

Result<OpenRelease::TextAndMissing> OpenRelease::info_as(const std::string& form, const std::string& url) const {
  Result<InfoForm> made = stopover::info_as(form, {path_, ready_.release, ready_.content, ready_.papers, url});
  if (!made) return made.error();
  for (std::string& missing : made->missing) missing = in_words_of(Face::python, missing);
  return TextAndMissing{std::move(made->text), std::move(made->missing)};
}

std::string OpenRelease::domain() const { return domain_to_json(ready_.release.domain); }

Result<std::string> OpenRelease::page() const {
  const PageRelease page{release_title(path_), &ready_.release,
                         ready_.papers.note ? ready_.papers.note->sentence() : ""};
  return explorer_page({&page, 1}, static_picture(ready_.release));
}

std::string OpenRelease::ground() const { return ground_text(ready_.release); }

Result<std::string> OpenRelease::stops(std::size_t tiles) const {
  const Result<std::string> card = encode_card({"geojson", {}, {}}, ready_.release);
  if (!card) return card.error();
  return stops_layer(ready_.release, *card, tiles);
}

Status OpenRelease::read_boxes(std::span<const std::int64_t> cells, std::size_t first,
                               std::span<BoxQuery> boxes) const {
  const Domain& domain = ready_.release.domain;
  const std::size_t d = domain.d();
  for (std::size_t row = 0; row < boxes.size(); ++row) {
    BoxQuery& box = boxes[row];
    box.axes = d;
    for (std::size_t a = 0; a < d; ++a) {
      const std::int64_t lo = cells[2 * d * row + 2 * a], hi = cells[2 * d * row + 2 * a + 1];
      if (lo < 0 || hi <= lo || hi > static_cast<std::int64_t>(domain.axis(a).cells)) {
        const std::string what = "batch row " + std::to_string(first + row) + ": " + domain.axis(a).name;
        Status wrong = set_cells(domain, a, std::to_string(lo), std::to_string(hi), what, Failure::bad_input, box);
        STOPOVER_CHECK(!wrong, "a bad box was taken for a good one");
        return wrong;
      }
      box.lo[a] = static_cast<double>(lo);
      box.hi[a] = static_cast<double>(hi);
    }
  }
  return {};
}

}  // namespace stopover
