// Between two parallel steps one thread works and the others wait for it. Fixed: that work is shared, too.
#include "simulated/shape.h"

namespace kymo::findings::simulated::serial_section {
namespace {

void run(Machine& machine, bool is_bad) {
    const unsigned threads = threads_of(machine);
    Barrier barrier(threads);
    machine.start("app", main_of(threads, "worker", [&](Thread& me, unsigned number) -> Program {
                      const Frame in = me.in("solve");
                      for (int round = 0; round < 25; ++round) {
                          co_await call(me, "update", 12_ms);
                          co_await me.arrive(barrier);
                          if (!is_bad) {
                              co_await call(me, "renumber", machine.cause(16_ms) / threads);
                          } else if (number == 0) {
                              co_await call(me, "renumber", machine.cause(16_ms));
                          }
                          co_await me.arrive(barrier);
                      }
                  }));
    machine.run();
}

const Registered kShape({.name = "serial-section", .places = {"renumber"}, .least_processors = 2, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::serial_section
