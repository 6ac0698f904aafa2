// Any bytes as a function's code: the hook is refused, or what is planned is what the monitor accepts.
#include "hooks/plan/plan_writer.h"
#include "hooks/plan/relocate.h"

#include <cstdlib>
#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kymo::hooks;
    if (size == 0) {
        return 0;
    }
    // The first byte tells how much of the rest is the function.
    const std::uint64_t function = data[0];
    PlanEntry entry;
    if (!relocate_entry({data + 1, size - 1}, 0x401000, function, &entry).empty()) {
        return 0;
    }
    if (entry.original_bytes > size - 1) {
        std::abort();
    }
    PlanWriter writer;
    entry.point = writer.add_point({}, {});
    writer.add_image("/program", "", {&entry, 1});
    const std::string text = writer.text();
    std::vector<std::uint64_t> aligned(text.size() / 8 + 1);
    std::memcpy(aligned.data(), text.data(), text.size());
    Plan plan;
    if (!find_plan({reinterpret_cast<const std::uint8_t*>(aligned.data()), text.size()}, &plan)) {
        std::abort();
    }
    return 0;
}
