// kymo import: another tool's recording as one of Kymo's.
#include "import/import.h"

#include "base/clean_text.h"
#include "cli/team.h"
#include "cli/verbs.h"
#include "import/import_named.h"
#include "import/trace/import_trace.h"
#include "launch/output.h"
#include "launch/run_log.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace kymo::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kImportExamples =
    "Every verb that reads a recording reads the new one. Files of perf record can be read: with call chains, copied "
    "stacks (--call-graph dwarf) or without, of one event or several, compressed, or from a pipe. Programs are "
    "looked for where the file says, and in perf's cache of build ids; what has another build id by now is not used. "
    "Just-in-time compiled code has the names of /tmp/perf-PID.map, where that was written during the recording; "
    "with "
    "--symfs those below it. Of traces in Chromium's format (browsers, Node, clang -ftime-trace) and Perfetto's "
    "slices "
    "become call paths.\n"
    "Not read: branch stacks (--call-graph lbr).\n\n"
    "examples:\n"
    "  perf record -e task-clock -g ./solver 200\n"
    "  kymo import perf.data                        makes perf.kymo, or the next free number\n"
    "  kymo report perf.kymo\n"
    "  kymo import --symfs /mnt/root perf.data      the programs of another machine, below /mnt/root\n"
    "  perf record -o - ./solver | kymo import - -o solver.kymo\n"
    "  perf script -F +pid > solver.txt; kymo import solver.txt\n"
    "  curl -o cpu.pb.gz http://localhost:6060/debug/pprof/profile; kymo import cpu.pb.gz\n"
    "  clang++ -ftime-trace -c main.cpp; kymo import main.json\n";
constexpr std::size_t kMostNamed = 5;  // images without a file

std::atomic<bool> interrupted = false;

bool is_interrupted() {
    return interrupted;
}

// While it lives, Ctrl-C ends the reading.
class InterruptWatch {
  public:
    InterruptWatch() {
        struct sigaction action{};
        action.sa_handler = [](int) { interrupted = true; };
        action.sa_flags = SA_RESETHAND;  // a second one ends the program
        sigaction(SIGINT, &action, &before_);
    }
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;
    ~InterruptWatch() { sigaction(SIGINT, &before_, nullptr); }

  private:
    struct sigaction before_{};
};

class ProgressLine {
  public:
    void show(double part) {
        const int percent = static_cast<int>(part * 100);
        if (is_terminal_ && percent != shown_) {
            shown_ = percent;
            fmt::print(stderr, "\rkymo: reading, {} %\033[K", percent);
        }
    }
    void end() {
        if (shown_ >= 0) {
            fmt::print(stderr, "\r\033[K");
            shown_ = -1;
        }
    }

  private:
    bool is_terminal_ = isatty(STDERR_FILENO) != 0;
    int shown_ = -1;
};

void print_notes(const import::ImportReport& report) {
    const auto note = [](const std::string& text) { fmt::print(stderr, "kymo: {}\n", clean_text(text)); };
    for (const std::string& notice : report.notices) {
        note(notice);
    }
    if (report.lost != 0) {
        note(fmt::format("perf lost {} records: what happened then is missing", report.lost));
    }
    if (report.idle != 0) {
        note(fmt::format("{} samples of idle processors are left out", report.idle));
    }
    if (report.other_registers != 0) {
        note(fmt::format(
            "{} samples have registers of another kind of processor or program than x86-64: they have no call paths",
            report.other_registers));
    }
    if (!report.missing.empty()) {
        std::string names;
        for (std::size_t i = 0; i < std::min(report.missing.size(), kMostNamed); ++i) {
            names += (i == 0 ? "" : ", ") + report.missing[i];
        }
        const std::size_t others = report.missing.size() - std::min(report.missing.size(), kMostNamed);
        note(fmt::format("{} file{} of code not here, or another one by now; {} functions will not be named: {}{}",
                         report.missing.size(), report.missing.size() == 1 ? " is" : "s are",
                         report.missing.size() == 1 ? "its" : "their", names,
                         others == 0 ? "" : fmt::format(" and {} more", others)));
        note("name the directory that has them with --symfs");
    }
}

