#include "duck/duck.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "base/disk_full.h"
#include "disk/private_folder.h"

namespace stopover {
namespace {

Error duck_error(const char* message) {
  std::string_view text = message == nullptr ? "DuckDB gave no reason" : message;
  text = text.substr(0, text.find('\n'));
  if (text.starts_with("INTERRUPT Error")) return {Failure::interrupted, "interrupted"};
  if (!is_disk_full(text)) return {Failure::bad_input, std::string(text)};
  if (text.starts_with("IO Error")) return {Failure::disk_full, std::string(text)};
  return {Failure::disk_full,
          "there is no room on disk for what does not fit in memory\n  Make room, or set TMPDIR to a folder that has "
          "some."};
}

// Ends the connection's query once `asked` says so. DuckDB forgets an interrupt that comes between two queries: so it
// is said again and again.
class Watch {
 public:
  Watch(std::function<bool()> asked, duckdb_connection connection)
      : thread_([asked = std::move(asked), connection](const std::stop_token& stop) {
          std::mutex mutex;
          std::condition_variable_any ended;
          std::unique_lock lock(mutex);
          while (!stop.stop_requested()) {
            if (asked()) duckdb_interrupt(connection);
            ended.wait_for(lock, stop, std::chrono::milliseconds(20), [] { return false; });
          }
        }) {}

 private:
  std::jthread thread_;
};

std::string quoted(std::string_view text, char quote) {
  std::string result(1, quote);
  for (char c : text) {
    if (c == quote) result += quote;
    result += c;
  }
  return result += quote;
}

std::string absolute(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path result = std::filesystem::absolute(path, failed);
  return failed ? path : result.string();
}

struct TypeName {
  duckdb_type type;
  std::string_view name;
  std::size_t bytes;
};

constexpr std::array<TypeName, 10> kTypes = {{{DUCKDB_TYPE_BOOLEAN, "BOOLEAN", 1},
                                              {DUCKDB_TYPE_SMALLINT, "SMALLINT", 2},
                                              {DUCKDB_TYPE_USMALLINT, "USMALLINT", 2},
                                              {DUCKDB_TYPE_INTEGER, "INTEGER", 4},
                                              {DUCKDB_TYPE_UINTEGER, "UINTEGER", 4},
                                              {DUCKDB_TYPE_BIGINT, "BIGINT", 8},
                                              {DUCKDB_TYPE_UBIGINT, "UBIGINT", 8},
                                              {DUCKDB_TYPE_FLOAT, "FLOAT", 4},
                                              {DUCKDB_TYPE_DOUBLE, "DOUBLE", 8},
                                              {DUCKDB_TYPE_VARCHAR, "VARCHAR", sizeof(std::string)}}};

const TypeName* find_type(duckdb_type type) {
  const auto* found = std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeName& t) { return t.type == type; });
  return found == kTypes.end() ? nullptr : found;
}

}  // namespace

void fill(duckdb_vector vector, const DuckColumn& column, std::size_t first, std::size_t n) {
  const std::size_t bytes = find_type(column.type)->bytes;
  if (column.type == DUCKDB_TYPE_VARCHAR) {
    const auto* texts = static_cast<const std::string*>(column.data) + first;
    for (std::size_t i = 0; i < n; ++i) {
      duckdb_vector_assign_string_element_len(vector, i, texts[i].data(), texts[i].size());
    }
  } else {
    std::memcpy(duckdb_vector_get_data(vector), static_cast<const char*>(column.data) + first * bytes, n * bytes);
  }
  if (column.valid == nullptr) return;
  duckdb_vector_ensure_validity_writable(vector);
  std::uint64_t* validity = duckdb_vector_get_validity(vector);
  for (std::size_t i = 0; i < n; ++i) duckdb_validity_set_row_validity(validity, i, (*column.valid)[first + i]);
}

std::string quote_literal(std::string_view text) { return quoted(text, '\''); }

std::string quote_identifier(std::string_view name) { return quoted(name, '"'); }

std::string quote_output(const std::string& path) { return quote_literal(absolute(path)); }

std::string quote_input(const std::string& path) {
  std::string pattern;
  for (char c : absolute(path)) {
    if (c == '*' || c == '?' || c == '[') {
      pattern.append({'[', c, ']'});
    } else {
      pattern += c;
    }
  }
  return quote_literal(pattern);
}

