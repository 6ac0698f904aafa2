#include "launch/switch_pairing.h"

#include <algorithm>

namespace kymo::launch {

std::optional<recording::Switch> SwitchPairing::take(const KernelRecord& record) {
    switch (record.change) {
        case KernelChange::kSwitchOut: {
            const auto [place, fresh] =
                off_.insert_or_assign(record.tid, Off{record.time, record.processor, record.preempted});
            dropped_ += fresh ? 0 : 1;
            return std::nullopt;
        }
        case KernelChange::kSwitchIn: {
            const auto found = off_.find(record.tid);
            if (found == off_.end()) {
                return std::nullopt;
            }
            const Off off = found->second;
            off_.erase(found);
            if (record.time < off.time) {
                ++dropped_;
                return std::nullopt;
            }
            recording::Switch row;
            row.time = off.time;
            row.tid = record.tid;
            row.duration = record.time - off.time;
            row.processor_before = off.processor;
            row.processor_after = record.processor;
            row.preempted = off.preempted ? 1 : 0;
            return row;
        }
        case KernelChange::kFork:
            // It is ready to run, and waits for its first processor. The number may have been an earlier thread's.
            off_.insert_or_assign(record.tid, Off{record.time, record.processor, true});
            return std::nullopt;
        case KernelChange::kExit:
            off_.erase(record.tid);
            return std::nullopt;
        case KernelChange::kExec:
        case KernelChange::kRename:
        case KernelChange::kLost:
        case KernelChange::kMap:
        case KernelChange::kMapData:
        case KernelChange::kFault:
            break;
    }
    return std::nullopt;
}

std::vector<recording::Switch> SwitchPairing::finish() {
    std::vector<recording::Switch> rows;
    for (const auto& [tid, off] : off_) {
        recording::Switch row;
        row.time = off.time;
        row.tid = tid;
        row.processor_before = off.processor;
        row.preempted = off.preempted ? 1 : 0;
        row.open = 1;
        rows.push_back(row);
    }
    off_.clear();
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
    return rows;
}

}  // namespace kymo::launch
