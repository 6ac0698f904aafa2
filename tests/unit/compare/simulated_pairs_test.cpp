// Pairs of sets of recordings from a simulated machine: of a program that one function was made slower in, it is that
// function that is told; of equal programs nothing is.
//
// KYMO_SIMULATED_PAIRS: how many of each.
#include "compare/compare.h"
#include "program/symbolize.h"
#include "simulated/machine.h"
#include "spacetime/profile/make_profile.h"

#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace kymo::compare {
namespace {

using namespace findings::simulated;

constexpr std::size_t kRuns = 5;
struct Part {
    const char* name;
    double ms;  // a round
};
// A round of a thread: 20 ms.
constexpr std::array kParts = {Part{"parse", 2}, Part{"look_up", 3}, Part{"sort", 4},
                               Part{"merge", 1}, Part{"render", 6},  Part{"store", 4}};
constexpr double kRound = 20;

Program part(Thread& me, const char* name, double ns) {
    const Frame in = me.in(name);
    co_await me.work(static_cast<std::int64_t>(ns));
}

// `slower`: the part that takes more, by so many ns a round; none: kParts.size().
RunFigures run_once(std::uint64_t seed, std::size_t slower, double by, double steal) {
    const Conditions conditions{.steal = steal, .processors = 2, .seed = seed};
    Recorder recorder(conditions.processors, false, seed * 31 + 7);
    Machine machine(conditions, &recorder);
    findings::Random& random = machine.random();
    const Code worker = [&](Thread& me) -> Program {
        for (int round = 0; round < 60; ++round) {
            for (std::size_t i = 0; i < kParts.size(); ++i) {
                // Work differs by itself, by some percent.
                const double varies = 0.97 + 0.06 * static_cast<double>(random.next() % 1000) / 1000;
                co_await part(me, kParts[i].name, kParts[i].ms * 1e6 * varies + (i == slower ? by : 0));
            }
            co_await me.sleep(1'000'000);
        }
    };
    machine.start("app", [&](Thread& me) -> Program {
        Thread& other = me.start("worker", worker);
        co_await worker(me);
        co_await me.join(other);
    });
    machine.run();

    const auto recording = recording::Recording::open(recorder.path());
    EXPECT_TRUE(recording.ok());
    const auto profile = spacetime::load_profile(*recording);
    EXPECT_TRUE(profile.ok());
    // The recorder's functions have no image; their names are put in here.
    const auto requests = spacetime::frames_to_name(*profile);
    program::Symbols symbols = program::symbolize(requests);
    for (program::Function& function : symbols.functions) {
        const std::size_t at = function.name.find("app+0x");
        const std::string name =
            at == 0 ? recorder.function_at(std::stoull(function.name.substr(6), nullptr, 16)) : "";
        if (!name.empty()) {
            function.name = name;
            function.source = program::NameSource::kSymbol;
        }
    }
    return figures_of(*profile, spacetime::make_call_tree(*profile, requests, std::move(symbols)),
                      spacetime::make_wait_table(profile->waits), {}, "run");
}

std::vector<RunFigures> run_all(std::uint64_t first_seed, std::size_t slower, double by, double steal) {
    std::vector<RunFigures> runs;
    for (std::size_t i = 0; i < kRuns; ++i) {
        runs.push_back(run_once(first_seed + i, slower, by, steal));
    }
    return runs;
}

std::uint64_t pairs() {
    const char* const given = std::getenv("KYMO_SIMULATED_PAIRS");
    return given != nullptr ? std::strtoull(given, nullptr, 10) : 40;
}

std::vector<std::string> told_functions(const Comparison& comparison) {
    std::vector<std::string> names;
    for (const Change& change : comparison.changes) {
        if (change.key.kind == RowKind::kFunction && comparison.differs(change)) {
            names.push_back(fmt::format("{}{}", change.difference() > 0 ? "" : "-", change.key.name));
        }
    }
    return names;
}

// 5 % of the processor time, all of it in one function; on every second machine a tenth of the time is stolen.
TEST(SimulatedPairs, AFunctionThatWasMadeSlowerIsFoundAndPlaced) {
    std::uint64_t placed = 0;
    for (std::uint64_t pair = 0; pair < pairs(); ++pair) {
        const std::size_t slower = pair % kParts.size();
        const double steal = pair % 2 == 0 ? 0 : 0.1;
        const auto comparison = compare(run_all(1000 * pair, kParts.size(), 0, steal),
                                        run_all(1000 * pair + 500, slower, 0.05 * kRound * 1e6, steal));
        const auto told = told_functions(comparison);
        const bool is_right = told == std::vector<std::string>{kParts[slower].name};
        placed += is_right ? 1 : 0;
        if (!is_right) {
            fmt::print(stderr, "pair {}: {} is slower, told: {}\n", pair, kParts[slower].name, fmt::join(told, ", "));
        }
    }
    fmt::print(stderr, "{} of {} pairs are right\n", placed, pairs());
    EXPECT_GE(placed, pairs() * 95 / 100 - 1);
}

TEST(SimulatedPairs, OfEqualProgramsLittleIsTold) {
    std::uint64_t wrong = 0;
    for (std::uint64_t pair = 0; pair < pairs(); ++pair) {
        const double steal = pair % 2 == 0 ? 0 : 0.1;
        const auto comparison = compare(run_all(700'000 + 1000 * pair, kParts.size(), 0, steal),
                                        run_all(700'500 + 1000 * pair, kParts.size(), 0, steal));
        const auto told = std::count_if(comparison.changes.begin(), comparison.changes.end(),
                                        [&](const Change& change) { return comparison.differs(change); });
        wrong += told != 0 ? 1 : 0;
    }
    fmt::print(stderr, "{} of {} pairs of equal programs differ\n", wrong, pairs());
    EXPECT_LE(wrong, pairs() * 5 / 100 + 2);
}

}  // namespace
}  // namespace kymo::compare
