#include "spacetime/address_map/area_span.h"

namespace kymo::spacetime {
namespace {

std::string file_name(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

}  // namespace

std::string area_name(const AreaSpan& area) {
    switch (area.kind) {
        case recording::AreaKind::kHeap:
            return "heap";
        case recording::AreaKind::kMainStack:
            return "stack of the process";
        case recording::AreaKind::kShared:
            return area.path.empty() ? "shared memory" : "shared memory " + area.path;
        case recording::AreaKind::kFile:
            return file_name(area.path);
        case recording::AreaKind::kKernel:
            return area.path;
        case recording::AreaKind::kAnonymous:
            break;
    }
    if (area.owner) {
        return "stack of thread " + std::to_string(*area.owner);
    }
    if (!area.behind.empty()) {
        return "memory behind the data of " + file_name(area.behind);
    }
    return area.path.empty() ? "anonymous memory" : "anonymous memory " + area.path;
}

}  // namespace kymo::spacetime
