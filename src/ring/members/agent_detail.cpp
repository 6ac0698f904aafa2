// Queries for this host's single objects, and for what its programs' metrics are. They go straight between the
// manager and this agent: a token that comes meanwhile waits for one reading of the cells, as it does for another
// token's.
#include "ring/members/agent.h"

namespace kymo::ring {

void Agent::on_detail_query(std::span<const std::uint8_t> frame, Outbox& out) {
    Prefix prefix{};
    DetailQuery query;
    if (const Refusal refusal = open_detail_query(frame, prefix, query); refusal != Refusal::kNone) {
        return refuse(refusal);
    }
    if (query.head.slot != settings_.slot) {
        return refuse(Refusal::kMisrouted);
    }
    if (!tell_) {
        return refuse(Refusal::kMalformed);  // as one of a version that knows no queries
    }
    if (prefix.epoch > epoch_) {
        begin_epoch(prefix.epoch);
    }
    if (prefix.epoch < epoch_ || query.head.number < query_) {
        return refuse(Refusal::kStale);
    }
    query_ = query.head.number;
    ++counts_.queries;
    Rows rows = tell_(query.tables);
    rows.head = query.head;
    rows.head.incarnation = settings_.incarnation;
    out.push_back({kManager, make_rows(std::max(settings_.slots, seen_slots_), settings_.job.job, epoch_, rows)});
}

void Agent::on_metric_query(std::span<const std::uint8_t> frame, Outbox& out) {
    Prefix prefix{};
    MetricQuery query;
    if (const Refusal refusal = open_metric_query(frame, prefix, query); refusal != Refusal::kNone) {
        return refuse(refusal);
    }
    if (query.head.slot != settings_.slot) {
        return refuse(Refusal::kMisrouted);
    }
    if (!describe_) {
        return refuse(Refusal::kMalformed);  // as one of a version that knows no queries
    }
    if (prefix.epoch > epoch_) {
        begin_epoch(prefix.epoch);
    }
    if (prefix.epoch < epoch_) {
        return refuse(Refusal::kStale);
    }
    Descriptions descriptions{query.head, describe_(query.metrics)};
    descriptions.head.incarnation = settings_.incarnation;
    out.push_back({kManager, make_descriptions(std::max(settings_.slots, seen_slots_), settings_.job.job, epoch_,
                                               descriptions)});
}

}  // namespace kymo::ring
