// What the parent passes to the monitor about a hunt: the file `hunt` in the recording's folder, plain text, one
// fact per line.
//
//     kymo-hunt 1                    version; always the first line
//     event N                        index in the session's events; with `kernel`: of the event that is counted
//     attr TYPE CONFIG CONFIG1 CONFIG2 PERIOD PRECISE USER_ONLY    of the kernel engine's own counters
//     key N                          recording::HuntKey
//     seed N                         of the gaps
//     kernel PID PROGRAM STATE       the process that holds the eBPF program and its mapped state, and their
//                                    descriptors there; the line is absent where the program's own engine hunts
//     rule FORM CELLS UNIT GAIN GAP PERIOD HOLD HOLD_GAIN
//     epoch START BOUND              up to 24, in order
//
// Contract: parsing is usable in the monitor (no malloc, no exceptions), bounded by the text's size, and refuses a
// file as a whole if it does not understand a part.
#pragma once

#include "pairs/rule.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kymo::pairs {

inline constexpr const char* kHuntFile = "hunt";
inline constexpr std::size_t kMaxHuntFile = 4096;

struct KernelEngine {
    std::uint32_t holder = 0;  // process id; 0: there is none
    std::uint32_t program = 0;
    std::uint32_t state = 0;
};

struct HuntAttributes {
    std::uint32_t type = 0;
    std::uint64_t config = 0;
    std::uint64_t config1 = 0;
    std::uint64_t config2 = 0;
    std::uint64_t period = 1;
    std::uint32_t precise = 0;
    bool user_only = true;
};

struct HuntFile {
    std::uint32_t event = 0;
    std::uint32_t key = 0;
    std::uint32_t seed = 1;
    HuntAttributes attributes;
    KernelEngine kernel;
    Rule rule;
};

// False: not a hunt's file; `file` is then unspecified.
bool parse_hunt_file(std::string_view text, HuntFile& file);

}  // namespace kymo::pairs
