// After every step a thread gives its memory back, and takes a page fault a page in the next. Fixed: it keeps it.
#include "simulated/shape.h"

namespace kymo::findings::simulated::page_faults {
namespace {

void run(Machine& machine, bool is_bad) {
    machine.start("app", main_of(threads_of(machine), "worker", [&](Thread& me, unsigned) -> Program {
                      const Frame in = me.in("step");
                      co_await me.map(std::uint64_t{32} << 20U);
                      for (int step = 0; step < 30; ++step) {
                          {
                              const Frame writing = me.in("scatter");
                              for (int part = 0; part < 8; ++part) {
                                  co_await me.work(1500_us);
                                  if (is_bad || step == 0) {
                                      co_await me.kernel(machine.cause(1000_us), machine.cause(1024U));
                                  }
                              }
                          }
                          co_await call(me, "gather", 16_ms);
                      }
                  }));
    machine.run();
}

const Registered kShape({.name = "page-faults", .places = {"scatter", "step"}, .least_processors = 1, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::page_faults
