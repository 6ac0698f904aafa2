// Counting and sampling with the register file: the function of perf_event_open(2), done by five counter sets.
//
// An event takes a set of its own. One that samples starts at 2⁶⁴ − period, so that it overflows after as many
// events as its period has; the interrupt's handler records the overflow, starts the counter again, and clears the
// set's bit. One that is only counted starts at 0. A frequency is approximated by the period: see next_period().
//
// One thread; the register file outlives it.
#pragma once

#include "events/sw_64/register_file.h"

#include <array>
#include <cstdint>
#include <functional>
#include <linux/perf_event.h>

namespace kymo::events::sw_64 {

struct Overflow {
    unsigned set = 0;
    std::uint64_t time_ns = 0;
    std::uint64_t period = 0;  // events that this sample represents
    std::uint64_t missed = 0;  // whole periods more that went by before the handler ran
};

// The period after an overflow that came `elapsed_ns` after the one before (or the start): the one that would have
// taken 1/frequency, at most eight times and at least an eighth of the last one, and at least 1.
std::uint64_t next_period(std::uint64_t period, std::uint64_t elapsed_ns, std::uint64_t frequency);

class Counters {
  public:
    explicit Counters(RegisterFile& registers) : registers_(registers) {}

    // The set that counts the event from now on, or −errno: −ENOENT: no such event here; −EINVAL: the attributes
    // name a hypervisor, hosts, guests or idle time, which this processor does not distinguish; −EOPNOTSUPP:
    // precise samples; −ENOSPC: no set is free.
    int open(const perf_event_attr& attr, std::uint64_t now_ns);
    void close(unsigned set);

    // Events since open().
    std::uint64_t total(unsigned set) const;

    // The interrupt's handler: all sets whose bit in INT_STAT is set, in order.
    void handle(std::uint64_t now_ns, const std::function<void(const Overflow&)>& report);

    // `events` happen at a moment; the interrupt is taken at once wherever it is raised.
    void run(std::uint8_t selector, Mode mode, std::uint64_t events, std::uint64_t now_ns,
             const std::function<void(const Overflow&)>& report);

  private:
    struct Use {
        bool is_open = false;
        std::uint64_t initial = 0;    // of the counter, at its last start
        std::uint64_t before = 0;     // events counted until then
        std::uint64_t period = 0;     // 0: does not sample
        std::uint64_t frequency = 0;  // 0: the period is fixed
        std::uint64_t started_ns = 0;
    };
    void start(unsigned set, std::uint64_t initial, std::uint64_t now_ns);
    Overflow restart(unsigned set, std::uint64_t now_ns);

    RegisterFile& registers_;
    std::array<Use, kSets> uses_;
};

}  // namespace kymo::events::sw_64
