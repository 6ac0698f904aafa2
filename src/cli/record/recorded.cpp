#include "cli/record/recorded.h"

#include "base/clean_text.h"
#include "cli/verbs.h"

#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <sys/wait.h>

namespace kymo::cli {
namespace {

std::string in_units(std::uint64_t bytes) {
    const auto amount = static_cast<double>(bytes);
    if (bytes < 10'000) {
        return fmt::format("{} bytes", bytes);
    }
    return bytes < 10'000'000 ? fmt::format("{:.0f} kB", amount / 1e3) : fmt::format("{:.1f} MB", amount / 1e6);
}

// The path as the user would type it.
std::string shown_path(const std::filesystem::path& path) {
    std::error_code error;
    const auto relative = std::filesystem::relative(path, error);
    const bool inside = !error && !relative.empty() && *relative.begin() != "..";
    const std::string text = inside ? relative.string() : path.string();
    const bool plain = text.find_first_of(" \t'\"\\$&;|<>()*?[]#~`!") == std::string::npos;
    return plain ? text : "'" + text + "'";
}

const char* reason_text(launch::EndReason reason) {
    switch (reason) {
        case launch::EndReason::kInterrupted:
            return "interrupted";
        case launch::EndReason::kDuration:
            return "ended by --duration";
        case launch::EndReason::kMaxSize:
            return "--max-size reached: the end of the run is not recorded";
        case launch::EndReason::kDiskFull:
            return "no space left: the end of the run is not recorded";
        case launch::EndReason::kEnded:
        case launch::EndReason::kImported:
        case launch::EndReason::kAttached:
            break;
    }
    return nullptr;
}

}  // namespace

void print_recorded(const launch::RecordOutcome& outcome, const PrintedRecording& printed) {
    if (outcome.gone) {
        fail(*outcome.gone);
        return;
    }
    const std::string path = shown_path(outcome.recording);
    std::string facts = fmt::format("{} process{}, {}", outcome.processes, outcome.processes == 1 ? "" : "es",
                                    in_units(outcome.bytes));
    if (const char* reason = reason_text(outcome.reason)) {
        facts += std::string("; ") + reason;
    } else if (WIFSIGNALED(outcome.wait_status)) {
        const int signal = WTERMSIG(outcome.wait_status);
        const char* name = sigabbrev_np(signal);
        facts +=
            name != nullptr ? fmt::format("; killed by SIG{}", name) : fmt::format("; killed by signal {}", signal);
    }
    if (outcome.lost != 0) {
        facts += fmt::format("; {} kernel records lost", outcome.lost);
    }
    fmt::print(stderr, "kymo: recorded {:.3f} s in {} ({})\n", static_cast<double>(outcome.duration_ns) / 1e9, path,
               facts);
    if (outcome.processes == 0 && !printed.from_outside) {
        fmt::print(
            stderr,
            "kymo: but the program itself was not measured: the monitor was never loaded, or found no session\n"
            "      check that the program does not clear LD_PRELOAD, and see kymo doctor\n");
    }
    if (!outcome.missing.empty()) {
        std::string names;
        for (const events::Missing& missing : outcome.missing) {
            names += (names.empty() ? "" : ", ") + missing.what;
        }
        fmt::print(stderr, "kymo: not measured {}: {} (why, and the remedy: kymo {})\n",
                   printed.from_outside ? "from outside" : "here", names,
                   printed.from_outside ? "report --all " + path : "doctor");
    }
    for (const std::string& warning : outcome.warnings) {
        fmt::print(stderr, "kymo: {}\n", clean_text(warning));
    }
    if (printed.hint) {
        fmt::print(stderr, "kymo: see it with: kymo report {}\n", path);
    }
}

int print_report(const launch::RecordOutcome& outcome) {
    const Verb* verb = find_verb("report");
    if (verb == nullptr) {
        return outcome.exit_status();
    }
    char name[] = "report";
    std::string path = outcome.recording;
    char* arguments[] = {name, path.data(), nullptr};
    const int code = verb->run(2, arguments);
    return code != 0 ? code : outcome.exit_status();
}

}  // namespace kymo::cli
