// A process is started for every small piece of work, and waited for. Fixed: the work is done where it is needed.
#include "simulated/shape.h"

namespace kymo::findings::simulated::process_churn {
namespace {

void run(Machine& machine, bool is_bad) {
    machine.start("app", [&](Thread& me) -> Program {
        const Frame in = me.in("main");
        for (int piece = 0; piece < 120; ++piece) {
            if (is_bad) {
                const Frame converting = me.in("convert_by_program");
                co_await me.kernel(machine.cause(300_us), 40);
                Thread& child = me.fork("app", [&machine](Thread& self) -> Program {
                    const Frame in_child = self.in("main");
                    co_await self.kernel(machine.cause(800_us), 120);
                    co_await call(self, "convert", 100_us);
                });
                co_await me.wait_child(child);
            } else {
                co_await call(me, "convert", 100_us);
            }
            co_await call(me, "render", 2_ms);
        }
    });
    machine.run();
}

const Registered kShape(
    {.name = "process-churn", .places = {"convert_by_program"}, .least_processors = 1, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::process_churn
