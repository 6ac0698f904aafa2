// Threads many times the processors meet after steps so short that most of the time is spent switching. Fixed: as
// many as processors.
#include "simulated/shape.h"

namespace kymo::findings::simulated::oversubscription {
namespace {

void run(Machine& machine, bool is_bad) {
    const unsigned processors = machine.conditions().processors;
    const unsigned threads = is_bad ? machine.cause(10U) * processors : std::max(2U, processors);
    Barrier barrier(threads);
    machine.start("app", main_of(threads, "worker", [&](Thread& me, unsigned) -> Program {
                      const Frame in = me.in("solve");
                      co_await call(me, "prepare", 200_ms / threads);
                      for (int step = 0; step < 800; ++step) {
                          co_await call(me, "advance", 100_us * processors / threads);
                          co_await me.arrive(barrier);
                      }
                  }));
    machine.run();
}

const Registered kShape(
    {.name = "oversubscription", .places = {"solve", "advance"}, .least_processors = 2, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::oversubscription
