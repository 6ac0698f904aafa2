// Processes with a share of the work each, and a parent that waits for them.
#include "simulated/shape.h"

namespace kymo::findings::simulated::fork_workers {
namespace {

void run(Machine& machine, bool) {
    machine.start("app", [](Thread& me) -> Program {
        const Frame in = me.in("main");
        std::vector<Thread*> children;
        for (unsigned i = 0; i < me.machine().conditions().processors; ++i) {
            co_await me.kernel(200_us, 40);
            children.push_back(&me.fork("app", [](Thread& self) -> Program {
                const Frame working = self.in("work_on_share");
                for (int item = 0; item < 100; ++item) {
                    co_await call(self, "search", 5_ms);
                    co_await call(self, "score", 2_ms);
                }
            }));
        }
        for (Thread* child : children) {
            co_await me.wait_child(*child);
        }
    });
    machine.run();
}

const Registered kShape({.name = "fork-workers", .least_processors = 1, .is_sound = true, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::fork_workers
