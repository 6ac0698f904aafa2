#include "view/summary.h"

#include "base/clean_text.h"
#include "image/program_facts.h"
#include "program/demangle.h"
#include "recording/tables/gpu.h"
#include "spacetime/profile/quality.h"
#include "view/metric.h"
#include "view/text.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <string_view>
#include <sys/wait.h>

namespace kymo::view {

using namespace spacetime;

namespace {

// Frames below main and below a thread's function: the C library's start-up code.
constexpr std::array<std::string_view, 9> kStartUp = {"_start",
                                                      "__libc_start_main",
                                                      "__libc_start_main_impl",
                                                      "__libc_start_main_alias_2",
                                                      "__libc_start_call_main",
                                                      "start_thread",
                                                      "clone3",
                                                      "__clone3",
                                                      "clone"};

std::string whole_percent(double part) {
    if (part > 0 && part < 0.01) {
        return "less than 1 %";
    }
    return part >= 0.995 && part < 1 ? "over 99 %" : fmt::format("{:.0f} %", part * 100);
}

template <typename Costs>
std::size_t heaviest(const CostTable& table, Costs&& value) {
    std::size_t best = 0;
    for (std::size_t row = 1; row < table.rows(); ++row) {
        if (value(table[row]) > value(table[best])) {
            best = row;
        }
    }
    return best;
}

// Whether a function's time is all in copies inlined elsewhere; then into which function, if one.
std::string inlined_into(const CallTree& tree, std::uint32_t function) {
    std::uint32_t caller = kNone;
    for (const CallNode& node : tree.nodes) {
        if (node.kind != NodeKind::kFrame || node.function != function) {
            continue;
        }
        const std::uint32_t parent = node.parent.in(tree.nodes).function;
        if (!node.inlined || (caller != kNone && caller != parent)) {
            return {};
        }
        caller = parent;
    }
    return caller == kNone ? std::string() : ", inlined into " + display_name(tree, caller);
}

std::string hottest_function(const Profile& profile, const CallTree& tree) {
    const std::int64_t all = processor_time(tree.total[0]);
    if (tree.functions.empty() || all <= 0) {
        return {};
    }
    const std::size_t row = heaviest(tree.function_self, processor_time);
    const FunctionCosts& hot = tree.functions[row];
    const double part = share(processor_time(tree.function_self[row]), all);
    const std::string where = place(tree, hot.file, hot.line);
    return fmt::format("{} of the {} is in {}{}{}.", whole_percent(part),
                       knows_processor_time(profile) ? "processor time" : "time", display_name(tree, hot.function),
                       where.empty() ? "" : " (" + where + ")", inlined_into(tree, hot.function));
}

std::string system_time(const CallTree& tree) {
    const auto all = tree.total[0];
    const double part = share(all[kSystem], processor_time(all));
    if (part < 0.05) {
        return {};
    }
    // Where the kernel was entered is not known: a tick in the kernel delivers no sample, so that system time is
    // charged to the code that ran next.
    return fmt::format("{} of the processor time is system time.", whole_percent(part));
}

std::string busy_processors(const Profile& profile) {
    std::int64_t on = 0;
    for (const ProfileThread& thread : profile.threads) {
        on += processor_time(thread.costs);
    }
    const auto wall = static_cast<double>(profile.end - profile.begin);
    if (wall <= 0 || profile.threads.size() < 2 || !knows_processor_time(profile)) {
        return {};
    }
    std::string text = fmt::format("On average {:.2f} ", static_cast<double>(on) / wall);
    if (profile.processors != 0) {
        text += "of " + quantity(profile.processors, "processor") + " ";
    } else {
        text += "processors ";
    }
    return text + "worked for the program.";
}

// The busiest thread compared with the others that were created at the same place.
std::string imbalance(const Profile& profile) {
    std::size_t busiest = 0;
    for (std::size_t i = 0; i < profile.threads.size(); ++i) {
        if (processor_time(profile.threads[i].costs) > processor_time(profile.threads[busiest].costs)) {
            busiest = i;
        }
    }
    const ProfileThread& most = profile.threads[busiest];
    std::int64_t sum = 0;
    std::int64_t count = 0;
    for (const ProfileThread& thread : profile.threads) {
        if (thread.creation_node != kNone && thread.creation_node == most.creation_node) {
            sum += processor_time(thread.costs);
            ++count;
        }
    }
    if (count < 2 || sum <= 0) {
        return {};
    }
    const double ratio =
        static_cast<double>(processor_time(most.costs)) * static_cast<double>(count) / static_cast<double>(sum);
    if (ratio < 1.15) {
        return {};
    }
    return fmt::format("Of {} threads created at one place, {} ({}) worked {:.2f} times the mean.", count,
                       most.name.empty() ? "one" : most.name, most.tid, ratio);
}

std::string own_work(const Profile& profile, const CallTree& tree) {
    const std::int64_t own = profile.own_work.empty() ? 0 : processor_time(profile.own_work);
    if (own <= 0) {
        return {};
    }
    return fmt::format("Kymo itself: {} of the processor time, left out of everything else here.",
                       percent(share(own, own + processor_time(tree.total[0]))));
}

// A report of the measured part, if most could not be measured, would be right in every line and wrong as a whole.
std::string unmeasured_processes(const Profile& profile) {
    constexpr double kWorthTelling = 0.1;
    const std::vector<std::vector<std::int64_t>> costs = process_costs(profile);
    std::int64_t all = 0;
    std::int64_t unmeasured = 0;
    std::size_t processes = 0;
    std::size_t most = costs.size();
    for (std::size_t i = 0; i < costs.size(); ++i) {
        const ProfileProcess& process = profile.processes[i];
        const std::int64_t time = process.has_times ? processor_time(costs[i]) : 0;
        all += time;
        if (process.is_monitored || time <= 0) {
            continue;
        }
        unmeasured += time;
        ++processes;
        if (most == costs.size() || time > processor_time(costs[most])) {
            most = i;
        }
    }
    if (processes == 0 || share(unmeasured, all) < kWorthTelling) {
        return {};
    }
    const ProfileProcess& process = profile.processes[most];
    return fmt::format("Not measured: {} of the processor time, in {} ({}{}: {}). What follows is of the others.",
                       percent(share(unmeasured, all)), quantity(processes, "process", "processes"),
                       processes > 1 ? "most of it in " : "", process.name.empty() ? "no name" : process.name,
                       process.why_not);
}

std::uint64_t with_processes(const Profile& profile) {
    return static_cast<std::uint64_t>(std::count_if(profile.ranks.begin(), profile.ranks.end(),
                                                    [](const ProfileRank& rank) { return rank.processes != 0; }));
}

std::string damage(const Profile& profile) {
    return !profile.is_damaged
               ? ""
               : "Damaged: parts of the recording are lost (Notes say where). What was in them is missing from "
                 "every figure, and no findings are drawn.";
}

// Ranks without a process in the recording.
std::string lost_ranks(const Profile& profile) {
    if (profile.lost_ranks == 0) {
        return {};
    }
    constexpr std::size_t kShown = 8;  // ranks, or ranges of them
    std::string which;
    std::size_t shown = 0;
    std::uint64_t told = 0;
    const std::vector<std::uint64_t>& ranks = profile.some_lost_ranks;
    for (std::size_t i = 0; i < ranks.size() && shown < kShown; ++shown) {
        std::size_t end = i + 1;
        while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) {
            ++end;
        }
        which += fmt::format("{}{}{}", shown == 0 ? "" : ", ", ranks[i],
                             end == i + 1 ? "" : fmt::format("–{}", ranks[end - 1]));
        told += end - i;
        i = end;
    }
    return fmt::format(
        "Incomplete: of {} of the job's {} ranks nothing is known ({}{}): not recorded, or their files are "
        "missing or damaged (Notes name the damaged ones). What follows is of the others.",
        profile.lost_ranks, profile.lost_ranks + with_processes(profile), which,
        told < profile.lost_ranks ? ", …" : "");
}

std::string dropped_paths(const Profile& profile) {
    const std::uint64_t dropped = profile.quality.paths[static_cast<std::size_t>(recording::PathEnd::kNoRoom)];
    if (dropped == 0) {
        return {};
    }
    return fmt::format(
        "Call paths incomplete: {} of the samples ({} of {}) came when the monitor's table of call paths "
        "was full. They keep their innermost frames, below \"[call paths beyond the table]\", and no "
        "finding rests on them. Record a shorter run, or at a lower rate (-F), to have them whole.",
        percent(share(static_cast<std::int64_t>(dropped), static_cast<std::int64_t>(profile.quality.samples))),
        count(static_cast<std::int64_t>(dropped)), count(static_cast<std::int64_t>(profile.quality.samples)));
}

constexpr double kWorthAnAlarm = 0.01;  // of the samples

// Except the paths that dropped_paths() reports.
std::string incomplete_paths(const Profile& profile) {
    const Quality& quality = profile.quality;
    const std::uint64_t dropped = quality.paths[static_cast<std::size_t>(recording::PathEnd::kNoRoom)];
    const std::uint64_t partial = quality.samples - complete_paths(quality) - dropped;
    const double part = share(static_cast<std::int64_t>(partial), static_cast<std::int64_t>(quality.samples));
    if (part < kWorthAnAlarm) {
        return {};
    }
    return fmt::format(
        "Call paths incomplete: of {} of the samples the outer callers are not known. They are listed under "
        "\"[partial call paths]\".",
        percent(part));
}

// Old rows were condensed to keep --max-size.
std::string coarse_history(const Profile& profile) {
    const Quality& quality = profile.quality;
    if (quality.condensed == 0 && profile.waits.condensed == 0 && profile.condensed_switches == 0) {
        return {};
    }
    std::string text = "To keep --max-size, what is old was condensed:";
    if (quality.condensed != 0) {
        const std::uint64_t until = std::min(quality.coarse_until, profile.end);
        text += fmt::format(
            " of {} samples {} are left, fewer in the first {}, where the time of call paths is an estimate;",
            count(static_cast<std::int64_t>(quality.samples + quality.condensed)),
            count(static_cast<std::int64_t>(quality.samples)),
            duration(Style{}, until - std::min(until, profile.begin)));
    }
    if (profile.waits.condensed != 0) {
        text += fmt::format(" {} waits of less than {} were added up without their places;",
                            count(static_cast<std::int64_t>(profile.waits.condensed)),
                            duration(Style{}, profile.waits.brief_below_ns));
    }
    if (profile.condensed_switches != 0) {
        text += fmt::format(" of {} short absences from processors it is not known when and why they were;",
                            count(static_cast<std::int64_t>(profile.condensed_switches)));
    }
    return text + " totals of events are exact.";
}

std::string lost_samples(const Profile& profile) {
    const Quality& quality = profile.quality;
    const std::uint64_t lost = quality.lost + quality.unwritten;
    const double part = share(static_cast<std::int64_t>(lost), static_cast<std::int64_t>(quality.samples + lost));
    if (part < kWorthAnAlarm) {
        return {};
    }
    return fmt::format("Samples lost: {} ({}). Where they were taken is not known. Record with fewer (-F, :period=).",
                       percent(part), quantity(lost, "sample"));
}

}  // namespace

