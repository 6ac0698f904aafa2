// Two stages with equal work hand over tiles.
#include "simulated/shape.h"

namespace kymo::findings::simulated::balanced_pipeline {
namespace {

void run(Machine& machine, bool) {
    Semaphore places{{}, 8, {}};
    Semaphore tiles;
    machine.start("app", [&](Thread& me) -> Program {
        const Frame in = me.in("main");
        Thread& reader = me.start("reader", [&](Thread& self) -> Program {
            const Frame reading = self.in("read_tiles");
            for (int tile = 0; tile < 200; ++tile) {
                co_await call(self, "decode", 4_ms);
                co_await self.wait(places);
                self.post(tiles);
            }
        });
        Thread& writer = me.start("writer", [&](Thread& self) -> Program {
            const Frame writing = self.in("write_tiles");
            for (int tile = 0; tile < 200; ++tile) {
                co_await self.wait(tiles);
                self.post(places);
                co_await call(self, "store", 4_ms);
            }
        });
        co_await me.join(reader);
        co_await me.join(writer);
    });
    machine.run();
}

const Registered kShape({.name = "balanced-pipeline", .least_processors = 1, .is_sound = true, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::balanced_pipeline
