#include "view/states.h"

#include <gtest/gtest.h>

namespace kymo::view {
namespace {

using namespace spacetime;
using recording::WaitKind;

// 10–110 ns: user 40, ready 10, waits for a mutex 30, sleeps 10, off 10.
ProfileThread made_thread() {
    ProfileThread thread;
    thread.begin = 10;
    thread.end = 110;
    thread.waits = {{.begin = 60, .end = 90, .kind = WaitKind::kMutex},
                    {.begin = 90, .end = 100, .kind = WaitKind::kSleep}};
    thread.states = ThreadStates(10);
    thread.states.add({.begin = 10, .end = 50, .state = ThreadState::kUser});
    thread.states.add({.begin = 50, .end = 60, .state = ThreadState::kReady});
    thread.states.add({.begin = 60, .end = 90, .state = ThreadState::kWaiting, .wait = 0});
    thread.states.add({.begin = 90, .end = 100, .state = ThreadState::kWaiting, .wait = 1});
    thread.states.add({.begin = 100, .end = 110, .state = ThreadState::kOff});
    return thread;
}

constexpr Style kPlainText{.width = 100, .colour = false, .unicode = false};

TEST(Strip, AColumnShowsWhatTookMostOfIt) {
    std::vector<StripSums> strip(12);
    add_strip(made_thread(), 0, 120, strip);
    EXPECT_EQ(strip_text(kPlainText, strip), " UUUURwwwz. ");
    std::vector<StripSums> coarse(3);
    add_strip(made_thread(), 0, 120, coarse);
    EXPECT_EQ(strip_text(kPlainText, coarse), "Uww");
    EXPECT_EQ(strip_text({.unicode = true}, strip), " ████▲▁▁▁_· ");
}

TEST(Strip, ColumnsHoldTheWholeTimeHoweverManyThereAre) {
    for (std::size_t count = 1; count < 300; ++count) {
        std::vector<StripSums> strip(count);
        add_strip(made_thread(), 7, 113, strip);
        StripSums sums{};
        for (const StripSums& column : strip) {
            for (std::size_t i = 0; i < sums.size(); ++i) {
                sums.at(i) += column.at(i);
            }
        }
        EXPECT_EQ(sums, (StripSums{40, 0, 0, 10, 30, 0, 10, 10, 0}));
    }
}

TEST(Strip, ThreadsAddUp) {
    std::vector<StripSums> strip(1);
    add_strip(made_thread(), 0, 120, strip);
    add_strip(made_thread(), 0, 120, strip);
    EXPECT_EQ(strip[0], (StripSums{80, 0, 0, 20, 60, 0, 20, 20, 0}));
}

TEST(Strip, TimesOutsideTheRunAreNotDrawn) {
    std::vector<StripSums> strip(2);
    add_strip(made_thread(), 40, 60, strip);
    EXPECT_EQ(strip_text(kPlainText, strip), "UR");
}

TEST(Strip, TheLegendNamesWhatOccurs) {
    std::vector<StripSums> strip(12);
    add_strip(made_thread(), 0, 120, strip);
    EXPECT_EQ(strip_legend(kPlainText, strip), "U user  R run queue  w waiting for threads  z sleeping  . off");
}

TEST(Strip, ColoursAreSwitchedOnlyWhereTheyChange) {
    std::vector<StripSums> strip(12);
    add_strip(made_thread(), 0, 120, strip);
    const std::string text = strip_text({.colour = true, .unicode = false}, strip);
    EXPECT_NE(text.find("UUUU"), std::string::npos);
    EXPECT_NE(text.find("www"), std::string::npos);
}

TEST(JsonStates, AreTheIdentity) {
    const auto json = json_states(made_thread());
    EXPECT_DOUBLE_EQ(json["user_s"], 40e-9);
    EXPECT_DOUBLE_EQ(json["run_queue_s"], 10e-9);
    EXPECT_DOUBLE_EQ(json["waiting_s"], 40e-9);
    EXPECT_DOUBLE_EQ(json["waiting_by_kind_s"]["mutex"], 30e-9);
    EXPECT_DOUBLE_EQ(json["waiting_by_kind_s"]["sleep"], 10e-9);
    EXPECT_DOUBLE_EQ(json["off_s"], 10e-9);
    EXPECT_EQ(json_figures_from(ThreadFigures::kNone), nullptr);
    EXPECT_EQ(json_figures_from(ThreadFigures::kThreadEnd), "thread-end");
}

}  // namespace
}  // namespace kymo::view
