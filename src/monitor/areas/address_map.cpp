#include "monitor/areas/address_map.h"

#include "image/raw_file.h"
#include "monitor/clock.h"
#include "monitor/process/log.h"
#include "monitor/threads/registry.h"

#include <algorithm>

namespace kymo::monitor {

constinit AddressMap address_map;

void AddressMap::after_fork(ThreadState* /*own*/) {
    lock_.reset();
    areas_.forget();
    last_asked_.store(0);
    spent_ = looks_ = passed_over_ = rows_ = lost_rows_ = lost_areas_ = 0;
}

void AddressMap::finish(Process::End /*how*/) {
    const Locked locked(lock_);
    look();
    write_account();
}

void AddressMap::write_account() const {
    recording::AreaEnd row;
    row.time = time_;
    row.readings = looks_;
    row.passed_over = passed_over_;
    row.lost = lost_areas_ + lost_rows_;
    process_log.write(row);
}

void AddressMap::look_if_cheap() {
    std::size_t living = 0;
    threads.for_each([&](const ThreadState& /*thread*/) { ++living; });
    if (living > 1) {
        return;
    }
    const Locked locked(lock_);
    if (!process_log.alone([](bool has_file) { return has_file; })) {
        return;
    }
    const std::uint64_t now = clock_now();
    last_asked_.store(now, std::memory_order_relaxed);
    if (looks_ >= kFreeLooks && spent_ > (now - process.start_time()) / kCost) {
        ++passed_over_;
        return;
    }
    look();
    if (rows_ < kMostRows) {
        ++rows_;
        write_account();
    }
}

// Under the lock.
void AddressMap::look() {
    time_ = clock_now();
    const image::RawFile maps("/proc/self/maps");
    if (!maps.is_open()) {
        return;
    }
    areas_.begin();
    gather_stacks();
    const auto taken = [this](const recording::MapArea& area) { take(area); };
    text_.begin();
    std::size_t got = sizeof block_;
    for (std::uint64_t offset = 0; got == sizeof block_; offset += got) {
        got = maps.read_at(offset, block_);
        text_.add({block_, got}, taken);
    }
    text_.finish(taken);
    const std::size_t missed = areas_.finish([this](std::uint32_t number) { tell_end(number); });
    lost_areas_ = lost_areas_ > missed ? lost_areas_ : missed;
    ++looks_;
    spent_ += clock_now() - time_;
}

void AddressMap::take(const recording::MapArea& area) {
    recording::KnownArea known;
    known.begin = area.begin;
    known.end = area.end;
    known.identity = recording::identity_of(area.kind, area.protection, area.file, area.path);
    known.owner = owner_of(area);
    areas_.add(
        known,
        [&](const recording::KnownArea& changed) {
            recording::Area row;
            row.time = time_;
            row.area = changed.number;
            row.begin = changed.begin;
            row.end = changed.end;
            row.kind = static_cast<std::uint64_t>(area.kind);
            row.protection = area.protection;
            row.path = area.path;
            row.owner = changed.owner;
            if (has_row()) {
                process_log.write(row);
            }
        },
        [this](std::uint32_t number) { tell_end(number); });
}

void AddressMap::gather_stacks() {
    stack_count_ = 0;
    threads.for_each([this](const ThreadState& thread) {
        if (thread.stack.high != 0 && stack_count_ < kMostAreas) {
            stacks_[stack_count_++] = {thread.stack.high - 1, raw(thread.stream)};
        }
    });
    std::sort(stacks_, stacks_ + stack_count_, [](const Stack& a, const Stack& b) { return a.last < b.last; });
}

std::uint32_t AddressMap::owner_of(const recording::MapArea& area) const {
    if (area.kind != recording::AreaKind::kAnonymous && area.kind != recording::AreaKind::kMainStack) {
        return 0;
    }
    const Stack* const end = stacks_ + stack_count_;
    const Stack* const found = std::lower_bound(stacks_, end, area.begin,
                                                [](const Stack& stack, std::uint64_t at) { return stack.last < at; });
    return found != end && found->last < area.end ? found->stream : 0;
}

bool AddressMap::has_row() {
    const bool has = rows_ < kMostRows;
    ++(has ? rows_ : lost_rows_);
    return has;
}

void AddressMap::tell_end(std::uint32_t number) {
    recording::AreaEnd row;
    row.time = time_;
    row.area = number;
    if (has_row()) {
        process_log.write(row);
    }
}

}  // namespace kymo::monitor
