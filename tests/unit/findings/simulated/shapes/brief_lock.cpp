// Threads share a lock that is held for a hundredth of their time.
#include "simulated/shape.h"

namespace kymo::findings::simulated::brief_lock {
namespace {

void run(Machine& machine, bool) {
    Lock lock;
    machine.start("app", main_of(machine.conditions().processors, "worker", [&](Thread& me, unsigned) -> Program {
                      const Frame in = me.in("solve");
                      for (int item = 0; item < 400; ++item) {
                          co_await call(me, "score", 2_ms);
                          co_await me.lock(lock);
                          co_await call(me, "merge", 20_us);
                          me.unlock(lock);
                      }
                  }));
    machine.run();
}

const Registered kShape({.name = "brief-lock", .least_processors = 1, .is_sound = true, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::brief_lock
