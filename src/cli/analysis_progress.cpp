#include "cli/analysis_progress.h"

#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <unistd.h>

namespace kymo::cli {
namespace {

constexpr std::chrono::seconds kSoon{1};
constexpr const char* kEmptyLine = "\r\033[K";

// In words for those who wait; others' names are words already.
std::string_view words_of(std::string_view stage) {
    if (stage == "profile") {
        return "reading the samples";
    }
    if (stage == "names") {
        return "looking up functions and lines";
    }
    if (stage == "visits" || stage == "spans") {
        return "following code spaces through time";
    }
    if (stage == "findings") {
        return "comparing occurrences";
    }
    return stage == "page" ? "writing the page" : "laying out code spaces";
}

}  // namespace

AnalysisProgress::AnalysisProgress() : may_tell_(::isatty(STDERR_FILENO) == 1) {}

void AnalysisProgress::begin(std::string_view stage) {
    const auto taken = std::chrono::steady_clock::now() - started_;
    if (may_tell_ && taken >= kSoon) {
        fmt::print(stderr, "{}kymo: {} ({} s)", kEmptyLine, words_of(stage),
                   std::chrono::duration_cast<std::chrono::seconds>(taken).count());
        std::fflush(stderr);
        has_line_ = true;
    }
}

void AnalysisProgress::end() {
    if (has_line_) {
        std::fputs(kEmptyLine, stderr);
        has_line_ = false;
    }
}

}  // namespace kymo::cli
