// A hunt's whole state, shared by the kernel's engine and the programs it watches: one value of a mapped eBPF
// array. The engine in the program keeps the same in its own memory.
//
// `lock` is tried, never waited for: an event that finds it taken is skipped and counted in `dropped`. News
// (finds, and sources gone quiet) are written under the lock into a ring and read without it; a reader that is
// kMaxNews too late has lost the oldest, but the finds' own places still have the present state.
#pragma once

#include "pairs/machine.h"

namespace kymo::pairs {

constexpr uint32_t kMaxNews = 64;
constexpr uint32_t kMaxPrograms = 64;

struct News {
    uint64_t time = 0;  // CLOCK_MONOTONIC, ns
    uint64_t key = 0;
    uint64_t pc = 0;       // of the deciding event
    uint64_t data = 0;     // its data address
    uint64_t events = 0;   // found: of the test; quiet: since the find
    uint64_t matches = 0;  // likewise
    uint64_t seen = 0;
    uint64_t captures = 0;
    uint32_t turn = 0;  // Turn
    uint32_t number = 0;
    uint32_t process = 0;  // the process of the event
    uint32_t thread = 0;
};

// The address ranges of processes' own programs, for keys that are call sites; and the monitor, whose own events
// are ignored. A process's place is its id modulo kMaxPrograms or, if that is taken, the next free one.
struct ProgramText {
    uint32_t process = 0;
    uint32_t reserved = 0;
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t monitor_begin = 0;
    uint64_t monitor_end = 0;
};

struct Shared {
    uint32_t lock = 0;
    uint32_t key = 0;     // recording::HuntKey
    uint32_t signal = 0;  // sent to the thread whose event decided a find; 0: none
    uint32_t news_count = 0;
    uint64_t dropped = 0;
    uint64_t next_word = 0;  // clock at which a thread is signalled to record the hunt's progress; it doubles
    Machine machine;
    News news[kMaxNews];
    ProgramText programs[kMaxPrograms];
};

// Under the lock.
KYMO_PAIRS News* add_news(Shared& shared, const Verdict& verdict) {
    const uint32_t slot = verdict.slot < kMaxFound ? verdict.slot : 0;
    const Found& found = shared.machine.found[slot];
    News& news = shared.news[shared.news_count % kMaxNews];
    news.key = found_key(shared.machine, slot);
    news.turn = static_cast<uint32_t>(verdict.turn);
    news.number = found.number;
    const bool is_find = verdict.turn == Turn::kFound;
    news.events = is_find ? found.test_events : events_since(shared.machine, found);
    news.matches = is_find ? found.test_matches : found_matches(shared.machine, slot);
    news.seen = events_seen(shared.machine);
    news.captures = shared.machine.captures;
    if (!is_find) {
        release(shared.machine, slot);
    }
    return &news;
}

}  // namespace kymo::pairs
