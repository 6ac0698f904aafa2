#include "findings/rules/shared/pipes.h"

#include <algorithm>

namespace kymo::findings {

using namespace spacetime;

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
           std::any_of(run.processes.begin(), run.processes.end(),
                       [&](const ProcessFacts& process) { return process.parent == target.process; });
}

}  // namespace kymo::findings