std::string place(const CallTree& tree, std::uint32_t file, std::uint32_t line) {
    if (line == 0 || file >= tree.symbols.files.size()) {
        return {};
    }
    return std::filesystem::path(tree.symbols.files[file]).filename().string() + ":" + std::to_string(line);
}

std::string display_name(const CallTree& tree, std::uint32_t function) {
    return program::plain_name(tree.symbols.functions[function].name);
}

bool is_start_up(std::string_view function) {
    return std::find(kStartUp.begin(), kStartUp.end(), function) != kStartUp.end();
}

std::vector<std::string> creation_path(const Profile& profile, const CallTree& tree, const ProfileThread& thread) {
    std::vector<std::string> names;
    if (raw(thread.creation_node) >= profile.nodes.size()) {
        return names;
    }
    for (CallNodeIndex at = thread.creation_node.in(tree.node_of); at != CallNodeIndex(0);
         at = at.in(tree.nodes).parent) {
        const std::string name = display_name(tree, at.in(tree.nodes).function);
        if (at.in(tree.nodes).kind == NodeKind::kFrame && !is_start_up(name)) {
            names.push_back(name);
        }
    }
    std::reverse(names.begin(), names.end());
    return names;
}

std::string machines(const Profile& profile) {
    std::set<std::uint16_t> numbers;
    for (const ImageInfo& image : profile.images) {
        numbers.insert(image.machine);
    }
    numbers.erase(EM_NONE);
    numbers.erase(recording::kModelledGpu);  // the host is that GPU
    std::string names;
    for (const std::uint16_t number : numbers) {
        names += (names.empty() ? "" : ", ") + std::string(image::machine_name(number));
    }
    return names;
}

