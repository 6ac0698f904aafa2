// At every second meeting one thread has twice the work of its peers. Fixed: all have the same.
#include "simulated/shape.h"

namespace kymo::findings::simulated::load_imbalance {
namespace {

void run(Machine& machine, bool is_bad) {
    const unsigned threads = threads_of(machine);
    Barrier barrier(threads);
    machine.start(
        "app", main_of(threads, "worker", [&](Thread& me, unsigned number) -> Program {
            const Frame in = me.in("solve");
            const std::int64_t even = 20_ms * (threads + 1) / threads;
            for (int round = 0; round < 20; ++round) {
                co_await call(me, "smooth", 12_ms);
                co_await me.arrive(barrier);
                co_await call(me, "relax", !is_bad ? even : number == 0 ? 20_ms + machine.cause(20_ms) : 20_ms);
                co_await me.arrive(barrier);
            }
        }));
    machine.run();
}

const Registered kShape({.name = "load-imbalance", .places = {"relax"}, .least_processors = 2, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::load_imbalance
