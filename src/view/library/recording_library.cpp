// libkymo-recording: a recording's tables for other programs (kymo/recording.h).
//
// The database is in memory and has the tables that queries have named so far; a query that names another one makes a
// new database, and rows keep the one that they come from.
#include "analysis/images.h"
#include "kymo/recording.h"
#include "view/exports/sqlite.h"

#include <algorithm>
#include <cctype>
#include <exception>
#include <memory>
#include <mutex>
#include <set>
#include <sqlite3.h>
#include <string>

using kymo::Error;
using kymo::Result;
namespace view = kymo::view;

struct kymo_recording {
    explicit kymo_recording(kymo::recording::Recording opened) : recording(std::move(opened)) {}

    kymo::recording::Recording recording;
    std::unique_ptr<view::ExportRun> run;
    bool has_findings = false;
    std::shared_ptr<sqlite3> database;
    std::set<std::string, std::less<>> known;   // tables; empty before the first query
    std::set<std::string, std::less<>> filled;  // of them, those that the database has
};

struct kymo_rows {
    std::shared_ptr<sqlite3> database;  // released after the statement
    std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement{nullptr, sqlite3_finalize};
};

namespace {

thread_local std::string last_error;
std::mutex naming;  // of functions: all recordings share one list of directories with images

std::nullptr_t failed(const Error& error) {
    last_error = error.what + (error.next.empty() ? "" : "; " + error.next);
    std::replace(last_error.begin(), last_error.end(), '\n', ' ');
    return nullptr;
}

// No exception may reach a program in C.
template <typename Body, typename Otherwise>
Otherwise guarded(Otherwise otherwise, Body&& body) noexcept {
    try {
        return body();
    } catch (const std::exception& error) {
        last_error = error.what();
        return otherwise;
    }
}

// The database with the tables that `sql` names, in whatever place of it.
Result<std::shared_ptr<sqlite3>> database_for(kymo_recording& of, std::string sql) {
    std::transform(sql.begin(), sql.end(), sql.begin(), [](unsigned char letter) { return std::tolower(letter); });
    const auto is_named = [&sql](std::string_view table) { return sql.find(table) != std::string::npos; };
    const bool has_all =
        of.database != nullptr && std::all_of(of.known.begin(), of.known.end(), [&](const auto& table) {
            return of.filled.contains(table) || !is_named(table);
        });
    if (has_all) {
        return of.database;
    }
    const bool wants_findings = of.has_findings || is_named("finding");
    if (of.run == nullptr || wants_findings != of.has_findings) {
        auto run = view::load_export_run(of.recording, {.below_creators = true, .weight = {}},
                                         wants_findings ? view::Findings::kAll : view::Findings::kNone);
        if (!run) {
            return run.error();
        }
        of.run = std::make_unique<view::ExportRun>(std::move(*run));
        of.has_findings = wants_findings;
    }
    auto database = view::make_database(*of.run, "", [&](std::string_view table) {
        of.known.emplace(table);
        const bool is_wanted = is_named(table) || of.filled.contains(table);
        if (is_wanted) {
            of.filled.emplace(table);
        }
        return is_wanted;
    });
    if (!database) {
        return database.error();
    }
    of.database = std::shared_ptr<sqlite3>(database->release(), view::CloseDatabase());
    sqlite3_exec(of.database.get(), "PRAGMA query_only=1", nullptr, nullptr, nullptr);
    return of.database;
}

// The one statement of a query.
kymo_rows* prepared(std::shared_ptr<sqlite3> database, const char* sql) {
    auto rows = std::make_unique<kymo_rows>();
    rows->database = std::move(database);
    sqlite3_stmt* statement = nullptr;
    const char* rest = nullptr;
    const int code = sqlite3_prepare_v2(rows->database.get(), sql, -1, &statement, &rest);
    rows->statement.reset(statement);
    if (code != SQLITE_OK) {
        return failed(view::database_error(rows->database.get(), "the query"));
    }
    const std::string_view after = rest;
    if (statement == nullptr || after.find_first_not_of(" \t\r\n;") != std::string_view::npos) {
        return failed({kymo::ErrorKind::kUsage, "a query is one statement", ""});
    }
    if (sqlite3_stmt_readonly(statement) == 0 || sqlite3_column_count(statement) == 0) {
        return failed({kymo::ErrorKind::kUsage, "a query selects: a recording cannot be changed", ""});
    }
    return rows.release();
}

}  // namespace

const char* kymo_recording_error(void) {
    return last_error.c_str();
}

kymo_recording* kymo_recording_open(const char* path) {
    return guarded<>(static_cast<kymo_recording*>(nullptr), [&]() -> kymo_recording* {
        const std::lock_guard<std::mutex> alone(naming);
        auto recording = kymo::analysis::open_with_images(path != nullptr ? path : "");
        return recording ? new kymo_recording(std::move(*recording)) : failed(recording.error());
    });
}

kymo_rows* kymo_recording_query(kymo_recording* recording, const char* sql) {
    return guarded<>(static_cast<kymo_rows*>(nullptr), [&]() -> kymo_rows* {
        if (recording == nullptr || sql == nullptr) {
            return failed({kymo::ErrorKind::kUsage, "no recording, or no query", ""});
        }
        const std::lock_guard<std::mutex> alone(naming);
        auto database = database_for(*recording, sql);
        return database ? prepared(std::move(*database), sql) : failed(database.error());
    });
}

int kymo_rows_next(kymo_rows* rows) {
    return guarded<>(-1, [&] {
        const int code = rows != nullptr ? sqlite3_step(rows->statement.get()) : SQLITE_MISUSE;
        if (code != SQLITE_ROW && code != SQLITE_DONE) {
            failed(rows != nullptr ? view::database_error(rows->database.get(), "the query")
                                   : Error{kymo::ErrorKind::kUsage, "no rows", ""});
            return -1;
        }
        return code == SQLITE_ROW ? 1 : 0;
    });
}

int kymo_rows_columns(const kymo_rows* rows) {
    return rows != nullptr ? sqlite3_column_count(rows->statement.get()) : 0;
}

const char* kymo_rows_name(kymo_rows* rows, int column) {
    return rows != nullptr ? sqlite3_column_name(rows->statement.get(), column) : nullptr;
}

int kymo_rows_is_null(kymo_rows* rows, int column) {
    return rows == nullptr || sqlite3_column_type(rows->statement.get(), column) == SQLITE_NULL ? 1 : 0;
}

int64_t kymo_rows_integer(kymo_rows* rows, int column) {
    return rows != nullptr ? sqlite3_column_int64(rows->statement.get(), column) : 0;
}

double kymo_rows_number(kymo_rows* rows, int column) {
    return rows != nullptr ? sqlite3_column_double(rows->statement.get(), column) : 0;
}

const char* kymo_rows_text(kymo_rows* rows, int column) {
    return rows == nullptr ? nullptr
                           : reinterpret_cast<const char*>(sqlite3_column_text(rows->statement.get(), column));
}

void kymo_rows_close(kymo_rows* rows) {
    delete rows;
}

void kymo_recording_close(kymo_recording* recording) {
    delete recording;
}
