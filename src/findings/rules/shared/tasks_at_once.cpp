#include "findings/rules/shared/tasks_at_once.h"

#include "program/demangle.h"

#include <algorithm>
#include <string>

namespace kymo::findings {

using namespace spacetime;

namespace {

bool makes_tasks(const Evidence& evidence, const std::string& function) {
    return std::any_of(evidence.account.rows.begin(), evidence.account.rows.end(), [&](const AccountRow& row) {
        return row.family == TaxFamily::kTasks && row.detail.starts_with("GOMP_task") &&
               !row.detail.starts_with("GOMP_taskwait") && row.place.function == function;
    });
}

}  // namespace

NodeIndex maker_of_task(const Evidence& evidence, NodeIndex task) {
    NodeIndex maker = task.in(evidence.nodes).parent;
    while (maker != kNone && maker.in(evidence.nodes).place.function == task.in(evidence.nodes).place.function) {
        maker = maker.in(evidence.nodes).parent;
    }
    return maker;
}

NodeIndex task_at_once(const Evidence& evidence, NodeIndex node) {
    for (; node != kNone; node = node.in(evidence.nodes).parent) {
        const std::string& task = node.in(evidence.nodes).place.function;
        if (node.in(evidence.nodes).kind != SpaceKind::kFunction || !program::is_parallel_region(task)) {
            continue;
        }
        const NodeIndex maker = maker_of_task(evidence, node);
        if (maker == kNone) {
            return {};
        }
        const std::string& function = maker.in(evidence.nodes).place.function;
        if (!function.empty() && task.starts_with(function) && makes_tasks(evidence, function)) {
            return node;
        }
    }
    return {};
}

}  // namespace kymo::findings
