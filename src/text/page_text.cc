#include "text/page_text.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace stopover {
namespace {

// Where a tone begins and ends, in text that is still to be filled: takes no column.
constexpr char kStrong = '\x01', kCode = '\x02', kPlain = '\x03';

bool takes_column(char c) {
  return static_cast<unsigned char>(c) > '\x03' && (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), takes_column));
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// "zones" of "../guide/" and "zones.md#names" in one, and of "`zones.md`".
std::string_view stem_of(std::string_view target) {
  target = target.substr(0, target.find('#'));
  target.remove_prefix(std::min(target.find_last_of("/`") + 1, target.size()));
  return target.substr(0, target.find_first_of(".`"));
}

std::string link_text(std::string_view text, std::string_view target) {
  const bool page = target.find(".md") != std::string_view::npos;
  const std::string_view bare = text.starts_with('`') ? text.substr(1) : text;
  if (target.starts_with('#') || stem_of(bare) == stem_of(target)) return std::string(text);
  if (target.find("://") != std::string_view::npos) return std::string(text) + " (" + std::string(target) + ")";
  if (!page) return std::string(text);
  target = target.substr(0, target.find('#'));
  const bool of_guide = target.find('/') == std::string_view::npos || target.find("guide/") != std::string_view::npos;
  while (target.starts_with("../")) target.remove_prefix(3);
  if (of_guide) return std::string(text) + " (help " + std::string(stem_of(target)) + ".md)";
  return std::string(text) + " (" + (target.starts_with("internals/") ? "docs/" : "") + std::string(target) + ")";
}

// Marks instead of markup. Within `code` nothing is markup.
std::string inline_text(std::string_view text, bool colours) {
  std::string result;
  bool strong = false;
  while (!text.empty()) {
    if (const std::size_t end = text.find('`', 1); text[0] == '`' && end != std::string_view::npos) {
      const std::string inside(text.substr(1, end - 1));
      result += colours ? kCode + inside + kPlain + (strong ? std::string(1, kStrong) : "") : "`" + inside + "`";
      text.remove_prefix(end + 1);
    } else if (text.starts_with("**") && (strong || text.find("**", 2) != std::string_view::npos)) {
      result += strong ? kPlain : kStrong;
      strong = !strong;
      text.remove_prefix(2);
    } else if (const std::size_t last = text.find(')'); text.starts_with("![") && last != std::string_view::npos) {
      text.remove_prefix(last + 1);
    } else if (const std::size_t middle = text.find("]("), close = text.find(')', middle);
               text[0] == '[' && middle != std::string_view::npos && close != std::string_view::npos &&
               text.find('[', 1) > middle) {
      result +=
          inline_text(link_text(text.substr(1, middle - 1), text.substr(middle + 2, close - middle - 2)), colours);
      text.remove_prefix(close + 1);
    } else if (text[0] == '\\' && text.size() > 1 && text[1] == '|') {
      text.remove_prefix(1);
    } else {
      result += text[0];
      text.remove_prefix(1);
    }
  }
  return result;
}

// Filled to `width` columns. A word that is longer stands alone, or is broken where `force` says so. A tone that goes
// over the end of a line is taken up in the next.
std::vector<std::string> filled(std::string_view text, std::size_t width, bool force = false) {
  std::vector<std::string> lines;
  std::string line, word;
  char tone = kPlain;
  std::size_t taken = 0;
  const auto end_line = [&] {
    if (tone != kPlain) line += kPlain;
    lines.push_back(line);
    line = tone != kPlain ? std::string(1, tone) : "";
    taken = 0;
  };
  const auto put = [&](std::string_view piece) {
    line += piece;
    taken += columns(piece);
    for (const char c : piece) {
      if (c == kStrong || c == kCode || c == kPlain) tone = c;
    }
  };
  const auto end_word = [&] {
    if (columns(word) == 0) {
      put(word);
      word.clear();
      return;
    }
    if (taken > 0 && taken + 1 + columns(word) > width) end_line();
    if (taken > 0) put(" ");
    std::string_view rest = word;
    while (force && columns(rest) > width) {
      std::size_t at = 0;
      for (std::size_t n = 0; n < width; ++at) n += takes_column(rest[at]) ? 1 : 0;
      put(rest.substr(0, at));
      rest.remove_prefix(at);
      end_line();
    }
    put(rest);
    word.clear();
  };
  for (const char c : text) {
    if (c == ' ' || c == '\n') {
      end_word();
    } else {
      word += c;
    }
  }
  end_word();
  if (taken > 0 || lines.empty()) {
    if (tone != kPlain) line += kPlain;
    lines.push_back(line);
  }
  return lines;
}

