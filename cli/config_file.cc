#include "cli/config_file.h"

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/split.h"

namespace stopover {
namespace {

// What a number is in the file, since 0.10 and 1e-3 are not to be rewritten.
std::string as_written(const toml::node& node, const std::vector<std::string>& lines) {
  const toml::source_region& at = node.source();
  std::string text;
  std::size_t column = 0;  // of characters, which have one byte or more
  for (const char c : lines[at.begin.line - 1]) {
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80) ++column;
    if (column >= at.begin.column && column < at.end.column && c != '_') text += c;
  }
  return text;
}

class Reader {
 public:
  Reader(ConfigFile& file, const std::vector<std::string>& lines) : file_(file), lines_(lines) {}

  Status read(const toml::table& table) {
    for (auto&& [key, node] : table) {
      const std::size_t line = key.source().begin.line;
      if (const toml::table* section = node.as_table()) {
        file_.sections.push_back({std::string(key.str()), line});
        if (Status s = read_section(std::string(key.str()), *section); !s) return s;
      } else if (Status s = add("", key, node); !s) {
        return s;
      }
    }
    const auto by_line = [](const auto& a, const auto& b) { return a.line < b.line; };
    std::sort(file_.sections.begin(), file_.sections.end(), by_line);
    std::sort(file_.flags.begin(), file_.flags.end(), by_line);
    return {};
  }

 private:
  Status read_section(const std::string& section, const toml::table& table) {
    for (auto&& [key, node] : table) {
      if (Status s = add(section, key, node); !s) return s;
    }
    return {};
  }

  Status add(const std::string& section, const toml::key& key, const toml::node& node) {
    ConfigFlag flag{section, std::string(key.str()), ConfigFlag::Kind::value, {}, key.source().begin.line};
    if (const toml::array* list = node.as_array()) {
      flag.kind = ConfigFlag::Kind::list;
      for (const toml::node& item : *list) {
        if (Status s = add_value(flag, item); !s) return s;
      }
    } else {
      if (node.is_boolean()) flag.kind = ConfigFlag::Kind::truth;
      if (Status s = add_value(flag, node); !s) return s;
    }
    file_.flags.push_back(std::move(flag));
    return {};
  }

  Status add_value(ConfigFlag& flag, const toml::node& node) const {
    if (const auto text = node.value_exact<std::string>()) {
      flag.values.push_back(*text);
    } else if (const auto truth = node.value_exact<bool>()) {
      flag.values.emplace_back(*truth ? "true" : "false");
    } else if (node.is_number()) {
      flag.values.push_back(as_written(node, lines_));
    } else {
      const bool table = node.is_table() || node.is_array();
      return Error{Failure::usage,
                   fmt::format("{}: {} must be a text, a number, true, false or a list of them\n  {}",
                               file_.place(flag.line), flag.name,
                               table ? "Sections are the names of commands and have no sections of their own."
                                     : "Put a date or a time in quotes.")};
    }
    return {};
  }

  ConfigFile& file_;
  const std::vector<std::string>& lines_;
};

}  // namespace

std::string ConfigFile::place(std::size_t line) const { return fmt::format("{}:{}", path, line); }

Result<ConfigFile> read_config(const std::string& path) {
  ConfigFile file{path, {}, {}};
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream whole;
  if (!in || !(whole << in.rdbuf())) {
    if (in && in.peek() == std::ifstream::traits_type::eof()) return file;  // nothing in it
    return Error{Failure::bad_input, fmt::format("cannot read {}\n  "
                                                 "{}",
                                                 path, errno != 0 ? std::strerror(errno) : "It is not a file.")};
  }
  const std::string text = whole.str();
  const std::vector<std::string> lines = split(text, '\n');
  const toml::parse_result parsed = toml::parse(text, path);
  if (!parsed) {
    const std::size_t line = std::min<std::size_t>(parsed.error().source().begin.line, lines.size());
    std::string shown = line > 0 ? lines[line - 1] : "";
    if (shown.ends_with('\r')) shown.pop_back();
    return Error{Failure::bad_input, fmt::format("{}: this is not valid TOML\n  {}\n  {} | {}", file.place(line),
                                                 parsed.error().description(), line, shown.substr(0, 60))};
  }
  if (Status s = Reader(file, lines).read(parsed.table()); !s) return s.error();
  return file;
}

}  // namespace stopover
