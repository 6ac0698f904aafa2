#include "view/spaces/collections.h"

#include "view/spaces/whole.h"

namespace kymo::view {

std::string terminal_collections(const spacetime::Evidence& evidence, const ReportOptions& options,
                                 std::string_view filter) {
    SpaceSheet sheet{.evidence = evidence, .options = options, .style = options.style, .filter = filter};
    if (options.more.spaces) {
        whole_spaces(sheet);
    }
    if (options.more.gaps) {
        whole_gaps(sheet);
    }
    if (options.more.neighbours) {
        whole_neighbours(sheet);
    }
    return std::move(sheet.out);
}

}  // namespace kymo::view
