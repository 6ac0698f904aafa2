// Hooks in this very program: planned from its own file, put in once, counting in cells of an array a thread.
#pragma once

#include "cells/primitives.h"
#include "hooks/guest/apply.h"
#include "hooks/guest/thread.h"
#include "hooks/plan/planner.h"

#include <array>
#include <string>

namespace kymo::hooks::testing {

inline constexpr const char* kPluginPath = KYMO_HOOKS_PLUGIN;

// The functions of hooked.h that are hooked, by their source names.
enum Function : std::uint32_t {
    kPlain,
    kManyArguments,
    kReturnsPair,
    kReturnsBig,
    kLongDouble,
    kVariadic,
    kRecursive,
    kCalls,
    kCallsInner,
    kTailOuter,
    kTailInner,
    kTailLoop,
    kTailLoopOther,
    kJumps,
    kWithGlobal,
    kConditionFirst,
    kTiny,
    kBaseVirtual,
    kDerivedVirtual,
    kImported,
    kPlugin,
    kPatchable,
    kFoo,
    kBar,
    kSend,
    kEntryOnly,
    kFunctions
};

// The calling thread's cells, and its stay among the hooked ones.
class HookedThread {
  public:
    HookedThread();
    ~HookedThread();
    HookedThread(const HookedThread&) = delete;
    HookedThread& operator=(const HookedThread&) = delete;

    std::uint64_t entries(Function function) const { return cells_[32 + 2 * function]; }
    std::uint64_t exits(Function function) const { return cells_[33 + 2 * function]; }
    std::uint64_t argument() const { return cells_[100]; }  // the sum of kPlain's second ones
    std::uint64_t result() const { return cells_[101]; }    // of kPlain's
    std::uint64_t lines() const { return cells_[kLine]; }   // comings to hooked_line
    std::uint64_t send_in_foo_ns() const { return cells_[kSendInFoo]; }
    Thread& hooks() { return thread_; }

    static constexpr std::uint32_t kInFoo = 102;
    static constexpr std::uint32_t kSendInFoo = 103;
    static constexpr std::uint32_t kLine = 104;
    static constexpr std::uint32_t kNothing = 105;
    static constexpr std::uint32_t kTimer = 20;

  private:
    Thread thread_;
    cells::TickRate rate_;
    alignas(64) std::array<std::uint64_t, cells::kTaskCells> cells_{};
    alignas(64) std::array<cells::Timer, cells::kTaskTimers> timers_{};
    std::array<std::uint32_t, cells::kTaskTimers> bindings_{};
    cells::Task task_;
};

// The hooks of this process, applied by the first call.
Hooks& hooked();
const Planned& planned();

}  // namespace kymo::hooks::testing
