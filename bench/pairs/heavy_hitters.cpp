// One table: who finds the sources of 5 % and more of a Zipf stream of 100,000 sources (and none of 2 % or less), in
// what memory, after how many events, at what cost. Equal memory: the peers in what the pair machine takes. Equal
// error: the peers with what they need to be right. Each goes over the stream five times; the quickest counts.
#include "pairs/design/wish.h"
#include "pairs/machine.h"
#include "peers.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <random>
#include <set>
#include <vector>

namespace {

using namespace kymo;

constexpr std::size_t kSources = 100'000;
constexpr std::size_t kEvents = 1'000'000;
constexpr double kShare = 0.05;
constexpr double kRefuse = 0.02;
constexpr int kRounds = 5;

struct Outcome {
    std::size_t found = 0;  // of the sources above the share
    std::size_t wrong = 0;  // reported though below the share to refuse
    double ns = 0;          // an event
    std::size_t bytes = 0;
};

class Judge {
  public:
    explicit Judge(const bench::Zipf& zipf) {
        for (std::size_t rank = 0; rank < kSources && zipf.share(rank) > kRefuse; ++rank) {
            allowed_.insert(0x400000 + 16 * rank);
            if (zipf.share(rank) >= kShare) {
                wanted_.insert(0x400000 + 16 * rank);
            }
        }
    }
    Outcome judge(const std::set<std::uint64_t>& reported, double ns, std::size_t bytes) const {
        Outcome outcome{0, 0, ns, bytes};
        for (const std::uint64_t key : reported) {
            outcome.found += wanted_.count(key);
            outcome.wrong += 1 - allowed_.count(key);
        }
        return outcome;
    }
    std::size_t wanted() const { return wanted_.size(); }

  private:
    std::set<std::uint64_t> wanted_;
    std::set<std::uint64_t> allowed_;
};

template <typename Add>
double timed(const std::vector<std::uint64_t>& keys, const Add& add) {
    // Processor time: other programs run here, too.
    timespec begin{};
    timespec end{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    for (const std::uint64_t key : keys) {
        add(key);
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    const double spent =
        static_cast<double>(end.tv_sec - begin.tv_sec) * 1e9 + static_cast<double>(end.tv_nsec - begin.tv_nsec);
    return spent / static_cast<double>(keys.size());
}

void tell(const char* name, const Judge& judge, const Outcome& outcome) {
    std::printf("  %-34s %zu of %zu  %5zu  %8zu  %6.2f\n", name, outcome.found, judge.wanted(), outcome.wrong,
                outcome.bytes, outcome.ns);
}

void run_pairs(const char* name, pairs::Form form, std::uint32_t cells, const Judge& judge,
               const std::vector<std::uint64_t>& keys) {
    pairs::Wish wish;
    wish.share = kShare;
    wish.refuse = kRefuse;
    wish.form = form;
    wish.cells = cells;
    const pairs::Rule rule = *pairs::make_rule(wish);
    std::set<std::uint64_t> reported;
    double ns = INFINITY;
    for (int round = 0; round < kRounds; ++round) {
        pairs::Machine machine;
        pairs::start(machine, rule, 1);
        reported.clear();
        ns = std::min(ns, timed(keys, [&](std::uint64_t key) {
                          const pairs::Verdict verdict = pairs::step(machine, key);
                          if (verdict.turn == pairs::Turn::kFound) {
                              reported.insert(pairs::found_key(machine, verdict.slot));
                          } else if (verdict.turn == pairs::Turn::kQuiet) {
                              pairs::release(machine, verdict.slot);
                          }
                      }));
    }
    tell(name, judge, judge.judge(reported, ns, sizeof(pairs::Machine)));
}

// `make()`: a fresh table of counts; `bytes` of such a table.
template <typename Make, typename Bytes>
void run_counts(const char* name, const Make& make, const Bytes& bytes, const Judge& judge,
                const std::vector<std::uint64_t>& keys) {
    double ns = INFINITY;
    std::vector<std::uint64_t> reported;
    std::size_t size = 0;
    for (int round = 0; round < kRounds; ++round) {
        auto counts = make();
        ns = std::min(ns, timed(keys, [&](std::uint64_t key) { counts.add(key); }));
        reported = counts.at_least(static_cast<std::uint64_t>((kShare + kRefuse) / 2 * kEvents));
        size = bytes(counts);
    }
    tell(name, judge, judge.judge({reported.begin(), reported.end()}, ns, size));
}

void run_space_saving(const char* name, std::size_t counters, const Judge& judge,
                      const std::vector<std::uint64_t>& keys) {
    run_counts(
        name, [&] { return bench::SpaceSaving(counters); },
        [&](const bench::SpaceSaving&) { return counters * bench::SpaceSaving::kBytesACounter; }, judge, keys);
}

}  // namespace

int main() {
    for (const double exponent : {1.0, 1.2, 1.4}) {
        const bench::Zipf zipf(kSources, exponent);
        std::mt19937_64 random(7);
        std::uniform_real_distribution<double> unit;
        std::vector<std::uint64_t> keys(kEvents);
        for (std::uint64_t& key : keys) {
            key = zipf.key(unit(random));
        }
        const Judge judge(zipf);
        std::printf("Zipf %.1f, 1,000,000 events        found   wrong     bytes  ns an event\n", exponent);
        run_pairs("sequential test, 1 cell", pairs::Form::kSequential, 1, judge, keys);
        run_pairs("sequential test, 2 cells", pairs::Form::kSequential, 2, judge, keys);
        run_pairs("sequential test, 4 cells", pairs::Form::kSequential, 4, judge, keys);
        run_pairs("literal pair, 1 cell", pairs::Form::kPair, 1, judge, keys);
        run_pairs("literal pair, 4 cells", pairs::Form::kPair, 4, judge, keys);
        run_space_saving("Space-Saving, equal memory", sizeof(pairs::Machine) / bench::SpaceSaving::kBytesACounter,
                         judge, keys);
        run_space_saving("Space-Saving, equal error", static_cast<std::size_t>(2 / (kShare - kRefuse) * 2), judge,
                         keys);
        run_counts(
            "exact hash table", [] { return bench::ExactCounts(kSources); },
            [](const bench::ExactCounts& counts) { return counts.bytes(); }, judge, keys);
    }
    return 0;
}
