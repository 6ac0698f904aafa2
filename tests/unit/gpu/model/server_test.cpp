// Bookings of a server, in and out of the order of time.
#include "gpu/model/server.h"

#include <gtest/gtest.h>
#include <random>

namespace kymo::gpu {
namespace {

TEST(Server, ServesOneAfterAnother) {
    Server server;
    EXPECT_EQ(server.book(10, 4, 0), 10);
    EXPECT_EQ(server.book(11, 4, 0), 14);
    EXPECT_EQ(server.book(30, 2, 0), 30);
    EXPECT_EQ(server.busy(), 10);
}

TEST(Server, ABookingAheadLeavesTheTimeBeforeItFree) {
    Server server;
    EXPECT_EQ(server.book(1000, 4, 0), 1000);
    EXPECT_EQ(server.book(20, 4, 0), 20);
    EXPECT_EQ(server.book(22, 4, 0), 24);
    EXPECT_EQ(server.book(1001, 4, 0), 1004);
}

TEST(Server, AGapThatIsTooShortIsUsedInPart) {
    Server server;
    server.book(0, 4, 0);   // 0–4
    server.book(6, 4, 0);   // 6–10
    server.book(13, 4, 0);  // 13–17
    // Five cycles: 4–6 and 10–13, so ending at 13 as though begun at 8.
    EXPECT_EQ(server.book(1, 5, 0), 8);
    EXPECT_EQ(server.book(1, 1, 0), 17);  // one stretch now
}

TEST(Server, ARequestInAGapTakesItWhole) {
    Server server;
    server.book(0, 4, 0);
    server.book(8, 4, 0);
    EXPECT_EQ(server.book(2, 4, 0), 4);
    EXPECT_EQ(server.book(0, 1, 0), 12);
}

TEST(Server, ForgetsWhatEndedBeforeTheHorizon) {
    Server server;
    for (int i = 0; i < 1000; ++i) {
        server.book(i * 10, 4, i * 10 - 50);
    }
    // Behind 9944 six cycles between any two are free, three times, and two more: until 9976.
    EXPECT_EQ(server.book(9941, 20, 9940), 9956);
}

// Whatever the order, no time is given twice and none is lost: the same requests end at the same time.
TEST(Server, TheOrderOfBookingsDoesNotChangeWhenAllIsServed) {
    std::mt19937 random(7);
    std::vector<std::pair<double, double>> requests;
    for (int i = 0; i < 500; ++i) {
        requests.emplace_back(random() % 2000, 1 + random() % 6);
    }
    const auto last_end = [&] {
        Server server;
        double last = 0;
        double sum = 0;
        for (const auto& [time, service] : requests) {
            const double begin = server.book(time, service, 0);
            EXPECT_GE(begin, time);
            last = std::max(last, begin + service);
            sum += service;
        }
        EXPECT_EQ(server.busy(), sum);
        return last;
    };
    const double shuffled = last_end();
    std::sort(requests.begin(), requests.end());
    EXPECT_EQ(last_end(), shuffled);
}

}  // namespace
}  // namespace kymo::gpu
