// Every step maps its arrays anew, and unmaps them at its end. Fixed: they are made once.
#include "simulated/shape.h"

namespace kymo::findings::simulated::allocation_churn {
namespace {

void run(Machine& machine, bool is_bad) {
    machine.start("app", main_of(threads_of(machine), "worker", [&](Thread& me, unsigned) -> Program {
                      const Frame in = me.in("step");
                      for (int step = 0; step < 30; ++step) {
                          {
                              const Frame evaluating = me.in("evaluate");
                              if (is_bad || step == 0) {
                                  co_await me.map(std::uint64_t{20} << 20U);
                              }
                              for (int part = 0; part < 8; ++part) {
                                  co_await me.work(1000_us);
                                  if (is_bad || step == 0) {
                                      co_await me.kernel(machine.cause(800_us), machine.cause(640U));
                                  }
                              }
                          }
                          co_await call(me, "limit", 14_ms);
                          if (is_bad) {
                              me.unmap(std::uint64_t{20} << 20U);
                          }
                      }
                  }));
    machine.run();
}

const Registered kShape({.name = "allocation-churn", .places = {"evaluate"}, .least_processors = 1, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::allocation_churn
