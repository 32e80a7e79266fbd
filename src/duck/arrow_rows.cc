#include "duck/arrow_rows.h"

#include <algorithm>
#include <atomic>
#include <string_view>

namespace stopover {
namespace {

template <typename T>
void destroy_reader(void* data) {
  delete static_cast<T*>(data);
}

void keep(ArrowArray* array) { array->release = nullptr; }
void keep_schema(ArrowSchema* schema) { schema->release = nullptr; }

Error failed(const std::string& why) { return {Failure::bad_input, "the table in memory cannot be read\n  " + why}; }

std::string words_of(ArrowArrayStream& stream) {
  const char* words = stream.get_last_error == nullptr ? nullptr : stream.get_last_error(&stream);
  const std::string text = words == nullptr ? "Its stream gives no reason." : words;
  return text.substr(0, text.find('\n'));
}

bool plain(const ArrowSchema& column) {
  return column.n_children == 0 && column.format != nullptr && column.format[0] != '+' && column.name != nullptr &&
         column.name[0] != '\0';
}

Status told(duckdb_error_data error) {
  if (error == nullptr) return {};
  const bool bad = duckdb_error_data_has_error(error);
  const std::string words = bad ? duckdb_error_data_message(error) : "";
  duckdb_destroy_error_data(&error);
  if (!bad) return {};
  return failed(words.substr(0, words.find('\n')));
}

// Some columns of a table, as DuckDB converts them.
class Converter {
 public:
  static Result<std::shared_ptr<const Converter>> make(duckdb_connection connection,
                                                       std::shared_ptr<const ArrowRows> rows,
                                                       std::vector<std::size_t> columns) {
    std::shared_ptr<Converter> made(new Converter);
    made->connection_ = connection;
    made->rows_ = std::move(rows);
    made->columns_ = std::move(columns);
    std::vector<ArrowSchema> copies;
    for (const std::size_t column : made->columns_) {
      copies.push_back(made->rows_->schema(column));
      copies.back().release = keep_schema;
      // Without rows there is no dictionary to look up: its values' type will do.
      if (made->rows_->batches() == 0 && copies.back().dictionary != nullptr) {
        copies.back().format = copies.back().dictionary->format;
        copies.back().dictionary = nullptr;
      }
    }
    std::vector<ArrowSchema*> children;
    for (ArrowSchema& copy : copies) children.push_back(&copy);
    ArrowSchema schema{"+s", "", nullptr, 0, std::ssize(children), children.data(), nullptr, keep_schema, nullptr};
    if (Status s = told(duckdb_schema_from_arrow(connection, &schema, &made->schema_)); !s) return s.error();
    return std::shared_ptr<const Converter>(std::move(made));
  }
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;
  ~Converter() {
    if (schema_ != nullptr) duckdb_destroy_arrow_converted_schema(&schema_);
  }

  const ArrowRows& rows() const { return *rows_; }

  Result<duckdb_data_chunk> convert(std::size_t batch, std::size_t from, std::size_t count) const {
    static const void* no_buffers[3] = {nullptr, nullptr, nullptr};
    std::vector<ArrowArray> slices(columns_.size());
    std::vector<ArrowArray*> children;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (rows_->batches() > 0) {
        slices[i] = rows_->slice(batch, columns_[i], from, count);
      } else {
        slices[i] = {0, 0, 0, 3, 0, no_buffers, nullptr, nullptr, keep, nullptr};
      }
      children.push_back(&slices[i]);
    }
    ArrowArray whole{static_cast<std::int64_t>(count),
                     0,
                     0,
                     0,
                     std::ssize(children),
                     nullptr,
                     children.data(),
                     nullptr,
                     keep,
                     nullptr};
    duckdb_data_chunk chunk = nullptr;
    if (Status s = told(duckdb_data_chunk_from_arrow(connection_, &whole, schema_, &chunk)); !s) return s.error();
    return chunk;
  }

 private:
  Converter() = default;