std::string painted(std::string_view text, const Paper& paper) {
  std::string result, inside;
  Tone tone = Tone::plain;
  const auto flush = [&] {
    if (!inside.empty()) result += paper.paint(tone, inside);
    inside.clear();
  };
  for (const char c : text) {
    if (c != kStrong && c != kCode && c != kPlain) {
      inside += c;
      continue;
    }
    flush();
    tone = c == kStrong ? Tone::strong : c == kCode ? Tone::accent : Tone::plain;
  }
  flush();
  return result;
}

// A line of code that is too long, broken at blanks; a comment at its end goes onto a line of its own before it.
void put_code(std::vector<std::string>& out, std::string_view code, std::size_t width) {
  constexpr std::size_t kIndent = 4;
  const std::string margin(kIndent, ' ');
  if (columns(code) + kIndent <= width) {
    out.push_back(code.empty() ? "" : margin + std::string(code));
    return;
  }
  if (const std::size_t comment = code.find("  #"); comment != std::string_view::npos) {
    put_code(out, trimmed(code.substr(comment)), width);
    put_code(out, code.substr(0, code.find_last_not_of(' ', comment) + 1), width);
    return;
  }
  if (code.starts_with("# ")) {
    for (const std::string& part : filled(code.substr(2), width - kIndent - 2)) out.push_back(margin + "# " + part);
    return;
  }
  const bool command = code.starts_with("stopover") || code.starts_with("$ ");
  std::size_t last = kIndent;
  for (std::size_t indent = kIndent; columns(code) + indent > width; indent = 2 * kIndent) {
    const std::size_t room = width - indent;
    std::size_t at = code.rfind(command ? " -" : " ", room - 2);
    if (at == std::string_view::npos || at < room / 2) at = code.rfind(' ', room - 2);
    const bool blank = at != std::string_view::npos && code.find_first_not_of(' ') < at;
    if (!blank) at = room;
    out.push_back(std::string(indent, ' ') + std::string(code.substr(0, at)) + (command && blank ? " \\" : ""));
    code.remove_prefix(at + (blank ? 1 : 0));
    last = 2 * kIndent;
  }
  out.push_back(std::string(last, ' ') + std::string(code));
}

class Table {
 public:
  Table(const std::vector<std::string_view>& lines, bool colours) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i != 1) rows_.push_back(cells_of(lines[i], colours));
      count_ = std::max(count_, rows_.back().size());
    }
    for (std::vector<std::string>& row : rows_) row.resize(count_);
  }

  void put(std::vector<std::string>& out, std::size_t width) const {
    const std::vector<std::size_t> widths = widths_in(width);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (r == 0 && std::all_of(rows_[0].begin(), rows_[0].end(), [](const auto& cell) { return columns(cell) == 0; }))
        continue;
      put_row(out, rows_[r], widths, r == 0);
      if (r == 0) out.push_back(std::string(std::accumulate(widths.begin(), widths.end(), kGap * (count_ - 1)), '-'));
    }
  }

 private:
  static constexpr std::size_t kGap = 2;

  static std::vector<std::string> cells_of(std::string_view line, bool colours) {
    std::vector<std::string> cells;
    line = trimmed(line);
    line.remove_prefix(1);
    std::string cell;
    bool code = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      code ^= line[i] == '`';
      if (line[i] == '|' && !code && (i == 0 || line[i - 1] != '\\')) {
        cells.push_back(inline_text(trimmed(cell), colours));
        cell.clear();
      } else {
        cell += line[i];
      }
    }
    return cells;
  }

  // As wide as their cells; if that is too much, the widest give way first, to their longest words and then further.
  std::vector<std::size_t> widths_in(std::size_t width) const {
    std::vector<std::size_t> widths(count_, 1), least(count_, 1);
    for (const std::vector<std::string>& row : rows_) {
      for (std::size_t c = 0; c < count_; ++c) {
        widths[c] = std::max(widths[c], columns(row[c]));
        for (const std::string& word : filled(row[c], 1)) least[c] = std::max(least[c], columns(word));
      }
    }
    std::size_t total = std::accumulate(widths.begin(), widths.end(), kGap * (count_ - 1));
    for (; total > width; --total) {
      const auto spare = [&](std::size_t c) { return widths[c] > least[c]; };
      std::size_t widest = 0;
      for (std::size_t c = 1; c < count_; ++c) {
        if (spare(c) != spare(widest) ? spare(c) : widths[c] > widths[widest]) widest = c;
      }
      if (widths[widest] == 1) break;
      --widths[widest];
    }
    return widths;
  }

  static void put_row(std::vector<std::string>& out, const std::vector<std::string>& row,
                      const std::vector<std::size_t>& widths, bool head) {
    std::vector<std::vector<std::string>> cells;
    std::size_t tall = 1;
    for (std::size_t c = 0; c < row.size(); ++c) {
      cells.push_back(filled(row[c], widths[c], true));
      tall = std::max(tall, cells.back().size());
    }
    for (std::size_t i = 0; i < tall; ++i) {
      std::string line;
      std::size_t place = 0;
      for (std::size_t c = 0; c < row.size(); place += widths[c] + kGap, ++c) {
        if (i >= cells[c].size() || columns(cells[c][i]) == 0) continue;
        line += std::string(place - columns(line), ' ');
        line += head ? kStrong + cells[c][i] + kPlain : cells[c][i];
      }
      out.push_back(line);
    }
  }

  std::vector<std::vector<std::string>> rows_;
  std::size_t count_ = 1;
};

