// Threads add what they computed to one table, under one lock, for longer than they compute. Fixed: each has a table
// of its own.
#include "simulated/shape.h"

namespace kymo::findings::simulated::lock_contention {
namespace {

void run(Machine& machine, bool is_bad) {
    const unsigned threads = threads_of(machine);
    std::vector<Lock> locks(threads);
    machine.start("app", main_of(threads, "worker", [&](Thread& me, unsigned number) -> Program {
                      const Frame in = me.in("solve");
                      Lock& lock = locks[is_bad ? 0 : number];
                      for (int item = 0; item < 2000; ++item) {
                          co_await call(me, "score", 60_us);
                          const Frame adding = me.in("add");
                          co_await me.lock(lock);
                          co_await call(me, "merge", machine.cause(120_us));
                          me.unlock(lock);
                      }
                  }));
    machine.run();
}

const Registered kShape({.name = "lock-contention", .places = {"add", "merge"}, .least_processors = 2, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::lock_contention
