// The offsets of C++ data that the trampolines' quick path uses (trampolines.S). For both; guest/enter_leave.cpp
// asserts each. Preprocessor only.
#pragma once

#define KYMO_THREAD_TOP 8  // of the first lane
#define KYMO_THREAD_LEVEL 64
#define KYMO_THREAD_INSIDE 72  // of level 0
#define KYMO_THREAD_STACK_LOW 104
#define KYMO_THREAD_STACK_BYTES 112
#define KYMO_THREAD_TASK 120

#define KYMO_HOOK_SHIFT 6  // 64 bytes each
#define KYMO_HOOK_CONTINUATION 0
#define KYMO_HOOK_FOLLOWS 28
#define KYMO_HOOK_IS_FOLLOWED 1  // Follows::kItself
#define KYMO_HOOK_IS_QUICK 30
#define KYMO_HOOK_ENTRY_BY 32
#define KYMO_HOOK_ENTRY_CELL 40
#define KYMO_HOOK_EXIT_BY 48
#define KYMO_HOOK_EXIT_CELL 56

#define KYMO_SLOT_BYTES 32
#define KYMO_SLOT_RETURN_BEFORE 0
#define KYMO_SLOT_SP 8
#define KYMO_SLOT_CONTINUATION 16
#define KYMO_SLOT_HOOK_AND_CHAIN 24
#define KYMO_BLOCK_BYTES 4096
#define KYMO_STUBS_BYTES 0x800000
