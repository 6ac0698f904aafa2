// Detects images that are loaded while the program runs.
//
// The dynamic linker calls a function of its own, which does nothing, whenever it has loaded or unloaded images,
// for debuggers to stop at. A hook of that function detects them: images are mapped then, and none of their code
// has run.
#pragma once

#include "hooks/guest/areas.h"
#include "hooks/guest/hook_table.h"
#include "hooks/guest/problem.h"

#include <cstdint>

namespace kymo::hooks {

// Puts this hook there. Once in a process.
Problem notice_loading(HookTable& table, std::uint32_t hook, Areas& areas);

}  // namespace kymo::hooks
