// The account's sums while a recording's samples are read: by thread, end of call path, state and wait target.
#pragma once

#include "spacetime/evidence/account/schedule.h"
#include "spacetime/load/thread_states.h"
#include "team/members.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace kymo::spacetime {

struct AccountEntry {
    std::uint32_t thread = 0;
    std::uint32_t end = 0;         // index of PathEnds::ends
    std::uint32_t target = kNone;  // index of Evidence::wait_targets
    ThreadState state{};
    std::int64_t ns = 0;
    std::int64_t shorter_ns = 0;
    std::int64_t crowded_ns = 0;  // of kReady: while the program had more threads ready than processors

    auto key() const { return std::tuple(thread, end, target, state); }
};
KYMO_MEMBERS(AccountEntry, thread, end, target, state, ns, shorter_ns, crowded_ns)

// Entries with equal keys become one; by key. Cost: sorts.
inline void merge_entries(std::vector<AccountEntry>* entries) {
    std::sort(entries->begin(), entries->end(),
              [](const AccountEntry& a, const AccountEntry& b) { return a.key() < b.key(); });
    std::size_t kept = 0;
    for (const AccountEntry& entry : *entries) {
        if (kept != 0 && (*entries)[kept - 1].key() == entry.key()) {
            AccountEntry& same = (*entries)[kept - 1];
            same.ns += entry.ns;
            same.shorter_ns += entry.shorter_ns;
            same.crowded_ns += entry.crowded_ns;
        } else {
            (*entries)[kept++] = entry;
        }
    }
    entries->resize(kept);
}

// Adds a stream's pieces up.
class StreamAccount {
  public:
    StreamAccount(const Schedule& schedule, std::uint32_t thread) : schedule_(schedule), thread_(thread) {}

    // `target`: of the interval's wait; kNone: it has none. `awaits_message`: as ScheduleGrids::add.
    void piece(const StateInterval& interval, std::uint32_t end, std::uint32_t target, recording::WaitKind kind,
               bool awaits_message) {
        AccountEntry& entry = at({end, target, interval.state});
        entry.ns += duration_of(interval);
        entry.shorter_ns += schedule_.shorter(interval, kind, awaits_message);
        entry.crowded_ns += interval.state == ThreadState::kReady ? schedule_.crowded(interval) : 0;
    }

    void finish(std::vector<AccountEntry>* to) {
        for (auto& [key, entry] : entries_) {
            to->push_back(entry);
        }
        entries_.clear();
        last_ = nullptr;
        merge_entries(to);
    }

  private:
    struct Key {
        std::uint32_t end = 0;
        std::uint32_t target = 0;
        ThreadState state{};
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const {
            return (std::uint64_t{key.end} << 32U ^ std::uint64_t{key.target} << 3U ^
                    static_cast<std::uint64_t>(key.state)) *
                       0x9E3779B97F4A7C15U >>
                   7U;
        }
    };

    AccountEntry& at(const Key& key) {
        if (last_ == nullptr || !(last_key_ == key)) {
            const AccountEntry fresh{.thread = thread_, .end = key.end, .target = key.target, .state = key.state};
            last_ = &entries_.try_emplace(key, fresh).first->second;
            last_key_ = key;
        }
        return *last_;
    }

    const Schedule& schedule_;
    std::uint32_t thread_;
    std::unordered_map<Key, AccountEntry, Hash> entries_;
    Key last_key_;
    AccountEntry* last_ = nullptr;  // a map's elements stay where they are
};

}  // namespace kymo::spacetime
