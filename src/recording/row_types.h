// All row types of tables.h as one list, for code that must handle each of them (write their schemas, know their
// names, test them all). Usable in the monitor.
#pragma once

#include "recording/tables.h"
#include "recording/tables/areas.h"
#include "recording/tables/interpreted.h"
#include "recording/tables/memory.h"

#include <string_view>

namespace kymo::recording {

// Calls visit.template operator()<Row>() once for every row type.
template <typename V>
constexpr void for_each_row_type(V&& visit) {
    const auto each = [&visit]<typename... Rows>() { (visit.template operator()<Rows>(), ...); };
    each.template
    operator()<Run, RunEnd, Rank, Process, ShortProcess, ProgramFile, ProcessEnd, Event, Unavailable, Image, ImageEnd,
               Stream, StreamName, StreamEnd, Context, Join, OuterDropped, Sample, SampleRegisters, SampleOperands,
               KernelTick, Switch, Task, Mapping, KernelLost, Mark, ClockPair, Wait, WaitBrief, Hunt, HuntResult,
               HuntResultEnd, HuntEnd, Look, LeftOut, ExactFunction, ExactCalls, Area, AreaEnd, PageFault, Memory,
               SwitchBrief, InterpretedFunction>();
}

constexpr bool is_known_table(std::string_view name) {
    bool known = false;
    for_each_row_type([&]<typename Row>() { known = known || name == Row::kTable; });
    return known;
}

}  // namespace kymo::recording
