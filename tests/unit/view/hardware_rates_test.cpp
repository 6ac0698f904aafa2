// Recordings made by hand of programs whose hardware counters are known: what the report and JSON say of each space.
#include "made_recording.h"
#include "simulated.h"
#include "spacetime/evidence/make_evidence.h"
#include "spacetime/profile/make_profile.h"
#include "view/metric.h"
#include "view/spaces/space_json.h"
#include "view/spaces/space_tables.h"

#include <array>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

namespace kymo::view {
namespace {

using namespace spacetime;
using ::testing::HasSubstr;
using testing::kMs;
using ::testing::Not;
using Json = nlohmann::ordered_json;

// What a stretch of code does in each of its samples, which are 1 ms apart.
struct Stretch {
    std::uint64_t offset = 0;
    std::uint64_t samples = 0;
    std::vector<std::uint64_t> counted = {};  // behind task-clock
};

// One thread that goes through the stretches so often, all called from main.
class Counted {
  public:
    Counted(const std::vector<std::string>& counters, const std::vector<Stretch>& stretches, int rounds = 10) {
        testing::MadeFile file(folder_.path() / "process-100-0.krec", 100);
        recording::Run run;
        run.command = std::string_view("./app\0", 6);
        file.own().append(run);
        file.begin_process();
        for (std::size_t i = 0; i < counters.size(); ++i) {
            file.event(i + 1, counters[i], "", recording::EventMode::kCount, 0);
        }
        file.begin_stream(1, 0, 100, "app");
        file.context(1, 1, 0, 1, 0x10);
        for (std::size_t i = 0; i < stretches.size(); ++i) {
            file.context(1, i + 2, 1, 1, stretches[i].offset);
        }
        std::vector<std::uint64_t> totals(counters.size() + 1);
        for (int round = 0; round < rounds; ++round) {
            for (std::size_t i = 0; i < stretches.size(); ++i) {
                for (std::uint64_t sample = 0; sample < stretches[i].samples; ++sample) {
                    std::vector<std::uint64_t> deltas = {kMs};
                    deltas.insert(deltas.end(), stretches[i].counted.begin(), stretches[i].counted.end());
                    for (std::size_t event = 0; event < totals.size(); ++event) {
                        totals[event] += deltas[event];
                    }
                    file.sample(1, totals[0], i + 2, deltas);
                }
            }
        }
        file.end_stream(1, totals[0], totals);
        file.own().append(recording::ProcessEnd{.time = totals[0]});
        file.own().append(recording::RunEnd{.time = totals[0]});
        file.close();
        const auto recording = recording::Recording::open(folder_.path());
        const auto profile = load_profile(*recording);
        NamedRun named = name_run(*profile);
        evidence_ = *make_evidence(*recording, *profile, named);
        options_.style = {.width = 120, .colour = false, .unicode = false};
        options_.metric = *find_metric(*profile, "");
    }

    [[nodiscard]] std::string tables() const { return terminal_spaces(evidence_, options_); }
    [[nodiscard]] Json json() const { return json_spaces(evidence_); }
    // The entry of the function, or of heavy code in it.
    [[nodiscard]] Json entry(const std::string& kind, const std::string& function) const {
        for (const Json& one : json()) {
            if (one["kind"] == kind && one["place"]["function"] == function) {
                return one;
            }
        }
        return {};
    }

