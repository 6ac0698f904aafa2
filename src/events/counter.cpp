#include "events/counter.h"

#include "events/attributes.h"

#include <array>
#include <cerrno>
#include <chrono>

namespace kymo::events {
namespace {

// What a group has counted, as kReadFormat has it.
struct GroupTimes {
    std::uint64_t enabled_ns = 0;
    std::uint64_t running_ns = 0;
    std::uint64_t leader = 0;
};

bool read_times(int leader, GroupTimes& times) {
    std::array<std::uint64_t, 3 + kMaxEvents * 3> words{};
    if (::read(leader, words.data(), sizeof words) < static_cast<ssize_t>(4 * sizeof words[0])) {
        return false;
    }
    times = {words[1], words[2], words[3]};
    return true;
}

void work_for_a_moment() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(20);
    while (std::chrono::steady_clock::now() < until) {
    }
}

}  // namespace

int KernelOpener::open(perf_event_attr& attr, int thread, int processor, int leader) {
    const int counter = open_counter(attr, thread, processor, leader);
    return counter >= 0 ? counter : -errno;
}

void KernelOpener::close(int counter) {
    ::close(counter);
}

bool KernelOpener::counts_whole(int leader) {
    GroupTimes before;
    GroupTimes after;
    if (!read_times(leader, before) || set_group_enabled(leader, true) != 0) {
        return false;
    }
    work_for_a_moment();
    const bool is_read = read_times(leader, after);
    set_group_enabled(leader, false);
    // A virtual machine may take the events and count nothing.
    return is_read && after.running_ns > before.running_ns && after.leader > before.leader &&
           after.enabled_ns - before.enabled_ns == after.running_ns - before.running_ns;
}

}  // namespace kymo::events
