#include "duck/duck_functions.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace stopover {
namespace {

template <typename T>
void destroy(void* data) {
  delete static_cast<T*>(data);
}

std::string_view text_of(duckdb_string_t* text) { return {duckdb_string_t_data(text), duckdb_string_t_length(*text)}; }

void run_hash(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const TextHash hash = *static_cast<TextHash*>(duckdb_scalar_function_get_extra_info(info));
  const std::size_t rows = duckdb_data_chunk_get_size(input), columns = duckdb_data_chunk_get_column_count(input);
  std::vector<void*> data(columns);
  std::vector<std::uint64_t*> validity(columns);
  std::vector<std::size_t> bytes(columns);  // of a number; 0 for texts
  for (std::size_t c = 0; c < columns; ++c) {
    duckdb_vector vector = duckdb_data_chunk_get_vector(input, c);
    duckdb_logical_type type = duckdb_vector_get_column_type(vector);
    const duckdb_type id = duckdb_get_type_id(type);
    duckdb_destroy_logical_type(&type);
    if (id != DUCKDB_TYPE_VARCHAR && id != DUCKDB_TYPE_INTEGER && id != DUCKDB_TYPE_BIGINT) {
      duckdb_scalar_function_set_error(info, "only VARCHAR, INTEGER and BIGINT are hashed");
      return;
    }
    bytes[c] = id == DUCKDB_TYPE_INTEGER ? 4 : id == DUCKDB_TYPE_BIGINT ? 8 : 0;
    data[c] = duckdb_vector_get_data(vector);
    validity[c] = duckdb_vector_get_validity(vector);
  }
  std::vector<std::optional<std::string_view>> row(columns);
  std::vector<std::array<char, 20>> digits(columns);
  const auto written = [&](std::size_t c, std::int64_t number) {
    const char* end = std::to_chars(digits[c].data(), digits[c].data() + digits[c].size(), number).ptr;
    return std::string_view(digits[c].data(), static_cast<std::size_t>(end - digits[c].data()));
  };
  auto* result = static_cast<std::int64_t*>(duckdb_vector_get_data(output));
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      const bool valid = validity[c] == nullptr || (validity[c][r / 64] >> (r % 64) & 1) != 0;
      if (!valid) {
        row[c].reset();
      } else if (bytes[c] == 0) {
        row[c] = text_of(static_cast<duckdb_string_t*>(data[c]) + r);
      } else {
        row[c] = written(c, bytes[c] == 4 ? static_cast<const std::int32_t*>(data[c])[r]
                                          : static_cast<const std::int64_t*>(data[c])[r]);
      }
    }
    result[r] = hash(row);
  }
}

void run_lookup(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const auto& lookup = *static_cast<const PointLookup*>(duckdb_scalar_function_get_extra_info(info));
  const duckdb_vector first = duckdb_data_chunk_get_vector(input, 0), second = duckdb_data_chunk_get_vector(input, 1);
  const auto* x = static_cast<const double*>(duckdb_vector_get_data(first));
  const auto* y = static_cast<const double*>(duckdb_vector_get_data(second));
  const std::uint64_t* there[] = {duckdb_vector_get_validity(first), duckdb_vector_get_validity(second)};
  auto* result = static_cast<std::int32_t*>(duckdb_vector_get_data(output));
  duckdb_vector_ensure_validity_writable(output);
  std::uint64_t* found = duckdb_vector_get_validity(output);
  for (std::size_t r = 0, rows = duckdb_data_chunk_get_size(input); r < rows; ++r) {
    bool valid = true;
    for (const std::uint64_t* bits : there) valid = valid && (bits == nullptr || (bits[r / 64] >> (r % 64) & 1) != 0);
    const std::int64_t number = valid ? lookup(x[r], y[r]) : -1;
    result[r] = static_cast<std::int32_t>(number);
    duckdb_validity_set_row_validity(found, r, number >= 0);
  }
}

void run_taker(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const auto& taker = *static_cast<const BlockTaker*>(duckdb_scalar_function_get_extra_info(info));
  RowBlock block{duckdb_data_chunk_get_size(input), {}, {}};
  for (idx_t c = 0; c < duckdb_data_chunk_get_column_count(input); ++c) {
    duckdb_vector column = duckdb_data_chunk_get_vector(input, c);
    block.data.push_back(duckdb_vector_get_data(column));
    block.validity.push_back(duckdb_vector_get_validity(column));
  }
  if (const std::string wrong = taker(block); !wrong.empty()) duckdb_scalar_function_set_error(info, wrong.c_str());
  auto* ones = static_cast<std::int32_t*>(duckdb_vector_get_data(output));
  std::fill_n(ones, block.rows, 1);
}

