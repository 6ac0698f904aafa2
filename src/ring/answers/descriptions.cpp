#include "ring/answers/descriptions.h"

#include "ring/answers/asked_cell.h"

#include <algorithm>

namespace kymo::ring {
namespace {

template <std::size_t kBytes>
void pad(std::array<char, kBytes>& to, std::string_view text) {
    std::copy_n(text.begin(), std::min(text.size(), kBytes), to.begin());
}

}  // namespace

std::vector<MetricTold> describe_metrics(const host::Reading& reading, std::span<const MetricAsked> asked) {
    std::vector<MetricTold> all;
    for (const MetricAsked& each : asked) {
        MetricTold told{};
        told.kind = each.kind;
        told.metric = each.metric;
        for (const cells::Snapshot& process : reading.processes) {
            const auto found = std::find_if(process.schema.begin(), process.schema.end(), [&](const auto& metric) {
                return static_cast<std::uint8_t>(metric.kind) == each.kind &&
                       metric_code(each.kind, metric.name) == each.metric;
            });
            if (found != process.schema.end()) {
                told.type = static_cast<std::uint8_t>(found->type);
                told.total = found->total;
                told.per = found->per <= 3 ? found->per : 0;
                pad(told.unit, found->unit);
                pad(told.name, found->name);
                pad(told.description, found->description);
                break;
            }
        }
        all.push_back(told);
    }
    return all;
}

}  // namespace kymo::ring
