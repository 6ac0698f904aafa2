#include "findings/rules/shared/spare.h"

#include "findings/rules/shared/interpreter.h"
#include "spacetime/profile/own_code.h"

#include <algorithm>
#include <array>

namespace kymo::findings {

using namespace spacetime;

double duration_ns(const Evidence& evidence) {
    return static_cast<double>(evidence.run.end - evidence.run.begin);
}

double idle_processor_ns(const Evidence& evidence) {
    const RunFacts& run = evidence.run;
    if (run.ready_ns.empty()) {
        const double had = static_cast<double>(run.processors) * duration_ns(evidence);
        return std::max(0.0, had - static_cast<double>(run.total.user + run.total.system + run.total.run_queue));
    }
    double idle = 0;
    for (std::size_t ready = 0; ready < run.ready_ns.size() && ready < run.processors; ++ready) {
        idle += static_cast<double>(run.ready_ns[ready]) * static_cast<double>(run.processors - ready);
    }
    return idle;
}

double spare_ns(const Evidence& evidence) {
    if (evidence.run.processors == 0) {
        return duration_ns(evidence);
    }
    return idle_processor_ns(evidence) / static_cast<double>(evidence.run.processors);
}

double room_ns(const Evidence& evidence) {
    const auto polled = static_cast<double>(evidence.run.total.spinning);
    const auto processors = static_cast<double>(std::max<std::uint64_t>(1, evidence.run.processors));
    return std::min(spare_ns(evidence) + polled / processors, duration_ns(evidence));
}

double waited_for_locks_ns(const Evidence& evidence, const ThreadFacts& thread) {
    double ns = 0;
    for (const auto* const waits : {&thread.waits, &thread.polled}) {
        for (const OccurrenceWait& wait : *waits) {
            const WaitTarget& target = evidence.wait_targets[wait.target];
            ns += is_lock(target.kind) || is_interpreter_lock(target) ? static_cast<double>(wait.ns) : 0;
        }
    }
    return ns;
}

std::vector<ThreadTime> at_most(const ByThread& times, double most) {
    double largest = 0;
    for (const auto& [thread, ns] : times) {
        largest = std::max(largest, ns);
    }
    const double scale = largest > most ? most / largest : 1;
    std::vector<ThreadTime> result;
    for (const auto& [thread, ns] : times) {
        if (ns > 0) {
            result.push_back({thread, ns * scale});
        }
    }
    return result;
}

std::vector<std::uint32_t> main_threads(const ByThread& times) {
    double largest = 0;
    for (const auto& [thread, ns] : times) {
        largest = std::max(largest, ns);
    }
    std::vector<std::uint32_t> threads;
    for (const auto& [thread, ns] : times) {
        if (ns * 10 >= largest && ns > 0) {
            threads.push_back(thread);
        }
    }
    return threads;
}

ByThread to_map(const std::vector<ThreadTime>& times) {
    ByThread map;
    for (const ThreadTime& time : times) {
        map[time.thread] += time.ns;
    }
    return map;
}

double sum(const ByThread& times) {
    double all = 0;
    for (const auto& [thread, ns] : times) {
        all += ns;
    }
    return all;
}

bool is_lock(recording::WaitKind kind) {
    using recording::WaitKind;
    switch (kind) {
        case WaitKind::kMutex:
        case WaitKind::kReadLock:
        case WaitKind::kWriteLock:
        case WaitKind::kSpinLock:
        case WaitKind::kOmpCritical:
        case WaitKind::kOmpLock:
        case WaitKind::kOmpOrdered:
        case WaitKind::kOmpAtomic:
            return true;
        default:
            return false;
    }
}

bool waits_for_work(const Evidence& evidence, std::uint32_t thread) {
    const ThreadFacts& facts = evidence.run.threads[thread];
    using recording::WaitKind;
    constexpr double kServes = 0.9;
    double asked = 0;
    for (const OccurrenceWait& wait : facts.waits) {
        const WaitKind kind = evidence.wait_targets[wait.target].kind;
        const bool is_request = kind == WaitKind::kRead || kind == WaitKind::kPoll || kind == WaitKind::kAccept ||
                                kind == WaitKind::kMessage || kind == WaitKind::kSignal ||
                                kind == WaitKind::kSleep;  // a server's clock, a client's pause
        asked += is_request ? static_cast<double>(wait.ns) : 0;
    }
    return asked >= kServes * static_cast<double>(facts.end - facts.begin);
}

bool is_library(const Place& place) {
    return is_runtime(place.module, place.function, place.file) && !is_message_library(place.module);
}

namespace {

NodeIndex function_around(const Evidence& evidence, NodeIndex node) {
    while (node != kNone && node.in(evidence.nodes).kind != SpaceKind::kFunction) {
        node = node.in(evidence.nodes).parent;
    }
    return node;
}

}  // namespace

bool is_tool(const Evidence& evidence, NodeIndex node) {
    const NodeIndex around = function_around(evidence, node);
    const Place& place = node.in(evidence.nodes).place;
    if (around == kNone || around.in(evidence.nodes).place.function == place.function) {
        return false;
    }
    if (around.in(evidence.nodes).place.file != place.file) {
        return true;
    }
    for (const NodeIndex other : indices(evidence.nodes)) {
        const NodeIndex user = function_around(evidence, other);
        if (other.in(evidence.nodes).place.function == place.function &&
            other.in(evidence.nodes).place.file == place.file && user != kNone &&
            user.in(evidence.nodes).place.function != around.in(evidence.nodes).place.function) {
            return true;
        }
    }
    return false;
}

NodeIndex own_code(const Evidence& evidence, NodeIndex node) {
    while (node != kNone &&
           (is_library(node.in(evidence.nodes).place) || node.in(evidence.nodes).place.function.empty())) {
        node = node.in(evidence.nodes).parent;
    }
    return node;
}

NodeIndex node_of(const Evidence& evidence, const program::SourcePlace& place) {
    NodeIndex best;
    for (const NodeIndex i : indices(evidence.nodes)) {
        const Place& at = i.in(evidence.nodes).place;
        const bool has_line = at.line_begin == 0 || (at.line_begin <= place.line && place.line <= at.line_end);
        if (at.function == place.function && at.file == place.file && has_line &&
            (best == kNone || i.in(evidence.nodes).depth > best.in(evidence.nodes).depth)) {
            best = i;
        }
    }
    return best;
}

Place to_place(const program::SourcePlace& place) {
    Place result;
    result.function = place.function;
    result.file = place.file;
    result.module = place.module;
    result.line_begin = result.line_end = place.line;
    return result;
}

}  // namespace kymo::findings
