// The middle one of three stages has five times the work of the others, which wait for it. Fixed: two threads do it,
// in half the time.
#include "simulated/shape.h"

namespace kymo::findings::simulated::pipeline_stage {
namespace {

constexpr int kTiles = 240;

struct Queue {
    Semaphore places{{}, 4, {}};
    Semaphore tiles;
};

Program put(Thread& me, Queue& queue) {
    const Frame in = me.in("put");
    co_await me.wait(queue.places);
    me.post(queue.tiles);
}
Program take(Thread& me, Queue& queue) {
    const Frame in = me.in("take");
    co_await me.wait(queue.tiles);
    me.post(queue.places);
}

void run(Machine& machine, bool is_bad) {
    Queue decoded;
    Queue filtered;
    const int filters = is_bad ? 1 : 2;
    machine.start("app", [&](Thread& me) -> Program {
        const Frame in = me.in("main");
        std::vector<Thread*> threads;
        threads.push_back(&me.start("reader-0", [&](Thread& self) -> Program {
            const Frame reading = self.in("read_tiles");
            for (int tile = 0; tile < kTiles; ++tile) {
                co_await call(self, "decode", 1'200_us);
                co_await put(self, decoded);
            }
        }));
        for (int i = 0; i < filters; ++i) {
            threads.push_back(&me.start("filter-" + std::to_string(i), [&, filters, is_bad](Thread& self) -> Program {
                const Frame filtering = self.in("filter_tiles");
                for (int tile = 0; tile < kTiles / filters; ++tile) {
                    co_await take(self, decoded);
                    co_await call(self, "filter", is_bad ? machine.cause(6'000_us) : 2'400_us);
                    co_await put(self, filtered);
                }
            }));
        }
        threads.push_back(&me.start("writer-0", [&](Thread& self) -> Program {
            const Frame writing = self.in("write_tiles");
            for (int tile = 0; tile < kTiles; ++tile) {
                co_await take(self, filtered);
                co_await call(self, "store", 1'200_us);
            }
        }));
        for (Thread* thread : threads) {
            co_await me.join(*thread);
        }
    });
    machine.run();
}

const Registered kShape({.name = "pipeline-stage", .places = {"filter"}, .least_processors = 2, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::pipeline_stage
