#include "findings/rules/shared/messages.h"

#include "findings/rules/shared/common.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace kymo::findings {

using namespace spacetime;

bool is_name_of_call(std::string_view function) {
    return function.starts_with("MPI_") || function.starts_with("PMPI_") ||
           ((function.starts_with("mpi_") || function.starts_with("pmpi_")) && function.ends_with('_'));
}

namespace {

// By its own name (MPI_Send, PMPI_Send, mpi_send_), by that of a call on its path which is not a node itself; or
// the library's own (libmpi.so.40, libmpich.so.12), if the call itself left no frame.
bool is_message_call(const SpaceNode& node) {
    std::string name(call_name(node.place.function));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return node.kind == SpaceKind::kFunction &&
           (name.starts_with("mpi_") || name.starts_with("pmpi_") || node.place.module.starts_with("libmpi") ||
            std::any_of(node.path.begin(), node.path.end(), is_name_of_call));
}

}  // namespace

bool is_in_messages(const Evidence& evidence, NodeIndex node) {
    while (node != kNone && !is_message_call(node.in(evidence.nodes))) {
        node = node.in(evidence.nodes).parent;
    }
    return node != kNone;
}

std::vector<NodeIndex> message_calls(const Evidence& evidence) {
    std::vector<NodeIndex> calls;
    for (const NodeIndex i : indices(evidence.nodes)) {
        if (is_message_call(i.in(evidence.nodes)) && !is_in_messages(evidence, i.in(evidence.nodes).parent)) {
            calls.push_back(i);
        }
    }
    return calls;
}

ByThread in_messages(const Evidence& evidence) {
    ByThread times;
    for (const NodeIndex node : message_calls(evidence)) {
        for (const ThreadTime& time : by_thread(node.in(evidence.nodes), processor)) {
            times[time.thread] += time.ns;
        }
    }
    return times;
}

}  // namespace kymo::findings
