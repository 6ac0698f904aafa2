// Any bytes as a frame: refused, or what is read adds up, and stays so when the token is filled to its end.
#include "ring/protocol/detail_query.h"
#include "ring/protocol/metric_query.h"
#include "ring/protocol/order.h"
#include "ring/protocol/token.h"

#include <cstdlib>

namespace {

using namespace kymo::ring;

void demand(bool holds) {
    if (!holds) {
        std::abort();
    }
}

void fill(Token token) {
    const std::vector<Entry> entries = token.entries();
    demand(entries.size() <= kMaxEntries);
    const Slot end = token.header().end;
    const std::uint32_t left = end - token.header().next;
    if (left > 0 && token.header().contributed < UINT32_MAX && left < 4096) {
        token.skip_to(token.header().next + left / 2);
        if (token.header().next < end) {
            Part part{};
            part.state = PartState::kOnTime;
            part.slot = token.header().next;
            token.contribute(part, token.header().earliest, std::vector<Record>(entries.size()));
        }
        token.skip_to(end);
    }
    const std::size_t due = token.bytes();
    if (due > kMaxFrameBytes) {
        return;
    }
    Token again;
    demand(Token::open(token.send(), again) == Refusal::kNone && again.bytes() == due);
    demand(again.entries() == entries);
    demand(again.header().contributed + again.holes() == again.header().next - again.header().first);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span<const std::uint8_t> frame(data, size);
    Prefix prefix{};
    Heartbeat heartbeat{};
    if (open_heartbeat(frame, prefix, heartbeat) == Refusal::kNone) {
        demand(size == kHeartbeatBytes && heartbeat.first <= heartbeat.end && heartbeat.end <= kMaxSlots);
    }
    Order order;
    if (open_order(frame, prefix, order) == Refusal::kNone) {
        const Bytes made = make_order(prefix.kind, prefix.slots, prefix.job, prefix.epoch, order);
        Order again;
        demand(open_order(made, prefix, again) == Refusal::kNone && again.switches == order.switches);
        demand(made.size() == size && order.switches.size() <= kMaxSwitches);
    }
    DetailQuery query;
    if (open_detail_query(frame, prefix, query) == Refusal::kNone) {
        const Bytes made = make_detail_query(prefix.slots, prefix.job, prefix.epoch, query);
        DetailQuery again;
        demand(open_detail_query(made, prefix, again) == Refusal::kNone && again.tables == query.tables);
        demand(made.size() == size && query.tables.size() <= kMaxTables);
    }
    Rows rows;
    if (open_rows(frame, prefix, rows) == Refusal::kNone) {
        const Bytes made = make_rows(prefix.slots, prefix.job, prefix.epoch, rows);
        Rows again;
        demand(open_rows(made, prefix, again) == Refusal::kNone && again.tables == rows.tables);
        demand(made.size() == size);
        for (const ToldTable& table : rows.tables) {
            demand(table.rows.size() <= table.head.there && table.rows.size() <= kMaxRows);
        }
    }
    MetricQuery metrics;
    if (open_metric_query(frame, prefix, metrics) == Refusal::kNone) {
        demand(make_metric_query(prefix.slots, prefix.job, prefix.epoch, metrics).size() == size);
        demand(metrics.metrics.size() <= kMaxDescribed);
    }
    Descriptions descriptions;
    if (open_descriptions(frame, prefix, descriptions) == Refusal::kNone) {
        demand(make_descriptions(prefix.slots, prefix.job, prefix.epoch, descriptions).size() == size);
        for (const MetricTold& told : descriptions.metrics) {
            demand(text_of(told.name).size() <= told.name.size());
        }
    }
    Token token;
    if (Token::open(Bytes(data, data + size), token) == Refusal::kNone) {
        demand(token.holes() <= token.header().next - token.header().first);
        fill(std::move(token));
    }
    return 0;
}
