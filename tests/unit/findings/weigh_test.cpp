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

}  // namespace
}  // namespace kymo::findings
