// A virtual speed-up (`kymo confirm`): what the parent asks of the monitors, and what they answer.
//
// Two files beside the session: `speed-up-code` lists the code that is made faster (events/kept_code.h), and
// `speed-up` holds a SpeedUpAccount in shared memory, made by the parent, to which every process of the run adds.
// Without them no process is slowed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kymo::events {

inline constexpr const char* kSpeedUpCodeFile = "speed-up-code";
inline constexpr const char* kSpeedUpFile = "speed-up";

// Plain words: accessed by atomic operations, in processes that know nothing of one another.
struct SpeedUpAccount {
    static constexpr std::uint64_t kVersion = 1;
    static constexpr std::uint64_t kWhole = 65'536;

    std::uint64_t version = kVersion;
    // From the parent: by which part of its time the code is made faster, in units of 1 / kWhole. 0: samples are
    // counted, and nothing is slowed.
    std::uint64_t part = 0;

    // From the monitors. ns of processor time of samples in the code, all threads together; and how many samples.
    std::uint64_t inside_ns = 0;
    std::uint64_t inside_samples = 0;
    // ns by which the run was delayed, of the threads that ended the processes.
    std::uint64_t delay_ns = 0;
    std::uint64_t processes = 0;  // in which the code ran
    std::uint64_t ended = 0;      // of these, whose delay is in delay_ns
};

}  // namespace kymo::events
