#include "view/states.h"

#include "spacetime/profile/wait_table.h"

#include <algorithm>

namespace kymo::view {
namespace {

using namespace spacetime;
using Json = nlohmann::ordered_json;
using recording::WaitKind;

struct SignText {
    std::string_view unicode;
    std::string_view letter;
    std::string_view words;
    Ink ink;
};

constexpr std::array<SignText, kStripSigns> kSignTexts = {{
    {"█", "U", "user", Ink::kPlain},
    {"▓", "S", "system", Ink::kWarm},
    {"▒", "P", "spinning", Ink::kHot},
    {"▲", "R", "run queue", Ink::kHot},
    {"▁", "w", "waiting for threads", Ink::kName},
    {"▂", "i", "for I/O or the kernel", Ink::kWarm},
    {"_", "z", "sleeping", Ink::kDim},
    {"·", ".", "off", Ink::kDim},
    {"=", "=", "not measured", Ink::kDim},
}};

bool is_nothing(const StripSums& sums) {
    return std::all_of(sums.begin(), sums.end(), [](std::int64_t ns) { return ns == 0; });
}

}  // namespace

StripSign sign_of(const StateInterval& interval, std::span<const ThreadWait> waits) {
    switch (interval.state) {
        case ThreadState::kUser:
            return StripSign::kUser;
        case ThreadState::kSystem:
            return StripSign::kSystem;
        case ThreadState::kSpinning:
            return StripSign::kSpinning;
        case ThreadState::kReady:
            return StripSign::kReady;
        case ThreadState::kPaused:
            return StripSign::kPaused;
        case ThreadState::kOff:
            return StripSign::kOff;
        case ThreadState::kWaiting:
            break;
    }
    if (interval.wait >= waits.size()) {
        return StripSign::kDevice;
    }
    const WaitKind kind = waits[interval.wait].kind;
    return is_synchronisation(kind)   ? StripSign::kThreads
           : kind == WaitKind::kSleep ? StripSign::kSleep
                                      : StripSign::kDevice;
}

void add_strip(const ProfileThread& thread, std::uint64_t begin, std::uint64_t end, std::span<StripSums> columns) {
    const auto count = static_cast<std::uint64_t>(columns.size());
    // The first moment of a column; the last column's end is `end`.
    const auto edge = [&](std::uint64_t column) {
        return begin + static_cast<std::uint64_t>(static_cast<unsigned __int128>(end - begin) * column / count);
    };
    std::uint64_t column = 0;
    thread.states.for_each(begin, end, [&](const StateInterval& interval) {
        const auto sign = static_cast<std::size_t>(sign_of(interval, thread.waits));
        for (std::uint64_t at = interval.begin; at < interval.end;) {
            while (column + 1 < count && edge(column + 1) <= at) {
                ++column;
            }
            const std::uint64_t until = std::min(interval.end, column + 1 < count ? edge(column + 1) : end);
            columns[column][sign] += static_cast<std::int64_t>(until - at);
            at = until;
        }
    });
}

std::string strip_text(const Style& style, std::span<const StripSums> columns) {
    std::string text;
    std::string run;  // of one colour
    Ink ink = Ink::kPlain;
    const auto flush = [&] {
        text += paint(style, ink, run);
        run.clear();
    };
    for (const StripSums& sums : columns) {
        const SignText& sign =
            kSignTexts.at(static_cast<std::size_t>(std::max_element(sums.begin(), sums.end()) - sums.begin()));
        if (sign.ink != ink) {
            flush();
            ink = sign.ink;
        }
        run += is_nothing(sums) ? " " : style.unicode ? sign.unicode : sign.letter;
    }
    flush();
    return text;
}

std::string strip_legend(const Style& style, std::span<const StripSums> columns) {
    std::string text;
    for (std::size_t i = 0; i < kStripSigns; ++i) {
        const SignText& sign = kSignTexts.at(i);
        if (std::any_of(columns.begin(), columns.end(), [&](const StripSums& sums) { return sums.at(i) != 0; })) {
            text += (text.empty() ? "" : "  ") + std::string(style.unicode ? sign.unicode : sign.letter) + " " +
                    std::string(sign.words);
        }
    }
    return text;
}

Json json_figures_from(ThreadFigures from) {
    switch (from) {
        case ThreadFigures::kSwitchRecords:
            return "switch-records";
        case ThreadFigures::kThreadEnd:
            return "thread-end";
        case ThreadFigures::kNone:
            break;
    }
    return nullptr;
}

std::vector<std::pair<WaitKind, std::int64_t>> waiting_by_kind(const ProfileThread& thread) {
    std::array<std::int64_t, 256> by_kind{};
    thread.states.for_each(thread.begin, thread.end, [&](const StateInterval& interval) {
        if (interval.state == ThreadState::kWaiting && interval.wait < thread.waits.size()) {
            by_kind.at(static_cast<std::size_t>(thread.waits[interval.wait].kind)) +=
                static_cast<std::int64_t>(interval.end - interval.begin);
        }
    });
    std::vector<std::pair<WaitKind, std::int64_t>> kinds;
    for (std::size_t kind = 1; kind < by_kind.size(); ++kind) {
        if (by_kind.at(kind) != 0) {
            kinds.emplace_back(static_cast<WaitKind>(kind), by_kind.at(kind));
        }
    }
    return kinds;
}

Json json_states(const ProfileThread& thread) {
    const StateSums sums = thread.states.sums();
    Json kinds = Json::object();
    for (const auto& [kind, ns] : waiting_by_kind(thread)) {
        kinds[wait_kind_key(kind)] = seconds(ns);
    }
    return {
        {"user_s", seconds(sums[ThreadState::kUser])},         {"system_s", seconds(sums[ThreadState::kSystem])},
        {"spinning_s", seconds(sums[ThreadState::kSpinning])}, {"run_queue_s", seconds(sums[ThreadState::kReady])},
        {"waiting_s", seconds(sums[ThreadState::kWaiting])},   {"waiting_by_kind_s", std::move(kinds)},
        {"off_s", seconds(sums[ThreadState::kOff])},           {"paused_s", seconds(sums[ThreadState::kPaused])}};
}

}  // namespace kymo::view
