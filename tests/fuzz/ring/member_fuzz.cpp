// Any bytes as a frame that comes to an agent and to a manager that waits for its tokens: what they send on is good.
#include "ring/members/agent.h"
#include "ring/members/manager.h"

#include <cstdlib>

namespace {

using namespace kymo::ring;

constexpr JobSettings kJob{0x1122334455667788, 1'000'000, 4};

void check(const Outbox& out) {
    for (const Outgoing& each : out) {
        Token token;
        Prefix prefix{};
        Heartbeat heartbeat{};
        Order order;
        DetailQuery query;
        Rows rows;
        const bool good = Token::open(each.frame, token) == Refusal::kNone ||
                          open_heartbeat(each.frame, prefix, heartbeat) == Refusal::kNone ||
                          open_order(each.frame, prefix, order) == Refusal::kNone ||
                          open_detail_query(each.frame, prefix, query) == Refusal::kNone ||
                          open_rows(each.frame, prefix, rows) == Refusal::kNone;
        if (!good || (each.to != kManager && each.to >= kMaxSlots)) {
            std::abort();
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    for (const Slot slot : {0U, 2U, 3U}) {
        Agent agent(
            {kJob, slot, 1, 8, 4},
            [](auto /*entries*/, std::span<Record> records) {
                for (Record& record : records) {
                    record.add(7);
                }
            },
            0, Agent::Obey{},
            [](std::span<const AskedTable> tables) {
                Rows rows;
                for (const AskedTable& asked : tables) {
                    rows.tables.push_back({asked.head, {}});
                    rows.tables.back().head.rows = 0;
                }
                return rows;
            });
        Outbox out;
        for (Time now = 1; now < 4'000'000; now += 700'000) {
            agent.on_frame(Bytes(data, data + size), now, out);
            agent.on_timer(now + 1, out);
        }
        check(out);
    }
    ManagerSettings settings;
    settings.job = kJob;
    settings.epoch = 3;
    settings.slots = 4;
    settings.period = 100'000;
    Manager manager(settings, {{1, 2, 0, 1, kEvery}}, 0);
    manager.order({{1, 0, 0, 7, 1'000'000'000, 0, 0}}, 0);
    // As in the example of rows, from the fifth query on.
    for (int i = 0; i < 5; ++i) {
        manager.query(3, {{{1, 0, 2, 1, 4242, 3, 0}, {1, 2}}}, 0);
    }
    Outbox out;
    for (Time now = 1; now < 4'000'000; now += 90'000) {
        manager.on_timer(now, out);
        manager.on_frame(Bytes(data, data + size), now + 1, out);
        for (const Sample& sample : manager.take_samples()) {
            if (sample.coverage.contributed > sample.coverage.slots || sample.coverage.slots != 4) {
                std::abort();
            }
        }
    }
    check(out);
    if (const Rows* const rows = manager.queries().rows(); rows != nullptr && rows->tables[0].rows.size() > 1) {
        std::abort();
    }
    for (const Switch& each : manager.orders().state()) {
        if (manager.orders().answered() > 4 || each.obeyed > each.programs) {
            std::abort();
        }
    }
    return 0;
}
