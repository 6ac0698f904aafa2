// A thread fills memory that it keeps.
#include "simulated/shape.h"

namespace kymo::findings::simulated::growing_memory {
namespace {

void run(Machine& machine, bool) {
    machine.start("app", [](Thread& me) -> Program {
        const Frame in = me.in("load");
        for (int part = 0; part < 40; ++part) {
            co_await me.map(std::uint64_t{1} << 20U);
            {
                const Frame filling = me.in("insert");
                for (int i = 0; i < 4; ++i) {
                    co_await me.work(4_ms);
                    co_await me.kernel(25_us, 64);
                }
            }
            co_await call(me, "parse", 14_ms);
        }
    });
    machine.run();
}

const Registered kShape({.name = "growing-memory", .least_processors = 1, .is_sound = true, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::growing_memory
