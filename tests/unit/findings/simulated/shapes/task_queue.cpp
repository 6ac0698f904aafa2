// Threads take tasks of unequal length as they become free.
#include "simulated/shape.h"

namespace kymo::findings::simulated::task_queue {
namespace {

void run(Machine& machine, bool) {
    int next = 0;
    Lock lock;
    machine.start("app", main_of(machine.conditions().processors, "worker", [&](Thread& me, unsigned) -> Program {
                      const Frame in = me.in("take_tasks");
                      while (true) {
                          co_await me.lock(lock);
                          const int task = next++;
                          me.unlock(lock);
                          if (task >= 400) {
                              break;
                          }
                          co_await call(me, "render", 1_ms + task * 7919 % 13 * 500_us);
                      }
                  }));
    machine.run();
}

const Registered kShape({.name = "task-queue", .least_processors = 1, .is_sound = true, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::task_queue
