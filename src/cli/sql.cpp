// kymo sql: queries of a recording, in SQL.
#include "cli/image_options.h"
#include "cli/team.h"
#include "cli/verbs.h"
#include "recording/reader.h"
#include "view/exports/query.h"

#include <algorithm>
#include <cctype>
#include <iostream>
#include <iterator>
#include <unistd.h>

namespace kymo::cli {
namespace {

constexpr const char* kSqlExamples =
    "tables: run, process, thread, event, function, call_path, event_count, wait, mark, finding, …  (docs/sql.md)\n\n"
    "examples:\n"
    "  kymo sql my_program.kymo 'select name, user_ns from thread order by user_ns desc limit 10'\n"
    "  kymo sql my_program.kymo --csv 'select * from wait' > waits.csv\n"
    "  kymo sql my_program.kymo - < question.sql\n"
    "  kymo sql my_program.kymo .schema\n";

// The answer to ".schema", as in sqlite3.
constexpr const char* kSchema = "select sql from sqlite_schema where sql is not null";

int run_sql(int argc, char** argv) {
    CLI::App options("Ask a recording in SQL.", "kymo sql");
    set_usage(options, "kymo sql [OPTIONS] REC.kymo QUERY");
    options.footer(kSqlExamples);
    std::string folder;
    std::string query;
    bool csv = false;
    bool json = false;
    bool no_creator = false;
    options.add_option("recording", folder, "the recording's directory")->type_name("REC.kymo")->required();
    options.add_option("query", query, "the query; -: from standard input; .schema: the tables and their columns")
        ->required();
    auto* const as_csv = options.add_flag("--csv", csv, "the answer as comma-separated values");
    options.add_flag("--json", json, "the answer as an array with an object a row")->excludes(as_csv);
    options.add_flag("--no-creator", no_creator, "threads at the root, not below the call path that created them");
    add_image_options(options);
    if (const auto code = parse_options(options, argc, argv)) {
        return *code;
    }
    const CommandTeam team;
    if (!team.is_first()) {
        return 0;  // the first process does it alone
    }
    if (query == "-" && folder == "-") {
        return fail({ErrorKind::kUsage, "standard input cannot be both the recording and the query",
                     "name a file for one of them"});
    }
    if (query == "-") {
        query.assign(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
    }
    if (query == ".schema") {
        query = kSchema;
    }
    const auto recording = open_with_images(folder);
    if (!recording) {
        return fail(recording.error());
    }
    // Tables that the query does not name stay empty: their rows need not be read.
    std::string small = query;
    std::transform(small.begin(), small.end(), small.begin(),
                   [](unsigned char letter) { return std::tolower(letter); });
    const auto is_named = [&small](std::string_view table) { return small.find(table) != std::string::npos; };
    const auto run = view::load_export_run(*recording, {.below_creators = !no_creator, .weight = {}},
                                           is_named("finding") ? view::Findings::kAll : view::Findings::kNone);
    if (!run) {
        return fail(run.error());
    }
    const auto database = view::make_database(*run, "", is_named);
    if (!database) {
        return fail(database.error());
    }
    view::Output out(STDOUT_FILENO, "standard output");
    auto done = view::write_query(
        database->get(), query,
        csv ? view::QueryForm::kCsv : (json ? view::QueryForm::kJson : view::QueryForm::kTable), out);
    done = done ? out.finish() : done;
    return done ? 0 : fail(done.error());
}

const Registration kSql({"sql", "ask a recording in SQL", 41, run_sql});

}  // namespace
}  // namespace kymo::cli
