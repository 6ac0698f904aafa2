#include "events/pfm.h"

#include "events/generic.h"

#include <cstdlib>
#include <perfmon/pfmlib_perf_event.h>
#include <strings.h>

namespace kymo::events {
namespace {

bool ready() {
    static const bool initialised = pfm_initialize() == PFM_SUCCESS;
    return initialised;
}

// Calls use(pmu, event) for every event of the PMUs that choose(pmu) accepts.
template <typename Choose, typename Use>
void each_event(Choose&& choose, Use&& use) {
    if (!ready()) {
        return;
    }
    for (int number = PFM_PMU_NONE; number < PFM_PMU_MAX; ++number) {
        pfm_pmu_info_t pmu{};
        pmu.size = sizeof pmu;
        if (pfm_get_pmu_info(static_cast<pfm_pmu_t>(number), &pmu) != PFM_SUCCESS || !choose(pmu)) {
            continue;
        }
        for (int index = pmu.first_event; index != -1; index = pfm_get_event_next(index)) {
            pfm_event_info_t event{};
            event.size = sizeof event;
            if (pfm_get_event_info(index, PFM_OS_PERF_EVENT, &event) == PFM_SUCCESS) {
                use(pmu, event);
            }
        }
    }
}

// perf's own generic names and tracepoints are resolved elsewhere, with better errors.
bool is_processor(const pfm_pmu_info_t& pmu) {
    return pmu.pmu != PFM_PMU_PERF_EVENT && pmu.pmu != PFM_PMU_PERF_EVENT_RAW;
}

}  // namespace

std::optional<SessionEvent> pfm_event(std::string_view name) {
    if (!ready()) {
        return std::nullopt;
    }
    perf_event_attr attr{};
    attr.size = sizeof attr;
    pfm_perf_encode_arg_t request{};
    request.size = sizeof request;
    request.attr = &attr;
    const std::string text(name);
    if (pfm_get_os_event_encoding(text.c_str(), PFM_PLM3 | PFM_PLM0, PFM_OS_PERF_EVENT, &request) != PFM_SUCCESS) {
        return std::nullopt;
    }
    SessionEvent event;
    set_name(event, name);
    event.type = attr.type;
    event.config = attr.config;
    event.config1 = attr.config1;
    event.config2 = attr.config2;
    return event;
}

std::string pfm_other_processor(std::string_view name) {
    // PMU::EVENT:MASK…: compare EVENT, and PMU where given.
    std::string wanted_pmu;
    if (const std::size_t mark = name.find("::"); mark != std::string_view::npos) {
        wanted_pmu = name.substr(0, mark);
        name.remove_prefix(mark + 2);
    }
    const std::string wanted(name.substr(0, name.find(':')));
    constexpr int kShown = 3;
    std::string found;
    int count = 0;
    each_event(
        [&](const pfm_pmu_info_t& pmu) {
            return is_processor(pmu) && pmu.is_present == 0 && (wanted_pmu.empty() || wanted_pmu == pmu.name);
        },
        [&](const pfm_pmu_info_t& pmu, const pfm_event_info_t& event) {
            if (strcasecmp(event.name, wanted.c_str()) == 0 && ++count <= kShown) {
                found += (found.empty() ? "" : ", ") + std::string(pmu.desc);
            }
        });
    return count > kShown ? found + " and others" : found;
}

std::vector<std::string> pfm_event_names() {
    std::vector<std::string> names;
    each_event([](const pfm_pmu_info_t& pmu) { return is_processor(pmu) && pmu.is_present != 0; },
               [&](const pfm_pmu_info_t& pmu, const pfm_event_info_t& event) {
                   names.push_back(std::string(pmu.name) + "::" + event.name);
               });
    return names;
}

}  // namespace kymo::events
