// Perfetto's own traces: packets of protobuf (perfetto.dev, protos/perfetto/trace), compressed by gzip or not.
#pragma once

#include "base/result.h"
#include "import/named/input.h"
#include "import/named/trace.h"
#include "import/named/visitor.h"

#include <cstdint>
#include <span>

namespace kymo::import::named {

// Reads the input to its end, in one pass, and hands on what it says in the order of the file.
//
// Understood are track events (slices, points in time, counters, with their flows; names and categories also by
// number), descriptors of tracks, processes and threads, the process tree, the kernel's records of switches
// (sched_switch, also in their compact form), snapshots of clocks, and packets compressed by zlib. Slices of tracks
// that are no thread's are asynchronous spans. Times are those of the trace's clock, the system's time since it was
// started. Packets of all other kinds are counted.
//
// Any bytes are safe. Memory: a packet, and the names and tracks of the file, kMostNames and kMostTracks at most.
//
// Limits. More is left out, with a notice: packets of kMostPacketBytes, which end the reading; compressed ones that
// have as much, or all together kMostRatio times their size beyond kFreeBytes (traces have about ten times); names of
// 4,096 bytes.
//
// Errors: the input's; kMalformed: nothing of it is an event.
struct PerfettoLimits {
    static constexpr std::size_t kMostPacketBytes = std::size_t{64} << 20U;
    static constexpr std::size_t kMostRatio = 256;
    static constexpr std::size_t kFreeBytes = std::size_t{16} << 20U;
    static constexpr std::size_t kMostNames = std::size_t{1} << 20U;
    static constexpr std::size_t kMostTracks = std::size_t{1} << 20U;
};
Result<TraceFacts> read_perfetto_trace(Input& input, TraceVisitor& visitor, const Progress& progress = {});

// Whether the beginning of a file, decompressed, looks like that of such a trace. Cost: its first packet.
bool looks_like_perfetto_trace(std::span<const std::uint8_t> beginning);

}  // namespace kymo::import::named