std::string_view duck_type_name(duckdb_type type) {
  const TypeName* found = find_type(type);
  return found == nullptr ? "?" : found->name;
}

struct DuckRows::State {
  duckdb_result result{};
  duckdb_data_chunk chunk = nullptr;
};

void DuckRows::Close::operator()(State* state) const {
  duckdb_destroy_data_chunk(&state->chunk);
  duckdb_destroy_result(&state->result);
  delete state;
}

Result<bool> DuckRows::next() {
  duckdb_destroy_data_chunk(&state_->chunk);
  size_ = 0;
  state_->chunk = duckdb_fetch_chunk(state_->result);
  if (state_->chunk == nullptr) {
    const char* message = duckdb_result_error(&state_->result);
    if (message != nullptr && *message != '\0') return duck_error(message);
    return false;
  }
  size_ = duckdb_data_chunk_get_size(state_->chunk);
  if (size_ == 0) return false;
  for (std::size_t c = 0; c < types_.size(); ++c) {
    duckdb_vector vector = duckdb_data_chunk_get_vector(state_->chunk, c);
    data_[c] = duckdb_vector_get_data(vector);
    validity_[c] = duckdb_vector_get_validity(vector);
  }
  return true;
}

std::string_view DuckRows::text(std::size_t c, std::size_t row) const {
  duckdb_string_t text = column<duckdb_string_t>(c)[row];
  // Short texts live inside the struct: point into the chunk, not into the copy.
  const auto* stored = static_cast<const duckdb_string_t*>(data_[c]) + row;
  return {duckdb_string_t_data(const_cast<duckdb_string_t*>(stored)), duckdb_string_t_length(text)};
}

struct DuckSession::State {
  duckdb_database database = nullptr;
  duckdb_connection connection = nullptr;
  std::optional<PrivateFolder> spill;
  std::optional<Watch> watch;
};

void DuckSession::Close::operator()(State* state) const {
  state->watch.reset();
  duckdb_disconnect(&state->connection);
  duckdb_close(&state->database);
  delete state;
}

duckdb_connection DuckSession::connection() const { return state_->connection; }

std::string DuckSession::version() { return duckdb_library_version(); }

Result<DuckSession> DuckSession::open(const DuckOptions& options) {
  DuckSession session;
  session.state_.reset(new State);
  Result<PrivateFolder> spill =
      PrivateFolder::make(options.temp_folder.empty() ? temporary_place() : options.temp_folder, "stopover-spill-");
  if (!spill) return spill.error();
  session.state_->spill = std::move(*spill);

  duckdb_config config = nullptr;
  duckdb_create_config(&config);
  const std::unique_ptr<duckdb_config, void (*)(duckdb_config*)> owned(&config, duckdb_destroy_config);
  std::vector<std::pair<std::string, std::string>> settings = {
      {"autoinstall_known_extensions", "false"}, {"autoload_known_extensions", "false"},
      {"allow_community_extensions", "false"},   {"temp_directory", session.state_->spill->path()},
      {"preserve_insertion_order", "true"},      {"lock_configuration", "true"}};
  if (!options.extremes) settings.emplace_back("disabled_optimizers", "statistics_propagation");
#ifdef STOPOVER_DUCK_THREADS
  const unsigned threads = STOPOVER_DUCK_THREADS;
#else
  const unsigned threads = options.threads;
#endif
  if (threads > 0) settings.insert(settings.begin(), {"threads", std::to_string(threads)});
  if (!options.memory_limit.empty()) settings.insert(settings.begin(), {"memory_limit", options.memory_limit});
  for (const auto& [name, value] : settings) {
    if (duckdb_set_config(config, name.c_str(), value.c_str()) != DuckDBSuccess) {
      return Error{Failure::internal, fmt::format("DuckDB does not take the setting {} = {}", name, value)};
    }
  }
  char* message = nullptr;
  if (duckdb_open_ext(nullptr, &session.state_->database, config, &message) != DuckDBSuccess) {
    Error error = duck_error(message);
    duckdb_free(message);
    error.failure = Failure::internal;
    return error;
  }
  if (duckdb_connect(session.state_->database, &session.state_->connection) != DuckDBSuccess) {
    return Error{Failure::internal, "DuckDB opened but did not connect"};
  }
  if (options.interrupted) session.state_->watch.emplace(options.interrupted, session.state_->connection);
  return session;
}

