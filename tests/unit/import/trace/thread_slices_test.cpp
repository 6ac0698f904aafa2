#include "import/trace/thread_slices.h"

#include <gmock/gmock.h>
#include <string>

namespace kymo::import {
namespace {

using named::TraceEvent;
using named::TraceKind;
using testing::ElementsAre;

TraceEvent complete(std::uint64_t time, std::uint64_t duration) {
    TraceEvent event;
    event.kind = TraceKind::kComplete;
    event.time = time;
    event.duration = duration;
    return event;
}

TraceEvent edge(TraceKind kind, std::uint64_t time) {
    TraceEvent event;
    event.kind = kind;
    event.time = time;
    return event;
}

std::vector<std::string> lay_out(ThreadSlices& slices, ThreadSlices::Counts* counts = nullptr) {
    std::vector<std::string> lines;
    const auto found = slices.lay_out([&](const Stretch& stretch) {
        std::string line = std::to_string(stretch.begin) + "-" + std::to_string(stretch.end);
        for (const std::uint32_t name : stretch.path) {
            line += " " + std::to_string(name);
        }
        line += stretch.is_on_known ? " on " + std::to_string(stretch.on) : "";
        line += stretch.ends_slice ? " end" : "";
        lines.push_back(line);
    });
    if (counts != nullptr) {
        *counts = found;
    }
    return lines;
}

TEST(ThreadSlices, AreThePathWhereTheyAreInOneAnother) {
    ThreadSlices slices;
    slices.add(complete(20, 10), 2);  // ends before its outer one, as in files of complete slices
    slices.add(complete(10, 40), 1);
    slices.add(complete(60, 5), 3);
    slices.add(complete(60, 5), 4);  // of one time: in the order of the file
    EXPECT_THAT(lay_out(slices),
                ElementsAre("10-20 1", "20-30 1 2 end", "30-50 1 end", "50-60", "60-65 3 4 end", "65-65 3 end"));
}

TEST(ThreadSlices, MayBeginAndEndByEventsOfTheirOwn) {
    ThreadSlices slices;
    ThreadSlices::Counts counts;
    slices.add(edge(TraceKind::kEnd, 1), 0);
    slices.add(edge(TraceKind::kBegin, 5), 1);
    slices.add(edge(TraceKind::kBegin, 6), 2);
    slices.add(complete(7, 1), 3);
    slices.add(edge(TraceKind::kEnd, 9), 0);
    slices.add(edge(TraceKind::kBegin, 10), 4);
    slices.add(complete(10, 2), 5);
    EXPECT_THAT(lay_out(slices, &counts), ElementsAre("5-6 1", "6-7 1 2", "7-8 1 2 3 end", "8-9 1 2 end", "9-10 1",
                                                      "10-12 1 4 5 end", "12-12 1 4 end", "12-12 1 end"));
    EXPECT_EQ(counts.unbegun, 1U);
    EXPECT_EQ(counts.unended, 2U);
    EXPECT_EQ(counts.slices, 5U);
}

TEST(ThreadSlices, EndWithTheOneThatTheyAreIn) {
    ThreadSlices slices;
    ThreadSlices::Counts counts;
    slices.add(complete(0, 10), 1);
    slices.add(complete(5, 10), 2);
    slices.add(complete(20, ~std::uint64_t{0}), 3);
    EXPECT_THAT(lay_out(slices, &counts),
                ElementsAre("0-5 1", "5-10 1 2 end", "10-10 1 end", "10-20", "20-18446744073709551615 3 end"));
    EXPECT_EQ(counts.cut, 1U);
}

TEST(ThreadSlices, HaveTheThreadsClockWhereItIsKnown) {
    ThreadSlices slices;
    TraceEvent outer = complete(100, 100);
    outer.thread_time = 1'000;
    outer.thread_duration = 60;
    TraceEvent inner = complete(120, 50);
    inner.thread_time = 1'020;
    inner.thread_duration = 5;
    TraceEvent later = complete(300, 10);
    later.thread_time = 1'061;
    later.thread_duration = 500;  // more than passed
    slices.add(outer, 1);
    slices.add(inner, 2);
    slices.add(later, 3);
    slices.add(complete(400, 10), 4);
    EXPECT_THAT(lay_out(slices), ElementsAre("100-120 1 on 20", "120-170 1 2 on 5 end", "170-200 1 on 30 end",
                                             "200-300 on 1", "300-310 3 on 10 end", "310-400", "400-410 4 end"));
}

TEST(ThreadSlices, AreNotTooManyInOneAnother) {
    ThreadSlices slices;
    ThreadSlices::Counts counts;
    for (std::uint64_t i = 0; i < 1'000; ++i) {
        slices.add(complete(i, 4'000 - 2 * i), static_cast<std::uint32_t>(i));
    }
    lay_out(slices, &counts);
    EXPECT_EQ(counts.slices, ThreadSlices::kMostDepth);
    EXPECT_EQ(counts.too_deep, 1'000 - ThreadSlices::kMostDepth);
}

TEST(ThreadSlices, OfAThreadWithoutAnyAreNone) {
    ThreadSlices slices;
    EXPECT_THAT(lay_out(slices), ElementsAre());
}

}  // namespace
}  // namespace kymo::import
