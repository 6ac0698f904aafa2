// What hooks write and call by the processor: the one place of this layer that names the processor. A new one is a
// folder with the same files.
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
