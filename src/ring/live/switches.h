// What this host's agent has been ordered to switch, and whether its programs do so (ring/protocol/order.h).
//
// A program counts what its description says until the bit of the metric's cell is set in its segment; it looks there
// at its samples, every 10 ms while it runs, and says what it does (docs/cells-format.md). Only metrics of
// descriptions can be switched, and of these no gauges: one that missed half of its changes would be wrong for ever.
// Programs that come later are told at the next look. One thread.
#pragma once

#include "ring/live/host_reading.h"
#include "ring/protocol/order.h"
#include "ring/protocol/record.h"

#include <map>
#include <span>
#include <vector>

namespace kymo::ring {

class Switches {
  public:
    // What these say is so from now on. Their programs and obeyed are filled in.
    void obey(std::span<Switch> ordered);

    // Tells programs that have come since; where nothing was ever ordered it does nothing. Some 10 µs a program.
    void look();

    // Puts the figures of before where they are to be read less often and are not old enough yet.
    void hold(std::uint64_t now, std::span<const Entry> entries, std::span<Record> records);

  private:
    struct Held {
        std::uint64_t read = 0;  // when; 0: never
        Record record{};
    };
    Switch* find(std::uint8_t kind, std::uint32_t metric);
    void tell_programs();

    std::vector<Switch> switches_;
    std::map<std::tuple<std::uint8_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>, Held> held_;
};

}  // namespace kymo::ring
