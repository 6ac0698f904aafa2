#include "launch/process_tree.h"

namespace kymo::launch {

bool ProcessTree::take(const KernelRecord& record) {
    switch (record.change) {
        case KernelChange::kExec:
            if (!begun_ && record.pid == program_) {
                begun_ = true;
                threads_[record.pid] = 1;
            }
            return threads_.contains(record.pid);
        case KernelChange::kFork:
            if (!threads_.contains(record.parent_pid)) {
                threads_.erase(record.pid);  // a reused number, of a process whose end was lost
                return false;
            }
            ++threads_[record.pid];
            return true;
        case KernelChange::kExit: {
            const auto found = threads_.find(record.pid);
            if (found == threads_.end()) {
                return false;
            }
            if (--found->second == 0) {
                threads_.erase(found);
            }
            return true;
        }
        case KernelChange::kSwitchOut:
        case KernelChange::kSwitchIn:
        case KernelChange::kRename:
        case KernelChange::kMap:
        case KernelChange::kMapData:
        case KernelChange::kFault:
            return threads_.contains(record.pid);
        case KernelChange::kLost:
            return begun_;
    }
    return false;
}

}  // namespace kymo::launch
