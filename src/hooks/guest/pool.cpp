// The pool's blocks: which are taken, and the code of their stubs.

// Vector registers hold the program's arguments and results (Clang has no such pragma, and makes no monitor).
#if !defined(__clang__)
#pragma GCC target("general-regs-only")
#endif

#include "hooks/guest/slots.h"
#include "hooks/native.h"

#include <atomic>
#include <sys/mman.h>
#include <sys/syscall.h>

namespace kymo::hooks {

namespace {

// A block's word: its owner's state.
enum State : std::uint8_t { kNew = 0, kFree = 1, kTaken = 2 };  // kNew: its stubs are not written yet
constinit std::atomic<std::uint8_t> states[kBlocks]{};

BlockHead* block(std::uint64_t number) {
    return reinterpret_cast<BlockHead*>(pool_begin() + kStubsBytes + number * kBlockBytes);
}

std::uint64_t number_of(const BlockHead* head) {
    return (reinterpret_cast<std::uint64_t>(head) - pool_begin() - kStubsBytes) / kBlockBytes;
}

bool write_stubs(std::uint64_t number) {
    const std::uint64_t at = pool_begin() + number * kBlockBytes;
    for (std::uint64_t i = 1; i < kBlockSlots; ++i) {
        write_stub(reinterpret_cast<std::uint8_t*>(at + i * kStubBytes));
    }
    return raw_system(SYS_mprotect, at, kBlockBytes, PROT_READ | PROT_EXEC) == 0;
}

bool take(std::uint64_t number, std::uint64_t level) {
    std::uint8_t state = states[number].load(std::memory_order_relaxed);
    if (state == kTaken || !states[number].compare_exchange_strong(state, kTaken, std::memory_order_acquire)) {
        return false;
    }
    if (state == kNew && !write_stubs(number)) {
        return false;  // and stays taken: it has no stubs
    }
    BlockHead* head = block(number);
    head->previous = head->next = nullptr;
    head->sp = 0;
    head->level = level;
    return true;
}

}  // namespace

BlockHead* take_block(std::uint64_t level) {
    for (std::uint64_t number = 0; number < kBlocks; ++number) {
        if (take(number, level)) {
            return block(number);
        }
    }
    return nullptr;
}

void give_back_blocks(BlockHead* first) {
    while (first != nullptr) {
        BlockHead* next = first->next;
        states[number_of(first)].store(kFree, std::memory_order_release);
        first = next;
    }
}

void keep_only(BlockHead* const* kept, std::size_t count) {
    for (std::uint64_t number = 0; number < kBlocks; ++number) {
        if (states[number].load(std::memory_order_relaxed) != kTaken) {
            continue;
        }
        bool keep = false;
        for (std::size_t i = 0; i < count && !keep; ++i) {
            for (const BlockHead* head = kept[i]; head != nullptr && !keep; head = head->next) {
                keep = number_of(head) == number;
            }
        }
        if (!keep) {
            auto* slots = reinterpret_cast<Slot*>(block(number));
            for (std::uint64_t i = 1; i < kBlockSlots; ++i) {
                slots[i].sp = 0;
            }
            states[number].store(kFree, std::memory_order_relaxed);
        }
    }
}

}  // namespace kymo::hooks
