// The first of many steps fills a large table. Fixed: the values are computed where they are needed.
#include "simulated/shape.h"

namespace kymo::findings::simulated::cold_start {
namespace {

void run(Machine& machine, bool is_bad) {
    machine.start("app", [&](Thread& me) -> Program {
        const Frame in = me.in("main");
        Thread& helper = me.start("helper", [](Thread& self) -> Program {
            const Frame helping = self.in("help");
            for (int step = 0; step < 40; ++step) {
                co_await call(self, "integrate", 12_ms);
            }
        });
        for (int step = 0; step < 40; ++step) {
            {
                const Frame interpolating = me.in("interpolate");
                if (is_bad && step == 0) {
                    const Frame filling = me.in("fill_table");
                    for (int part = 0; part < machine.cause(100); ++part) {
                        co_await me.work(3_ms);
                        co_await me.kernel(500_us, 1000);
                    }
                }
                co_await me.work(12_ms);
            }
            co_await call(me, "integrate", 12_ms);
        }
        co_await me.join(helper);
    });
    machine.run();
}

const Registered kShape(
    {.name = "cold-start", .places = {"fill_table", "interpolate"}, .least_processors = 1, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::cold_start
