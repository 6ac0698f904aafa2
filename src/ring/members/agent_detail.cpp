// Queries for this host's single objects and for descriptions of its programs' metrics. They pass directly between
// the manager and this agent. A token that arrives meanwhile waits for one reading of the cells, as it does behind
// another token.
#include "base/channels/kind.h"
#include "ring/members/agent.h"

#include <algorithm>

namespace kymo::ring {

namespace {

void leave_out_ends(Rows& rows) {
    for (ToldTable& table : rows.tables) {
        const auto left =
            std::erase_if(table.rows, [](const TableRow& row) { return is_end_direction(row.head.direction); });
        table.head.rows -= static_cast<std::uint32_t>(left);
        table.head.there -= static_cast<std::uint32_t>(left);
    }
}

}  // namespace

// Checks a frame of either query: complete, addressed to this agent, from a manager that has not been replaced.
bool Agent::admits_query(Refusal opened, const Prefix& prefix, Slot slot, bool is_answered) {
    Refusal refusal = opened;
    if (refusal == Refusal::kNone && slot != settings_.slot) {
        refusal = Refusal::kMisrouted;
    } else if (refusal == Refusal::kNone && !is_answered) {
        refusal = Refusal::kMalformed;  // as a version without queries refuses it
    }
    if (refusal == Refusal::kNone && prefix.epoch > epoch_) {
        begin_epoch(prefix.epoch);
    }
    if (refusal == Refusal::kNone && prefix.epoch < epoch_) {
        refusal = Refusal::kStale;
    }
    if (refusal != Refusal::kNone) {
        refuse(refusal);
    }
    return refusal == Refusal::kNone;
}

void Agent::on_detail_query(std::span<const std::uint8_t> frame, Outbox& out) {
    Prefix prefix{};
    DetailQuery query;
    const Refusal opened = open_detail_query(frame, prefix, query);
    if (!admits_query(opened, prefix, query.head.slot, tell_ != nullptr)) {
        return;
    }
    if (query.head.number < query_) {
        return refuse(Refusal::kStale);
    }
    query_ = query.head.number;
    ++counts_.queries;
    Rows rows = tell_(query.tables);
    if (prefix.minor < kEndsSince) {
        leave_out_ends(rows);
    }
    rows.head = query.head;
    rows.head.incarnation = settings_.incarnation;
    out.push_back({kManager, make_rows(std::max(settings_.slots, seen_slots_), settings_.job.job, epoch_, rows)});
}

void Agent::on_metric_query(std::span<const std::uint8_t> frame, Outbox& out) {
    Prefix prefix{};
    MetricQuery query;
    const Refusal opened = open_metric_query(frame, prefix, query);
    if (!admits_query(opened, prefix, query.head.slot, describe_ != nullptr)) {
        return;
    }
    Descriptions descriptions{query.head, describe_(query.metrics)};
    descriptions.head.incarnation = settings_.incarnation;
    out.push_back({kManager, make_descriptions(std::max(settings_.slots, seen_slots_), settings_.job.job, epoch_,
                                               descriptions)});
}

}  // namespace kymo::ring
