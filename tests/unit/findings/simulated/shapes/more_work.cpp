// A few cells hold many times as much, and take as much longer. Fixed: all hold as much as most do.
#include "simulated/shape.h"

namespace kymo::findings::simulated::more_work {
namespace {

void run(Machine& machine, bool is_bad) {
    machine.start("app", main_of(2, "worker", [&](Thread& me, unsigned) -> Program {
                      const Frame in = me.in("step");
                      for (int cell = 0; cell < 60; ++cell) {
                          const bool is_crowded = is_bad && cell % 15 == 11;
                          co_await call(me, "move", is_crowded ? 15_ms + machine.cause(135_ms) : 15_ms);
                          co_await call(me, "deposit", 10_ms);
                      }
                  }));
    machine.run();
}

const Registered kShape(
    {.name = "more-work", .places = {"move"}, .least_processors = 1, .counts_instructions = true, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::more_work
