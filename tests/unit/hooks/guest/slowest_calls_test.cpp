#include "hooks/guest/slowest_calls.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace kymo::hooks {
namespace {

std::vector<std::uint64_t> kept_of(const std::vector<std::uint64_t>& durations) {
    SlowestCalls slowest;
    for (const std::uint64_t duration : durations) {
        SlowCall call;
        call.begin_ns = duration + 1;  // to see that all of it moves
        call.duration_ns = duration;
        slowest.add(call);
    }
    std::vector<std::uint64_t> kept;
    for (const SlowCall& call : slowest) {
        EXPECT_EQ(call.begin_ns, call.duration_ns + 1);
        kept.push_back(call.duration_ns);
    }
    std::sort(kept.begin(), kept.end(), std::greater<>());
    return kept;
}

TEST(SlowestCalls, AllOfAFew) {
    EXPECT_EQ(kept_of({}), std::vector<std::uint64_t>{});
    EXPECT_EQ(kept_of({3, 1, 2}), (std::vector<std::uint64_t>{3, 2, 1}));
}

// Whatever the order, those that a sort would give.
TEST(SlowestCalls, OfManyTheSlowest) {
    for (const std::uint64_t factor : {1U, 7U, 331U, 998U}) {
        std::vector<std::uint64_t> durations;
        for (std::uint64_t i = 0; i < 1000; ++i) {
            durations.push_back(i * factor % 1009);
        }
        std::vector<std::uint64_t> expected = durations;
        std::sort(expected.begin(), expected.end(), std::greater<>());
        expected.resize(SlowestCalls::kMost);
        EXPECT_EQ(kept_of(durations), expected) << factor;
    }
}

TEST(SlowestCalls, OfEqualOnesTheFirst) {
    SlowestCalls slowest;
    for (std::uint64_t i = 0; i < 100; ++i) {
        SlowCall call;
        call.begin_ns = i;
        call.duration_ns = 5;
        EXPECT_EQ(slowest.keeps(5), i < SlowestCalls::kMost);
        slowest.add(call);
    }
    EXPECT_EQ(slowest.size(), SlowestCalls::kMost);
    for (const SlowCall& call : slowest) {
        EXPECT_LT(call.begin_ns, SlowestCalls::kMost);
    }
}

}  // namespace
}  // namespace kymo::hooks
