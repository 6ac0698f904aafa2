#include "view/exports/query.h"

#include "view/exports/csv_cell.h"
#include "view/exports/run.h"
#include "view/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <vector>

namespace kymo::view {
namespace {

struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

// A row's cell as text; empty for none.
std::string cell(sqlite3_stmt* statement, int column) {
    if (sqlite3_column_type(statement, column) == SQLITE_FLOAT) {
        return fmt::format("{}", sqlite3_column_double(statement, column));
    }
    const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
    return text == nullptr ? std::string() : std::string(text);
}

std::string json_cell(sqlite3_stmt* statement, int column) {
    switch (sqlite3_column_type(statement, column)) {
        case SQLITE_NULL:
            return "null";
        case SQLITE_INTEGER:
        case SQLITE_FLOAT:
            return cell(statement, column);
        default:
            return json_string(cell(statement, column));
    }
}

// One statement's rows.
class QueryWriter {
  public:
    QueryWriter(sqlite3_stmt* statement, QueryForm form, Output& out)
        : statement_(statement), form_(form), out_(out), columns_(sqlite3_column_count(statement)) {}

    bool write() {
        begin();
        int code = sqlite3_step(statement_);
        for (bool is_first = true; code == SQLITE_ROW && out_.is_good(); code = sqlite3_step(statement_)) {
            row(is_first);
            is_first = false;
        }
        end();
        return code == SQLITE_DONE || !out_.is_good();
    }

  private:
    template <typename Text>
    std::vector<std::string> cells(Text&& text) const {
        std::vector<std::string> all;
        all.reserve(static_cast<std::size_t>(columns_));
        for (int column = 0; column < columns_; ++column) {
            all.push_back(text(column));
        }
        return all;
    }

    void begin() {
        const auto names = cells([&](int column) { return std::string(sqlite3_column_name(statement_, column)); });
        if (form_ == QueryForm::kCsv) {
            csv_line(names);
        } else if (form_ == QueryForm::kJson) {
            out_.write("[");
        } else {
            rows_.push_back(names);
            is_number_.assign(names.size(), true);
        }
    }

    void row(bool is_first) {
        if (form_ == QueryForm::kCsv) {
            csv_line(cells([&](int column) { return cell(statement_, column); }));
        } else if (form_ == QueryForm::kJson) {
            std::string line = is_first ? "\n{" : ",\n{";
            for (int column = 0; column < columns_; ++column) {
                line +=
                    fmt::format("{}{}:{}", column == 0 ? "" : ",",
                                json_string(sqlite3_column_name(statement_, column)), json_cell(statement_, column));
            }
            out_.write(line + "}");
        } else {
            rows_.push_back(cells([&](int column) { return cell(statement_, column); }));
            for (int column = 0; column < columns_; ++column) {
                const int type = sqlite3_column_type(statement_, column);
                is_number_[static_cast<std::size_t>(column)] =
                    is_number_[static_cast<std::size_t>(column)] && type != SQLITE_TEXT && type != SQLITE_BLOB;
            }
        }
    }

    void csv_line(const std::vector<std::string>& all) {
        std::string line;
        for (const std::string& one : all) {
            line += (&one == all.data() ? "" : ",") + csv_cell(one);
        }
        out_.write(line + "\n");
    }

    void end() {
        if (form_ == QueryForm::kJson) {
            out_.write("\n]\n");
        }
        std::vector<std::size_t> widths(static_cast<std::size_t>(columns_));
        for (const auto& line : rows_) {
            for (std::size_t column = 0; column < line.size(); ++column) {
                widths[column] = std::max(widths[column], columns(line[column]));
            }
        }
        for (const auto& line : rows_) {
            std::string text;
            for (std::size_t column = 0; column < line.size(); ++column) {
                const bool is_last = column + 1 == line.size();
                text += (column == 0 ? "" : "  ") + (is_number_[column] ? pad_left(line[column], widths[column])
                                                     : is_last          ? line[column]
                                                                        : pad_right(line[column], widths[column]));
            }
            out_.write(text + "\n");
        }
    }

    sqlite3_stmt* statement_;
    QueryForm form_;
    Output& out_;
    int columns_;
    std::vector<std::vector<std::string>> rows_;  // of a table, with the names
    std::vector<bool> is_number_;
};

}  // namespace

Result<void> write_query(sqlite3* database, const std::string& query, QueryForm form, Output& out) {
    sqlite3_exec(database, "PRAGMA query_only=1", nullptr, nullptr, nullptr);
    const char* rest = query.c_str();
    bool has_any = false;
    while (*rest != '\0') {
        sqlite3_stmt* prepared = nullptr;
        const int code = sqlite3_prepare_v2(database, rest, -1, &prepared, &rest);
        const Statement statement(prepared);
        if (code != SQLITE_OK) {
            Error why = database_error(database, "the query");
            why.next = "tables and columns: kymo sql RECORDING .schema, or docs/sql.md";
            return why;
        }
        if (prepared == nullptr) {
            continue;  // a comment, or nothing
        }
        has_any = true;
        if (!QueryWriter(prepared, form, out).write()) {
            return database_error(database, "the query");
        }
    }
    if (!has_any) {
        return Error{ErrorKind::kUsage, "the query is empty", "kymo sql RECORDING 'select …'"};
    }
    return {};
}

}  // namespace kymo::view
