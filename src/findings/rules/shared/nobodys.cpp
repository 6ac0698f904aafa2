#include "findings/rules/shared/nobodys.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::findings {
namespace {

using namespace spacetime;

bool begins_or_ends_a_job(std::string_view function) {
    static constexpr std::array<std::string_view, 6> kCalls = {"mpi_init",  "mpi_init_thread",  "mpi_finalize",
                                                               "mpi_init_", "mpi_init_thread_", "mpi_finalize_"};
    std::string name(function.substr(function.starts_with('P') || function.starts_with('p') ? 1 : 0));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return std::find(kCalls.begin(), kCalls.end(), name) != kCalls.end();
}

// By process.
std::vector<bool> launchers(const RunFacts& run) {
    std::vector<bool> has_rank(run.processes.size(), false);
    for (const ThreadFacts& thread : run.threads) {
        if (thread.rank && thread.process < has_rank.size()) {
            has_rank[thread.process] = true;
        }
    }
    std::vector<bool> launches(run.processes.size(), false);
    if (std::find(has_rank.begin(), has_rank.end(), true) == has_rank.end()) {
        return launches;  // like most recordings; and there may be thousands of processes
    }
    for (std::size_t i = 0; i < run.processes.size(); ++i) {
        for (std::size_t rank = 0; rank < run.processes.size(); ++rank) {
            const bool is_its = run.processes[rank].parent == i || run.processes[rank].pid == run.processes[i].pid;
            launches[i] = launches[i] || (!has_rank[i] && has_rank[rank] && is_its);
        }
    }
    return launches;
}

}  // namespace

bool is_nobodys(const Evidence& evidence, const Finding& finding) {
    if (finding.node != kNone) {
        const std::vector<std::string>& path = finding.node.in(evidence.nodes).path;
        if (std::any_of(path.begin(), path.end(), begins_or_ends_a_job)) {
            return true;
        }
    }
    const std::vector<bool> launches = launchers(evidence.run);
    return !finding.threads.empty() &&
           std::all_of(finding.threads.begin(), finding.threads.end(), [&](std::uint32_t thread) {
               const std::uint32_t process = evidence.run.threads[thread].process;
               return process < launches.size() && launches[process];
           });
}

}  // namespace kymo::findings
