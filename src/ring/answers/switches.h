// Applies the switches that this host's agent has been ordered to make, and reports whether the programs obey
// (ring/protocol/order.h).
//
// A program counts a described metric only once the bit of the metric's cell is set in its segment. It checks the
// bit at its samples, every 10 ms while it runs, and publishes its state (docs/cells-format.md). Only metrics of
// descriptions can be switched, except gauges: a gauge that missed half of its changes would stay wrong. Programs
// that start later get the switches at the next look(). One thread.
#pragma once

#include "host/reading.h"
#include "ring/protocol/order.h"
#include "ring/protocol/record.h"

#include <map>
#include <span>
#include <vector>

namespace kymo::ring {

class Switches {
  public:
    // The switches that hold from now on. Fills in their programs and obeyed.
    void obey(std::span<Switch> ordered);

    // Passes the switches to programs that have started since; does nothing if no order was ever given. Some 10 µs
    // per program.
    void look();

    // Restores the previous figures of metrics that are read less often, while those figures are recent enough.
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
