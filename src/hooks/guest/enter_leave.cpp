// Entering and leaving hooked functions: called by the trampolines, and by unwinders on their way through a stub.
//
// Contract: any thread at any time, also in handlers. No locks, no calls out of this layer (the callee could be
// hooked), no vector registers; errno is kept. A lane changes in an order that a signal may interrupt anywhere:
// the level determines which lane a handler uses meanwhile. The trampolines do themselves, in the same order, what
// most calls need (a measured thread, on its own stack, one addition at the entry and one at the exit), and call this
// code for everything else.
//
// Left without returning. A frame that longjmp, siglongjmp or a thread's end has skipped is noticed when a hooked
// function is next entered or left at or above its place on the same stack; its exit steps run then. On another
// stack than the thread's own (alternate signal stacks, coroutines) frames may come and go in any order, and each
// is left by itself only.
//
// Jumps between functions. A hooked function that jumps to another instead of calling it (a tail call) has not
// been left: in the source it still waits for the other. Both are left when the last returns, the inner one first.
// Chains of more than Chain::kLongest, which would grow forever, leave the jumping function at its jump.

// Vector registers hold the program's arguments and results (Clang has no such pragma, and makes no monitor).
#if !defined(__clang__)
#pragma GCC target("general-regs-only")
#endif

#include "cells/actions.h"
#include "hooks/guest/thread.h"
#include "hooks/guest/thread_calls.h"
#include "hooks/native.h"

#include <sys/syscall.h>