struct Table {
  std::vector<std::string> columns;
  OpenTextRows open;
};

struct Scan {
  std::unique_ptr<TextRows> rows;
  std::vector<std::optional<std::string_view>> row;
};

void bind_table(duckdb_bind_info info) {
  const auto* table = static_cast<const Table*>(duckdb_bind_get_extra_info(info));
  duckdb_logical_type text = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
  for (const std::string& column : table->columns) duckdb_bind_add_result_column(info, column.c_str(), text);
  duckdb_destroy_logical_type(&text);
}

void init_table(duckdb_init_info info) {
  const auto* table = static_cast<const Table*>(duckdb_init_get_extra_info(info));
  Result<std::unique_ptr<TextRows>> rows = table->open();
  if (!rows) {
    duckdb_init_set_error(info, rows.error().message.c_str());
    return;
  }
  duckdb_init_set_max_threads(info, 1);
  duckdb_init_set_init_data(info, new Scan{std::move(*rows), {}}, destroy<Scan>);
}

void scan_table(duckdb_function_info info, duckdb_data_chunk output) {
  auto* scan = static_cast<Scan*>(duckdb_function_get_init_data(info));
  const std::size_t most = duckdb_vector_size(), columns = duckdb_data_chunk_get_column_count(output);
  std::vector<duckdb_vector> vectors(columns);
  std::vector<std::uint64_t*> validity(columns);
  for (std::size_t c = 0; c < columns; ++c) {
    vectors[c] = duckdb_data_chunk_get_vector(output, c);
    duckdb_vector_ensure_validity_writable(vectors[c]);
    validity[c] = duckdb_vector_get_validity(vectors[c]);
  }
  std::size_t r = 0;
  for (; r < most; ++r) {
    const Result<bool> more = scan->rows->next(scan->row);
    if (!more) {
      duckdb_function_set_error(info, more.error().message.c_str());
      return;
    }
    if (!*more) break;
    for (std::size_t c = 0; c < columns; ++c) {
      if (scan->row[c]) {
        duckdb_vector_assign_string_element_len(vectors[c], r, scan->row[c]->data(), scan->row[c]->size());
      } else {
        duckdb_validity_set_row_invalid(validity[c], r);
      }
    }
  }
  duckdb_data_chunk_set_size(output, r);
}

// Where a scan of blocks is: DuckDB takes a few thousand rows at a time.
struct Blocks {
  std::vector<DuckColumn> columns;
  NextBlock next;
  std::size_t rows = 0, done = 0;
};

void bind_blocks(duckdb_bind_info info) {
  const auto* blocks = static_cast<const Blocks*>(duckdb_bind_get_extra_info(info));
  for (const DuckColumn& column : blocks->columns) {
    duckdb_logical_type type = duckdb_create_logical_type(column.type);
    duckdb_bind_add_result_column(info, column.name.c_str(), type);
    duckdb_destroy_logical_type(&type);
  }
}

void init_blocks(duckdb_init_info info) { duckdb_init_set_max_threads(info, 1); }

void scan_blocks(duckdb_function_info info, duckdb_data_chunk output) {
  auto* blocks = static_cast<Blocks*>(duckdb_function_get_extra_info(info));
  if (blocks->done == blocks->rows) {
    const Result<std::size_t> rows = blocks->next(blocks->columns);
    if (!rows) {
      duckdb_function_set_error(info, rows.error().message.c_str());
      return;
    }
    blocks->rows = *rows;
    blocks->done = 0;
  }
  const std::size_t n = std::min<std::size_t>(duckdb_vector_size(), blocks->rows - blocks->done);
  for (std::size_t c = 0; n > 0 && c < blocks->columns.size(); ++c) {
    fill(duckdb_data_chunk_get_vector(output, c), blocks->columns[c], blocks->done, n);
  }
  blocks->done += n;
  duckdb_data_chunk_set_size(output, n);
}

Status add_table(DuckSession& duck, const std::string& name, void* extra, duckdb_delete_callback_t destroy_extra,
                 duckdb_table_function_bind_t bind, duckdb_table_function_init_t init,
                 duckdb_table_function_t function) {
  duckdb_table_function table = duckdb_create_table_function();
  duckdb_table_function_set_name(table, name.c_str());
  duckdb_table_function_set_extra_info(table, extra, destroy_extra);
  duckdb_table_function_set_bind(table, bind);
  duckdb_table_function_set_init(table, init);
  duckdb_table_function_set_function(table, function);
  const bool ok = duckdb_register_table_function(duck.connection(), table) == DuckDBSuccess;
  duckdb_destroy_table_function(&table);
  if (ok) return {};
  return Error{Failure::internal, "DuckDB does not take the table " + name};
}

}  // namespace

