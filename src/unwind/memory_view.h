// A piece of a process's memory, at its own addresses: the live stack, or a copy of one.
//
// Contract: read() never leaves [begin, end). Usable in signal handlers.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

namespace kymo::unwind {

class MemoryView {
  public:
    constexpr MemoryView() = default;
    // The live memory [begin, end) of our own process. It must be mapped and readable.
    static MemoryView live(std::uint64_t begin, std::uint64_t end) { return {begin, end, begin}; }
    // `bytes` are a copy of what was at process address `begin`.
    static MemoryView copied(std::uint64_t begin, std::span<const std::uint8_t> bytes) {
        return {begin, begin + bytes.size(), reinterpret_cast<std::uint64_t>(bytes.data())};
    }

    std::uint64_t begin() const { return begin_; }
    std::uint64_t end() const { return end_; }
    // Also true for the address just behind the end: the stack pointer when everything has been popped.
    bool spans(std::uint64_t address) const { return address >= begin_ && address <= end_; }

    // The 8 bytes at `address`. False: they are not all inside.
    bool read(std::uint64_t address, std::uint64_t* value) const {
        if (address - begin_ >= words_) {
            return false;
        }
        std::memcpy(value, reinterpret_cast<const void*>(address + shift_), sizeof(*value));
        return true;
    }
    bool read_bytes(std::uint64_t address, void* out, std::uint64_t size) const {
        if (address < begin_ || address > end_ || size > end_ - address) {
            return false;
        }
        std::memcpy(out, reinterpret_cast<const void*>(address + shift_), size);
        return true;
    }

  private:
    constexpr MemoryView(std::uint64_t begin, std::uint64_t end, std::uint64_t bytes)
        : begin_(begin), end_(end), words_(end - begin >= 8 ? end - begin - 7 : 0), shift_(bytes - begin) {}
    std::uint64_t begin_ = 0;
    std::uint64_t end_ = 0;
    std::uint64_t words_ = 0;  // addresses at which a whole word begins
    std::uint64_t shift_ = 0;  // from the process address to where the byte is here
};

// Copies memory of our own process that may be unmapped (coroutine stacks, foreign stacks): from `address`
// upwards, as much as there is, at most `buffer`. An empty view: nothing readable there, or process_vm_readv is
// barred. A system call of about 1 µs; usable in signal handlers; errno is kept.
MemoryView copy_memory(std::uint64_t address, std::span<std::uint8_t> buffer);

}  // namespace kymo::unwind
