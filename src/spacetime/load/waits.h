// The waits of threads, and the activity of the threads that they waited for.
//
// A pure function over the rows of a recording: waits of one thread, for one object, from one call path, for one
// holder are a group; the holder's activity is the overlap, in nanoseconds, of the group's waits with the holder's
// samples (the processor time before each) and with waits of its own. If holders waited for each other, overlaps
// of several waiters with the same nanosecond of the holder count for each waiter.
//
// Groups of parts of a recording add up to those of the whole (WaitsSum). Made by load_files() (load_files.h).
#pragma once

#include "recording/tables.h"
#include "spacetime/indices.h"
#include "spacetime/load/images.h"
#include "team/members.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace kymo::spacetime {

// Kinds that a later Kymo has added are shown by number.
inline bool is_wait_kind(std::uint64_t kind) {
    return kind != 0 && kind <= 0xff;
}

struct WaitThread {
    std::uint64_t pid = 0;
    std::uint64_t tid = 0;
    std::uint64_t begin = 0;  // ns; distinguishes threads of one id
    std::string name;
};
KYMO_MEMBERS(WaitThread, pid, tid, begin, name)
using WaitThreadIndex = Index<WaitThread>;  // of Waits::threads, which are not Profile::threads

struct WaitFrame {
    std::uint32_t image = 0;  // index of Waits::images
    std::uint64_t offset = 0;
    auto operator<=>(const WaitFrame&) const = default;
};

// Innermost first, at most kWaitPathFrames: enough to find the program's own function behind those of its libraries.
using WaitPath = std::vector<WaitFrame>;
inline constexpr std::size_t kWaitPathFrames = 24;

struct WaitAmount {
    std::int64_t ns = 0;
    std::uint64_t count = 0;
    std::int64_t longest_ns = 0;
    std::uint64_t open = 0;       // of count: not over when the process ended
    std::uint64_t abandoned = 0;  // of count: left by cancellation or a jump; their end is the thread's
    WaitAmount& operator+=(const WaitAmount& other);
    bool operator==(const WaitAmount&) const = default;
};

struct WaitKey {
    WaitThreadIndex thread = {};
    recording::WaitKind kind{};
    std::uint64_t object = 0;
    std::uint64_t holder_tid = 0;  // 0: not known
    WaitThreadIndex holder = {};   // kNone: not among them
    WaitPath path;
    auto operator<=>(const WaitKey&) const = default;
};
KYMO_MEMBERS(WaitKey, thread, kind, object, holder_tid, holder, path)

// A holder's activity: on a processor (kind 0), or in a wait of its own.
struct HolderKey {
    recording::WaitKind kind{};
    WaitPath path;
    auto operator<=>(const HolderKey&) const = default;
};
KYMO_MEMBERS(HolderKey, kind, path)

struct WaitGroup {
    WaitAmount amount;
    std::map<HolderKey, std::int64_t> meanwhile;  // ns
    bool operator==(const WaitGroup&) const = default;
};
KYMO_MEMBERS(WaitGroup, amount, meanwhile)

struct Waits {
    std::vector<ImageInfo> images;
    std::vector<WaitThread> threads;
    std::map<WaitKey, WaitGroup> groups;
    // Waits too short to be rows, by (thread, kind).
    std::map<std::pair<WaitThreadIndex, recording::WaitKind>, WaitAmount> brief;
    std::uint64_t brief_below_ns = 0;
    std::uint64_t condensed = 0;     // of brief ones: had a place, which was given up to save space
    std::uint64_t strange_rows = 0;  // that refer to nothing
};
KYMO_MEMBERS(Waits, images, threads, groups, brief, brief_below_ns, condensed, strange_rows)

// The waits of many parts, of a hundred thousand processes for example. Threads are the same when pid, tid and begin
// are. Cost of a part: its own size, times the logarithm of the whole's.
class WaitsSum {
  public:
    void add(const Waits& part);
    Waits take() { return std::move(whole_); }

  private:
    using ThreadKey = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;  // pid, tid, begin

    Waits whole_;
    std::map<ImageInfo, std::uint32_t> images_;
    std::map<ThreadKey, WaitThreadIndex> threads_;
};

}  // namespace kymo::spacetime