Status add_text_hash(DuckSession& duck, const std::string& name, TextHash hash) {
  duckdb_scalar_function function = duckdb_create_scalar_function();
  duckdb_logical_type text = duckdb_create_logical_type(DUCKDB_TYPE_ANY);
  duckdb_logical_type number = duckdb_create_logical_type(DUCKDB_TYPE_BIGINT);
  duckdb_scalar_function_set_name(function, name.c_str());
  duckdb_scalar_function_set_varargs(function, text);
  duckdb_scalar_function_set_return_type(function, number);
  duckdb_scalar_function_set_special_handling(function);
  duckdb_scalar_function_set_extra_info(function, new TextHash(hash), destroy<TextHash>);
  duckdb_scalar_function_set_function(function, run_hash);
  const bool ok = duckdb_register_scalar_function(duck.connection(), function) == DuckDBSuccess;
  duckdb_destroy_logical_type(&text);
  duckdb_destroy_logical_type(&number);
  duckdb_destroy_scalar_function(&function);
  if (ok) return {};
  return Error{Failure::internal, "DuckDB does not take the function " + name};
}

Status add_point_lookup(DuckSession& duck, const std::string& name, PointLookup lookup) {
  duckdb_scalar_function function = duckdb_create_scalar_function();
  duckdb_logical_type coordinate = duckdb_create_logical_type(DUCKDB_TYPE_DOUBLE);
  duckdb_logical_type number = duckdb_create_logical_type(DUCKDB_TYPE_INTEGER);
  duckdb_scalar_function_set_name(function, name.c_str());
  for (int i = 0; i < 2; ++i) duckdb_scalar_function_add_parameter(function, coordinate);
  duckdb_scalar_function_set_return_type(function, number);
  duckdb_scalar_function_set_extra_info(function, new PointLookup(std::move(lookup)), destroy<PointLookup>);
  duckdb_scalar_function_set_function(function, run_lookup);
  const bool ok = duckdb_register_scalar_function(duck.connection(), function) == DuckDBSuccess;
  duckdb_destroy_logical_type(&coordinate);
  duckdb_destroy_logical_type(&number);
  duckdb_destroy_scalar_function(&function);
  if (ok) return {};
  return Error{Failure::internal, "DuckDB does not take the function " + name};
}

Status add_block_taker(DuckSession& duck, const std::string& name, const std::vector<duckdb_type>& types,
                       BlockTaker taker) {
  duckdb_scalar_function function = duckdb_create_scalar_function();
  duckdb_scalar_function_set_name(function, name.c_str());
  for (const duckdb_type type : types) {
    duckdb_logical_type parameter = duckdb_create_logical_type(type);
    duckdb_scalar_function_add_parameter(function, parameter);
    duckdb_destroy_logical_type(&parameter);
  }
  duckdb_logical_type one = duckdb_create_logical_type(DUCKDB_TYPE_INTEGER);
  duckdb_scalar_function_set_return_type(function, one);
  duckdb_destroy_logical_type(&one);
  duckdb_scalar_function_set_special_handling(function);  // NULLs come as well
  duckdb_scalar_function_set_volatile(function);
  duckdb_scalar_function_set_extra_info(function, new BlockTaker(std::move(taker)), destroy<BlockTaker>);
  duckdb_scalar_function_set_function(function, run_taker);
  const bool ok = duckdb_register_scalar_function(duck.connection(), function) == DuckDBSuccess;
  duckdb_destroy_scalar_function(&function);
  if (ok) return {};
  return Error{Failure::internal, "DuckDB does not take the function " + name};
}

Status add_text_table(DuckSession& duck, const std::string& name, const std::vector<std::string>& columns,
                      const OpenTextRows& open) {
  return add_table(duck, name, new Table{columns, open}, destroy<Table>, bind_table, init_table, scan_table);
}

Status add_block_table(DuckSession& duck, const std::string& name, const std::vector<DuckColumn>& columns,
                       const NextBlock& next) {
  return add_table(duck, name, new Blocks{columns, next}, destroy<Blocks>, bind_blocks, init_blocks, scan_blocks);
}

}  // namespace stopover
