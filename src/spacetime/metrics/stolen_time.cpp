#include "spacetime/metrics/stolen_time.h"

namespace kymo::spacetime {

std::optional<std::int64_t> stolen_time(const RunMetrics& metrics) {
    if (metrics.find(Resource::kProcessor, "busy") == nullptr) {
        return std::nullopt;
    }
    const RunMetric* steal = metrics.find(Resource::kProcessor, "steal");
    return steal == nullptr ? 0 : static_cast<std::int64_t>(steal->total());  // what never grew has no rows
}

}  // namespace kymo::spacetime
