// The account of an excess is exact, whatever the occurrences.
#include "findings/account.h"

#include "findings/statistics/random.h"
#include "made_evidence.h"

#include <gtest/gtest.h>
#include <numeric>

namespace kymo::findings {
namespace {

spacetime::OccurrenceTable random_occurrences(Random* random, std::size_t count) {
    MadeEvidence made;
    const std::uint32_t node = made.add_node("f");
    for (std::size_t i = 0; i < count; ++i) {
        MadeOccurrence occurrence;
        for (const TermInfo& info : kTerms) {
            occurrence.terms.*info.member = static_cast<std::int64_t>(random->below(1'000'000));
        }
        std::int64_t left = occurrence.terms.waiting;
        for (std::uint32_t target = 0; target < 3 && left > 0; ++target) {
            const std::int64_t ns =
                target == 2 ? left : static_cast<std::int64_t>(random->below(static_cast<std::uint64_t>(left) + 1));
            occurrence.waits.push_back({target, ns});
            left -= ns;
        }
        made.add_occurrence(node, occurrence);
    }
    return made.evidence.nodes[node].rows;
}

TEST(Account, PartsAddUpToTheExcessBitForBit) {
    Random random(1);
    for (int round = 0; round < 200; ++round) {
        const std::size_t count = 2 + random.below(40);
        const spacetime::OccurrenceTable occurrences = random_occurrences(&random, count);
        std::vector<std::size_t> slow;
        std::vector<std::size_t> fast;
        for (std::size_t row = 0; row < count; ++row) {
            (random.below(3) == 0 ? slow : fast).push_back(row);
        }
        const Excess excess = account(occurrences, slow, fast);
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
            walls += occurrences.terms[row].wall();
        }
        EXPECT_EQ(walls - static_cast<std::int64_t>(slow.size()) * excess.usual.wall(), excess.total());
        // What is explained is never more than an occurrence's own excess.
        const std::vector<double> all = explained(occurrences, excess, {});
        for (std::size_t i = 0; i < slow.size(); ++i) {
            const auto own = static_cast<double>(occurrences.terms[slow[i]].wall() - excess.usual.wall());
            EXPECT_EQ(all[i], std::max(0.0, own));
            EXPECT_LE(explained(occurrences, excess, {.terms = set_of(Term::kSystem)})[i], std::max(0.0, own));
        }
    }
}

TEST(Account, NamesWhatWasWaitedFor) {
    MadeEvidence made;
    const std::uint32_t node = made.add_node("f");
    const std::uint32_t mutex = made.add_wait_target(recording::WaitKind::kMutex, "lock_it");
    for (int i = 0; i < 10; ++i) {
        made.add_occurrence(node, {.terms = {.user = 10 * kMs, .waiting = 1 * kMs}, .waits = {{mutex, 1 * kMs}}});
    }
    made.add_occurrence(node, {.terms = {.user = 12 * kMs, .waiting = 51 * kMs}, .waits = {{mutex, 51 * kMs}}});
    const spacetime::OccurrenceTable& occurrences = made.evidence.nodes[node].rows;
    const Excess excess =
        account(occurrences, std::vector<std::size_t>{10}, std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    EXPECT_EQ(excess.total(), 52 * kMs);
    ASSERT_EQ(excess.parts.size(), 2U);
    EXPECT_EQ(excess.parts[0].term, Term::kWaiting);
    EXPECT_EQ(excess.parts[0].target, mutex);
    EXPECT_EQ(excess.parts[0].ns, 50 * kMs);
    EXPECT_EQ(excess.parts[1].ns, 2 * kMs);
    EXPECT_EQ(
        explained(occurrences, excess, {.terms = set_of(Term::kWaiting), .targets = {mutex}, .all_targets = false}),
        std::vector<double>{50.0 * kMs});
    EXPECT_EQ(explained(occurrences, excess,
                        {.terms = set_of(Term::kWaiting), .targets = {mutex + 1}, .all_targets = false}),
              std::vector<double>{0});
}

}  // namespace
}  // namespace kymo::findings
