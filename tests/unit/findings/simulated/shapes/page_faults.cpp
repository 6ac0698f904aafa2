// After every step a thread gives its memory back, and takes a page fault a page in the next. Fixed: it keeps it.
#include "simulated/shape.h"

namespace kymo::findings::simulated::page_faults {
namespace {

void run(Machine& machine, bool is_bad) {
    machine.start("app", main_of(threads_of(machine), "worker", [&](Thread& me, unsigned) -> Program {
                      const Frame in = me.in("step");
                      for (int step = 0; step < 120; ++step) {
                          {
                              const Frame writing = me.in("scatter");
                              for (int part = 0; part < 8; ++part) {
                                  co_await me.work(250_us);
                                  if (is_bad || step == 0) {
                                      co_await me.kernel(200_us, 256);
                                  }
                              }
                          }
                          co_await call(me, "gather", 4_ms);
                      }
                  }));
    machine.run();
}

const Registered kShape({.name = "page-faults", .places = {"scatter", "step"}, .least_processors = 1, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::page_faults
