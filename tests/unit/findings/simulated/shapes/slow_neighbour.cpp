// Code is slow behind one function, which leaves its data in no order, and fast behind another. Fixed: behind both it
// is fast.
#include "simulated/shape.h"

namespace kymo::findings::simulated::slow_neighbour {
namespace {

void run(Machine& machine, bool is_bad) {
    machine.start("app", main_of(2, "worker", [&](Thread& me, unsigned) -> Program {
                      const Frame in = me.in("step");
                      for (int step = 0; step < 20; ++step) {
                          co_await call(me, "shuffle", 10_ms);
                          co_await call(me, "select", is_bad ? 14_ms + machine.cause(22_ms) : 14_ms);
                          co_await call(me, "report", 14_ms);
                          co_await call(me, "arrange", 10_ms);
                          co_await call(me, "select", 14_ms);
                          co_await call(me, "report", 14_ms);
                      }
                  }));
    machine.run();
}

const Registered kShape(
    {.name = "slow-neighbour", .places = {"select", "shuffle"}, .least_processors = 1, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::slow_neighbour
