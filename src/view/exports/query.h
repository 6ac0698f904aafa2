// The result of an SQL query, as text.
#pragma once

#include "view/exports/output.h"
#include "view/exports/sqlite.h"

#include <string>

namespace kymo::view {

enum class QueryForm : std::uint8_t {
    kTable,  // columns side by side; wide ones are not cut
    kCsv,    // RFC 4180, with a line of names
    kJson,   // an array with an object a row
};

// Runs the query, of one statement or several, in a database that it cannot change. Errors: kUsage, with SQLite's
// message. Memory: for kTable all rows, otherwise one.
Result<void> write_query(sqlite3* database, const std::string& query, QueryForm form, Output& out);

}  // namespace kymo::view
