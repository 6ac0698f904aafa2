#include "cli/help/missing_parts.h"

#include <iterator>

namespace kymo::cli {
namespace {

constexpr MissingPart kMissingParts[] = {
#include "missing_parts.inc"
    {nullptr, nullptr, nullptr},
};

}  // namespace

std::span<const MissingPart> missing_parts() {
    return {kMissingParts, std::size(kMissingParts) - 1};
}

Error no_page_error() {
    return {ErrorKind::kUnsupported,
            "this build of kymo has no page: Node.js or its packages were missing when it was made",
            "install them (apt-get install nodejs npm), and build again from an empty build directory"};
}

}  // namespace kymo::cli
