#include "import/processor/memory_samples.h"

#include <linux/perf_event.h>

namespace kymo::import {
namespace {

constexpr std::uint64_t kOperations = PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE;

}  // namespace

std::optional<recording::MemoryAccess> memory_access(const perf::Sample& row, const perf::Attribute& event) {
    if ((event.sample_type & PERF_SAMPLE_ADDR) == 0 || row.address == 0) {
        return std::nullopt;
    }
    // The kernel says "not available" of events that have no such thing.
    const bool has_source = (event.sample_type & PERF_SAMPLE_DATA_SRC) != 0;
    const bool is_of_processor =
        event.type != PERF_TYPE_SOFTWARE && event.type != PERF_TYPE_TRACEPOINT && event.type != PERF_TYPE_BREAKPOINT;
    if (has_source ? (row.data_source & kOperations) == 0 : !is_of_processor) {
        return std::nullopt;
    }
    recording::MemoryAccess made;
    made.address = row.address;
    made.source = row.data_source;
    made.weight = row.weight;
    made.weight_2 = row.weight_2;
    made.weight_3 = row.weight_3;
    made.physical = row.physical_address;
    made.data_page = row.data_page_size;
    made.code_page = row.code_page_size;
    return made;
}

}  // namespace kymo::import
