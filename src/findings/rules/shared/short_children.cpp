#include "findings/rules/shared/short_children.h"

#include "findings/finding.h"

#include <algorithm>
#include <set>

namespace kymo::findings {

using namespace spacetime;
using recording::WaitKind;

namespace {

constexpr std::size_t kLeastChildren = 20;
constexpr double kShortLife = 30e6;  // ns: loading a program and its libraries takes one to ten milliseconds

// A child: all images of a pid, one after another. Its loader's work before the monitor begins is not in it.
struct Life {
    std::uint32_t parent = kNone;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    double user = 0;
    const std::string* name = nullptr;  // of its last image
};

// Whether a short child is alive in [begin, end). Reads meanwhile are of its output, or its end.
bool has_life_in(const ShortChildren& children, std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t from = begin - std::min<std::uint64_t>(begin, static_cast<std::uint64_t>(kShortLife));
    auto at = std::lower_bound(children.lives.begin(), children.lives.end(), from,
                               [](const TimeRange& life, std::uint64_t time) { return life.begin < time; });
    for (; at != children.lives.end() && at->begin < end; ++at) {
        if (at->end > begin) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::map<std::uint32_t, ShortChildren> short_children(const RunFacts& run) {
    std::map<std::uint64_t, Life> lives;
    std::vector<double> user(run.processes.size());
    for (const ThreadFacts& thread : run.threads) {
        if (thread.process < user.size()) {
            user[thread.process] += static_cast<double>(thread.total.user);
        }
    }
    for (std::size_t i = 0; i < run.processes.size(); ++i) {
        const ProcessFacts& process = run.processes[i];
        const auto [at, is_new] = lives.try_emplace(process.pid, Life{.parent = process.parent,
                                                                      .begin = process.begin,
                                                                      .end = process.end,
                                                                      .user = 0,
                                                                      .name = &process.name});
        Life& life = at->second;
        if (process.begin < life.begin) {
            life.begin = process.begin;
            life.parent = process.parent;
        }
        if (process.end >= life.end) {
            life.end = process.end;
            life.name = &process.name;
        }
        life.user += user[i];
    }
    std::map<std::uint32_t, ShortChildren> children;
    for (const auto& [pid, life] : lives) {
        const auto lived = static_cast<double>(life.end - std::min(life.begin, life.end));
        if (life.parent == kNone || lived > kShortLife) {
            continue;
        }
        ShortChildren& of_parent = children[life.parent];
        of_parent.begin = of_parent.count == 0 ? life.begin : std::min(of_parent.begin, life.begin);
        of_parent.end = std::max(of_parent.end, life.end);
        ++of_parent.count;
        of_parent.user += std::min(lived, life.user);
        ++of_parent.names[*life.name];
        of_parent.lives.push_back({life.begin, life.end});
    }
    std::erase_if(children, [](const auto& entry) { return entry.second.count < kLeastChildren; });
    for (auto& [parent, of_parent] : children) {
        std::sort(of_parent.lives.begin(), of_parent.lives.end(),
                  [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; });
    }
    return children;
}

WaitsByTarget waits_for(const Evidence& evidence, std::uint32_t parent, const ShortChildren& children) {
    WaitsByTarget waits;
    std::set<std::uint32_t> timed;
    for (const TimedWait& wait : evidence.timed_waits) {
        const WaitTarget& target = evidence.wait_targets[wait.target];
        if (target.process != parent || static_cast<double>(wait.ns) > kShortLife) {
            continue;
        }
        const bool is_for_child = target.kind == WaitKind::kChild;
        const bool may_be = target.kind == WaitKind::kRead || target.kind == WaitKind::kPoll;
        if (is_for_child || (may_be && has_life_in(children, wait.begin, wait.end))) {
            waits[{wait.thread, wait.target}] += static_cast<double>(wait.ns);
        }
        if (is_for_child) {
            timed.insert(wait.target);
        }
    }
    // If there are too many to be kept one by one, their average is used.
    for (std::uint32_t i = 0; i < evidence.run.threads.size(); ++i) {
        for (const OccurrenceWait& wait : evidence.run.threads[i].waits) {
            const WaitTarget& target = evidence.wait_targets[wait.target];
            if (target.kind != WaitKind::kChild || target.process != parent || timed.contains(wait.target)) {
                continue;
            }
            const WaitSum& sum = evidence.wait_sums[wait.target];
            if (static_cast<double>(sum.ns) <= kShortLife * static_cast<double>(sum.count)) {
                waits[{i, wait.target}] += static_cast<double>(wait.ns);
            }
        }
    }
    return waits;
}

}  // namespace kymo::findings
