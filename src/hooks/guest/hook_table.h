// The hooks of the process, by number: the runtime's work at each (thread.h), and the place of its code (areas.h).
//
// Number 0 is unused; then come the plan's entries, in order; then those added since. A hook is written before its
// code can be reached, by one thread at a time; switch_off() is the exception. All memory comes from the kernel.
#pragma once

#include "hooks/guest/areas.h"
#include "hooks/guest/problem.h"
#include "hooks/guest/thread.h"
#include "hooks/plan_file.h"

#include <cstdint>

namespace kymo::hooks {

class HookTable {
  public:
    constexpr HookTable() = default;
    HookTable(const HookTable&) = delete;
    HookTable& operator=(const HookTable&) = delete;

    // With the plan's entries, and room for `more`. The plan's bytes stay. False: no memory.
    bool make(const Plan& plan, std::uint32_t more);
    // Returns its number; 0: no room left. `point`: its steps; null: none.
    std::uint32_t add(const PlanPoint* point, std::uint64_t continuation);
    // Code for all hooks that can still be added: written now, because other threads run in it later.
    Problem make_code_of_others(Areas& areas);

    Hook& hook(std::uint32_t number) { return hooks_[number]; }
    HookCode& code(std::uint32_t number) { return codes_[number]; }
    std::uint32_t size() const { return count_; }  // the number of the next
    std::uint32_t room() const { return room_; }
    std::uint32_t functions() const { return functions_; }  // whose occurrences are to be recorded

    // Disables steps that change cells whose bits are set, and starts of timers bound to them; enables again those
    // no longer set. By one thread at a time, also in a handler: other threads run the steps meanwhile.
    void switch_off(const std::uint64_t (&cells)[2], const std::uint32_t (&bindings)[cells::kTaskTimers]);

  private:
    Plan plan_;
    Hook* hooks_ = nullptr;
    HookCode* codes_ = nullptr;  // as hooks_
    std::uint32_t count_ = 0;
    bool any_exits_ = false;  // some exit in the plan has steps
    std::uint32_t room_ = 0;
    std::uint32_t functions_ = 0;
};

}  // namespace kymo::hooks
