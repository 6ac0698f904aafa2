#include "spacetime/event_classes/event_class.h"

#include "base/metric_event.h"

#include <algorithm>
#include <array>

namespace kymo::spacetime {
namespace {

// What one costs at most is for today's processors of 2 to 5 GHz. A load from memory: 60 to 120 ns (Drepper, What
// Every Programmer Should Know About Memory, 2007, section 3, has 240 cycles of then); twice that from another
// socket. A wrong guess: 10 to 25 cycles (Fog, The Microarchitecture of Intel, AMD and VIA CPUs, section 3). A page
// walk that finds the tables in the caches: 20 to 50 cycles. A first-level miss that the second level serves: 12 to
// 20 cycles; what it misses there has an event of its own.
constexpr double kFromMemoryNs = 120;
constexpr double kFromOtherSocketNs = 250;
constexpr double kWrongGuessNs = 10;
constexpr double kPageWalkNs = 25;
constexpr double kFromSecondLevelNs = 8;

// A minor fault: 0.5 µs and more, on a slow virtual machine up to 20. One that reads a page from a disk that turns:
// the seek and half a turn, 10 ms. A switch: 4 µs (Li, Ding, Shen, Quantifying the Cost of Context Switch, 2007), in
// a virtual machine twice that and more. A migration finds a second-level cache of a megabyte cold: 16,384 lines at
// 12 ns from the third level. An access that the kernel mends, or an instruction that it carries out: a trap. A
// stalled cycle, at 1 GHz.
constexpr double kFaultNs = 20'000;
constexpr double kFaultFromDiskNs = 10'000'000;
constexpr double kSwitchNs = 10'000;
constexpr double kMigrationNs = 200'000;
constexpr double kTrapNs = 2'000;
constexpr double kCycleNs = 1;

constexpr std::string_view kNotInCache = "The data this code touches is not in the cache";
constexpr std::string_view kInOrder = "walk memory in order, make the records smaller, block the loops, or prefetch";
constexpr std::string_view kWrongGuess = "The processor guesses this code's branches wrong";
constexpr std::string_view kFewerPages = "use huge pages, or keep together what is used together";
constexpr std::string_view kFirstTouch = "Pages are touched here for the first time since they were mapped";
constexpr std::string_view kTime = "Processor time goes here";
constexpr std::string_view kCheaper = "see the call path: do it less often, or make it cheaper";

constexpr EventMeaning kCost = EventMeaning::kCost;
constexpr EventMeaning kWork = EventMeaning::kWork;

constexpr std::array kClasses = {
    EventClass{"page-faults", kCost, kFaultNs, kFirstTouch,
               "reuse the memory instead of returning it (for malloc: raise M_MMAP_THRESHOLD and M_TRIM_THRESHOLD), "
               "fault it in ahead (MAP_POPULATE), or use huge pages"},
    EventClass{"minor-faults", kCost, kFaultNs, kFirstTouch,
               "reuse the memory, fault it in ahead (MAP_POPULATE), or use huge pages"},
    EventClass{"major-faults", kCost, kFaultFromDiskNs, "Pages come from disk here",
               "read the file ahead (madvise MADV_WILLNEED), or less of it", true},
    EventClass{"context-switches", kCost, kSwitchNs, "Threads give up the processor here",
               "if it is a lock: hold it for less time, split it, or do not share; if it is input or output: batch "
               "it, or overlap it with work"},
    EventClass{"cpu-migrations", kCost, kMigrationNs,
               "Threads come to another processor here, and find its caches cold",
               "pin the threads, or run no more of them than there are processors"},
    EventClass{"alignment-faults", kCost, kTrapNs, "The kernel mends unaligned accesses here", "align the data"},
    EventClass{"emulation-faults", kCost, kTrapNs, "The kernel emulates instructions here",
               "build for the processor that runs it"},
    EventClass{"node-load-misses", kCost, kFromOtherSocketNs, "The data comes from another socket's memory",
               "let the thread that works on the data touch it first, and stay where it is"},
    EventClass{"node-store-misses", kCost, kFromOtherSocketNs, "The data goes to another socket's memory",
               "let the thread that works on the data touch it first, and stay where it is"},
    EventClass{"TLB-load-misses", kCost, kPageWalkNs, "Too many pages are in use at once here", kFewerPages},
    EventClass{"TLB-store-misses", kCost, kPageWalkNs, "Too many pages are in use at once here", kFewerPages},
    EventClass{"tlb_load_misses", kCost, kPageWalkNs, "Too many pages are in use at once here", kFewerPages},
    EventClass{"L1-icache-load-misses", kCost, kFromMemoryNs, "The code itself is not in the cache",
               "make it smaller: inline and unroll less, keep what runs together together (-fprofile-use)"},
    EventClass{"L1-dcache-load-misses", kCost, kFromSecondLevelNs, kNotInCache, kInOrder},
    EventClass{"LLC-load-misses", kCost, kFromMemoryNs, kNotInCache, kInOrder},
    EventClass{"LLC-store-misses", kCost, kFromMemoryNs, kNotInCache, kInOrder},
    EventClass{"cache-misses", kCost, kFromMemoryNs, kNotInCache, kInOrder},
    EventClass{"branch-misses", kCost, kWrongGuessNs, kWrongGuess,
               "sort the data, compute both sides and select, or hoist the test"},
    EventClass{"branch-load-misses", kCost, kWrongGuessNs, kWrongGuess,
               "sort the data, compute both sides and select, or hoist the test"},
    EventClass{"stalled-cycles", kCost, kCycleNs, "The processor waits here with work at hand",
               "record its cache, branch and TLB misses: they say what it waits for"},
    EventClass{"task-clock", kWork, 0, kTime, kCheaper},
    EventClass{"cpu-clock", kWork, 0, kTime, kCheaper},
    EventClass{"system-time", kWork, 0, kTime, kCheaper},
    EventClass{"cycles", kWork, 0, kTime, kCheaper},
    EventClass{"instructions", kWork},
    EventClass{"branch", kWork},
    EventClass{"cache-references", kWork},
    EventClass{"LLC-", kWork},
    EventClass{"L1-", kWork},
    EventClass{"TLB-", kWork},
    EventClass{"node-", kWork},
    EventClass{"slices", kWork},  // of imported traces: pieces of work by the trace's own words
};

constexpr EventClass kNoClass{};

}  // namespace

const EventClass& event_class(std::string_view event) {
    if (is_metric_event(event)) {
        return kNoClass;  // the program calls it what it likes
    }
    const auto* const found = std::find_if(kClasses.begin(), kClasses.end(), [&](const EventClass& each) {
        return event.find(each.name) != std::string_view::npos;
    });
    return found == kClasses.end() ? kNoClass : *found;
}

}  // namespace kymo::spacetime
