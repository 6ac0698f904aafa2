#include "spacetime/profile/thread_names.h"

#include "program/demangle.h"
#include "spacetime/profile/own_code.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace kymo::spacetime {
namespace {

constexpr std::size_t kPathsLookedAt = 16;  // of a thread: their outer frames are alike

bool has_name(const program::Function& function) {
    return function.source == program::NameSource::kDebugInfo || function.source == program::NameSource::kSymbol;
}

// What the C library does in a thread (its memory, its own data) is the same in all threads.
bool is_in_c_library(std::string_view module) {
    constexpr std::array<std::string_view, 4> kModules = {"libc.so", "libc-", "libpthread", "ld-linux"};
    return std::any_of(kModules.begin(), kModules.end(),
                       [&](std::string_view begin) { return module.starts_with(begin); });
}

// Between the system's start of a thread and the program's. A run-time library may be without names.
bool is_plumbing(const program::Function& function) {
    constexpr std::array<std::string_view, 5> kNames = {"start_thread", "clone", "clone3", "thread_start",
                                                        "execute_native_thread_routine"};
    if (!has_name(function)) {
        return is_runtime(function.module, {}, {});
    }
    const std::string_view name = function.name;
    return is_in_c_library(function.module) || name.starts_with("std::") || name.starts_with("__") ||
           name.starts_with("void std::") || std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// The name of the function at the outer end of a thread's paths; empty: it does not distinguish the thread.
std::string entry_words(const program::Function& function) {
    constexpr std::array<std::string_view, 3> kOfPython = {"pythread_wrapper", "t_bootstrap", "thread_run"};
    const std::string name = program::plain_name(function.name);
    if (std::find(kOfPython.begin(), kOfPython.end(), name) != kOfPython.end()) {
        return "Python thread";
    }
    // Threads of a pool that a parallel region lends to its caller have the caller's path.
    const bool is_callers = name == "main" || name == "_start" || name.starts_with("parallel region in ");
    return is_callers ? std::string() : name;
}

// The outermost function of a path that is the program's. Empty where it has no name: what it calls is not what the
// thread was started for.
std::string entry_of_path(const CallTree& tree, ProfileNodeIndex innermost, CallNodeIndex root) {
    std::string entry;
    for (CallNodeIndex at = innermost.in(tree.node_of); at != root && at != CallNodeIndex(0);
         at = at.in(tree.nodes).parent) {
        const CallNode& node = at.in(tree.nodes);
        const program::Function& function = tree.symbols.functions[node.function];
        if (node.kind == NodeKind::kFrame && !is_plumbing(function)) {
            entry = has_name(function) ? entry_words(function) : std::string();
        }
    }
    return entry;
}

std::string entry_of(const CallTree& tree, const Profile& profile, const ProfileStream& stream) {
    const CallNodeIndex root = stream.nodes.empty() ? CallNodeIndex(0) : tree.node_of[stream.nodes[0]];
    std::map<std::string, std::size_t> found;
    std::size_t looked_at = 0;
    for (std::size_t context = 1; context < stream.nodes.size() && looked_at < kPathsLookedAt; ++context) {
        const std::uint32_t node = stream.nodes[context];
        if (node == kNone || profile.nodes[node].kind != NodeKind::kFrame) {
            continue;
        }
        ++looked_at;
        ++found[entry_of_path(tree, ProfileNodeIndex(node), root)];
    }
    found.erase("");
    const auto most = std::max_element(found.begin(), found.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == found.end() ? std::string() : most->first;
}

// By process: its first thread's name.
std::vector<std::string> process_names(const Profile& profile) {
    std::vector<std::string> names(profile.processes.size());
    for (const ProfileThread& thread : profile.threads) {
        if (thread.tid == profile.processes[thread.process].pid) {
            names[thread.process] = thread.name;
        }
    }
    return names;
}

bool is_first(const Profile& profile, const ProfileThread& thread) {
    return thread.tid == profile.processes[thread.process].pid;
}

void rename_in_waits(const Profile& profile, const ProfileThread& thread, Waits* waits) {
    for (WaitThread& waiting : waits->threads) {
        if (waiting.tid == thread.tid && waiting.pid == profile.processes[thread.process].pid &&
            thread.begin <= waiting.begin && waiting.begin <= thread.end) {
            waiting.name = thread.name;
        }
    }
}

}  // namespace

void name_threads(const CallTree& tree, Profile* profile) {
    const std::vector<std::string> names = process_names(*profile);
    // By process and entry: the threads, as they were created.
    std::map<std::pair<std::uint32_t, std::string>, std::vector<std::uint32_t>> alike;
    for (const ProfileStream& stream : profile->streams) {
        const ProfileThread& thread = profile->threads[stream.thread];
        const bool is_named = !thread.name.empty() && thread.name != names[thread.process];
        if (is_named || is_first(*profile, thread)) {
            continue;
        }
        if (std::string entry = entry_of(tree, *profile, stream); !entry.empty()) {
            alike[{thread.process, std::move(entry)}].push_back(stream.thread);
        }
    }
    for (auto& [key, threads] : alike) {
        const auto& [process, entry] = key;
        std::sort(threads.begin(), threads.end(), [&](std::uint32_t a, std::uint32_t b) {
            return std::pair(profile->threads[a].begin, a) < std::pair(profile->threads[b].begin, b);
        });
        for (std::size_t i = 0; i < threads.size(); ++i) {
            ProfileThread& thread = profile->threads[threads[i]];
            thread.name = entry + (threads.size() == 1 ? "" : " " + std::to_string(i + 1)) +
                          (names[process].empty() ? "" : " of " + names[process]);
            rename_in_waits(*profile, thread, &profile->waits);
        }
    }
}

}  // namespace kymo::spacetime
