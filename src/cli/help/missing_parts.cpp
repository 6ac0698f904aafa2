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

}  // namespace kymo::cli
