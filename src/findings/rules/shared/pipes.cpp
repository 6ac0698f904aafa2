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
    const std::vector<ThreadFacts>& threads = evidence.run.threads;
    return std::any_of(threads.begin(), threads.end(), [&](const ThreadFacts& reader) {
        return reader.process == process && transfers(evidence, reader, WaitKind::kRead) &&
               std::any_of(threads.begin(), threads.end(), [&](const ThreadFacts& writer) {
                   return &writer != &reader && writer.process == process &&
                          transfers(evidence, writer, WaitKind::kWrite);
               });
    });
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
