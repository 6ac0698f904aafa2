// The hooks of the process, by number: what the runtime does at each (thread.h), and where its code lies (areas.h).
//
// Number 0 is none; then come the plan's entries, in its order; then those that were added since. A hook is written
// before its code can be reached, by one thread at a time; switch_off() apart. All memory comes from the kernel.
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

    // With the plan's entries, and room for so many more. The plan's bytes stay. False: no memory.
    bool make(const Plan& plan, std::uint32_t more);
    // Its number; 0: there is no more room. `point`: what is to be done; null: nothing.
    std::uint32_t add(const PlanPoint* point, std::uint64_t continuation);
    // Code for all that can still be added: written once, since later other threads run in it.
    Problem make_code_of_others(Areas& areas);

    Hook& hook(std::uint32_t number) { return hooks_[number]; }
    HookCode& code(std::uint32_t number) { return codes_[number]; }
    std::uint32_t size() const { return count_; }  // the number of the next
    std::uint32_t room() const { return room_; }
    std::uint32_t functions() const { return functions_; }  // of which occurrences are wanted

    // Leaves out what would change cells whose bits are set, and starts of timers that are bound to them; does again
    // what is no longer set. By one thread at a time, also in a handler: others run the steps meanwhile.
    void switch_off(const std::uint64_t (&cells)[2], const std::uint32_t (&bindings)[cells::kTaskTimers]);

  private:
    Plan plan_;
    Hook* hooks_ = nullptr;
    HookCode* codes_ = nullptr;  // as hooks_
    std::uint32_t count_ = 0;
    bool any_exits_ = false;  // of the plan: there is something to do at some exit
    std::uint32_t room_ = 0;
    std::uint32_t functions_ = 0;
};

}  // namespace kymo::hooks
