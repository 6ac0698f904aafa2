#include "spacetime/event_classes/event_class.h"

#include <cctype>
#include <gtest/gtest.h>
#include <string>

namespace kymo::spacetime {
namespace {

TEST(EventClass, IsTheMostParticularThatFits) {
    for (const char* event :
         {"cache-misses", "LLC-load-misses", "LLC-load-misses:u", "dTLB-load-misses", "branch-misses",
          "iTLB-load-misses", "node-load-misses", "stalled-cycles-backend", "L1-dcache-load-misses"}) {
        EXPECT_EQ(event_class(event).meaning, EventMeaning::kCost) << event;
        EXPECT_FALSE(event_class(event).remedy.empty()) << event;
    }
    for (const char* event : {"instructions", "cycles", "ref-cycles", "task-clock", "branches", "branch-loads",
                              "cache-references", "LLC-loads", "dTLB-loads", "node-loads", "L1-dcache-loads"}) {
        EXPECT_EQ(event_class(event).meaning, EventMeaning::kWork) << event;
    }
    EXPECT_GT(event_class("cache-misses").most_ns, event_class("branch-misses").most_ns);
    EXPECT_GT(event_class("node-load-misses").most_ns, event_class("LLC-load-misses").most_ns);
}

TEST(EventClass, OfTheUsersOwnIsNotKnown) {
    for (const char* event : {"", "retries", "my_program:parcel", "metric:cache-misses", "cpu/event=0xc4/"}) {
        EXPECT_EQ(event_class(event).meaning, EventMeaning::kUnknown) << event;
        EXPECT_EQ(event_class(event).most_ns, 0) << event;
        EXPECT_TRUE(event_class(event).remedy.empty()) << event;
    }
}

// They are put together to sentences by those who tell them.
TEST(EventClass, WordsAreParts) {
    for (const char* event : {"page-faults", "minor-faults", "major-faults", "context-switches", "cpu-migrations",
                              "cycles", "cache-misses", "branch-misses", "dTLB-load-misses", "alignment-faults"}) {
        const EventClass& known = event_class(event);
        ASSERT_FALSE(known.cause.empty() || known.remedy.empty()) << event;
        EXPECT_TRUE(std::isupper(known.cause.front()) != 0 && std::islower(known.remedy.front()) != 0) << event;
        EXPECT_TRUE(known.cause.back() != '.' && known.remedy.back() != '.') << event;
    }
}

}  // namespace
}  // namespace kymo::spacetime
