// Two threads are held to one processor while others have nothing to do. Fixed: each has its own.
#include "simulated/shape.h"

namespace kymo::findings::simulated::thread_migration {
namespace {

void run(Machine& machine, bool is_bad) {
    machine.start("app", [&](Thread& me) -> Program {
        const Frame in = me.in("main");
        const Code work = [](Thread& self) -> Program {
            const Frame in_work = self.in("step");
            for (int step = 0; step < 40; ++step) {
                co_await call(self, "solve", 16_ms);
                co_await call(self, "prepare", 8_ms);
            }
        };
        Thread& first = me.start("worker-0", work, 0);
        Thread& second = me.start("worker-1", work, is_bad ? 0 : 1);
        co_await me.join(first);
        co_await me.join(second);
    });
    machine.run();
}

const Registered kShape({.name = "thread-migration", .places = {"solve", "step"}, .least_processors = 2, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::thread_migration