namespace kymo::hooks {

constinit Runtime runtime;
constinit thread_local Thread* current = nullptr;

static_assert(offsetof(Thread, lanes) + offsetof(Lane, top) == KYMO_THREAD_TOP);
static_assert(offsetof(Thread, level) == KYMO_THREAD_LEVEL);
static_assert(offsetof(Thread, inside) == KYMO_THREAD_INSIDE);
static_assert(offsetof(Thread, stack_low) == KYMO_THREAD_STACK_LOW);
static_assert(offsetof(Thread, stack_bytes) == KYMO_THREAD_STACK_BYTES);
static_assert(offsetof(Thread, task) == KYMO_THREAD_TASK && offsetof(cells::Task, cells) == 0);
static_assert(sizeof(Hook) == 1U << KYMO_HOOK_SHIFT && offsetof(Runtime, hooks) == 0);
static_assert(offsetof(Hook, continuation) == KYMO_HOOK_CONTINUATION);
static_assert(offsetof(Hook, follows) == KYMO_HOOK_FOLLOWS && offsetof(Hook, is_quick) == KYMO_HOOK_IS_QUICK);
static_assert(offsetof(Hook, quick_entry) + offsetof(Addition, by) == KYMO_HOOK_ENTRY_BY);
static_assert(offsetof(Hook, quick_entry) + offsetof(Addition, cell) == KYMO_HOOK_ENTRY_CELL);
static_assert(offsetof(Hook, quick_exit) + offsetof(Addition, by) == KYMO_HOOK_EXIT_BY);
static_assert(offsetof(Hook, quick_exit) + offsetof(Addition, cell) == KYMO_HOOK_EXIT_CELL);
static_assert(static_cast<int>(Follows::kItself) == KYMO_HOOK_IS_FOLLOWED);
static_assert(kSlotBytes == KYMO_SLOT_BYTES && offsetof(Slot, return_before) == KYMO_SLOT_RETURN_BEFORE);
static_assert(offsetof(Slot, sp) == KYMO_SLOT_SP && offsetof(BlockHead, sp) == KYMO_SLOT_SP);
static_assert(offsetof(Slot, continuation) == KYMO_SLOT_CONTINUATION);
static_assert(offsetof(Slot, hook) == KYMO_SLOT_HOOK_AND_CHAIN && offsetof(Slot, chain) == offsetof(Slot, hook) + 4);
static_assert(kBlockBytes == KYMO_BLOCK_BYTES && kStubsBytes == KYMO_STUBS_BYTES);

namespace {

// As the trampoline lays it out: the integer arguments first, in the order of the calling convention.
struct EntryFrame {
    std::uint64_t arguments[cells::kMaxArguments];
    std::uint64_t r10;
    std::uint64_t rax;
    std::uint64_t r11;
    std::uint64_t target;
    std::uint64_t return_address;
};

void run_entry(const Thread& thread, const Hook& hook, const std::uint64_t* arguments) {
    if (hook.entry_steps != 0 && thread.task != nullptr) {
        cells::run(hook.entry, hook.entry + hook.entry_steps, *thread.task, {arguments, 0, runtime.data});
    }
}

// Of a function that is followed. Timers begin last and end first.
void run_entry(const Thread& thread, const Hook& hook, const std::uint64_t* arguments, const Slot& slot) {
    run_entry(thread, hook, arguments);
    if (hook.calls != 0 && thread.calls != nullptr) {
        thread.calls->begin(hook.calls - 1U, thread, slot);
    }
}

enum class Left : std::uint8_t { kNow, kBefore };  // kBefore: at an unknown earlier time

void run_exit(const Thread& thread, const Slot& slot, std::uint64_t result, Left left) {
    const Hook& hook = runtime.hooks[slot.hook];
    if (hook.calls != 0 && thread.calls != nullptr) {
        thread.calls->end(hook.calls - 1U, slot, left == Left::kBefore);
    }
    if (hook.exit_steps != 0 && thread.task != nullptr) {
        cells::run(hook.exit, hook.exit + hook.exit_steps, *thread.task, {nullptr, result, runtime.data});
    }
}

// Marks that the runtime is active in a thread: `level` is raised by one until the destructor.
class Inside {
  public:
    Inside(Thread& thread, std::uint64_t sp) : thread_(thread) {
        // Handlers that interrupted the runtime and never returned.
        while (thread.level != 0 && thread.on_own_stack(sp) && thread.inside[thread.level - 1] < sp &&
               thread.on_own_stack(thread.inside[thread.level - 1])) {
            --thread.level;
        }
        level_ = thread.level;
        if (level_ < kLevels) {
            thread.inside[level_] = sp;
            thread.level = level_ + 1;
            asm volatile("" ::: "memory");
        }
    }
    ~Inside() {
        asm volatile("" ::: "memory");
        thread_.level = level_;
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    bool has_lane() const { return level_ < kLevels; }
    Lane& lane() const { return thread_.lanes[level_]; }
    std::uint32_t level() const { return level_; }

  private:
    Thread& thread_;
    std::uint32_t level_;
};

// Whether the hooked function still returns to its stub; it does not once another frame has overwritten the place.
bool returns_to_stub(const Slot& slot) {
    return *reinterpret_cast<const std::uint64_t*>(slot.sp) == stub_of(&slot) + kReturnsAt;
}

// Removes free and dead slots from a lane's top. Slots at or below `limit` on the thread's own stack are dead.
__attribute__((noinline)) void settle(Thread& thread, Lane& lane, std::uint64_t limit, bool limit_on_own_stack) {
    while (lane.top != nullptr) {
        Slot* last = lane.top - 1;
        if (is_head(last)) {
            BlockHead* previous = head_of(last)->previous;
            if (previous == nullptr) {
                return;
            }
            lane.top = reinterpret_cast<Slot*>(previous) + kBlockSlots;
            continue;
        }
        if (last->sp == 0) {
            lane.top = last;
            continue;
        }
        if (!limit_on_own_stack || last->sp > limit || !thread.on_own_stack(last->sp)) {
            return;
        }
        last->sp = 0;
        lane.top = last;
        run_exit(thread, *last, 0, Left::kBefore);
    }
}

// A slot when the lane's block is full: one in it that was freed out of order, otherwise the next block's first.
// nullptr: no block is left.
__attribute__((noinline)) Slot* take_at_end(Lane& lane, std::uint32_t level) {
    BlockHead* full = lane.top == nullptr ? nullptr : head_of(lane.top - 1);
    if (full != nullptr) {
        for (Slot* slot = reinterpret_cast<Slot*>(full) + 1; slot < lane.top; ++slot) {
            if (slot->sp == 0) {
                return slot;
            }
        }
    }
    BlockHead* next = full == nullptr ? lane.first : full->next;
    if (next == nullptr) {
        next = take_block(level);
        if (next == nullptr) {
            return nullptr;
        }
        next->previous = full;
        if (full == nullptr) {
            next->sp = ~std::uint64_t{0};
            lane.first = next;
        } else {
            full->next = next;
        }
    }
    Slot* slot = reinterpret_cast<Slot*>(next) + 1;
    lane.top = slot + 1;
    return slot;
}

// On a stack other than the thread's: whether this is the thread at all.
__attribute__((noinline)) bool is_thread_itself(const Thread& thread) {
    return raw_system(SYS_gettid) == thread.tid;
}

// Frees a slot and the chained ones behind it, running their exits.
void leave_chain(Thread& thread, Slot* slot, std::uint64_t result) {
    for (;;) {
        const std::uint32_t chain = slot->chain;
        run_exit(thread, *slot, result, Left::kNow);
        slot->sp = 0;
        Lane& lane = thread.lanes[head_of(slot)->level];
        if (lane.top == slot + 1) {
            lane.top = slot;
        }
        if (chain == 0) {
            return;
        }
        slot = numbered_slot(Chain::slot(chain));
    }
}

void leave(Thread& thread, Slot* slot, std::uint64_t result) {
    const std::uint64_t sp = slot->sp;
    Lane& lane = thread.lanes[head_of(slot)->level];
    leave_chain(thread, slot, result);
    if (lane.top != nullptr && (lane.top - 1)->sp <= sp) [[unlikely]] {
        settle(thread, lane, sp, thread.on_own_stack(sp));
    }
}

}  // namespace

Thread* this_thread() {
    return current;
}

void begin_thread(Thread& thread, int tid, std::uint64_t stack_low, std::uint64_t stack_high,
                  const cells::Task* task) {
    thread = {};
    thread.tid = tid;
    thread.stack_low = stack_low;
    thread.stack_bytes = stack_high - stack_low;
    thread.task = task;
    current = &thread;
}

void continue_thread(Thread& thread, const Thread& before, const cells::Task* task) {
    thread = before;
    thread.task = task;
    current = &thread;
}

void abandon_thread() {
    current = nullptr;
}

void leave_skipped(std::uint64_t sp) {
    Thread* thread = current;
    if (thread == nullptr) {
        return;
    }
    const Inside inside(*thread, sp);
    if (!inside.has_lane()) {
        return;
    }
    Lane& lane = inside.lane();
    settle(*thread, lane, sp, thread->on_own_stack(sp));
    while (thread->on_own_stack(sp) && lane.top != nullptr && !is_head(lane.top - 1) &&
           thread->on_own_stack((lane.top - 1)->sp) && !returns_to_stub(*(lane.top - 1))) {
        settle(*thread, lane, (lane.top - 1)->sp, true);
    }
}

void end_thread(Thread& thread) {
    current = nullptr;
    const auto here = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
    for (Lane& lane : thread.lanes) {
        bool in_use = false;
        while (lane.top != nullptr) {  // innermost first
            Slot* last = lane.top - 1;
            if (is_head(last)) {
                BlockHead* previous = head_of(last)->previous;
                lane.top = previous == nullptr ? nullptr : reinterpret_cast<Slot*>(previous) + kBlockSlots;
                continue;
            }
            if (last->sp != 0) {
                // A frame above may still return through it: then its block cannot be reused.
                in_use = in_use || (last->sp > here && thread.on_own_stack(last->sp) && returns_to_stub(*last));
                run_exit(thread, *last, 0, Left::kBefore);
                last->sp = 0;
            }
            lane.top = last;
        }
        if (!in_use) {
            give_back_blocks(lane.first);
        }
        lane.first = nullptr;
    }
}

void after_fork(Thread* thread, int tid) {
    BlockHead* kept[kLevels] = {};
    if (thread != nullptr) {
        thread->tid = tid;
        for (unsigned i = 0; i < kLevels; ++i) {
            kept[i] = thread->lanes[i].first;
        }
    }
    keep_only(kept, kLevels);
}

}  // namespace kymo::hooks

using namespace kymo::hooks;

extern "C" {

__attribute__((visibility("hidden"))) void kymo_hooks_enter(EntryFrame* frame, std::uint32_t number) {
    const Hook& hook = runtime.hooks[number];
    if (hook.tells_images) [[unlikely]] {
        runtime.images_changed(number);  // which may set the address to continue at
        frame->target = hook.continuation;
        return;
    }
    frame->target = hook.continuation;
    Thread* thread = current;
    const std::uint64_t return_address = frame->return_address;
    if (thread == nullptr) {
        return;
    }
    const auto sp = reinterpret_cast<std::uint64_t>(&frame->return_address);
    const bool on_own_stack = thread->on_own_stack(sp);
    if (!on_own_stack && !is_thread_itself(*thread)) {
        return;
    }
    const Inside inside(*thread, sp);
    if (!inside.has_lane()) {
        ++thread->unfollowed;
        return;
    }
    const bool jumped = is_stub_return(return_address);
    Lane& lane = inside.lane();
    if (lane.top != nullptr && (lane.top - 1)->sp <= sp) [[unlikely]] {
        settle(*thread, lane, jumped ? sp - 1 : sp, on_own_stack);
    }
    if (hook.follows != Follows::kItself) {
        run_entry(*thread, hook, frame->arguments);
        return;
    }
    Slot* outer = jumped ? slot_of_stub(return_address) : nullptr;
    if (jumped && Chain::length(outer->chain) == Chain::kLongest) {
        // The innermost of a long chain is left here, and its slot passes to the function it jumps to.
        run_exit(*thread, *outer, 0, Left::kNow);
        outer->hook = number;
        outer->continuation = hook.continuation;
        frame->target = stub_of(outer);
        run_entry(*thread, hook, frame->arguments, *outer);
        return;
    }
    Slot* slot = lane.top;
    if ((reinterpret_cast<std::uint64_t>(slot) & (kBlockBytes - 1)) == 0) [[unlikely]] {
        slot = take_at_end(lane, inside.level());
        if (slot == nullptr) {
            ++thread->unfollowed;
            return;
        }
    } else {
        lane.top = slot + 1;
    }
    slot->return_before = jumped ? outer->return_before : return_address - 1;
    slot->continuation = hook.continuation;
    slot->hook = number;
    slot->chain = jumped ? Chain::make(number_of(outer), Chain::length(outer->chain) + 1) : 0;
    slot->sp = sp;
    frame->target = stub_of(slot);
    run_entry(*thread, hook, frame->arguments, *slot);
}

// Execution passes a place inside a function; `sp` is the function's stack pointer there.
__attribute__((visibility("hidden"))) void kymo_hooks_pass(std::uint32_t number, std::uint64_t sp) {
    Thread* thread = current;
    if (thread == nullptr) {
        return;
    }
    const bool on_own_stack = thread->on_own_stack(sp);
    if (!on_own_stack && !is_thread_itself(*thread)) {
        return;
    }
    const Inside inside(*thread, sp);
    if (!inside.has_lane()) {
        ++thread->unfollowed;
        return;
    }
    Lane& lane = inside.lane();
    if (lane.top != nullptr && (lane.top - 1)->sp < sp) [[unlikely]] {
        settle(*thread, lane, sp - 1, on_own_stack);
    }
    run_entry(*thread, runtime.hooks[number], nullptr);
}

__attribute__((visibility("hidden"))) void kymo_hooks_leave(Slot* slot, std::uint64_t result) {
    // A thread with a slot has a Thread until its end; its slots are then taken back, and no function returns
    // through them.
    Thread* thread = current;
    if (thread == nullptr) {
        return;
    }
    const Inside inside(*thread, slot->sp);
    leave(*thread, slot, result);
}

// The personality routine in the stubs' call-frame information. Unwinders keep the current address in their
// context, at an unknown place; no function of an unwinder is sure to be available (it may be linked into the
// program, or loaded late).
__attribute__((visibility("hidden"))) int kymo_hooks_personality(int /*version*/, int actions, std::uint64_t /*kind*/,
                                                                 void* /*exception*/, void* context) {
    constexpr int kCleanup = 2;             // _UA_CLEANUP_PHASE
    constexpr int kContinue = 8;            // _URC_CONTINUE_UNWIND
    constexpr unsigned kContextWords = 40;  // libgcc's context has 30, LLVM's cursor begins with its registers
    Thread* thread = current;
    if ((actions & kCleanup) == 0 || thread == nullptr) {
        return kContinue;
    }
    const auto* words = static_cast<const std::uint64_t*>(context);
    for (unsigned i = 0; i < kContextWords; ++i) {
        if (is_stub_return(words[i]) && slot_of_stub(words[i])->sp != 0) {
            const Inside inside(*thread, reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)));
            leave(*thread, slot_of_stub(words[i]), 0);
            break;
        }
    }
    return kContinue;
}

}  // extern "C"
