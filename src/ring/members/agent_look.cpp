// Looks at this host's single objects. They go straight between the manager and this agent: a token that comes
// meanwhile waits for one reading of the cells, as it does for another token's.
#include "ring/members/agent.h"

namespace kymo::ring {

void Agent::on_look(std::span<const std::uint8_t> frame, Outbox& out) {
    Prefix prefix{};
    Look look;
    if (const Refusal refusal = open_look(frame, prefix, look); refusal != Refusal::kNone) {
        return refuse(refusal);
    }
    if (look.head.slot != settings_.slot) {
        return refuse(Refusal::kMisrouted);
    }
    if (!tell_) {
        return refuse(Refusal::kMalformed);  // as one of a version that knows no looks
    }
    if (prefix.epoch > epoch_) {
        begin_epoch(prefix.epoch);
    }
    if (prefix.epoch < epoch_ || look.head.number < look_) {
        return refuse(Refusal::kStale);
    }
    look_ = look.head.number;
    ++counts_.looks;
    Rows rows = tell_(look.tables);
    rows.head = look.head;
    rows.head.incarnation = settings_.incarnation;
    out.push_back({kManager, make_rows(std::max(settings_.slots, seen_slots_), settings_.job.job, epoch_, rows)});
}

}  // namespace kymo::ring