std::string command_line(const std::vector<std::string>& arguments) {
    std::string line;
    for (const std::string& argument : arguments) {
        if (!line.empty()) {
            line += ' ';
        }
        const bool is_plain =
            !argument.empty() && argument.find_first_of(" \t\n'\"\\$&;|<>()*?[]#~`!") == std::string::npos;
        if (is_plain) {
            line += clean_text(argument);
            continue;
        }
        line += '\'';
        for (const char c : clean_text(argument)) {
            line += c == '\'' ? std::string("'\\''") : std::string(1, c);
        }
        line += '\'';
    }
    return line;
}

const char* mode_name(recording::EventMode mode) {
    switch (mode) {
        case recording::EventMode::kPeriod:
            return "period";
        case recording::EventMode::kFrequency:
            return "frequency";
        default:
            return "count";
    }
}

std::string ending(const Profile& profile) {
    if (profile.is_running) {
        return "still running";
    }
    if (!profile.has_run_end) {
        return "the recording has no end: its parent was gone before the program";
    }
    if (profile.end_reason == kImportedEnd) {
        return "imported: how it ended is not known";
    }
    if (profile.end_reason == kAttachedEnd) {
        return "attached: how it ended, if it did, is not known";
    }
    const int status = static_cast<int>(profile.wait_status);
    std::string text;
    if (WIFEXITED(status)) {
        text = fmt::format("exit status {}", WEXITSTATUS(status));
    } else if (WIFSIGNALED(status)) {
        text = fmt::format("killed by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
    } else {
        text = fmt::format("wait status {:#x}", profile.wait_status);
    }
    constexpr std::array<std::string_view, 5> kReasons = {
        "", "recording interrupted", "recording ended by --duration", "recording ended by --max-size", "disk full"};
    if (profile.end_reason > 0 && profile.end_reason < kReasons.size()) {
        text += ", " + std::string(kReasons.at(profile.end_reason));
    }
    return text;
}

std::vector<std::string> alarms(const Profile& profile) {
    std::vector<std::string> all;
    for (std::string alarm : {damage(profile), lost_ranks(profile), unmeasured_processes(profile),
                              dropped_paths(profile), incomplete_paths(profile), lost_samples(profile)}) {
        if (!alarm.empty()) {
            all.push_back(std::move(alarm));
        }
    }
    return all;
}

std::vector<std::string> sentences(const Profile& profile, const CallTree& tree) {
    std::vector<std::string> all;
    for (std::string sentence : {hottest_function(profile, tree), system_time(tree), busy_processors(profile),
                                 imbalance(profile), own_work(profile, tree), coarse_history(profile)}) {
        if (!sentence.empty()) {
            all.push_back(std::move(sentence));
        }
    }
    return all;
}

}  // namespace kymo::view
