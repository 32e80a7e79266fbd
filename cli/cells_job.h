// run_cells: rows to a private file of cells, on DuckDB, for the command line and for Python.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/voice.h"
#include "ingest/ingest.h"

namespace stopover {

// Writes the file at `path`, which need not be its final place, and tells the curator what was left out.
Status run_cells(Ingest& in, const std::string& path, const Voice& voice);

// {"file": ..., "shape": ..., "unit": ..., "k": ..., "private": true}
std::string cells_json(const Ingest& in, const std::string& file);

}  // namespace stopover
