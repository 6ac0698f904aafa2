// A user's request for one event: NAME[:period=N | :freq=N][:precise=N]
//
//     page-faults:period=1            a sample at every page fault
//     cycles:freq=2000:precise=2      2000 samples a second, with little skid
//     instructions                    counted, and read with every sample of other events
//
// The modifiers are at the end, in any order; everything before them is the name, including colons (libpfm's and
// tracepoints' names have them). N is decimal, may end in k, M or G (10³, 10⁶, 10⁹). A period is in events (in
// nanoseconds for the clocks), a frequency in samples a second. Neither: the event is counted.
#pragma once

#include "base/result.h"
#include "events/session.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::events {

struct Request {
    std::string name;
    Mode mode = Mode::kCount;
    std::uint64_t value = 0;
    std::uint8_t precise = 0;
};

// kUsage: empty or over-long name, blanks or control characters in it, a bad number, period and freq both given.
Result<Request> parse_request(std::string_view text);

// The requests of a list, as "page-faults:period=1,cycles": separated by commas, but for those between the slashes of
// DEVICE/TERMS/.
std::vector<std::string> split_requests(std::string_view list);

}  // namespace kymo::events
