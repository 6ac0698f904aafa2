// The tables and JSON of waits, from a wait table made by hand.
#include "view/waits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::view {
namespace {

using namespace spacetime;
using recording::WaitKind;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr WaitThreadIndex kKeeper(0);
constexpr WaitThreadIndex kWaiter(1);

Waits made_waits() {
    Waits waits;
    waits.threads = {{.pid = 7, .tid = 8, .begin = 0, .name = "keeper"},
                     {.pid = 7, .tid = 9, .begin = 0, .name = "waiter"}};
    waits.brief[{kWaiter, WaitKind::kMutex}] = {.ns = 2'000, .count = 3};
    return waits;
}

WaitTable made_table() {
    const program::SourcePlace held{
        .function = "(anonymous namespace)::hold(int)", .module = "app", .file = "/src/hold.cpp", .line = 12};
    WaitRow mutex;
    mutex.pid = 7;
    mutex.kind = WaitKind::kMutex;
    mutex.object = 0x7f00;
    mutex.place = {.function = "take", .module = "app", .file = "/src/take.cpp", .line = 34};
    mutex.amount = {.ns = 5'000'000, .count = 2, .longest_ns = 4'000'000, .open = 1};
    mutex.waiters = {kWaiter};
    mutex.holders = {{.thread = kKeeper,
                      .tid = 8,
                      .place = held,
                      .doing = WaitKind::kSleep,
                      .place_ns = 4'000'000,
                      .seen_ns = 4'500'000,
                      .amount = mutex.amount}};
    WaitRow read;
    read.pid = 7;
    read.kind = WaitKind::kRead;
    read.object = 3;
    read.amount = {.ns = 1'000, .count = 1};
    read.waiters = {kWaiter};
    WaitTable table;
    table.rows = {mutex, read};
    table.blockings = {{.holder = kKeeper,
                        .waiter = kWaiter,
                        .amount = mutex.amount,
                        .kind = WaitKind::kMutex,
                        .place = held,
                        .doing = WaitKind::kSleep}};
    return table;
}

TEST(TerminalWaits, TellObjectPlaceAndHolder) {
    const std::string text = terminal_waits({.width = 140, .unicode = true}, made_waits(), made_table(), 10);
    EXPECT_THAT(text, HasSubstr("mutex 0x7f00 in take take.cpp:34"));
    EXPECT_THAT(text, HasSubstr("keeper 8, in sleep at hold hold.cpp:12"));
    EXPECT_THAT(text, HasSubstr("read of 3 in an unknown place"));
    EXPECT_THAT(text, HasSubstr("keeper 8 kept waiter 9 waiting (mutex), in sleep at hold hold.cpp:12"));
    EXPECT_THAT(text, HasSubstr("5.00 ms"));
}

TEST(TerminalWaits, TellWhatIsLeftOut) {
    const std::string text = terminal_waits({.width = 140, .unicode = false}, made_waits(), made_table(), 1);
    EXPECT_THAT(text, HasSubstr("1 more (--top 2)"));
    EXPECT_THAT(text, Not(HasSubstr("read of 3")));
}

TEST(TerminalWaits, MayTellOfWaitsAlone) {
    const std::string text = terminal_waits({.width = 140, .unicode = true}, made_waits(), made_table(), 10, true);
    EXPECT_NE(text.find("Waiting"), std::string::npos);
    EXPECT_EQ(text.find("Who blocks whom"), std::string::npos);
}

TEST(TerminalWaits, SayNothingOfNothing) {
    EXPECT_EQ(terminal_waits({}, {}, {}, 10), "");
}

TEST(JsonWaits, HoldWhatTheTableHolds) {
    const auto rows = json_waits(made_waits(), made_table());
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0]["object"], "0x7f00");
    EXPECT_EQ(rows[0]["kind"], "mutex");
    EXPECT_EQ(rows[0]["place"]["line_begin"], 34);
    EXPECT_EQ(rows[0]["holder"]["name"], "keeper");
    EXPECT_EQ(rows[0]["holder"]["doing"], "sleep");
    EXPECT_DOUBLE_EQ(rows[0]["seconds"], 0.005);
    EXPECT_EQ(rows[0]["open_waits"], 1);
    EXPECT_EQ(rows[0]["waiters"][0]["tid"], 9);
    EXPECT_EQ(rows[1]["object"], "3");
    EXPECT_EQ(rows[1]["place"], nullptr);
    EXPECT_EQ(rows[1]["holder"], nullptr);
    const auto blocking = json_blocking(made_waits(), made_table());
    ASSERT_EQ(blocking.size(), 1U);
    EXPECT_EQ(blocking[0]["holder"]["tid"], 8);
    EXPECT_EQ(blocking[0]["waiter"]["tid"], 9);
    const auto brief = json_brief_waits(made_waits());
    ASSERT_EQ(brief.size(), 1U);
    EXPECT_EQ(brief[0]["count"], 3);
    EXPECT_EQ(brief[0]["name"], "waiter");
}

}  // namespace
}  // namespace kymo::view
