#include "monitor/process/descriptors.h"

#include "image/arena.h"
#include "monitor/process/own_fcntl.h"
#include "monitor/sampling/signal_entry.h"

#include <cerrno>
#include <sys/resource.h>

namespace kymo::monitor {

namespace {
constexpr int kMostDescriptors = 1 << 20;
constexpr int kProgramsOwn = 64;  // lower numbers belong to the program under any limit
}  // namespace

bool Descriptors::reserve() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return false;
    }
    const int most = limit.rlim_cur > kMostDescriptors ? kMostDescriptors : static_cast<int>(limit.rlim_cur);
    // The upper three quarters: a program that needs 256 descriptors of a limit of 1,024 is rare, one with 200
    // threads is not.
    base_ = most / 4 > kProgramsOwn ? most / 4 : most < kProgramsOwn ? most : kProgramsOwn;
    end_ = most;
    if (!has_any()) {
        return true;
    }
    table_ = static_cast<std::atomic<ThreadState*>*>(
        image::map_pages(static_cast<std::size_t>(end_ - base_) * sizeof *table_));
    if (table_ == nullptr) {
        end_ = base_ = 0;
        return false;
    }
    kymo_signal_owners.table = table_;
    kymo_signal_owners.base = static_cast<std::uint32_t>(base_);
    kymo_signal_owners.count = static_cast<std::uint32_t>(end_ - base_);
    return true;
}

int Descriptors::adopt(int descriptor, ThreadState* owner) {
    const int moved = has_any() ? own_fcntl(descriptor, F_DUPFD_CLOEXEC, base_) : -1;
    const int error = has_any() ? errno : EMFILE;
    syscall(SYS_close, descriptor);
    errno = error;
    if (moved < 0 || moved >= end_) {
        if (moved >= 0) {
            syscall(SYS_close, moved);
            errno = EMFILE;
        }
        return -1;
    }
    table_[moved - base_].store(owner == nullptr ? unowned() : owner, std::memory_order_release);
    in_use_.fetch_add(1, std::memory_order_relaxed);
    int highest = highest_.load(std::memory_order_relaxed);
    while (highest < moved && !highest_.compare_exchange_weak(highest, moved, std::memory_order_relaxed)) {
    }
    return moved;
}

void Descriptors::close(int descriptor) {
    if (is_ours(descriptor)) {
        // Before the number can be reused.
        table_[descriptor - base_].store(nullptr, std::memory_order_release);
        in_use_.fetch_sub(1, std::memory_order_relaxed);
        syscall(SYS_close, descriptor);
    }
}

int Descriptors::next_ours(int from) const {
    const int highest = highest_.load(std::memory_order_relaxed);
    for (int at = from < base_ ? base_ : from; at <= highest; ++at) {
        if (is_ours(at)) {
            return at;
        }
    }
    return -1;
}

}  // namespace kymo::monitor
