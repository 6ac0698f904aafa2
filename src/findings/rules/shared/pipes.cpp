#include "findings/rules/shared/pipes.h"

#include <algorithm>

namespace kymo::findings {

using namespace spacetime;

namespace {

using recording::WaitKind;

bool transfers(const Evidence& evidence, const ThreadFacts& thread, WaitKind kind) {
    return std::any_of(thread.brief.begin(), thread.brief.end(),
                       [&](const BriefWaits& brief) { return brief.kind == kind; }) ||
           std::any_of(thread.waits.begin(), thread.waits.end(), [&](const OccurrenceWait& wait) {
               const WaitTarget& target = evidence.wait_targets[wait.target];
               return target.kind == kind &&
                      recording::file_kind_of(kind, target.object) == recording::FileKind::kPipe;
           });
}

// One thread of the process reads, and another one writes.
bool leads_to_thread(const Evidence& evidence, std::uint32_t process) {
    std::size_t readers = 0;
    std::size_t writers = 0;
    std::size_t either = 0;
    for (const ThreadFacts& thread : evidence.run.threads) {
        const bool reads = thread.process == process && transfers(evidence, thread, WaitKind::kRead);
        const bool writes = thread.process == process && transfers(evidence, thread, WaitKind::kWrite);
        readers += reads ? 1 : 0;
        writers += writes ? 1 : 0;
        either += reads || writes ? 1 : 0;
    }
    return readers > 0 && writers > 0 && either > 1;
}

}  // namespace

bool is_pipe_within_run(const Evidence& evidence, const WaitTarget& target) {
    constexpr std::uint32_t kStandard = 3;  // input, output, errors
    const RunFacts& run = evidence.run;
    if (recording::file_kind_of(target.kind, target.object) != recording::FileKind::kPipe ||
        target.process >= run.processes.size()) {
        return false;
    }
    if (run.processes[target.process].parent != kNone) {
        return true;
    }
    return recording::descriptor_of(target.object) >= kStandard &&
           (std::any_of(run.processes.begin(), run.processes.end(),
                        [&](const ProcessFacts& process) { return process.parent == target.process; }) ||
            leads_to_thread(evidence, target.process));
}

}  // namespace kymo::findings