  duckdb_connection connection_ = nullptr;
  std::shared_ptr<const ArrowRows> rows_;
  std::vector<std::size_t> columns_;
  duckdb_arrow_converted_schema schema_ = nullptr;
};

struct ArrowTable {
  duckdb_connection connection;
  std::shared_ptr<const ArrowRows> rows;
  std::vector<std::size_t> columns;  // those whose type DuckDB knows
};

struct ArrowScan {
  static constexpr std::size_t kPart = 122'880;  // rows that one thread takes at a time: DuckDB's own row group

  std::shared_ptr<const Converter> converter;
  std::vector<std::ptrdiff_t> outputs;  // of each column that is asked for: which of the converter's, -1 for none
  std::vector<std::pair<std::size_t, std::size_t>> parts;  // batch, first row
  std::atomic<std::size_t> next = 0;
};

struct ArrowThread {
  std::size_t batch = 0, at = 0, end = 0;
};

void bind_arrow(duckdb_bind_info info) {
  const auto* table = static_cast<const ArrowTable*>(duckdb_bind_get_extra_info(info));
  const auto converter = Converter::make(table->connection, table->rows, table->columns);
  Result<duckdb_data_chunk> chunk =
      converter ? (*converter)->convert(0, 0, 0) : Result<duckdb_data_chunk>(converter.error());
  if (!chunk) {
    duckdb_bind_set_error(info, chunk.error().message.c_str());
    return;
  }
  for (std::size_t i = 0; i < table->columns.size(); ++i) {
    duckdb_logical_type type = duckdb_vector_get_column_type(duckdb_data_chunk_get_vector(*chunk, i));
    duckdb_bind_add_result_column(info, table->rows->columns()[table->columns[i]].c_str(), type);
    duckdb_destroy_logical_type(&type);
  }
  duckdb_destroy_data_chunk(&*chunk);
}

void init_arrow(duckdb_init_info info) {
  const auto* table = static_cast<const ArrowTable*>(duckdb_init_get_extra_info(info));
  auto scan = std::make_unique<ArrowScan>();
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < duckdb_init_get_column_count(info); ++i) {
    const std::size_t column = duckdb_init_get_column_index(info, i);
    const bool known = column < table->columns.size();  // not so for count(*)
    scan->outputs.push_back(known ? std::ssize(wanted) : -1);
    if (known) wanted.push_back(table->columns[column]);
  }
  auto converter = Converter::make(table->connection, table->rows, wanted);
  if (!converter) {
    duckdb_init_set_error(info, converter.error().message.c_str());
    return;
  }
  scan->converter = std::move(*converter);
  for (std::size_t b = 0; b < table->rows->batches(); ++b) {
    for (std::size_t at = 0; at < table->rows->rows(b); at += ArrowScan::kPart) scan->parts.emplace_back(b, at);
  }
  duckdb_init_set_max_threads(info, std::max<std::size_t>(1, scan->parts.size()));
  duckdb_init_set_init_data(info, scan.release(), destroy_reader<ArrowScan>);
}

void init_thread(duckdb_init_info info) {
  duckdb_init_set_init_data(info, new ArrowThread, destroy_reader<ArrowThread>);
}

void scan_arrow(duckdb_function_info info, duckdb_data_chunk output) {
  auto* scan = static_cast<ArrowScan*>(duckdb_function_get_init_data(info));
  auto* mine = static_cast<ArrowThread*>(duckdb_function_get_local_init_data(info));
  const ArrowRows& rows = scan->converter->rows();
  if (mine->at == mine->end) {
    const std::size_t part = scan->next++;
    if (part >= scan->parts.size()) {
      duckdb_data_chunk_set_size(output, 0);
      return;
    }
    std::tie(mine->batch, mine->at) = scan->parts[part];
    mine->end = std::min(mine->at + ArrowScan::kPart, rows.rows(mine->batch));
  }
  const std::size_t count = std::min<std::size_t>(duckdb_vector_size(), mine->end - mine->at);
  Result<duckdb_data_chunk> chunk = scan->converter->convert(mine->batch, mine->at, count);
  if (!chunk) {
    duckdb_function_set_error(info, chunk.error().message.c_str());
    return;
  }
  for (std::size_t i = 0; i < scan->outputs.size(); ++i) {
    if (scan->outputs[i] < 0) continue;
    duckdb_vector_reference_vector(duckdb_data_chunk_get_vector(output, i),
                                   duckdb_data_chunk_get_vector(*chunk, static_cast<idx_t>(scan->outputs[i])));
  }
  duckdb_destroy_data_chunk(&*chunk);
  mine->at += count;
  duckdb_data_chunk_set_size(output, count);
}

}  // namespace

