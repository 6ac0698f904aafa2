#include "base/native.h"
#include "image/program_facts.h"
#include "spacetime/profile/quality.h"
#include "view/summary.h"
#include "view/terminal/sections.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fmt/format.h>

namespace kymo::view {
namespace {

using namespace spacetime;

std::string rounded(double value) {
    return value < 10 ? fmt::format("{:.1f}", value) : count(static_cast<std::int64_t>(std::llround(value)));
}

// Never "100.0 %" while one is missing.
std::string exact_percent(std::uint64_t part, std::uint64_t all) {
    if (part == all) {
        return "100 %";
    }
    const double value =
        std::floor(share(static_cast<std::int64_t>(part), static_cast<std::int64_t>(all)) * 1e4) / 100;
    return fmt::format("{:.2f} %", value);
}

std::string partial_causes(const Quality& quality) {
    std::string text;
    for (std::size_t i = 1; i < quality.paths.size(); ++i) {
        if (quality.paths[i] != 0) {
            text += (text.empty() ? "" : ", ") + count(static_cast<std::int64_t>(quality.paths[i])) + " " +
                    std::string(path_end_words(static_cast<recording::PathEnd>(i)));
        }
    }
    return text;
}

std::string losses(const Quality& quality, std::uint64_t kernel_lost) {
    std::string text;
    const auto mention = [&](std::uint64_t number, std::string_view what) {
        if (number != 0) {
            text += (text.empty() ? "" : ", ") + count(static_cast<std::int64_t>(number)) + " " + std::string(what);
        }
    };
    mention(quality.lost, "lost");
    mention(quality.merged, "merged");
    mention(quality.throttled, "times throttled");
    mention(quality.unwritten, "not written: no space left");
    mention(kernel_lost, "kernel records lost");
    return text.empty() ? "none lost" : text;
}

// How well it was sampled.
void quality_line(Sheet& sheet) {
    const Quality& quality = sheet.profile.quality;
    std::string samples = quantity(quality.samples, "sample");
    if (quality.condensed != 0) {
        samples += fmt::format(" left of {}", count(static_cast<std::int64_t>(quality.samples + quality.condensed)));
    }
    std::string line = samples + "; ";
    if (const auto rate = sampling_rate(sheet.profile)) {
        line = fmt::format("{}, {} a second of user time ({} asked); ", samples, rounded(rate->delivered_hz),
                           rounded(rate->asked_hz));
        if (quality.at_tick != 0 && !sheet.options.is_short) {
            line += fmt::format("{} of samples taken at the kernel's tick, in threads that were switched often; ",
                                exact_percent(quality.at_tick, quality.samples));
        }
    }
    if (quality.samples != 0) {
        line += fmt::format("{} of call paths complete", exact_percent(complete_paths(quality), quality.samples));
        if (const std::string causes = partial_causes(quality); !causes.empty() && !sheet.options.is_short) {
            line += " (" + causes + ")";
        }
        if (quality.folded != 0 && !sheet.options.is_short) {
            line += fmt::format(", recursion folded in {}", exact_percent(quality.folded, quality.samples));
        }
        line += "; ";
    } else {
        line += "no sample at all: shorter than a period, or no time in the program itself; ";
    }
    sheet.out += wrap(sheet.style, line + losses(quality, sheet.profile.kernel_lost), 2, 4);
}

// If processors were unlike, times of threads must not be compared.
void pace_line(Sheet& sheet) {
    constexpr std::uint64_t kLeast = 100;  // measured in a thread: fewer say little
    constexpr double kUnlike = 1.3;
    double fastest = 0;
    double slowest = 0;
    for (const ProfileThread& thread : sheet.profile.threads) {
        if (thread.pace.count >= kLeast) {
            const double mean = static_cast<double>(thread.pace.ticks) / static_cast<double>(thread.pace.count);
            fastest = fastest == 0 ? mean : std::min(fastest, mean);
            slowest = std::max(slowest, mean);
        }
    }
    if (fastest > 0 && slowest >= kUnlike * fastest) {
        const std::string line = fmt::format(
            "Processors were unlike: the same arithmetic took {:.1f} times as long in one thread as in another. "
            "Their "
            "cores may be shared with other work: do not compare these threads' times.",
            slowest / fastest);
        sheet.out += paint(sheet.style, Ink::kWarning, wrap(sheet.style, line, 2, 4));
    }
}

}  // namespace

void header(Sheet& sheet) {
    std::string command = command_line(sheet.profile.command);
    if (command.empty()) {
        command = "(command not recorded)";
    }
    sheet.out += paint(sheet.style, Ink::kHeading, cut_end(sheet.style, command, sheet.style.width)) + "\n";
    std::string line = sheet.time(static_cast<std::int64_t>(sheet.profile.end - sheet.profile.begin));
    if (!sheet.profile.host.empty()) {
        line += " on " + sheet.profile.host;
    }
    if (const std::string machine = machines(sheet.profile);
        !machine.empty() && machine != image::machine_name(processor::kMachine)) {
        line += ", recorded on " + machine;
    }
    if (sheet.profile.started_realtime_ns != 0) {
        const auto seconds = static_cast<std::time_t>(sheet.profile.started_realtime_ns / 1'000'000'000);
        std::tm local{};
        char text[32];
        if (::localtime_r(&seconds, &local) != nullptr && std::strftime(text, sizeof text, "%F %R", &local) != 0) {
            line += std::string(", ") + text;
        }
    }
    if (sheet.profile.threads.empty() && sheet.profile.processes.empty()) {
        line += sheet.profile.has_run_end  ? ""
                : sheet.profile.is_running ? ", still running"
                                           : ", the recording has no end: its writer was killed";
        sheet.out += wrap(sheet.style, line, 0, 2);
        return;
    }
    line += fmt::format(" {} {}, {}, {}", sheet.sign().dot,
                        quantity(sheet.profile.processes.size(), "process", "processes"),
                        quantity(sheet.profile.threads.size(), "thread"), ending(sheet.profile));
    sheet.out += wrap(sheet.style, line, 0, 2);
}

void summary(Sheet& sheet) {
    std::string all;
    for (const std::string& sentence : sentences(sheet.profile, sheet.tree)) {
        all += (all.empty() ? "" : " ") + with_signs(sheet.style, sentence);
    }
    if (!all.empty()) {
        sheet.out += wrap(sheet.style, all, 2, 2);
    }
}

void measured(Sheet& sheet) {
    if (sheet.options.is_short) {
        quality_line(sheet);
        pace_line(sheet);
        return;
    }
    sheet.heading("Measured");
    std::vector<std::int64_t> all(sheet.tree.total[0].begin(), sheet.tree.total[0].end());
    std::int64_t paused = 0;
    for (const ProfileThread& thread : sheet.profile.threads) {
        paused += thread.paused_ns;
    }
    sheet.out +=
        wrap(sheet.style,
             fmt::format("{} of thread time = {} user + {} system + {} off-CPU", sheet.time(wall_time(all)),
                         sheet.time(all[kUser]), sheet.time(all[kSystem]), sheet.time(all[kOffCpu])) +
                 (paused > 0 ? fmt::format("; measurement was switched off for another {}", sheet.time(paused)) : ""),
             2, 4);
    quality_line(sheet);
    pace_line(sheet);
}

void not_measured(Sheet& sheet) {
    if (sheet.profile.unavailable.empty()) {
        return;
    }
    if (sheet.options.is_short) {
        std::string what;
        for (const UnavailableInfo& info : sheet.profile.unavailable) {
            what += (what.empty() ? "Not measured: " : "; ") + info.what;
        }
        sheet.out += wrap(sheet.style, what + " (why, and the remedy: --all)", 2, 4);
        return;
    }
    sheet.heading("Not measured");
    // One remedy for several causes is printed once.
    std::vector<std::pair<UnavailableInfo, std::string>> groups;
    for (const UnavailableInfo& info : sheet.profile.unavailable) {
        const auto known = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
            return group.first.why == info.why && group.first.remedy == info.remedy;
        });
        if (known == groups.end()) {
            groups.emplace_back(info, info.what);
        } else {
            known->second += ", " + info.what;
        }
    }
    for (const auto& [info, what] : groups) {
        sheet.out += wrap(sheet.style, what + (info.why.empty() ? "" : ": " + info.why), 2, 4);
        if (!info.remedy.empty()) {
            sheet.out += wrap(sheet.style, std::string(sheet.sign().arrow) + " " + info.remedy, 4, 6);
        }
    }
}

}  // namespace kymo::view