Status DuckSession::run(const std::string& sql) {
  if (sql.find('\0') != std::string::npos) return Error{Failure::bad_input, "a name holds a zero byte"};
  duckdb_result result{};
  const bool ok = duckdb_query(state_->connection, sql.c_str(), &result) == DuckDBSuccess;
  Status status = ok ? Status() : Status(duck_error(duckdb_result_error(&result)));
  duckdb_destroy_result(&result);
  return status;
}

Result<DuckRows> DuckSession::query(const std::string& sql) {
  if (sql.find('\0') != std::string::npos) return Error{Failure::bad_input, "a name holds a zero byte"};
  duckdb_prepared_statement statement = nullptr;
  const std::unique_ptr<duckdb_prepared_statement, void (*)(duckdb_prepared_statement*)> owned(&statement,
                                                                                               duckdb_destroy_prepare);
  if (duckdb_prepare(state_->connection, sql.c_str(), &statement) != DuckDBSuccess) {
    return duck_error(duckdb_prepare_error(statement));
  }
  duckdb_pending_result pending = nullptr;
  const std::unique_ptr<duckdb_pending_result, void (*)(duckdb_pending_result*)> pending_owned(&pending,
                                                                                               duckdb_destroy_pending);
  if (duckdb_pending_prepared_streaming(statement, &pending) != DuckDBSuccess) {
    return duck_error(duckdb_pending_error(pending));
  }
  DuckRows rows;
  rows.state_.reset(new DuckRows::State);
  duckdb_result* result = &rows.state_->result;
  if (duckdb_execute_pending(pending, result) != DuckDBSuccess) return duck_error(duckdb_result_error(result));
  const std::size_t columns = duckdb_column_count(result);
  for (std::size_t c = 0; c < columns; ++c) {
    rows.names_.emplace_back(duckdb_column_name(result, c));
    rows.types_.push_back(duckdb_column_type(result, c));
  }
  rows.data_.resize(columns);
  rows.validity_.resize(columns);
  return rows;
}

Status DuckSession::load(const std::string& table, const std::vector<DuckColumn>& columns, std::size_t rows) {
  std::string sql;
  std::vector<duckdb_logical_type> types;
  for (const DuckColumn& column : columns) {
    STOPOVER_CHECK(find_type(column.type) != nullptr, "a column of an unknown type is to be loaded");
    sql += fmt::format("{}{} {}", sql.empty() ? "" : ", ", quote_identifier(column.name), duck_type_name(column.type));
    types.push_back(duckdb_create_logical_type(column.type));
  }
  duckdb_data_chunk chunk = duckdb_create_data_chunk(types.data(), types.size());
  for (duckdb_logical_type& type : types) duckdb_destroy_logical_type(&type);
  const std::unique_ptr<duckdb_data_chunk, void (*)(duckdb_data_chunk*)> owned(&chunk, duckdb_destroy_data_chunk);
  if (Status ok = run(fmt::format("CREATE TABLE {} ({})", quote_identifier(table), sql)); !ok) return ok;

  duckdb_appender appender = nullptr;
  const auto destroy = [](duckdb_appender* a) { duckdb_appender_destroy(a); };
  const std::unique_ptr<duckdb_appender, void (*)(duckdb_appender*)> appender_owned(&appender, destroy);
  const auto failed = [&] { return duck_error(duckdb_appender_error(appender)); };
  if (duckdb_appender_create(state_->connection, nullptr, table.c_str(), &appender) != DuckDBSuccess) return failed();
  const std::size_t most = duckdb_vector_size();
  for (std::size_t first = 0; first < rows; first += most) {
    const std::size_t n = std::min(most, rows - first);
    duckdb_data_chunk_reset(chunk);
    for (std::size_t c = 0; c < columns.size(); ++c) fill(duckdb_data_chunk_get_vector(chunk, c), columns[c], first, n);
    duckdb_data_chunk_set_size(chunk, n);
    if (duckdb_append_data_chunk(appender, chunk) != DuckDBSuccess) return failed();
  }
  if (duckdb_appender_close(appender) != DuckDBSuccess) return failed();
  return {};
}

}  // namespace stopover
