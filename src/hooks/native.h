// The code that hooks write and call, by processor: the only processor-specific place of this layer. A new
// processor is a folder with the same files.
#pragma once

#if defined(__x86_64__)
#include "hooks/x86_64/entry.h"
#include "hooks/x86_64/offsets.h"
#include "hooks/x86_64/raw_system.h"
#include "hooks/x86_64/shadow_stack.h"
#include "hooks/x86_64/stub.h"
#else
#error "no function is hooked on this processor yet: write the files of hooks/x86_64 for it and name them here"
#endif
