// Other programs keep all processors busy. Fixed: none do.
#include "simulated/shape.h"

namespace kymo::findings::simulated::outside_interference {
namespace {

void run(Machine& machine, bool is_bad) {
    for (unsigned i = 0; is_bad && i < machine.conditions().processors; ++i) {
        machine.start(
            "other",
            [](Thread& me) -> Program {
                while (true) {
                    co_await me.work(10_ms);
                }
            },
            false);
    }
    machine.start(
        "app", main_of(std::min(2U, machine.conditions().processors), "worker", [](Thread& me, unsigned) -> Program {
            const Frame in = me.in("step");
            for (int step = 0; step < 160; ++step) {
                co_await call(me, "step_cells", 4_ms);
                co_await call(me, "exchange", 1_ms);
            }
        }));
    machine.run();
}

const Registered kShape({.name = "outside-interference", .places = {}, .least_processors = 1, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::outside_interference
