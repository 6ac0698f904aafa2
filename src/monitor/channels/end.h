// The object of a descriptor: whether it is an end of a channel (a pipe, a FIFO, a socket), which one, and which end
// is its other one.
//
// An end is a number of 64 bits that all processes of a host compute alike from the kernel's data of the descriptor,
// so that the ends of a channel match in the recording, whichever processes inherited them:
//
// - of a pipe or FIFO, from device and inode, and from whether it is written to or read;
// - of a TCP or UDP socket, from both addresses; of one that is not connected, from its own;
// - of a Unix socket that was connected to a name, from the name and the process that connected it (SO_PEERCRED);
//   if both have names, from both; of socketpair()'s, from the inode, and the other one's as seen when the pair
//   was made (note_pair), which is not available to other programs.
//
// 0: not known. Two ends have the same number by chance in 1 of 2^64 cases. Contract: called in the program's threads
// under Quiet; some system calls; no malloc.
#pragma once

#include "base/channels/kind.h"

#include <cstdint>

namespace kymo::monitor {

struct ChannelEnd {
    ChannelKind kind = ChannelKind::kPipe;
    std::uint64_t numbers[2] = {};  // of what it sends, and of what it receives
    std::uint64_t others[2] = {};
    char name[32] = {};  // the process at the other end, as far as the descriptor shows it; empty: not known
};

// Distinguishes descriptors that had the same number. 0: neither a pipe nor a socket, or not a descriptor.
std::uint64_t object_of(int descriptor);

// `object` as from object_of(). False: not an end whose channel is counted (a socket of another family), or not yet
// (a TCP socket that is not connected); is_final distinguishes them.
bool identify(int descriptor, std::uint64_t object, ChannelEnd& end, bool& is_final);

// A declared channel's: of one process, or between processes.
void identify_declared(const char* name, std::uint64_t number, bool is_shared, ChannelEnd& end);

// A channel's number in the process: the same for all rows of an end and direction. From kFirstEndNumber, below which
// the numbers are those of message-passing libraries; ends beyond 65,536 share one.
inline constexpr std::uint64_t kFirstEndNumber = 65'536;
std::uint64_t number_of(const ChannelEnd& end, bool receives);

// The two descriptors are a new pair's.
void note_pair(int one, int other);
// In a forked child.
void ends_after_fork();

}  // namespace kymo::monitor
