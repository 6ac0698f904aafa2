// A directory of comma-separated files (RFC 4180), one a table, with a line of the columns' names.
#include "view/exports/csv_cell.h"
#include "view/exports/tables.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace kymo::view {
namespace {

class CsvSink : public TableSink {
  public:
    explicit CsvSink(std::filesystem::path folder) : folder_(std::move(folder)) {}
    CsvSink(const CsvSink&) = delete;
    CsvSink& operator=(const CsvSink&) = delete;
    ~CsvSink() override {
        for (const File& file : files_) {
            ::close(file.descriptor);
        }
    }

    Result<void> begin(std::size_t, const TableShape& shape) override {
        const std::filesystem::path path = folder_ / (std::string(shape.name) + ".csv");
        const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0) {
            return Error{ErrorKind::kNoSpace, path.string() + ": " + std::strerror(errno), "name another directory"};
        }
        files_.push_back({descriptor, std::make_unique<Output>(descriptor, path.string())});
        std::string line;
        for (const TableColumn& column : shape.columns) {
            line += fmt::format("{}{}", line.empty() ? "" : ",", column.name);
        }
        files_.back().out->write(line + "\n");
        return {};
    }

    void row(std::size_t table, std::span<const TableCell> cells) override {
        line_.clear();
        for (const TableCell& cell : cells) {
            if (&cell != cells.data()) {
                line_ += ',';
            }
            if (const auto* const integer = std::get_if<std::int64_t>(&cell)) {
                fmt::format_to(std::back_inserter(line_), "{}", *integer);
            } else if (const auto* const real = std::get_if<double>(&cell)) {
                fmt::format_to(std::back_inserter(line_), "{}", *real);
            } else if (const auto* const text = std::get_if<std::string_view>(&cell)) {
                line_ += csv_cell(*text);
            }
        }
        line_ += '\n';
        files_[table].out->write(line_);
    }

    Result<void> finish() {
        for (const File& file : files_) {
            if (auto done = file.out->finish(); !done) {
                return done;
            }
        }
        return {};
    }

  private:
    struct File {
        int descriptor;
        std::unique_ptr<Output> out;
    };

    std::filesystem::path folder_;
    std::vector<File> files_;
    std::string line_;
};

Result<void> write_csv(const recording::Recording& recording, const ExportOptions& options,
                       const std::filesystem::path& path) {
    const auto run = load_export_run(recording, options, Findings::kAll);
    if (!run) {
        return run.error();
    }
    if (mkdir(path.c_str(), 0777) != 0) {
        return Error{ErrorKind::kPermission, path.string() + ": " + std::strerror(errno),
                     "name another directory with -o"};
    }
    CsvSink sink(path);
    auto done = write_tables(*run, sink, {});
    return done ? sink.finish() : done;
}

}  // namespace

extern const Export kCsv{
    .name = "csv",
    .what = "a directory of tables, a file each (docs/sql.md): spreadsheets, pandas, R",
    .write_at = write_csv,
};

}  // namespace kymo::view
