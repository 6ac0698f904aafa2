// The account of an excess is exact, whatever the visits.
#include "findings/account.h"

#include "findings/statistics/random.h"
#include "made_evidence.h"

#include <gtest/gtest.h>
#include <numeric>

namespace kymo::findings {
namespace {

spacetime::VisitTable random_visits(Random* random, std::size_t count) {
    MadeEvidence made;
    const std::uint32_t node = made.add_node("f");
    for (std::size_t i = 0; i < count; ++i) {
        MadeVisit visit;
        for (const TermInfo& info : kTerms) {
            visit.terms.*info.member = static_cast<std::int64_t>(random->below(1'000'000));
        }
        std::int64_t left = visit.terms.waiting;
        for (std::uint32_t target = 0; target < 3 && left > 0; ++target) {
            const std::int64_t ns =
                target == 2 ? left : static_cast<std::int64_t>(random->below(static_cast<std::uint64_t>(left) + 1));
            visit.waits.push_back({target, ns});
            left -= ns;
        }
        made.add_visit(node, visit);
    }
    return made.evidence.nodes[node].rows;
}

TEST(Account, PartsAddUpToTheExcessBitForBit) {
    Random random(1);
    for (int round = 0; round < 200; ++round) {
        const std::size_t count = 2 + random.below(40);
        const spacetime::VisitTable visits = random_visits(&random, count);
        std::vector<std::size_t> slow;
        std::vector<std::size_t> fast;
        for (std::size_t row = 0; row < count; ++row) {
            (random.below(3) == 0 ? slow : fast).push_back(row);
        }
        const Excess excess = account(visits, slow, fast);
        std::int64_t parts = 0;
        std::int64_t waiting = 0;
        for (const ExcessPart& part : excess.parts) {
            parts += part.ns;
            waiting += part.term == Term::kWaiting ? part.ns : 0;
        }
        EXPECT_EQ(parts, excess.total());
        EXPECT_EQ(waiting, excess.terms.waiting);
        std::int64_t walls = 0;
        for (const std::size_t row : slow) {
            walls += visits.terms[row].wall();
        }
        EXPECT_EQ(walls - static_cast<std::int64_t>(slow.size()) * excess.usual.wall(), excess.total());
        // What is explained is never more than a visit's own excess.
        const std::vector<double> all = explained(visits, excess, {});
        for (std::size_t i = 0; i < slow.size(); ++i) {
            const auto own = static_cast<double>(visits.terms[slow[i]].wall() - excess.usual.wall());
            EXPECT_EQ(all[i], std::max(0.0, own));
            EXPECT_LE(explained(visits, excess, {.terms = set_of(Term::kSystem)})[i], std::max(0.0, own));
        }
    }
}

TEST(Account, NamesWhatWasWaitedFor) {
    MadeEvidence made;
    const std::uint32_t node = made.add_node("f");
    const std::uint32_t mutex = made.add_wait_target(recording::WaitKind::kMutex, "lock_it");
    for (int i = 0; i < 10; ++i) {
        made.add_visit(node, {.terms = {.user = 10 * kMs, .waiting = 1 * kMs}, .waits = {{mutex, 1 * kMs}}});
    }
    made.add_visit(node, {.terms = {.user = 12 * kMs, .waiting = 51 * kMs}, .waits = {{mutex, 51 * kMs}}});
    const spacetime::VisitTable& visits = made.evidence.nodes[node].rows;
    const Excess excess =
        account(visits, std::vector<std::size_t>{10}, std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    EXPECT_EQ(excess.total(), 52 * kMs);
    ASSERT_EQ(excess.parts.size(), 2U);
    EXPECT_EQ(excess.parts[0].term, Term::kWaiting);
    EXPECT_EQ(excess.parts[0].target, mutex);
    EXPECT_EQ(excess.parts[0].ns, 50 * kMs);
    EXPECT_EQ(excess.parts[1].ns, 2 * kMs);
    EXPECT_EQ(explained(visits, excess, {.terms = set_of(Term::kWaiting), .targets = {mutex}, .all_targets = false}),
              std::vector<double>{50.0 * kMs});
    EXPECT_EQ(
        explained(visits, excess, {.terms = set_of(Term::kWaiting), .targets = {mutex + 1}, .all_targets = false}),
        std::vector<double>{0});
}

}  // namespace
}  // namespace kymo::findings
