// A model of sw_64's (Sunway's) performance counters: five counter sets and the registers for their interrupts.
//
//     INT_EN      bits 4–0: an overflow of set x raises the interrupt
//     INT_STAT    bits 4–0, read only: set x has overflowed since its bit was cleared
//     INT_CLR     bits 4–0, write only: clears those bits of INT_STAT
//     PC_INT      read only; bit 0: raised, while INT_STAT and INT_EN have a bit in common; bits 10–8: the first set
//                 that raises it
//     PCx_CTL     one for each set; bits 7–0: selector; 8: counts user mode; 9: counts kernel mode; 16: counts at all
//     PCx_VALUE   counts up; overflows where it passes 2⁶⁴ − 1
//
// docs/events.md, "The counters of sw_64", says what of this is public and what is this model's own.
//
// Exact, without time: the caller passes the events that happen. One thread.
#pragma once

#include <array>
#include <cstdint>

namespace kymo::events::sw_64 {

inline constexpr unsigned kSets = 5;
inline constexpr std::uint64_t kSetBits = (1U << kSets) - 1;

// PCx_CTL. Bits that are not named read as 0.
inline constexpr std::uint64_t kSelector = 0xff;
inline constexpr std::uint64_t kCountsUser = 1U << 8U;
inline constexpr std::uint64_t kCountsKernel = 1U << 9U;
inline constexpr std::uint64_t kCounting = 1U << 16U;
inline constexpr std::uint64_t kControlBits = kSelector | kCountsUser | kCountsKernel | kCounting;

// PC_INT: whether the interrupt is raised, and the first set that raises it.
inline constexpr std::uint64_t kRaised = 1;
inline constexpr unsigned kFirstSetAt = 8;

enum class Mode : std::uint8_t { kUser, kKernel };

class RegisterFile {
  public:
    // Bit x: an overflow of set x raises the interrupt.
    void write_int_en(std::uint64_t value) { int_en_ = value & kSetBits; }
    std::uint64_t int_en() const { return int_en_; }
    // Bit x: set x has overflowed since the bit was cleared, whether or not that raises an interrupt.
    std::uint64_t int_stat() const { return int_stat_; }
    // Clears the bits of INT_STAT that are set in `value`.
    void write_int_clr(std::uint64_t value) { int_stat_ &= ~value; }
    std::uint64_t pc_int() const;
    bool is_raised() const { return (int_stat_ & int_en_) != 0; }

    void write_control(unsigned set, std::uint64_t value) { sets_[set].control = value & kControlBits; }
    std::uint64_t control(unsigned set) const { return sets_[set].control; }
    void write_value(unsigned set, std::uint64_t value) { sets_[set].value = value; }
    std::uint64_t value(unsigned set) const { return sets_[set].value; }

    // How many events of this kind until a set that may raise the interrupt overflows; ~0: none counts them.
    std::uint64_t until_interrupt(std::uint8_t selector, Mode mode) const;
    // That many events happen: every set that counts them goes up, and overflows where it passes 2⁶⁴ − 1.
    void count(std::uint8_t selector, Mode mode, std::uint64_t events);

  private:
    struct Set {
        std::uint64_t control = 0;
        std::uint64_t value = 0;
        bool counts(std::uint8_t selector, Mode mode) const {
            return (control & kCounting) != 0 && (control & kSelector) == selector &&
                   (control & (mode == Mode::kUser ? kCountsUser : kCountsKernel)) != 0;
        }
    };
    std::array<Set, kSets> sets_;
    std::uint64_t int_en_ = 0;
    std::uint64_t int_stat_ = 0;
};

}  // namespace kymo::events::sw_64
