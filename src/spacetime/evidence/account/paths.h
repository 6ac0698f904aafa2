// What a thread does at the end of a call path, and for which place of the users' own code: by names alone.
#pragma once

#include "spacetime/evidence/account/families.h"
#include "spacetime/evidence/code_map.h"
#include "spacetime/evidence/structure.h"
#include "spacetime/profile/profile.h"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::spacetime {

// The way by which a thread came into the kernel, where its frames are known. An interrupt may also come in the
// middle of a call or a fault: what the kernel does then is not for the thread. Soft interrupts are those that run
// at an interrupt's end; what a call runs itself of them is the call's.
enum class KernelEntry : std::uint8_t { kNotKnown, kCall, kFault, kInterrupt, kSoftInterrupt };

// A call path without its place: how time at its end counts.
struct PathKind {
    TaxFamily family = TaxFamily::kNone;  // of what the users' code called there
    bool is_call = false;                 // it ends in a library's function: system time there is a call's
    bool is_outside = false;              // no users' code on it: before main, behind it, a thread's start
    bool is_interpreted = false;          // in an interpreter: the users' code is not on the path
    bool is_known = false;                // false: no frames
    bool is_partial = false;              // its outer frames are not known, and no users' code is on the rest
    bool is_unknown_call = false;         // it is the caller of a system call that is not known
    bool awaits_message = false;          // in a call of MPI that ends by another rank: its polling is a wait
    bool is_callback = false;             // own code that a hash table or a sort calls: its family is theirs
    bool is_meeting = false;              // in a barrier or latch of the C++ library: what it waits for are others
    TaxFamily slow = TaxFamily::kNone;    // of the instruction at its end, if that is the users' own code
    std::uint32_t repeating = 0;          // likewise a function: calls again what it called before; 0: none
    std::uint32_t taxing = 0;             // of the symbols' functions: the one that the family is of; 0: not known
    std::uint32_t callee = 0;             // likewise: the innermost one with a name behind the users' code; 0: none
    KernelEntry entry = KernelEntry::kNotKnown;  // the frames behind these are the kernel's
    std::uint32_t kernel_call = 0;               // likewise: the kernel's function for the system call; 0: not known
    auto operator<=>(const PathKind&) const = default;
};

// A path's place is the innermost frame of the users' own code; its function is 0 where there is none.
struct PathEnd {
    PathKind kind;
    std::uint32_t function = 0;  // of the symbols'
    std::uint32_t file = 0;      // likewise
    std::uint32_t line = 0;
    auto operator<=>(const PathEnd&) const = default;
};

struct PathEnds {
    std::vector<PathEnd> ends;           // [0]: nothing known
    std::vector<std::uint32_t> of_node;  // by profile node

    // kNone: behind a thread's last sample.
    std::uint32_t end_of(std::uint32_t profile_node) const {
        return profile_node == kNone ? 0 : of_node[profile_node];
    }
    bool awaits_message(std::uint32_t profile_node) const { return ends[end_of(profile_node)].kind.awaits_message; }
};

// Of a function that PathKind::kernel_call names: the system call, "read".
std::string kernel_call_name(std::string_view function);

// `code`: where the functions' graphs were made; null: no instruction is known. Cost: each node's frames once, a
// comparison of its functions' names with the table of families, once each, and slow_instructions() of each function
// of own code with a graph.
PathEnds make_path_ends(const Profile& profile, const Names& names, const CodeMap* code = nullptr);

}  // namespace kymo::spacetime
