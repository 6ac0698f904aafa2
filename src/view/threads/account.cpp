#include "view/threads/account.h"

#include "spacetime/profile/wait_table.h"
#include "view/states.h"
#include "view/summary.h"
#include "view/threads/created_with.h"
#include "view/threads/registers.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kymo::view {
namespace {

using namespace spacetime;

constexpr std::size_t kNamedThreads = 20;
constexpr std::size_t kColumn = 18;  // of the words before a figure

std::string name_of(const ProfileThread& thread) {
    return thread.name.empty() ? "(no name)" : thread.name;
}

class Account {
  public:
    Account(const Style& style, const analysis::Analysis& analysis, const ProfileThread& thread)
        : style_(style), profile_(analysis.profile), names_(analysis.named.names()), thread_(thread) {}

    std::string text() {
        head();
        times();
        waits();
        creation();
        if (thread_.created_with) {
            registers(*thread_.created_with);
            floating(*thread_.created_with);
        }
        return std::move(out_);
    }

  private:
    void heading(std::string_view title, std::string_view rest = {}) {
        out_ += "\n" + paint(style_, Ink::kHeading, title) +
                (rest.empty() ? "" : "  " + paint(style_, Ink::kDim, rest)) + "\n";
    }

    void line(std::string_view words, const std::string& value) {
        out_ += wrap(style_, pad_right(words, kColumn) + value, 2, 2 + kColumn);
    }

    void note(std::string_view text) { out_ += paint(style_, Ink::kDim, wrap(style_, text, 2, 2)); }

    std::string since_start(std::uint64_t time) const {
        return fmt::format("{:.4f} s", seconds(static_cast<std::int64_t>(time - profile_.begin)));
    }

    void head() {
        const ProfileProcess& process = profile_.processes[thread_.process];
        out_ += paint(style_, Ink::kHeading, fmt::format("Thread {}", thread_.tid)) + "  " +
                paint(style_, Ink::kName, name_of(thread_)) +
                fmt::format(" of process {}{}", process.pid, process.name.empty() ? "" : " (" + process.name + ")") +
                (process.rank == kNoRank ? "" : fmt::format(", rank {}", process.rank)) + "\n";
        if (thread_.own_tid != 0 && thread_.own_tid != thread_.tid) {
            line("its own number", std::to_string(thread_.own_tid));
        }
    }

    void times() {
        line("ran", fmt::format("{} to {} ({}){}", since_start(thread_.begin), since_start(thread_.end),
                                duration(style_, thread_.end - thread_.begin),
                                thread_.has_ended || !thread_.is_sampled ? "" : "; its end is not recorded"));
        const StateSums sums = thread_.states.sums();
        if (thread_.is_sampled) {
            line("on a processor",
                 fmt::format("{} (user {}, system {}), {}", time(processor_time(thread_.costs)),
                             time(thread_.costs[kUser]), time(thread_.costs[kSystem]),
                             quantity(static_cast<std::uint64_t>(thread_.costs[kSamples]), "sample")));
        } else {
            line("on a processor",
                 time(processor_time(thread_.costs)) + ", by the kernel's switch records; it was not sampled");
        }
        line("off it", fmt::format("{}: waiting {}, ready to run {}, no wait recorded {}",
                                   time(thread_.costs[kOffCpu]), time(sums[ThreadState::kWaiting]),
                                   time(thread_.run_queue_ns), time(sums[ThreadState::kOff])));
        if (thread_.paused_ns != 0) {
            line("not measured", time(thread_.paused_ns) + ": the program had switched measurement off");
        }
        if (thread_.figures_from != ThreadFigures::kNone) {
            line("left it", fmt::format("{} times by itself, {} because another thread got it",
                                        count(static_cast<std::int64_t>(thread_.switches.voluntary)),
                                        count(static_cast<std::int64_t>(thread_.switches.involuntary))));
        }
    }

    void waits() {
        auto by_kind = waiting_by_kind(thread_);
        if (by_kind.empty()) {
            return;
        }
        std::stable_sort(by_kind.begin(), by_kind.end(),
                         [](const auto& a, const auto& b) { return a.second > b.second; });
        std::vector<std::string> words;
        words.reserve(by_kind.size());
        for (const auto& [kind, ns] : by_kind) {
            words.push_back(fmt::format("{} {}", wait_kind_words(kind), time(ns)));
        }
        line("waited for", fmt::format("{}", fmt::join(words, ", ")));
    }