  private:
    testing::TemporaryFolder folder_;
    Evidence evidence_;
    ReportOptions options_;
};

// The line of a table that ends with these words.
std::string line_of(const std::string& text, const std::string& table, const std::string& end) {
    std::istringstream lines(text.substr(std::min(text.find(table), text.size())));
    for (std::string line; std::getline(lines, line);) {
        if (line.ends_with(end)) {
            return line;
        }
    }
    return {};
}

const std::vector<std::string> kCounters = {"cycles", "instructions", "cache-misses", "branch-misses",
                                            "dTLB-load-misses"};

TEST(HardwareRates, StandBesideEachSpace) {
    const Counted run(kCounters, {{0x30, 10, {3'000'000, 6'000'000, 12'000, 600, 0}},
                                  {0x40, 10, {3'000'000, 750'000, 30'000, 1'500, 3'000}}});
    // All by hand. 750,000 / 3,000,000; 30,000, 1,500 and 3,000 by 750 thousand.
    const Json slow = run.entry("function", "app+0x40");
    ASSERT_FALSE(slow.is_null());
    EXPECT_DOUBLE_EQ(slow["instructions_per_cycle"], 0.25);
    EXPECT_EQ(slow["misses_per_1000_instructions"],
              Json({{"cache-misses", 40.0}, {"branch-misses", 2.0}, {"dTLB-load-misses", 4.0}}));
    EXPECT_DOUBLE_EQ(run.entry("function", "app+0x30")["instructions_per_cycle"], 2);
    // Of heavy code a tenth is of pairs whose other end is in the other space, and so half its own: of 100 samples
    // 90, 10 by half and 10 of the other by half (9 of these for the space that begins).
    const Json heavy = run.entry("pairs", "app+0x40");
    ASSERT_FALSE(heavy.is_null());
    EXPECT_NEAR(heavy["instructions_per_cycle"], (95 * 0.25 + 4.5 * 2) / 99.5, 0.002);
    EXPECT_NEAR(heavy["misses_per_1000_instructions"]["cache-misses"],
                (95 * 30'000 + 4.5 * 12'000) / (95 * 750.0 + 4.5 * 6'000), 0.5);
    const std::string text = run.tables();
    EXPECT_EQ(line_of(text, "Counters of heavy code", "app+0x40"),
              "  50.0 %         0.33          29.6           1.48               2.9  app+0x40");
    EXPECT_EQ(line_of(text, "Events by code", "app+0x40"),
              "         0.25        40 (2)        2 (0.1)             4 (0)  app+0x40");
    std::ifstream file(KYMO_TEST_DOCS "/json.md");
    std::stringstream page;
    page << file.rdbuf();
    EXPECT_THAT(page.str(), HasSubstr("`instructions_per_cycle`, `misses_per_1000_instructions`"));
}

TEST(HardwareRates, AreLeftOutWhereNothingWasCounted) {
    for (const auto& counters : {std::vector<std::string>{"page-faults"}, {"instructions"}, {"cycles"}}) {
        const Counted run(counters, {{0x30, 10, {1'000'000}}, {0x40, 10, {1'000'000}}});
        EXPECT_THAT(run.tables(), Not(HasSubstr("Counters of heavy code")));
        for (const Json& entry : run.json()) {
            EXPECT_FALSE(entry.contains("instructions_per_cycle"));
            EXPECT_FALSE(entry.contains("misses_per_1000_instructions"));
        }
    }
}

TEST(HardwareRates, AreNotKnownOfCodeWithoutInstructions) {
    const Counted run(kCounters,
                      {{0x30, 10, {3'000'000, 6'000'000, 12'000, 0, 0}}, {0x40, 10, {3'000'000, 0, 5, 0, 0}}});
    const Json none = run.entry("function", "app+0x40");
    EXPECT_TRUE(none["instructions_per_cycle"].is_null());
    EXPECT_EQ(none["misses_per_1000_instructions"], Json({{"cache-misses", nullptr}}));
    // Of a pair of samples each end's space has its part: so here no code has any.
    const Counted nowhere(kCounters, {{0x30, 10, {3'000'000, 0, 12'000, 0, 0}}, {0x40, 10, {3'000'000, 0, 5, 0, 0}}});
    EXPECT_EQ(line_of(nowhere.tables(), "Counters of heavy code", "app+0x40"),
              "  50.0 %            -             -  app+0x40");
    for (const std::string& text : {run.tables(), nowhere.tables()}) {
        EXPECT_THAT(text, Not(HasSubstr("nan")));
        EXPECT_THAT(text, Not(HasSubstr("inf")));
    }
}

// Loops whose cache and predictor are simulated, a load and a branch in each ten instructions: the report says of
// each what the simulation counted of it, and so tells which one walks memory and which one branches on random data.
TEST(HardwareRates, TellWhatSimulatedCountersHaveCounted) {
    constexpr std::uint64_t kLoads = 100'000;
    testing::SimulatedCache cache;
    testing::SimulatedPredictor predictor;
    std::mt19937_64 random(7);
    const auto simulate = [&](std::uint64_t at, std::uint64_t stride, std::uint64_t bytes, bool is_random) {
        std::uint64_t missed = 0;
        std::uint64_t wrong = 0;
        for (std::uint64_t i = 0; i < kLoads; ++i) {
            missed += cache.access(0x1000'0000 + i * stride % bytes) ? 1 : 0;
            wrong += predictor.branch(at, !is_random || random() % 2 == 0) ? 1 : 0;
        }
        const std::uint64_t instructions = 10 * kLoads;
        return Stretch{at, 10, {instructions / 4 + missed * 200 + wrong * 20, instructions, missed, wrong}};
    };
    const std::array stretches = {simulate(testing::kStrided, 64, 4U << 20U, false),
                                  simulate(testing::kHot, 8, 2048, false),
                                  simulate(testing::kDataBranch, 8, 2048, true)};
    const Counted run({"cycles", "instructions", "cache-misses", "branch-misses"},
                      {stretches.begin(), stretches.end()});
    const auto rate = [&](std::uint64_t at, const char* event) {
        const Json entry = run.entry("function", fmt::format("app+{:#x}", at));
        return entry.is_null() ? -1.0 : entry["misses_per_1000_instructions"][event].get<double>();
    };
    const auto per_cycle = [&](std::uint64_t at) {
        return run.entry("function", fmt::format("app+{:#x}", at))["instructions_per_cycle"].get<double>();
    };
    for (const Stretch& stretch : stretches) {
        const double thousands = static_cast<double>(stretch.counted[1]) / 1000;
        EXPECT_DOUBLE_EQ(rate(stretch.offset, "cache-misses"), static_cast<double>(stretch.counted[2]) / thousands);
        EXPECT_DOUBLE_EQ(rate(stretch.offset, "branch-misses"), static_cast<double>(stretch.counted[3]) / thousands);
    }
    EXPECT_DOUBLE_EQ(rate(testing::kStrided, "cache-misses"), 100) << "each load takes another line";
    EXPECT_LT(rate(testing::kHot, "cache-misses"), 0.1);
    EXPECT_NEAR(rate(testing::kDataBranch, "branch-misses"), 50, 2) << "half the guesses are wrong";
    EXPECT_LT(rate(testing::kHot, "branch-misses"), 0.1);
    EXPECT_LT(per_cycle(testing::kStrided), 0.1);
    EXPECT_GT(per_cycle(testing::kHot), 3);
}

}  // namespace
}  // namespace kymo::view
