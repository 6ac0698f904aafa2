// A thread asks another machine for one record at a time and waits for each reply. Fixed: it asks for the next ten
// before it works on these.
#include "simulated/shape.h"

namespace kymo::findings::simulated::io_wait {
namespace {

Program receive(Thread& me, Semaphore& replies) {
    const Frame in = me.in("receive");
    co_await me.receive(replies);
}

void run(Machine& machine, bool is_bad) {
    constexpr int kRecords = 300;
    constexpr int kAhead = 10;
    Semaphore replies;
    machine.start("app", [&](Thread& me) -> Program {
        const Frame in = me.in("fetch");
        for (int record = 0; !is_bad && record < kAhead; ++record) {
            me.ask(replies, machine.cause(3_ms));
        }
        for (int record = 0; record < kRecords; ++record) {
            if (is_bad || record + kAhead < kRecords) {
                me.ask(replies, machine.cause(3_ms));
            }
            co_await receive(me, replies);
            co_await call(me, "digest", 2_ms);
        }
    });
    machine.run();
}

const Registered kShape({.name = "io-wait", .places = {"receive", "fetch"}, .least_processors = 1, .run = run});

}  // namespace
}  // namespace kymo::findings::simulated::io_wait
