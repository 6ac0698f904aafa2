#include "metrics/line_mistakes.h"

#include "events/suggest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kymo::metrics {

Mistake no_such_line(const InstrumentationPoint& point, const hooks::NoLine& no_line) {
    const std::string where = point.image.empty() ? "" : " in " + point.image;
    using Why = hooks::NoLine::Why;
    switch (no_line.why) {
        case Why::kNoFile: {
            const auto near = events::nearest(point.function, no_line.files, 1);
            return {point.at,
                    fmt::format("no source file '{}'{}{}", point.function, where,
                                near.empty() ? "" : fmt::format("; did you mean '{}'?", near.front())),
                    "only files compiled with -g have lines"};
        }
        case Why::kSeveralFiles:
            return {point.at,
                    fmt::format("several files are called '{}': {}", point.function, fmt::join(no_line.files, ", ")),
                    "say more of its path"};
        case Why::kNoCode: {
            const char* are = no_line.near.size() == 1 ? "the nearest with code is" : "the nearest with code are";
            const std::string near =
                no_line.near.empty() ? "" : fmt::format("; {} {}", are, fmt::join(no_line.near, " and "));
            return {point.at, fmt::format("no line {} in {}{}", point.line, point.function, near),
                    "a line has code where a statement begins"};
        }
        case Why::kNoTables:
        case Why::kFound:
            break;
    }
    return {point.at, fmt::format("no source lines are known{}", where),
            "build with -g, or install the debug symbols"};
}

}  // namespace kymo::metrics
