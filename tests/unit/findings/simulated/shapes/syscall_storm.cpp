// Results are written with a system call each. Fixed: they are collected.
#include "simulated/shape.h"

namespace kymo::findings::simulated::syscall_storm {
namespace {

void run(Machine& machine, bool is_bad) {
    machine.start("app", main_of(threads_of(machine), "worker", [&](Thread& me, unsigned) -> Program {
                      const Frame in = me.in("step");
                      for (int step = 0; step < 120; ++step) {
                          co_await call(me, "compute", 4_ms);
                          const Frame storing = me.in("store");
                          for (int part = 0; part < 16; ++part) {
                              co_await me.work(60_us);
                              if (is_bad) {
                                  co_await me.calls(recording::WaitKind::kWrite, machine.cause(500U), 350);
                              }
                          }
                          co_await me.calls(recording::WaitKind::kWrite, 1, 5'000);
                      }
                  }));
    machine.run();
}

const Registered kShape({.name = "syscall-storm", .places = {"store", "step"}, .least_processors = 1, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::syscall_storm
