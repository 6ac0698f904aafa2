// Hunts: an event's worst heavy hitters, found in constant memory. See recording/tables.h.
#pragma once

#include "recording/schema.h"

#include <cstdint>
#include <string_view>

namespace kymo::recording {

enum class HuntEngine : std::uint8_t {
    kProgram = 1,  // the monitor's handler in the measured program
    kKernel = 2,   // an eBPF program at the event's overflow
};

// The distance of the address from the instruction that caused the event.
enum class HuntPrecision : std::uint8_t {
    kSkid = 0,      // some instructions later
    kConstant = 1,  // always at the same distance
    kPrecise = 2,   // the instruction itself
};

// What is hunted, and the hunt's guarantees. One a recording, written before the program starts.
struct Hunt {
    std::uint64_t time = 0;
    std::string_view event = {};  // as requested
    std::uint64_t engine = 0;     // requested HuntEngine; `kernel` of a result says which one found it
    std::uint64_t form = 0;       // 0 sequential test, 1 literal pair
    std::uint64_t key = 0;        // HuntKey
    std::uint64_t cells = 0;
    std::uint64_t every = 1;      // examines one event in this many on average
    std::uint64_t precision = 0;  // HuntPrecision
    double share = 0;
    double refuse = 0;
    double confidence = 0;
    double false_reports = 0;             // expected in the whole run, at most
    double events_alone = 0;              // events until a source of `share` is reported, all others rare ...
    double events_among_many = 0;         // ... all others at `refuse`
    std::uint64_t all_terminal = 0;       // of the literal pair, in events: T1 ...
    std::uint64_t matching_terminal = 0;  // ... and T2, of the first capture; later ones' are stricter unless given
    std::uint64_t rest = 0;  // a pair rests 0 to rest − 1 events, at random, before it captures again; 0: not known

    static constexpr const char* kTable = "hunt";
    static constexpr std::uint32_t kTableId = 43;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Hunt::time);
        visit("event", ColumnType::kText, "", &Hunt::event);
        visit("engine", ColumnType::kUint, "", &Hunt::engine);
        visit("form", ColumnType::kUint, "", &Hunt::form);
        visit("key", ColumnType::kUint, "", &Hunt::key);
        visit("cells", ColumnType::kUint, "", &Hunt::cells);
        visit("every", ColumnType::kUint, "", &Hunt::every);
        visit("precision", ColumnType::kUint, "", &Hunt::precision);
        visit("share", ColumnType::kReal, "", &Hunt::share);
        visit("refuse", ColumnType::kReal, "", &Hunt::refuse);
        visit("confidence", ColumnType::kReal, "", &Hunt::confidence);
        visit("false_reports", ColumnType::kReal, "", &Hunt::false_reports);
        visit("events_alone", ColumnType::kReal, "", &Hunt::events_alone);
        visit("events_among_many", ColumnType::kReal, "", &Hunt::events_among_many);
        visit("all_terminal", ColumnType::kUint, "", &Hunt::all_terminal);
        visit("matching_terminal", ColumnType::kUint, "", &Hunt::matching_terminal);
        visit("rest", ColumnType::kUint, "", &Hunt::rest);
    }
};

// The key by which two events have the same source. Values are part of the format.
enum class HuntKey : std::uint8_t {
    kInstruction = 0,
    kImage = 1,
    kCallSite = 2,  // the innermost address of the program's own image on the stack
    kDataPage = 3,  // 4096 bytes of data
    kDataLine = 4,  // 64 bytes of data
    kFunction = 5,
    kLine = 6,
    kBlock = 7,
};

// A source was found: in the stream of the thread whose event decided it, or in stream 0 if that is not known.
struct HuntResult {
    std::uint64_t time = 0;
    std::uint64_t number = 0;  // of the process's results, from 1
    std::uint64_t key = 0;
    std::uint64_t image = 0;  // ImageId of the instruction; 0: `offset` is a process address
    std::uint64_t offset = 0;
    std::uint64_t context = 0;  // ContextId in this stream: the call path of the deciding event; 0: not known
    std::uint64_t data = 0;     // data address of the deciding event; 0: the event has none
    std::uint64_t tid = 0;
    std::uint64_t events = 0;  // of the test, from the capture (not counted) on
    std::uint64_t matches = 0;
    std::uint64_t seen = 0;      // events of the hunt so far
    std::uint64_t captures = 0;  // so far
    std::uint64_t engine = 0;    // HuntEngine

    static constexpr const char* kTable = "find";
    static constexpr std::uint32_t kTableId = 44;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &HuntResult::time);
        visit("number", ColumnType::kUint, "", &HuntResult::number);
        visit("key", ColumnType::kUint, "", &HuntResult::key);
        visit("image", ColumnType::kUint, "", &HuntResult::image);
        visit("offset", ColumnType::kUint, "address", &HuntResult::offset);
        visit("context", ColumnType::kUint, "", &HuntResult::context);
        visit("data", ColumnType::kUint, "address", &HuntResult::data);
        visit("tid", ColumnType::kUint, "", &HuntResult::tid);
        visit("events", ColumnType::kUint, "", &HuntResult::events);
        visit("matches", ColumnType::kUint, "", &HuntResult::matches);
        visit("seen", ColumnType::kUint, "", &HuntResult::seen);
        visit("captures", ColumnType::kUint, "", &HuntResult::captures);
        visit("engine", ColumnType::kUint, "", &HuntResult::engine);
    }
};

// The end of a result: its source has lost its share, or the process ended. The counts are of the time after the
// result.
struct HuntResultEnd {
    std::uint64_t time = 0;
    std::uint64_t number = 0;
    std::uint64_t quiet = 0;  // 1: its source lost its share; 0: it kept it to the end
    std::uint64_t events = 0;
    std::uint64_t matches = 0;

    static constexpr const char* kTable = "find-end";
    static constexpr std::uint32_t kTableId = 45;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &HuntResultEnd::time);
        visit("number", ColumnType::kUint, "", &HuntResultEnd::number);
        visit("quiet", ColumnType::kUint, "", &HuntResultEnd::quiet);
        visit("events", ColumnType::kUint, "", &HuntResultEnd::events);
        visit("matches", ColumnType::kUint, "", &HuntResultEnd::matches);
    }
};

// A process's hunt is over.
struct HuntEnd {
    std::uint64_t time = 0;
    std::uint64_t engine = 0;  // the last HuntEngine
    std::uint64_t events = 0;  // examined; the kernel's engine counts the whole tree of processes
    std::uint64_t captures = 0;
    std::uint64_t overfull = 0;  // results that had no place in memory
    std::uint64_t dropped = 0;   // events passed over because another processor was at the cells

    static constexpr const char* kTable = "hunt-end";
    static constexpr std::uint32_t kTableId = 46;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &HuntEnd::time);
        visit("engine", ColumnType::kUint, "", &HuntEnd::engine);
        visit("events", ColumnType::kUint, "", &HuntEnd::events);
        visit("captures", ColumnType::kUint, "", &HuntEnd::captures);
        visit("overfull", ColumnType::kUint, "", &HuntEnd::overfull);
        visit("dropped", ColumnType::kUint, "", &HuntEnd::dropped);
    }
};

}  // namespace kymo::recording
