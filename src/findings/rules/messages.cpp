#include "findings/rules/messages.h"

#include "findings/rules/common.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace kymo::findings {

using namespace spacetime;

namespace {

// As C has it (MPI_Send, PMPI_Send), and Fortran (mpi_send_); or the library's own (libmpi.so.40, libmpich.so.12),
// where the call itself left no frame.
bool is_message_call(const SpaceNode& node) {
    std::string name(plain_name(node.place.function));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return node.kind == SpaceKind::kFunction &&
           (name.starts_with("mpi_") || name.starts_with("pmpi_") || node.place.module.starts_with("libmpi"));
}

}  // namespace

bool is_in_messages(const Evidence& evidence, std::uint32_t node) {
    while (node < evidence.nodes.size() && !is_message_call(evidence.nodes[node])) {
        node = evidence.nodes[node].parent;
    }
    return node < evidence.nodes.size();
}

ByThread in_messages(const Evidence& evidence) {
    ByThread times;
    for (const SpaceNode& node : evidence.nodes) {
        if (is_in_messages(evidence, node.parent) || !is_message_call(node)) {
            continue;
        }
        for (const ThreadTime& time : by_thread(node, processor)) {
            times[time.thread] += time.ns;
        }
    }
    return times;
}

}  // namespace kymo::findings
