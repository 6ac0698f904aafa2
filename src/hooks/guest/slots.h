// Where return addresses are kept while a hooked function runs, and the stubs that replace them.
//
// A hooked function is called by Kymo's own call instruction, so that it returns to Kymo. A *slot* keeps the
// original return address; a *stub*, 32 bytes of code at a fixed distance from its slot, makes that call and takes
// the return:
//
//     stub + 0   lea 8(%rsp), %rsp         the return address is in the slot now
//     stub + 5   call *slot.continuation   puts stub + 11 where the return address was
//     stub + 11  the return arrives; the real address goes back to its place, then to trampolines.S
//
// The fixed distance matters: one piece of call-frame information covers all stubs (the caller's address is in the
// slot), so that every unwinder (exceptions, cancellation, backtrace) passes through them (trampolines.S). And
// since every call has its return, the processor's return prediction stays right.
//
// Stubs and slots are in the pool, part of this library's own image (call-frame information is found only there),
// in blocks of one page. A thread takes blocks as it needs them and uses each list of them as a stack: its *lane*.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kymo::hooks {

struct alignas(32) Slot {
    std::uint64_t return_before = 0;  // the real return address − 1: in the call instruction
    std::uint64_t sp = 0;             // address of the return address on the stack; 0: the slot is free
    std::uint64_t continuation = 0;   // the hooked function, behind its hook
    std::uint32_t hook = 0;
    std::uint32_t chain = 0;  // Chain: the hooked function that has jumped to this one instead of calling it
};
static_assert(sizeof(Slot) == 32);

inline constexpr std::uint64_t kSlotBytes = sizeof(Slot);
inline constexpr std::uint64_t kStubBytes = 32;
static_assert(kStubBytes == kSlotBytes, "stub and slot keep their distance");
inline constexpr std::uint64_t kBlockBytes = 4096;
inline constexpr std::uint64_t kBlockSlots = kBlockBytes / kSlotBytes;  // the first is the block's head
inline constexpr std::uint64_t kStubsBytes = 8ULL << 20U;               // also the distance; as in trampolines.S
inline constexpr std::uint64_t kBlocks = kStubsBytes / kBlockBytes;
inline constexpr std::uint64_t kReturnsAt = 11;  // in a stub: the address pushed onto the stack

// The first slot of a block, used as its head. `sp` is where a slot's is: above every address in a lane's first
// block, so that a search stops there, and 0 in the others, so that the search continues in the previous block.
struct alignas(32) BlockHead {
    BlockHead* previous = nullptr;  // of the lane
    std::uint64_t sp = 0;
    BlockHead* next = nullptr;
    std::uint64_t level = 0;
};
static_assert(sizeof(BlockHead) == sizeof(Slot));

// Slot number (from the pool's beginning, 18 bits; never 0) and length of a chain.
struct Chain {
    static constexpr unsigned kSlotBits = 18;
    static constexpr std::uint32_t kLongest = 255;
    static_assert(kStubsBytes / kStubBytes <= 1ULL << kSlotBits);
    static constexpr std::uint32_t make(std::uint64_t slot, std::uint32_t length) {
        return length << kSlotBits | static_cast<std::uint32_t>(slot);
    }
    static constexpr std::uint32_t slot(std::uint32_t chain) { return chain & ((1U << kSlotBits) - 1); }
    static constexpr std::uint32_t length(std::uint32_t chain) { return chain >> kSlotBits; }
};

// The pool: kStubsBytes of stubs, then as much of slots.
extern "C" __attribute__((visibility("hidden"))) std::uint8_t kymo_hooks_pool[];

inline std::uint64_t pool_begin() {
    return reinterpret_cast<std::uint64_t>(kymo_hooks_pool);
}
inline bool in_stubs(std::uint64_t address) {
    return address - pool_begin() < kStubsBytes;
}
// Whether it is the return address that a stub pushes.
inline bool is_stub_return(std::uint64_t address) {
    return in_stubs(address) && (address & (kStubBytes - 1)) == kReturnsAt;
}
inline Slot* slot_of_stub(std::uint64_t address) {
    return reinterpret_cast<Slot*>((address & ~(kStubBytes - 1)) + kStubsBytes);
}
inline std::uint64_t stub_of(const Slot* slot) {
    return reinterpret_cast<std::uint64_t>(slot) - kStubsBytes;
}
inline Slot* numbered_slot(std::uint64_t number) {
    return reinterpret_cast<Slot*>(pool_begin() + kStubsBytes) + number;
}
inline std::uint64_t number_of(const Slot* slot) {
    return static_cast<std::uint64_t>(slot - numbered_slot(0));
}
inline BlockHead* head_of(const Slot* slot) {
    return reinterpret_cast<BlockHead*>(reinterpret_cast<std::uint64_t>(slot) & ~(kBlockBytes - 1));
}
inline bool is_head(const Slot* slot) {
    return (reinterpret_cast<std::uint64_t>(slot) & (kBlockBytes - 1)) == 0;
}

// A block of ready stubs and free slots; nullptr: none is left, or the kernel does not allow code to be made. Any
// thread, also in handlers; a few system calls the first time.
BlockHead* take_block(std::uint64_t level);
// Frees a list linked by `next`. No thread may be in a function that uses its slots.
void give_back_blocks(BlockHead* first);
// In a forked child: frees the blocks of threads that do not exist there. `kept`: the first block of each lane to
// keep.
void keep_only(BlockHead* const* kept, std::size_t count);

}  // namespace kymo::hooks
