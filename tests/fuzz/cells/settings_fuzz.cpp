// Any text as a program's settings: refused, or every number in them is one that the segment's writer can take.
#include "cells/settings.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kymo::cells;
    static Settings settings;
    if (!parse_settings({reinterpret_cast<const char*>(data), size}, settings)) {
        return 0;
    }
    if (settings.folder.empty() || settings.tasks == 0 || settings.tasks >= kMaxRows ||
        settings.channels >= kMaxRows || settings.rate.shift > 63 || settings.rate.multiplier == 0 ||
        settings.cells > kNamedCells) {
        std::abort();
    }
    for (std::uint32_t i = 0; i < settings.cells; ++i) {
        if (settings.cell[i].index < kFirstNamed || settings.cell[i].index >= kTaskCells) {
            std::abort();
        }
    }
    return 0;
}
