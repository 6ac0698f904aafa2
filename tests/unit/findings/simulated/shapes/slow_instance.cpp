// A few requests, at no regular distance, take far longer, and nothing that is recorded says why. Fixed: all take as
// long.
#include "simulated/shape.h"

namespace kymo::findings::simulated::slow_instance {
namespace {

void run(Machine& machine, bool is_bad) {
    machine.start("app", main_of(2, "server", [&](Thread& me, unsigned number) -> Program {
                      const Frame in = me.in("serve");
                      for (int request = 0; request < 60; ++request) {
                          bool is_late = false;
                          for (const int late : {7, 13, 31, 36, 44, 52}) {
                              is_late = is_late || late == (number == 0 ? request : 59 - request);
                          }
                          co_await call(me, "handle", is_bad && is_late ? 16_ms + machine.cause(200_ms) : 16_ms);
                          co_await call(me, "log", 10_ms);
                      }
                  }));
    machine.run();
}

const Registered kShape({.name = "slow-instance", .places = {"handle"}, .least_processors = 1, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::slow_instance
