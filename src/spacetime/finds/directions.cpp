// What to do about an event's worst offender. A table one can read and extend: the first row whose words fit.
#include "spacetime/finds/directions.h"

#include <array>
#include <string_view>

namespace kymo::spacetime {
namespace {

struct Advice {
    std::string_view event;     // the event's name begins so
    std::string_view function;  // and the function's holds this; empty: any
    std::string_view text;
};

constexpr std::array kAdvice = {
    Advice{"page-faults", "memset",
           "Fresh memory is cleared here, page by page. Keep and reuse the buffer instead of allocating it anew, or "
           "take it in huge pages (madvise MADV_HUGEPAGE)."},
    Advice{"page-faults", "memcpy", "The copy's target is fresh memory. Keep and reuse the buffer, or copy less."},
    Advice{
        "page-faults", "",
        "Pages are touched here for the first time since they were mapped. Reuse the memory instead of returning it "
        "(for malloc: raise M_MMAP_THRESHOLD and M_TRIM_THRESHOLD), fault it in ahead (MAP_POPULATE), or use huge "
        "pages."},
    Advice{"minor-faults", "",
           "Pages are touched here for the first time since they were mapped. Reuse the memory, fault it in ahead "
           "(MAP_POPULATE), or use huge pages."},
    Advice{"major-faults", "",
           "Pages come from disk here. Read the file ahead (madvise MADV_WILLNEED), or less of it."},
    Advice{
        "context-switches", "",
        "Threads give up the processor here. If it is a lock: hold it for less time, split it, or do not share; if "
        "it is input or output: batch it, or overlap it with work."},
    Advice{"task-clock", "", "Processor time goes here. See the call path: do it less often, or make it cheaper."},
    Advice{"cpu-clock", "", "Processor time goes here. See the call path: do it less often, or make it cheaper."},
    Advice{"cycles", "", "Processor time goes here. See the call path: do it less often, or make it cheaper."},
    Advice{"cache-misses", "",
           "The data this instruction touches is not in the cache. Walk memory in order, make the records smaller, "
           "block the loops, or prefetch."},
    Advice{
        "branch-misses", "",
        "The processor guesses this branch wrong. Sort the data, compute both sides and select, or hoist the test."},
    Advice{"dTLB", "",
           "Too many pages are in use at once here. Use huge pages, or keep together what is used together."},
};

}  // namespace

std::string direction_for(const std::string& event, const Offender& offender) {
    for (const Advice& advice : kAdvice) {
        if (event.starts_with(advice.event) && offender.place.function.find(advice.function) != std::string::npos) {
            return std::string(advice.text);
        }
    }
    return {};
}

}  // namespace kymo::spacetime
