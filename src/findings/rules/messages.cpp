#include "findings/rules/messages.h"

#include "findings/rules/common.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace kymo::findings {

using namespace spacetime;

namespace {

// As C has it (MPI_Send, PMPI_Send), and Fortran (mpi_send_).
bool is_message_call(const SpaceNode& node) {
    std::string name(plain_name(node.place.function));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return node.kind == SpaceKind::kFunction && (name.starts_with("mpi_") || name.starts_with("pmpi_"));
}

}  // namespace

ByThread in_messages(const Evidence& evidence) {
    ByThread times;
    for (const SpaceNode& node : evidence.nodes) {
        std::uint32_t above = node.parent;
        while (above != kNoNode && !is_message_call(evidence.nodes[above])) {
            above = evidence.nodes[above].parent;
        }
        if (above != kNoNode || !is_message_call(node)) {
            continue;
        }
        for (const ThreadTime& time : by_thread(node, processor)) {
            times[time.thread] += time.ns;
        }
    }
    return times;
}

}  // namespace kymo::findings
