// Samples whose frames have names instead of addresses in known files. Texts and spans are valid during the visitor's
// call only; they are bytes of the file, so not fit to be printed as they are. Times are nanoseconds.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace kymo::import::named {

// A process, thread or processor that the profile does not name.
constexpr std::uint32_t kNotGiven = 0xffff'ffff;

// Empty or 0: not known.
struct Frame {
    std::string_view module;    // path of the program or library, "[vdso]", "[kernel.kallsyms]"
    std::string_view function;  // demangled or not, as the profile has it, without an offset in it
    std::string_view file;      // of the source
    std::uint32_t line = 0;     // in `file`, of the call of the next frame in, or of the innermost instruction
    std::uint64_t address = 0;  // as the profile has it: in the process, or in the module (perf since 5.13, chains)
    bool is_kernel = false;
    bool is_inlined = false;  // into the function of the next frame out
};

struct Sample {
    std::uint64_t time = 0;  // on the profile's clock; 0: not known
    std::uint32_t pid = kNotGiven;
    std::uint32_t tid = kNotGiven;  // where a text has one number alone, it is this one
    std::uint32_t cpu = kNotGiven;
    std::uint32_t event = 0;        // index into Facts::events
    std::uint64_t period = 0;       // of the event, in its unit, for this sample; 0: not known
    std::string_view comm;          // of the thread; empty: not known
    std::span<const Frame> frames;  // innermost first
};

}  // namespace kymo::import::named
