// The tables of a recording in an SQLite database.
#pragma once

#include "view/exports/tables.h"

#include <memory>
#include <sqlite3.h>
#include <string>

namespace kymo::view {

struct CloseDatabase {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

// A new database with the recording's tables, their keys and indexes (docs/sql.md). `path` empty: one without a name,
// that ends with the handle; it is in memory while small, then in a temporary file. Errors: the
// system's, walk_run()'s.
Result<Database> make_database(const ExportRun& run, const std::string& path, const WantedTables& wanted);

// SQLite's last message, as an error.
Error database_error(sqlite3* database, const std::string& what);

}  // namespace kymo::view
