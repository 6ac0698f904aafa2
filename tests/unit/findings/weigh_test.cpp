// What is at stake in a claim, on cases made by hand.
#include "findings/weigh.h"

#include "made_evidence.h"

#include <gtest/gtest.h>
#include <numeric>

namespace kymo::findings {
namespace {

// Occurrences of `lengths`, all of them slow ones, held against a usual one of 10 ms.
struct Fluctuating {
    explicit Fluctuating(const std::vector<std::int64_t>& lengths) {
        const std::uint32_t node = made.add_node("step");
        std::uint64_t time = 0;
        for (const std::int64_t ms : lengths) {
            made.add_occurrence(node, {.begin = time, .terms = {.user = ms * kMs}});
            time += static_cast<std::uint64_t>(ms * kMs);
        }
        made.add_occurrence(node, {.begin = time, .terms = {.user = 10 * kMs}});
        made.finish();
        subject.evidence = &made.evidence;
        subject.contrast = Contrast::kOccurrences;
        subject.node = NodeIndex(node);
        subject.bad_rows.resize(lengths.size());
        std::iota(subject.bad_rows.begin(), subject.bad_rows.end(), std::size_t{0});
        subject.good_rows = {lengths.size()};
        subject.bad.count = lengths.size();
        subject.good.count = 1;
        subject.excess = account(subject.rows(), subject.bad_rows, subject.good_rows);
    }
    double seconds() const {
        Rule rule{};
        rule.kind = "made";
        rule.contrast = Contrast::kOccurrences;
        Claim claim;
        claim.title = "made by hand";
        claim.explains = Explains{};
        return weigh(subject, rule, claim).finding.seconds;
    }
    MadeEvidence made;
    Case subject;
};

// Each is held against the usual one: what some took less than that must not be left out of the sum.
TEST(Weigh, AtStakeIsAtMostWhatTheSidesDifferBy) {
    EXPECT_NEAR(Fluctuating({14, 16}).seconds(), 0.010, 1e-9);
    EXPECT_NEAR(Fluctuating({14, 16, 6, 9}).seconds(), 0.005, 1e-9);
    EXPECT_NEAR(Fluctuating({14, 6}).seconds(), 0, 1e-9);
    EXPECT_NEAR(Fluctuating({14, 2}).seconds(), 0, 1e-9) << "less than nothing is nothing";
}

// The slow occurrence waits 90 ms longer, in a second; the account says what of such waits the run could be shorter
// by.
double share_of_wait(std::int64_t shorter_ms, bool is_generic) {
    MadeEvidence made;
    const std::uint32_t node = made.add_node("step");
    const std::uint32_t target = made.add_wait_target(recording::WaitKind::kMutex, "step");
    made.add_occurrence(node, {.begin = 0, .terms = {.user = 10 * kMs}});
    made.add_occurrence(
        node, {.begin = 10 * kMs, .terms = {.user = 10 * kMs, .waiting = 90 * kMs}, .waits = {{target, 90 * kMs}}});
    made.finish();
    made.evidence.run.begin = 0;
    made.evidence.run.end = 1'000 * kMs;
    spacetime::AccountRow row;
    row.time_class = spacetime::TimeClass::kLockWait;
    row.place = made.evidence.wait_targets[target].place;
    row.ns = 90 * kMs;
    row.shorter_ns = shorter_ms * kMs;
    made.evidence.account.rows.push_back(row);
    Case subject;
    subject.evidence = &made.evidence;
    subject.contrast = Contrast::kOccurrences;
    subject.node = NodeIndex(node);
    subject.bad_rows = {1};
    subject.good_rows = {0};
    subject.bad.count = subject.good.count = 1;
    subject.excess = account(subject.rows(), subject.bad_rows, subject.good_rows);
    Rule rule{};
    rule.kind = "made";
    rule.contrast = Contrast::kOccurrences;
    rule.is_generic = is_generic;
    Claim claim;
    claim.title = "made by hand";
    claim.explains = Explains{};
    return weigh(subject, rule, claim).finding.share;
}

TEST(Weigh, AWaitIsWorthWhatTheAccountSaysWhereNoCauseIsKnown) {
    EXPECT_NEAR(share_of_wait(9, true), 0.009, 1e-9);
    EXPECT_NEAR(share_of_wait(90, true), 0.09, 1e-9);
    EXPECT_NEAR(share_of_wait(9, false), 0.09, 1e-9) << "a cause's stake is what its rule says";
}

}  // namespace
}  // namespace kymo::findings
