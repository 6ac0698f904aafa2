// Every tenth step a thread looks through all that it ever made. Fixed: through what is new.
#include "simulated/shape.h"

namespace kymo::findings::simulated::periodic_pause {
namespace {

void run(Machine& machine, bool is_bad) {
    const unsigned threads = threads_of(machine);
    Barrier barrier(threads);
    machine.start("app", main_of(threads, "worker", [&](Thread& me, unsigned) -> Program {
                      const Frame in = me.in("step");
                      for (int step = 0; step < 80; ++step) {
                          co_await call(me, "mutate", 12_ms);
                          if (step % 10 == 9) {
                              const Frame collecting = me.in("collect");
                              co_await call(me, "sweep", is_bad ? machine.cause(90_ms) : 1_ms);
                          }
                          co_await me.arrive(barrier);
                      }
                  }));
    machine.run();
}

const Registered kShape(
    {.name = "periodic-pause", .places = {"sweep", "collect"}, .least_processors = 1, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::periodic_pause
