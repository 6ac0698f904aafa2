// A thread reads the next block while the others work on this one: nobody waits for it.
#include "simulated/shape.h"

namespace kymo::findings::simulated::read_ahead {
namespace {

void run(Machine& machine, bool) {
    Semaphore places{{}, 4, {}};
    Semaphore blocks;
    machine.start("app", [&](Thread& me) -> Program {
        const Frame in = me.in("main");
        Thread& reader = me.start("reader", [&](Thread& self) -> Program {
            const Frame reading = self.in("read_ahead");
            for (int block = 0; block < 80; ++block) {
                co_await self.wait(places);
                co_await self.disk(3_ms);
                co_await self.kernel(200_us);
                self.post(blocks);
            }
        });
        for (int block = 0; block < 80; ++block) {
            co_await me.wait(blocks);
            me.post(places);
            co_await call(me, "digest", 20_ms);
        }
        co_await me.join(reader);
    });
    machine.run();
}

const Registered kShape({.name = "read-ahead", .least_processors = 1, .is_sound = true, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::read_ahead
