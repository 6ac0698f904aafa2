#include "view/exports/sqlite.h"

#include <fmt/format.h>

namespace kymo::view {
namespace {

std::string definition(const TableShape& shape) {
    std::string columns;
    std::string keys;
    for (const TableColumn& column : shape.columns) {
        const bool is_key = column.name == "id";
        columns += fmt::format("{}\"{}\" {}{}", columns.empty() ? "" : ", ", column.name,
                               column.type == CellType::kText   ? "TEXT"
                               : column.type == CellType::kReal ? "REAL"
                                                                : "INTEGER",
                               is_key ? " PRIMARY KEY" : "");
        if (!column.references.empty()) {
            keys += fmt::format(", FOREIGN KEY(\"{}\") REFERENCES \"{}\"(id)", column.name, column.references);
        }
    }
    return fmt::format("CREATE TABLE \"{}\" ({}{})", shape.name, columns, keys);
}

class DatabaseSink : public TableSink {
  public:
    explicit DatabaseSink(sqlite3* database) : database_(database) {}
    DatabaseSink(const DatabaseSink&) = delete;
    DatabaseSink& operator=(const DatabaseSink&) = delete;
    ~DatabaseSink() override {
        for (sqlite3_stmt* const statement : inserts_) {
            sqlite3_finalize(statement);
        }
    }

    Result<void> execute(const std::string& text) {
        if (sqlite3_exec(database_, text.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
            return database_error(database_, "the database");
        }
        return {};
    }

    Result<void> begin(std::size_t, const TableShape& shape) override {
        if (auto made = execute(definition(shape)); !made) {
            return made;
        }
        std::string places;
        for (std::size_t i = 0; i < shape.columns.size(); ++i) {
            places += i == 0 ? "?" : ",?";
        }
        sqlite3_stmt* statement = nullptr;
        const std::string text = fmt::format("INSERT INTO \"{}\" VALUES ({})", shape.name, places);
        if (sqlite3_prepare_v2(database_, text.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
            return database_error(database_, "the database");
        }
        inserts_.push_back(statement);
        return {};
    }

    void row(std::size_t table, std::span<const TableCell> cells) override {
        if (has_failed_) {
            return;
        }
        sqlite3_stmt* const statement = inserts_[table];
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const int place = static_cast<int>(i) + 1;
            if (const auto* const integer = std::get_if<std::int64_t>(&cells[i])) {
                sqlite3_bind_int64(statement, place, *integer);
            } else if (const auto* const real = std::get_if<double>(&cells[i])) {
                sqlite3_bind_double(statement, place, *real);
            } else if (const auto* const text = std::get_if<std::string_view>(&cells[i])) {
                sqlite3_bind_text(statement, place, text->data(), static_cast<int>(text->size()), SQLITE_STATIC);
            } else {
                sqlite3_bind_null(statement, place);
            }
        }
        has_failed_ = sqlite3_step(statement) != SQLITE_DONE;
        if (!has_failed_) {
            sqlite3_reset(statement);
        }
    }

    Result<void> finish() {
        if (has_failed_) {
            return database_error(database_, "the database");
        }
        for (const TableShape& shape : table_shapes()) {
            for (const TableColumn& column : shape.columns) {
                if (!column.is_indexed) {
                    continue;
                }
                if (auto made =
                        execute(fmt::format("CREATE INDEX \"{0}_{1}\" ON \"{0}\"(\"{1}\")", shape.name, column.name));
                    !made) {
                    return made;
                }
            }
        }
        return {};
    }

  private:
    sqlite3* database_;
    std::vector<sqlite3_stmt*> inserts_;
    bool has_failed_ = false;
};

Result<void> write_sqlite(const recording::Recording& recording, const ExportOptions& options,
                          const std::filesystem::path& path) {
    const auto run = load_export_run(recording, options, Findings::kAll);
    if (!run) {
        return run.error();
    }
    const auto made = make_database(*run, path, {});
    return made ? Result<void>() : made.error();
}

}  // namespace

Error database_error(sqlite3* database, const std::string& what) {
    const int code = sqlite3_errcode(database) & 0xFF;
    return {code == SQLITE_FULL || code == SQLITE_IOERR ? ErrorKind::kNoSpace : ErrorKind::kUsage,
            what + ": " + sqlite3_errmsg(database), ""};
}

Result<Database> make_database(const ExportRun& run, const std::string& path, const WantedTables& wanted) {
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    Database database(opened);
    if (code != SQLITE_OK) {
        return Error{ErrorKind::kPermission, path + ": " + sqlite3_errstr(code), "name another file with -o"};
    }
    DatabaseSink sink(opened);
    // An incomplete database is thrown away, so no journal is needed.
    for (const char* const first : {"PRAGMA journal_mode=OFF", "PRAGMA synchronous=OFF", "BEGIN"}) {
        if (auto done = sink.execute(first); !done) {
            return done.error();
        }
    }
    auto done = write_tables(run, sink, wanted);
    done = done ? sink.finish() : done;
    done = done ? sink.execute("COMMIT") : done;
    if (!done) {
        return done.error();
    }
    return database;
}

extern const Export kSqlite{
    .name = "sqlite",
    .what = "the same tables in a database, with keys and indexes (docs/sql.md): sqlite3, DuckDB, kymo sql",
    .write_at = write_sqlite,
};

}  // namespace kymo::view
