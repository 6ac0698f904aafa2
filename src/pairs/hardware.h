// The literal pair as a circuit would hold it: a model, register by register, of one pair of counters.
//
// Registers (all `Counter` bits wide but the address ones):
//   ALL       counts every event while armed; starts at INIT_ALL and overflows to 0: INIT_ALL = 2^bits − T1
//   MATCH     counts events whose address equals COMPARE; starts at INIT_MATCH = 2^bits − T2
//   COMPARE   the captured address
//   CONTROL   armed: a capture has been made
//   STATUS    which of the two overflowed with the last event
// and one line, INTERRUPT, which stays up until it is acknowledged; COMPARE then holds the source found.
//
// At an event, armed: both counters step at once. MATCH overflows (alone or together with ALL): INTERRUPT. ALL alone:
// both are loaded again and the pair is disarmed; the next event's address is captured. The capturing event itself is
// not counted. Claimed for hardware in US 9,280,438; here it is the reference the software pair is tested against.
#pragma once

#include <cstdint>

namespace kymo::pairs {

template <typename Counter>
class HardwarePair {
  public:
    // Terminals above what a counter can hold are the caller's mistake; 0 means 2^bits.
    HardwarePair(Counter all_terminal, Counter matching_terminal)
        : init_all_(static_cast<Counter>(0 - all_terminal)),
          init_match_(static_cast<Counter>(0 - matching_terminal)) {
        load();
    }

    // One event with its address on the bus.
    void clock(std::uint64_t address) {
        if (interrupt_) {
            return;  // stopped until acknowledged
        }
        if (!armed_) {
            compare_ = address;
            armed_ = true;
            return;
        }
        all_ = static_cast<Counter>(all_ + 1);
        all_overflow_ = all_ == 0;
        match_overflow_ = false;
        if (address == compare_) {
            match_ = static_cast<Counter>(match_ + 1);
            match_overflow_ = match_ == 0;
        }
        if (match_overflow_) {
            interrupt_ = true;
        } else if (all_overflow_) {
            load();
        }
    }

    [[nodiscard]] bool interrupt() const { return interrupt_; }
    [[nodiscard]] bool armed() const { return armed_; }
    [[nodiscard]] bool both_overflowed() const { return all_overflow_ && match_overflow_; }
    [[nodiscard]] std::uint64_t compare() const { return compare_; }
    [[nodiscard]] std::uint64_t events() const { return static_cast<Counter>(all_ - init_all_); }
    [[nodiscard]] std::uint64_t matches() const { return static_cast<Counter>(match_ - init_match_); }

    void acknowledge() {
        interrupt_ = false;
        load();
    }

  private:
    void load() {
        all_ = init_all_;
        match_ = init_match_;
        armed_ = false;
    }

    Counter init_all_;
    Counter init_match_;
    Counter all_ = 0;
    Counter match_ = 0;
    std::uint64_t compare_ = 0;
    bool armed_ = false;
    bool all_overflow_ = false;
    bool match_overflow_ = false;
    bool interrupt_ = false;
};

}  // namespace kymo::pairs
