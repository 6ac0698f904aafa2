#include "cli/analysis_progress.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace kymo::cli {
namespace {

constexpr const char* kEmptyLine = "\r\033[K";

struct StageWords {
    std::string_view stage;
    std::string_view words;
};
constexpr std::array kStages = {
    StageWords{"profile", "reading the samples"},
    StageWords{"names", "looking up functions and lines"},
    StageWords{"occurrences", "following code through time"},
    StageWords{"spans", "following code through time"},
    StageWords{"findings", "comparing occurrences"},
    StageWords{"page", "writing the page"},
    StageWords{"probes", "setting the kernel's probes"},
};

std::string_view words_of(std::string_view stage) {
    for (const StageWords& known : kStages) {
        if (known.stage == stage) {
            return known.words;
        }
    }
    return "laying out code spaces";
}

}  // namespace

AnalysisProgress::AnalysisProgress(bool is_shown) {
    if (is_shown && ::isatty(STDERR_FILENO) == 1) {
        teller_ = std::thread([this] { tell(); });
    }
}

void AnalysisProgress::begin(std::string_view stage) {
    const std::lock_guard lock(mutex_);
    stage_ = words_of(stage);
}

void AnalysisProgress::end() {
    if (!teller_.joinable()) {
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        has_ended_ = true;
    }
    changed_.notify_one();
    teller_.join();
}

void AnalysisProgress::tell() {
    std::unique_lock lock(mutex_);
    int seconds = 0;
    while (!changed_.wait_for(lock, std::chrono::seconds(1), [this] { return has_ended_; })) {
        fmt::print(stderr, "{}kymo: {} ({} s)", kEmptyLine, stage_, ++seconds);
        std::fflush(stderr);
    }
    if (seconds != 0) {
        std::fputs(kEmptyLine, stderr);
    }
}

}  // namespace kymo::cli
