// Any text as a hunt's file: it is refused, or its rule is one that the machine can run by.
#include "pairs/hunt_file.h"
#include "pairs/machine.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kymo::pairs;
    HuntFile file;
    if (!parse_hunt_file({reinterpret_cast<const char*>(data), size}, file)) {
        return 0;
    }
    if (!valid(file.rule) || file.attributes.period == 0 || file.attributes.precise > 3) {
        std::abort();
    }
    Machine machine;
    start(machine, file.rule, file.seed);
    for (std::uint64_t i = 0; i < 2'000; ++i) {
        const Verdict verdict = step(machine, 1 + i % 7);
        if (verdict.turn == Turn::kQuiet) {
            release(machine, verdict.slot);
        }
        if (verdict.slot >= kMaxFound) {
            std::abort();
        }
    }
    return 0;
}
