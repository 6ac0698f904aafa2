// What the processor of this build has of its own, as namespace kymo::processor: the one place of this layer that
// names the processor. A new one is a folder with the same file.
//
//   kMachine              its number in ELF files (e_machine)
//   kGlibcLoader          where its ABI has glibc's program loader
//   kSharedClock          clock_gettime of the page that the kernel maps into each process
//   kTimersAtReturnSince  the first Linux (6.18 is 6'018) that runs out timers of thread time on the return to the
//                         program instead of in the tick; ~0: no known one
//   has_constant_counter(), read_counter()   a counter at one rate on every core and in every sleep state
//   add(cell, by)         adds such that a signal handler of the same thread, which adds too, loses nothing
//   is_virtual()          whether the processor itself says that it is a virtual machine's
//   has_crc32c(), crc32c_words(crc, words, count)   CRC-32C (without its complements) by the processor's instruction
//
// Contract: usable in signal handlers; nothing fails.
#pragma once

#if defined(__x86_64__)
#include "base/x86_64/processor.h"
namespace kymo {
namespace processor = x86_64;
}
#elif defined(__aarch64__)
#include "base/aarch64/processor.h"
namespace kymo {
namespace processor = aarch64;
}
#else
#error "nothing is known of this processor yet: write processor.h beside base/x86_64/processor.h and name it here"
#endif