    void creation() {
        const auto path = creation_places(profile_, names_, thread_);
        if (thread_.creator == kNone) {
            heading("Created", "by a thread that was not measured: what it was created with is not known");
            return;
        }
        const ProfileThread& creator = profile_.threads[thread_.creator];
        heading("Created", fmt::format("by thread {} {}", creator.tid, name_of(creator)));
        for (const PathPlace& place : path) {
            out_ += "  " + cut_end(style_, words(place), style_.width - 2) + "\n";
        }
        if (path.empty()) {
            note("The call path is not known.");
        } else {
            note("The last line called pthread_create. Kymo's library wraps that function and is left out.");
        }
        if (thread_.created_with) {
            const auto blocked = signal_names(thread_.created_with->blocked_signals);
            line("blocked signals", blocked.empty() ? "none" : fmt::format("{}", fmt::join(blocked, ", ")));
        }
    }

    void registers(const CreatedWith& state) {
        heading("Registers", state.is_callers
                                 ? "of that function at its call: those that calls preserve"
                                 : "inside Kymo's wrapper of pthread_create; the caller's are not recorded");
        const auto known = known_registers(state);
        for (std::size_t number = 0; number < known.size(); ++number) {
            if (known[number]) {
                line(register_name(state.machine, number), fmt::format("{:#018x}", *known[number]));
            }
        }
        line("stack pointer", fmt::format("{:#018x}", state.stack_pointer));
        line("program counter", fmt::format("{:#018x}", state.program_counter));
    }

    void floating(const CreatedWith& state) {
        const auto floating = floating_state(state.machine, state.floating);
        if (!floating) {
            note("The floating-point state is not known.");
            return;
        }
        heading("Floating point",
                fmt::format("MXCSR {:#x}, x87 control word {:#x}", floating->mxcsr, floating->x87_control));
        const auto traps = floating->unmasked_exceptions();
        line("rounding", std::string(floating->rounding() == "nearest" ? "to nearest"
                                     : floating->rounding() == "zero"  ? "towards zero"
                                                                       : floating->rounding()));
        line("traps", traps.empty() ? "none" : fmt::format("{}", fmt::join(traps, ", ")));
        if (floating->flushes_to_zero() || floating->denormals_are_zero()) {
            line("denormals",
                 fmt::format("{}",
                             fmt::join(
                                 std::vector<std::string>{
                                     floating->flushes_to_zero() ? "results flushed to zero" : "results kept",
                                     floating->denormals_are_zero() ? "operands taken for zero" : "operands kept"},
                                 ", ")));
        }
        bool has_zeros = false;
        for (std::size_t i = 0; i < floating->vectors.size(); ++i) {
            const auto& vector = floating->vectors[i];
            if (std::any_of(vector.begin(), vector.end(), [](std::uint8_t byte) { return byte != 0; })) {
                line(fmt::format("xmm{}", i), vector_text(vector));
            } else {
                has_zeros = true;
            }
        }
        if (has_zeros) {
            note("Vector registers that are not listed held zero.");
        }
    }

    std::string time(std::int64_t ns) const { return duration(style_, ns); }

    const Style& style_;
    const Profile& profile_;
    Names names_;
    const ProfileThread& thread_;
    std::string out_;
};

Error no_such_thread(const Profile& profile, std::uint64_t tid) {
    std::string there;
    for (std::size_t i = 0; i < std::min(profile.threads.size(), kNamedThreads); ++i) {
        const ProfileThread& thread = profile.threads[i];
        there += fmt::format("{}{} {}", i == 0 ? "" : ", ", thread.tid, name_of(thread));
    }
    if (profile.threads.size() > kNamedThreads) {
        there +=
            fmt::format(" and {} more (kymo report --threads lists them)", profile.threads.size() - kNamedThreads);
    }
    return {ErrorKind::kUsage, fmt::format("--thread {}: no thread has this number", tid),
            profile.threads.empty() ? "the recording has no threads" : "the threads are: " + there};
}

}  // namespace

Result<std::string> thread_accounts(const Style& style, const analysis::Analysis& analysis, std::uint64_t tid) {
    std::string text;
    for (const ProfileThread& thread : analysis.profile.threads) {
        if (thread.tid == tid) {
            text += (text.empty() ? "" : "\n") + Account(style, analysis, thread).text();
        }
    }
    if (text.empty()) {
        return no_such_thread(analysis.profile, tid);
    }
    return text;
}

}  // namespace kymo::view
