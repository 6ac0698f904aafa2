#include "made_evidence.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::findings {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(PageFaults, TellSlowOccurrencesFromFastOnes) {
    MadeEvidence made({"page-faults"});
    const std::uint32_t node = made.add_node("assemble");
    std::uint64_t time = 0;
    for (int i = 0; i < 120; ++i) {
        const bool is_slow = i == 11 || i == 29 || i == 30 || i == 77 || i == 81 || i == 110;
        const MadeOccurrence occurrence{
            .begin = time,
            .terms = {.user = 10 * kMs + (i % 7) * kMs / 10, .system = is_slow ? 80 * kMs : 0},
            .deltas = {is_slow ? 4100 : 10}};
        made.add_occurrence(node, occurrence);
        time += static_cast<std::uint64_t>(occurrence.terms.wall());
    }
    made.evidence.nodes[node].lines.push_back({"program.c", 101, 1, 1, {24'000}});
    const Judgement judgement = judge(made.finish());
    ASSERT_EQ(judgement.findings.size(), 1U);
    const Finding& finding = judgement.findings[0];
    EXPECT_EQ(finding.kind, "page-faults");
    EXPECT_TRUE(finding.tested);
    EXPECT_GT(finding.confidence, 0.95);
    EXPECT_THAT(finding.title, HasSubstr("6 of the 120 occurrences of `assemble`"));
    EXPECT_THAT(finding.title, HasSubstr("410× more page faults (4,100 each), all at program.c:101"));
    EXPECT_NEAR(finding.seconds, 0.48, 0.001);
    ASSERT_EQ(finding.also.size(), 1U);
    EXPECT_EQ(finding.also[0].kind, "slow-instance");
}

// As of a program that writes files: its slow occurrences are mostly system calls, and a few faults come with them.
TEST(PageFaults, OfSlowOccurrencesCostNoMoreThanFaultsCan) {
    const auto is_told = [](std::int64_t faults) {
        MadeEvidence made({"page-faults"});
        const std::uint32_t node = made.add_node("step");
        std::uint64_t time = 0;
        for (int i = 0; i < 120; ++i) {
            const bool is_slow = i == 11 || i == 29 || i == 30 || i == 77 || i == 81 || i == 110;
            const MadeOccurrence occurrence{
                .begin = time,
                .terms = {.user = 10 * kMs + (i % 7) * kMs / 10, .system = is_slow ? 80 * kMs : 0},
                .deltas = {is_slow ? faults : 0}};
            made.add_occurrence(node, occurrence);
            time += static_cast<std::uint64_t>(occurrence.terms.wall());
        }
        return find(judge(made.finish()).findings, "page-faults") != nullptr;
    };
    EXPECT_FALSE(is_told(9));
    EXPECT_TRUE(is_told(160)) << "of huge pages";
}

// Memory that each thread touches for the first time in its first occurrence is a cold start.
TEST(PageFaults, OfTheFirstOccurrenceInEachThreadAreAColdStart) {
    MadeEvidence made({"page-faults"}, 2);
    const std::uint32_t node = made.add_node("scatter");
    for (std::uint32_t thread = 0; thread < 2; ++thread) {
        std::uint64_t time = 0;
        for (int i = 0; i < 40; ++i) {
            const MadeOccurrence occurrence{
                .thread = thread,
                .begin = time,
                .terms = {.user = 10 * kMs + (i % 7) * kMs / 10, .system = i == 0 ? 270 * kMs : 0},
                .deltas = {i == 0 ? 2000 : 0}};
            made.add_occurrence(node, occurrence);
            time += static_cast<std::uint64_t>(occurrence.terms.wall());
        }
    }
    const Judgement judgement = judge(made.finish());
    EXPECT_EQ(find(judgement.findings, "page-faults"), nullptr);
    EXPECT_NE(find(judgement.findings, "cold-start"), nullptr);
}

// The smallest code that takes nearly all of them is named, whatever stands out around it.
TEST(PageFaults, AreNamedByTheSmallestCode) {
    const auto place = [](std::int64_t inside) {
        MadeEvidence made({"page-faults"});
        const std::uint32_t loop = made.add_node("main", kNone, spacetime::SpaceKind::kLoop);
        const std::uint32_t update = made.add_node("update", loop);
        for (int i = 0; i < 14; ++i) {
            const auto begin = static_cast<std::uint64_t>(i * 100 * kMs);
            const spacetime::TimeTerms terms{.user = 20 * kMs, .system = 80 * kMs};
            made.add_occurrence(loop, {.begin = begin, .terms = terms, .deltas = {1000}});
            made.add_occurrence(update, {.begin = begin, .terms = terms, .deltas = {inside}});
        }
        // A tenth of all were elsewhere: the loop alone has nine tenths.
        made.finish();
        made.evidence.run.deltas = {15'500};
        const auto judgement = judge(made.evidence);
        const Finding* finding = find(judgement.findings, "page-faults");
        return finding == nullptr ? "" : finding->place.function;
    };
    EXPECT_EQ(place(970), "update");
    EXPECT_EQ(place(700), "main");
}

// 100 rounds with gaps of 1 ms, seven of them, in no order, 41 ms in `grow`, 40 of it in the kernel.
TEST(PageFaults, TellLongGapsFromTheOthers) {
    constexpr int kLong[] = {3, 4, 19, 40, 41, 70, 98};
    MadeEvidence made({"page-faults"});
    const std::uint32_t parent = made.add_node("run");
    const std::uint32_t mutate = made.add_node("mutate", parent);
    const std::uint32_t grow = made.add_node("grow", parent);
    std::uint64_t time = 0;
    bool was_long = false;
    spacetime::TimeTerms all;
    for (int i = 0; i < 100; ++i) {
        made.add_occurrence(
            mutate, {.begin = time,
                     .terms = {.user = 10 * kMs},
                     .deltas = {2},
                     .gap_deltas = {was_long ? 8000 : i % 3},
                     .gap = i == 0 ? spacetime::TimeTerms{}
                                   : spacetime::TimeTerms{.user = 1 * kMs, .system = was_long ? 40 * kMs : 0}});
        time += 10 * kMs;
        was_long = std::find(std::begin(kLong), std::end(kLong), i) != std::end(kLong);
        const spacetime::TimeTerms gap{.user = 1 * kMs, .system = was_long ? 40 * kMs : 0};
        if (was_long) {
            made.add_occurrence(grow,
                                {.begin = time, .terms = gap, .deltas = {8000}, .before = mutate, .after = mutate});
        }
        time += static_cast<std::uint64_t>(gap.wall());
        all += gap;
    }
    all.user += 1000 * kMs;
    made.add_occurrence(parent, {.terms = all, .deltas = {56'300}});
    const Judgement judgement = judge(made.finish());
    EXPECT_EQ(find(judgement.findings, "periodic-pause"), nullptr) << "they come in no order";
    const Finding* finding = find(judgement.findings, "page-faults");
    ASSERT_NE(finding, nullptr);
    EXPECT_EQ(finding->place.function, "grow");
    EXPECT_TRUE(finding->tested);
    EXPECT_THAT(finding->title, HasSubstr("7 of the 99 gaps between occurrences of `mutate`"));
    EXPECT_THAT(finding->title, HasSubstr("(41 ms against 1.0 ms), mostly in `grow`"));
    EXPECT_THAT(finding->title, HasSubstr("more page faults (8,000 each)"));
    EXPECT_NEAR(finding->seconds, 7 * 0.040, 0.001);
    EXPECT_EQ(finding->when.size(), 7U);
}

// Two alternating functions; `faulty` takes faults in the occurrences from `from` on.
MadeEvidence alternating(int from, int to) {
    MadeEvidence made({"page-faults"});
    const std::uint32_t parent = made.add_node("run");
    const std::uint32_t scatter = made.add_node("scatter", parent);
    const std::uint32_t gather = made.add_node("gather", parent);
    std::uint64_t time = 0;
    std::int64_t faults = 0;
    for (int i = 0; i < 50; ++i) {
        const bool has_faults = i >= from && i < to;
        const MadeOccurrence occurrence{.begin = time,
                                        .terms = {.user = 5 * kMs, .system = 8 * kMs},
                                        .deltas = {has_faults ? 2000 : 0},
                                        .before = gather,
                                        .after = gather};
        made.add_occurrence(scatter, occurrence);
        time += static_cast<std::uint64_t>(occurrence.terms.wall());
        faults += occurrence.deltas[0];
        made.add_occurrence(
            gather, {.begin = time, .terms = {.user = 12 * kMs}, .deltas = {0}, .before = scatter, .after = scatter});
        time += 12 * kMs;
    }
    made.add_occurrence(parent, {.terms = {.user = 850 * kMs, .system = 400 * kMs}, .deltas = {faults}});
    return made;
}

TEST(PageFaults, AreASpacesOwnAgainAndAgain) {
    MadeEvidence made = alternating(0, 50);
    const Judgement judgement = judge(made.finish());
    ASSERT_FALSE(judgement.findings.empty());
    EXPECT_EQ(judgement.findings[0].kind, "page-faults");
    EXPECT_EQ(judgement.findings[0].place.function, "scatter");
    EXPECT_NEAR(judgement.findings[0].seconds, 0.4, 0.001);
}

// The same faults, 410 MB in all, of a program that held 100 MB, or 300 MB, at once: what can be done about them
// differs.
TEST(PageFaults, HaveTheDirectionOfTheirCause) {
    const auto direction = [](std::uint64_t peak_bytes, std::int64_t unmapping_ms) {
        MadeEvidence made = alternating(0, 50);
        if (peak_bytes != 0) {
            made.evidence.run.peak_bytes = peak_bytes;
        }
        spacetime::AccountRow row;
        row.time_class = spacetime::TimeClass::kPageFaults;
        row.ns = 400 * kMs;
        made.evidence.account.rows.push_back(row);
        row.time_class = spacetime::TimeClass::kSystemCall;
        row.detail = "munmap";
        row.ns = unmapping_ms * kMs;
        made.evidence.account.rows.push_back(row);
        const Judgement judgement = judge(made.finish());
        const Finding* finding = find(judgement.findings, "page-faults");
        return finding == nullptr ? std::string() : finding->direction;
    };
    EXPECT_THAT(direction(100'000'000, 0), StartsWith("keep the memory between uses"));
    EXPECT_THAT(direction(300'000'000, 0), StartsWith("let the kernel give larger pages"));
    EXPECT_THAT(direction(300'000'000, 100), StartsWith("keep the memory between uses")) << "it gives memory back";
    EXPECT_THAT(direction(0, 0), StartsWith("if the program gives the memory back"));
}

// How much it held is not known, but its allocator gives nothing back.
TEST(PageFaults, OfAnAllocatorThatKeepsItsMemoryAreGrowth) {
    const auto direction = [](std::int64_t released_ms) {
        MadeEvidence made = alternating(0, 50);
        spacetime::AccountRow row;
        row.time_class = spacetime::TimeClass::kRunTime;
        row.family = spacetime::TaxFamily::kAllocation;
        row.ns = 70 * kMs;
        row.released_ns = released_ms * kMs;
        made.evidence.account.rows.push_back(row);
        const Judgement judgement = judge(made.finish());
        const Finding* finding = find(judgement.findings, "page-faults");
        return finding == nullptr ? std::string() : finding->direction;
    };
    EXPECT_THAT(direction(0), StartsWith("let the kernel give larger pages"));
    EXPECT_THAT(direction(20), StartsWith("if the program gives the memory back"));
}

TEST(PageFaults, OnlyAtTheBeginningAreNone) {
    MadeEvidence made = alternating(0, 3);
    EXPECT_EQ(find(judge(made.finish()).findings, "page-faults"), nullptr);
}

TEST(PageFaults, CostNoMoreThanFaultsCan) {
    // Two faults an occurrence cannot cost 8 ms: whatever is in the kernel there, it is something else.
    MadeEvidence made = alternating(0, 50);
    for (std::int64_t& delta : made.evidence.nodes[1].rows.deltas) {
        delta = 2;
    }
    made.evidence.nodes[1].deltas = {100};
    EXPECT_EQ(find(judge(made.finish()).findings, "page-faults"), nullptr);
}

}  // namespace
}  // namespace kymo::findings
