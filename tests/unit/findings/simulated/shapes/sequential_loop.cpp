// One thread repeats three functions.
#include "simulated/shape.h"

namespace kymo::findings::simulated::sequential_loop {
namespace {

void run(Machine& machine, bool) {
    machine.start("app", [](Thread& me) -> Program {
        const Frame in = me.in("main");
        for (int round = 0; round < 30; ++round) {
            co_await call(me, "parse", 12_ms);
            co_await call(me, "transform", 18_ms);
            co_await call(me, "emit", 10_ms);
        }
    });
    machine.run();
}

const Registered kShape({.name = "sequential-loop", .least_processors = 1, .is_sound = true, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::sequential_loop
