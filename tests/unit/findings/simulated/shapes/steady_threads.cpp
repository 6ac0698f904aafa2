// Threads with equal work meet after every step.
#include "simulated/shape.h"

namespace kymo::findings::simulated::steady_threads {
namespace {

void run(Machine& machine, bool) {
    const unsigned threads = machine.conditions().processors;
    Barrier barrier(threads);
    machine.start("app", main_of(threads, "worker", [&](Thread& me, unsigned) -> Program {
                      const Frame in = me.in("solve");
                      for (int step = 0; step < 40; ++step) {
                          co_await call(me, "flux", 14_ms);
                          co_await call(me, "update", 12_ms);
                          co_await me.arrive(barrier);
                      }
                  }));
    machine.run();
}

const Registered kShape({.name = "steady-threads", .least_processors = 1, .is_sound = true, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::steady_threads