Result<std::shared_ptr<const ArrowRows>> ArrowRows::take(ArrowArrayStream& stream) {
  const struct Released {
    ArrowArrayStream& stream;
    ~Released() {
      if (stream.release != nullptr) stream.release(&stream);
    }
  } released{stream};
  std::shared_ptr<ArrowRows> rows(new ArrowRows);
  if (stream.get_schema(&stream, &rows->schema_) != 0) return failed(words_of(stream));
  if (std::string_view(rows->schema_.format) != "+s")
    return failed("A table is wanted, a stream of batches with named columns.");
  for (;;) {
    ArrowArray batch{};
    if (stream.get_next(&stream, &batch) != 0) return failed(words_of(stream));
    if (batch.release == nullptr) break;
    rows->batches_.push_back(batch);
    if (batch.n_children != rows->schema_.n_children) return failed("A batch has other columns than the table.");
    if (batch.length == 0) {
      rows->batches_.back().release(&rows->batches_.back());
      rows->batches_.pop_back();
    }
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows->schema_.n_children); ++i) {
    const ArrowSchema& column = *rows->schema_.children[i];
    if (!plain(column)) continue;
    if (std::find(rows->names_.begin(), rows->names_.end(), column.name) != rows->names_.end()) {
      return failed(std::string("It has two columns named ") + column.name + ".");
    }
    rows->names_.emplace_back(column.name);
    rows->places_.push_back(i);
  }
  if (rows->names_.empty()) return failed("It has no column of plain values.");
  return std::shared_ptr<const ArrowRows>(std::move(rows));
}

ArrowRows::~ArrowRows() {
  for (ArrowArray& batch : batches_) {
    if (batch.release != nullptr) batch.release(&batch);
  }
  if (schema_.release != nullptr) schema_.release(&schema_);
}

bool ArrowRows::may_overflow(const std::string& column) const {
  const auto found = std::find(names_.begin(), names_.end(), column);
  if (found == names_.end()) return false;
  const std::string_view format = schema(static_cast<std::size_t>(found - names_.begin())).format;
  return (format.starts_with("tss:") || format.starts_with("tsm:")) && format.size() > 4;
}

ArrowArray ArrowRows::slice(std::size_t batch, std::size_t column, std::size_t from, std::size_t rows) const {
  const ArrowArray& whole = batches_[batch];
  ArrowArray part = *whole.children[places_[column]];
  part.offset += whole.offset + static_cast<std::int64_t>(from);
  part.length = static_cast<std::int64_t>(rows);
  if (part.null_count != 0) part.null_count = -1;
  part.release = keep;
  return part;
}

Status add_arrow_table(DuckSession& duck, const std::string& name, std::shared_ptr<const ArrowRows> rows) {
  std::vector<std::size_t> known;
  for (std::size_t i = 0; i < rows->columns().size(); ++i) {
    if (Converter::make(duck.connection(), rows, {i})) known.push_back(i);
  }
  if (known.empty()) return failed("It has no column of a type that can be read.");
  duckdb_table_function function = duckdb_create_table_function();
  duckdb_table_function_set_name(function, name.c_str());
  auto* table = new ArrowTable{duck.connection(), std::move(rows), std::move(known)};
  duckdb_table_function_set_extra_info(function, table, destroy_reader<ArrowTable>);
  duckdb_table_function_set_bind(function, bind_arrow);
  duckdb_table_function_set_init(function, init_arrow);
  duckdb_table_function_set_local_init(function, init_thread);
  duckdb_table_function_set_function(function, scan_arrow);
  duckdb_table_function_supports_projection_pushdown(function, true);
  const bool ok = duckdb_register_table_function(duck.connection(), function) == DuckDBSuccess;
  duckdb_destroy_table_function(&function);
  if (ok) return {};
  return Error{Failure::internal, "DuckDB does not take the table " + name};
}

}  // namespace stopover
