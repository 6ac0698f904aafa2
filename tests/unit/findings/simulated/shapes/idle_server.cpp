// Two threads answer the few requests that come.
#include "simulated/shape.h"

namespace kymo::findings::simulated::idle_server {
namespace {

void run(Machine& machine, bool) {
    Semaphore requests;
    machine.start(
        "client",
        [&](Thread& me) -> Program {
            while (true) {
                co_await me.sleep(15_ms);
                me.post(requests);
            }
        },
        false);
    machine.start("app", main_of(2, "server", [&](Thread& me, unsigned) -> Program {
                      const Frame in = me.in("serve");
                      for (int request = 0; request < 60; ++request) {
                          co_await me.receive(requests);
                          co_await call(me, "answer", 1_ms);
                      }
                  }));
    machine.run();
}

const Registered kShape({.name = "idle-server", .least_processors = 1, .is_sound = true, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::idle_server
