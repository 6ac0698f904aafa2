// A thread wakes ten times a second and writes down how far the others are.
#include "simulated/shape.h"

namespace kymo::findings::simulated::timer_thread {
namespace {

void run(Machine& machine, bool) {
    bool is_over = false;
    machine.start("app", [&](Thread& me) -> Program {
        const Frame in = me.in("main");
        Thread& timer = me.start("timer", [&](Thread& self) -> Program {
            const Frame telling = self.in("tell_progress");
            while (!is_over) {
                co_await self.sleep(100_ms);
                co_await call(self, "format", 200_us);
            }
        });
        for (int round = 0; round < 120; ++round) {
            co_await call(me, "flux", 5_ms);
            co_await call(me, "update", 2_ms);
        }
        is_over = true;
        co_await me.join(timer);
    });
    machine.run();
}

const Registered kShape({.name = "timer-thread", .least_processors = 1, .is_sound = true, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::timer_thread