constexpr std::array<std::pair<std::string_view, import::ImportFormat>, 5> kFormats = {
    {{"perf", import::ImportFormat::kPerfData},
     {"script", import::ImportFormat::kPerfScript},
     {"pprof", import::ImportFormat::kPprof},
     {"chrome", import::ImportFormat::kChromeTrace},
     {"perfetto", import::ImportFormat::kPerfettoTrace}}};

// One of kFormats.
import::ImportFormat format_named(std::string_view name) {
    return std::find_if(kFormats.begin(), kFormats.end(), [&](const auto& format) { return format.first == name; })
        ->second;
}

Result<import::ImportReport> import_as(import::ImportFormat format, const fs::path& file, const fs::path& folder,
                                       const import::ImportOptions& options) {
    switch (format) {
        case import::ImportFormat::kPerfScript:
        case import::ImportFormat::kPprof:
            return import::import_named(file, format, folder, options);
        case import::ImportFormat::kChromeTrace:
        case import::ImportFormat::kPerfettoTrace:
            return import::import_trace(file, format, folder, options);
        case import::ImportFormat::kPerfData:
            break;
    }
    return import::import_perf_data(file, folder, options);
}

int run_import(int argc, char** argv) {
    CLI::App options("Make a recording from a file of another tool.", "kymo import");
    set_usage(options, "kymo import [OPTIONS] perf.data");
    options.footer(kImportExamples);
    std::string file;
    std::optional<fs::path> out;
    std::string symfs;
    std::string format;
    bool quiet = false;
    options
        .add_option("file", file,
                    "what perf record or perf script wrote, a profile of pprof, or a trace; -: standard input")
        ->type_name("FILE")
        ->required();
    options.add_option("-o,--output", out, "the directory to write (FILE.kymo, here)")->type_name("REC.kymo");
    options.add_option("--symfs", symfs, "look for programs and libraries below this directory, and nowhere else")
        ->type_name("DIR")
        ->check(CLI::ExistingDirectory);
    options
        .add_option("--format", format,
                    "perf, script, pprof, chrome or perfetto (by its contents; of standard input perf)")
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"perf", "script", "pprof", "chrome", "perfetto"}));
    options.add_flag("-q,--quiet", quiet, "print errors alone");
    if (const auto code = parse_options(options, argc, argv)) {
        return *code;
    }
    const CommandTeam team;
    if (!team.is_first()) {
        return 0;  // the first process does it alone
    }
    const std::string name = file == "-" ? "imported" : fs::path(file).stem().string();
    const auto folder = launch::make_recording_folder(out, name);
    if (!folder) {
        return fail(folder.error());
    }
    ProgressLine line;
    const InterruptWatch watch;
    import::ImportOptions asked;
    asked.symfs = symfs;
    asked.producer = std::string(launch::kProducer);
    asked.is_cancelled = is_interrupted;
    if (!quiet) {
        asked.progress = [&](double part) { line.show(part); };
    }
    const import::ImportFormat found = format.empty() ? import::format_of(file) : format_named(format);
    const auto report = import_as(found, file, *folder, asked);
    line.end();
    if (!report) {
        std::error_code ignored;
        fs::remove_all(*folder, ignored);
        return fail(report.error());
    }
    if (!quiet) {
        print_notes(*report);
        if (report->cancelled) {
            fmt::print(stderr, "kymo: interrupted: the recording has what was read by then\n");
        }
        const auto count = [](std::uint64_t number, const char* one, const char* many) {
            return fmt::format("{} {}", number, number == 1 ? one : many);
        };
        fmt::print(stderr, "kymo: {} of {} in {}: {}\n", count(report->samples, "sample", "samples"),
                   count(report->threads, "thread", "threads"), count(report->processes, "process", "processes"),
                   clean_text(folder->string()));
    }
    constexpr int kInterrupted = 128 + SIGINT;
    return report->cancelled ? kInterrupted : 0;
}

const Registration kImport({"import", "make a recording from a file of perf or pprof, or a trace", 12, run_import});

}  // namespace
}  // namespace kymo::cli
