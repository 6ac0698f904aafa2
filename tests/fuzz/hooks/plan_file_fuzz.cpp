// Any bytes as a plan of hooks: they are refused, or everything that the monitor goes through lies inside them.
#include "hooks/plan_file.h"

#include <cstdlib>
#include <cstring>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kymo::hooks;
    std::vector<std::uint64_t> aligned(size / 8 + 1);
    if (size != 0) {
        std::memcpy(aligned.data(), data, size);
    }
    Plan plan;
    if (!find_plan({reinterpret_cast<const std::uint8_t*>(aligned.data()), size}, &plan)) {
        return 0;
    }
    std::uint64_t sum = 0;
    for (const PlanImage& image : plan.images) {
        for (const char letter : plan.text_of(image.path)) {
            sum += static_cast<std::uint64_t>(letter);
        }
        for (const PlanEntry& entry : plan.entries_of(image)) {
            const PlanPoint& point = plan.points[entry.point];
            for (std::uint32_t i = 0; i < point.entry_steps; ++i) {
                sum += plan.steps[point.first_entry + i].target;
            }
            for (unsigned i = 0; i < entry.fixups; ++i) {
                if (entry.fixup[i].at + 4U > entry.moved_bytes) {
                    std::abort();
                }
            }
        }
    }
    for (const PlanImport& import : plan.imports) {
        sum += plan.text_of(import.symbol).size() + plan.points[import.point].exit_steps;
    }
    return sum == 1 ? 1 : 0;
}
