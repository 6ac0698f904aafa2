// Addresses that cannot be mixed up. Usable in the monitor (no run-time library).
//
// ProcessAddress: where something is in one process's memory, at one time.
// ImageOffset:    where it is in a load image: the ELF virtual address (link-time address), which
//                 is what symbol tables, line tables and call-frame tables speak of.
//                 process address = image bias + image offset.
// A program counter points at the instruction to be executed next in the innermost frame (or in a
// frame interrupted by a signal). A return address points *behind* the call, possibly behind the
// end of a function that never returns: it must be looked up at `lookup()`, one byte earlier.
#pragma once

#include <compare>
#include <cstdint>

namespace kymo {

enum class ProcessAddress : std::uint64_t {};
enum class ImageOffset : std::uint64_t {};

constexpr std::uint64_t raw(ProcessAddress address) {
    return static_cast<std::uint64_t>(address);
}
constexpr std::uint64_t raw(ImageOffset offset) {
    return static_cast<std::uint64_t>(offset);
}

// An instruction pointer from unwinding, with its kind.
class CodeAddress {
  public:
    static constexpr CodeAddress program_counter(std::uint64_t value) { return {value, 0}; }
    static constexpr CodeAddress return_address(std::uint64_t value) { return {value, 1}; }

    constexpr std::uint64_t value() const { return value_; }
    constexpr bool is_return() const { return back_ != 0; }
    // The address by which tables are searched.
    constexpr std::uint64_t lookup() const { return value_ - back_; }

    constexpr auto operator<=>(const CodeAddress&) const = default;

  private:
    constexpr CodeAddress(std::uint64_t value, std::uint64_t back) : value_(value), back_(back) {}
    std::uint64_t value_;
    std::uint64_t back_;
};

}  // namespace kymo
