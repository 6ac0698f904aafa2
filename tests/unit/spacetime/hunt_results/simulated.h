// A test source, not a measurement: what a processor's counters would have counted, from a cache and a branch
// predictor simulated over a made-up program. So the causes of every event are known exactly.
//
//   cache    32 KiB, 8 ways, 64-byte lines, least recently used out
//   branches one two-bit saturating counter an instruction (Smith, 1981)
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace kymo::testing {

class SimulatedCache {
  public:
    // Whether the access misses.
    bool access(std::uint64_t address) {
        const std::uint64_t line = address / 64 + 1;
        auto& set = sets_[line % sets_.size()];
        for (std::size_t way = 0; way < set.size(); ++way) {
            if (set[way] == line) {
                move_to_front(set, way);
                return false;
            }
        }
        set.back() = line;
        move_to_front(set, set.size() - 1);
        return true;
    }

  private:
    using Set = std::array<std::uint64_t, 8>;  // most recent first; 0: empty
    static void move_to_front(Set& set, std::size_t way) {
        const std::uint64_t line = set[way];
        for (; way > 0; --way) {
            set[way] = set[way - 1];
        }
        set[0] = line;
    }
    std::array<Set, 64> sets_{};
};

class SimulatedPredictor {
  public:
    // Whether the branch is guessed wrong.
    bool branch(std::uint64_t at, bool taken) {
        int& counter = counters_[at];
        const bool wrong = (counter >= 2) != taken;
        counter += taken ? (counter < 3 ? 1 : 0) : (counter > 0 ? -1 : 0);
        return wrong;
    }

  private:
    std::map<std::uint64_t, int> counters_;
};

// Instructions of the made-up program, by offset.
enum : std::uint64_t {
    kStrided = 0x1010,     // walks 4 MiB a line at a time: misses always
    kScattered = 0x1020,   // reads anywhere in 64 KiB: misses often
    kHot = 0x1030,         // reads the same 2 KiB: hardly ever
    kDataBranch = 0x2010,  // on random data: half of them wrong
    kRareBranch = 0x2020,  // taken once in eight
    kLoopBranch = 0x2030,  // always taken
};

// The instruction of each event, in order.
using EventStream = std::vector<std::uint64_t>;

inline EventStream simulated_cache_misses(int rounds) {
    // A cold cache's first misses are another story: counting begins when it is warm.
    constexpr std::uint64_t kWarm = 2000;
    SimulatedCache cache;
    std::mt19937_64 random(3);
    EventStream events;
    bool is_counting = false;
    const auto read = [&](std::uint64_t at, std::uint64_t address) {
        if (cache.access(address) && is_counting) {
            events.push_back(at);
        }
    };
    for (std::uint64_t i = 0; i < kWarm + static_cast<std::uint64_t>(rounds); ++i) {
        is_counting = i >= kWarm;
        read(kStrided, 0x1000'0000 + i * 64 % (4U << 20U));
        if (i % 2 == 0) {
            read(kScattered, 0x2000'0000 + random() % (64U << 10U));
        }
        for (std::uint64_t j = 0; j < 4; ++j) {
            read(kHot, 0x3000'0000 + (i * 4 + j) * 8 % 2048);
        }
    }
    return events;
}

inline EventStream simulated_branch_misses(int rounds) {
    SimulatedPredictor predictor;
    std::mt19937_64 random(5);
    EventStream events;
    const auto branch = [&](std::uint64_t at, bool taken) {
        if (predictor.branch(at, taken)) {
            events.push_back(at);
        }
    };
    for (int i = 0; i < rounds; ++i) {
        branch(kDataBranch, random() % 2 == 0);
        branch(kRareBranch, random() % 8 == 0);
        branch(kLoopBranch, true);
    }
    return events;
}

}  // namespace kymo::testing
