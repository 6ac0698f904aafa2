// The collections whole: each figure of the made evidence is in its place.
#include "view/spaces/collections.h"

#include "../made_collections.h"
#include "view/spaces/space_json.h"
#include "view/spaces/space_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace kymo::view {
namespace {

using namespace spacetime;
using made::made_collections;
using ::testing::HasSubstr;

ReportOptions asked(MoreTables more, std::size_t top = 20, std::size_t width = 100) {
    ReportOptions options;
    options.style.width = width;
    options.top = top;
    options.more = more;
    return options;
}

TEST(Collections, HeavyCodeIsShownWhole) {
    EXPECT_EQ(terminal_collections(made_collections(), asked({.spaces = true})), R"(
Heavy code  weight: instructions times pairs of samples; stall: time by weight; alike: same spaces,
  how far they overlap
  weight    time  95 % of time  stall  pairs  alike  code
  40.0 %  60.0 %             ·    1.5    700  2 92%  step.cpp:12–14  step
  30.0 %  60.0 %     55.0–65.0    2.0    600           = step.cpp:12–14  step
  10.0 %  60.0 %     55.0–65.0    2.0    100           = step.cpp:13–14  step
  40.0 %  20.0 %     55.0–65.0    0.5    600      ·  step.cpp:10–14  step › memmove  memmove.cpp:50…

Events of heavy code  per ms of processor time: here, in the rest of the program, and how many times
   here  elsewhere  times  event        code
  0.667        0.5   1.33  page-faults  step.cpp:12–14  step
    0.5      0.625    0.8  page-faults  step.cpp:10–14  step › memmove  memmove.cpp:50–54  uncertain

Heavy code in time  occurrences and how long they are; gaps, the longest and when it was
  times  median  longest  gaps   median  longest      at  code
      3  101 ms   300 ms     2  20.0 ms   250 ms  400 ms  step.cpp:12–14  step
      filled by step step.cpp:10–14 › memmove memmove.cpp:50–54 250 ms

Events by code  per ms of processor time, and in the rest of the program
    page-faults  space
  0.686 (0.586)  step  step.cpp:10–14
)");
}

TEST(Collections, GapsAreShownOneByOne) {
    EXPECT_EQ(terminal_collections(made_collections(), asked({.gaps = true})), R"(
Gaps of step  step.cpp:10–14
  4 gaps, median 90.0 ms; no period
       at   length  thread, and below what was there instead
   210 ms   290 ms  worker
      filled by rest 290 ms; waited for sleep in rest 200 ms; page-faults 100 (mean 30)
  10.0 ms  90.0 ms  worker
      filled by (elsewhere) 90.0 ms; ready without a processor 30.0 ms; page-faults 0 (mean 30)

Gaps of heavy code step step.cpp:12–14
  2 gaps, median 20.0 ms; no period
      at  length  thread, and below what was there instead
  400 ms  250 ms  worker
      filled by step step.cpp:10–14 › memmove memmove.cpp:50–54 250 ms; page-faults 30 (mean 16)
)");
}

TEST(Collections, NeighboursAreShownWithTheirEvents) {
    EXPECT_EQ(terminal_collections(made_collections(), asked({.neighbours = true})), R"(
Neighbours  the same code between different ones; below it events in an occurrence, and between its
  other neighbours
  times   median     mean  longest  before, space, after
      2  60.0 ms  55.0 ms  55.0 ms  rest → step → (end)
      page-faults 45 in each (else 2)
      3  10.0 ms  10.0 ms  10.0 ms  (elsewhere) → step → rest
      page-faults 2 in each (else 45)

Neighbours of heavy code  groups of same spaces, likewise
  times  median    mean  longest  before, space, after
      1  300 ms  300 ms   300 ms  step step.cpp:12–14
      after step step.cpp:10–14 › memmove memmove.cpp:50–54, before (elsewhere);
      page-faults 70 in each (else 10)
      2  100 ms  100 ms   100 ms  step step.cpp:12–14
      after (elsewhere), before step step.cpp:10–14 › memmove memmove.cpp:50–54;
      page-faults 10 in each (else 70)
)");
}

TEST(Collections, ALifeWhoseOccurrencesAreKeptHasExactMedians) {
    Evidence evidence = made_collections();
    SpaceNode& life = evidence.same_spaces[1].life;
    life = SpaceNode();
    life.rows = OccurrenceTable(1);
    life.median_samples = 30;
    made::add_occurrence(life, 0, 0, 100, 20, 0, kOutside, 0);
    made::add_occurrence(life, 0, 120, 110, 0, 0, kOutside, 0);
    made::add_occurrence(life, 0, 700, 300, 70, 0, 0, kOutside);
    EXPECT_THAT(terminal_collections(evidence, asked({.spaces = true})),
                HasSubstr("      3  110 ms   300 ms     2  20.0 ms   250 ms  400 ms  step.cpp:12–14  step\n"));
    const auto json = json_same_spaces(evidence)[1]["in_time"];
    EXPECT_EQ(json["median_s"], 0.11);
    EXPECT_EQ(json["rows"].size(), 3U);
    EXPECT_EQ(json["rows"][2]["begin_s"], 0.7);
    EXPECT_EQ(json["rows"][1]["gap_s"], 0.02);
    EXPECT_EQ(json["rows"][2]["gap_s"], 0.47);
    EXPECT_EQ(json["patterns"][1]["median_s"], 0.11);
    EXPECT_EQ(json["longest_gaps"].size(), 1U);
    EXPECT_EQ(json["gap_events"]["page-faults"], 32);
}

TEST(Collections, SayThatThereIsNothing) {
    const std::string text = terminal_collections({}, asked({.spaces = true, .gaps = true, .neighbours = true}));
    EXPECT_THAT(text, HasSubstr("Heavy code  none"));
    EXPECT_THAT(text, HasSubstr("Gaps  none"));
    EXPECT_THAT(text, HasSubstr("Neighbours  none"));
    EXPECT_EQ(terminal_collections(made_collections(), asked({})), "");
}

TEST(Collections, TopLimitsTheirRowsAndTheFilterTheirPlaces) {
    EXPECT_THAT(terminal_collections(made_collections(), asked({.spaces = true}, 1)), HasSubstr("1 more (--top 2)"));
    const std::string text = terminal_collections(made_collections(), asked({.spaces = true}), "libc");
    EXPECT_THAT(text, HasSubstr("memmove"));
    EXPECT_THAT(text, ::testing::Not(HasSubstr("alike\n  40.0 %  60.0 %")));
}

TEST(Collections, NoLineIsWiderThanTheTerminal) {
    Evidence evidence = made_collections();
    for (SpaceNode& node : evidence.nodes) {
        node.place.function = "a_name_that_is_longer_than_the_terminal_is_wide::" + node.place.function;
    }
    for (const std::size_t width : {80, 120}) {
        std::istringstream lines(
            terminal_collections(evidence, asked({.spaces = true, .gaps = true, .neighbours = true}, 20, width)));
        for (std::string line; std::getline(lines, line);) {
            EXPECT_LE(columns(line), width) << line;
        }
    }
}

TEST(Collections, ShorterTablesTellTheEventThatTellsNeighboursApart) {
    ReportOptions options = asked({});
    options.is_short = false;
    Evidence evidence = made_collections();
    const std::string text = terminal_spaces(evidence, options);
    EXPECT_THAT(text, HasSubstr("rest → step → (end)\n      page-faults 45 in each (else 2)\n"));
    EXPECT_THAT(text, ::testing::Not(HasSubstr("page-faults 2 in each")));
    evidence.patterns[0].deltas = {9};  // too few
    EXPECT_THAT(terminal_spaces(evidence, options), ::testing::Not(HasSubstr("in each")));
    evidence.patterns[0].deltas = {20};  // 10 against 8
    evidence.patterns[1].deltas = {24};
    EXPECT_THAT(terminal_spaces(evidence, options), ::testing::Not(HasSubstr("in each")));
}

}  // namespace
}  // namespace kymo::view
