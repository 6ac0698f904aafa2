// A thread is started for every small piece of work. Fixed: two live for the whole run.
#include "simulated/shape.h"

namespace kymo::findings::simulated::thread_churn {
namespace {

constexpr int kPieces = 1'200;

void run(Machine& machine, bool is_bad) {
    machine.start("app", [&](Thread& me) -> Program {
        const Frame in = me.in("render_all");
        for (int piece = 0; is_bad && piece < kPieces; piece += 2) {
            const Code render = [](Thread& self) -> Program { return call(self, "render", 60_us); };
            co_await me.kernel(machine.cause(25_us), 3);
            Thread& first = me.start("app", render);
            co_await me.kernel(machine.cause(25_us), 3);
            Thread& second = me.start("app", render);
            co_await me.join(first);
            co_await me.join(second);
        }
        if (!is_bad) {
            const Code render = [](Thread& self) -> Program {
                for (int piece = 0; piece < kPieces; piece += 2) {
                    co_await call(self, "render", 60_us);
                }
            };
            Thread& first = me.start("app", render);
            Thread& second = me.start("app", render);
            co_await me.join(first);
            co_await me.join(second);
        }
    });
    machine.run();
}

const Registered kShape({.name = "thread-churn", .places = {"render_all"}, .least_processors = 1, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::thread_churn