// "* " and "1. " begin an entry; the columns they take, with what stands before them. 0: it is none.
std::size_t mark_of(std::string_view line) {
  const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
  const std::string_view rest = line.substr(blanks);
  if (rest.starts_with("* ") || rest.starts_with("- ")) return blanks + 2;
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  return digits > 0 && rest.substr(digits).starts_with(". ") ? blanks + digits + 2 : 0;
}

bool is_heading(std::string_view line) {
  const std::size_t marks = line.find_first_not_of('#');
  return line.starts_with('#') && marks != std::string_view::npos && line[marks] == ' ';
}

class PageWriter {
 public:
  PageWriter(std::string_view markdown, bool colours, std::size_t width)
      : lines_(lines_of(markdown)), colours_(colours), width_(width) {}

  std::vector<std::string> lines() {
    while (at_ < lines_.size()) block();
    while (!out_.empty() && out_.back().empty()) out_.pop_back();
    return out_;
  }

 private:
  void block() {
    const std::string_view line = lines_[at_];
    if (trimmed(line).empty()) {
      ++at_;
      if (!out_.empty() && !out_.back().empty()) out_.emplace_back();
    } else if (line.starts_with("![")) {
      ++at_;
    } else if (is_heading(line)) {
      heading(line);
    } else if (line.starts_with("    ")) {
      code();
    } else if (line.starts_with('|')) {
      table();
    } else {
      text(mark_of(line));
    }
  }

  void heading(std::string_view line) {
    const std::size_t level = line.find_first_not_of('#');
    const std::string title = inline_text(trimmed(line.substr(level)), false);
    for (const std::string& part : filled(title, width_)) out_.push_back(kStrong + part + kPlain);
    if (level <= 2) out_.push_back(std::string(std::min(columns(title), width_), level == 1 ? '=' : '-'));
    ++at_;
  }

  void code() {
    for (; at_ < lines_.size() && (lines_[at_].starts_with("    ") || goes_on_as_code()); ++at_) {
      put_code(out_, lines_[at_].size() > 4 ? lines_[at_].substr(4) : "", width_);
    }
  }

  bool goes_on_as_code() const {
    return trimmed(lines_[at_]).empty() && at_ + 1 < lines_.size() && lines_[at_ + 1].starts_with("    ");
  }

  void table() {
    std::vector<std::string_view> rows;
    for (; at_ < lines_.size() && lines_[at_].starts_with('|'); ++at_) rows.push_back(lines_[at_]);
    Table(rows, colours_).put(out_, width_);
  }

  // A paragraph, or an entry of a list whose mark takes `mark` columns.
  void text(std::size_t mark) {
    std::string all(lines_[at_].substr(mark));
    const std::string begin(lines_[at_].substr(0, mark));
    for (++at_; at_ < lines_.size(); ++at_) {
      const std::string_view line = lines_[at_];
      if (trimmed(line).empty() || is_heading(line) || line.starts_with('|') || mark_of(line) > 0) break;
      all += ' ';
      all += trimmed(line);
    }
    const std::vector<std::string> parts = filled(inline_text(all, colours_), width_ - mark);
    for (std::size_t i = 0; i < parts.size(); ++i) out_.push_back((i == 0 ? begin : std::string(mark, ' ')) + parts[i]);
  }

  std::vector<std::string_view> lines_;
  bool colours_;
  std::size_t width_, at_ = 0;
  std::vector<std::string> out_;
};

}  // namespace

std::string page_text(std::string_view markdown, const Paper& paper, std::size_t width) {
  const bool colours = paper.paint(Tone::strong, "x") != "x";
  std::string text;
  for (const std::string& line : PageWriter(markdown, colours, width).lines()) text += painted(line, paper) + "\n";
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace stopover
