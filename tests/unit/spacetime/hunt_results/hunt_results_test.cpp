// What is made of the rows that hunts write.
#include "spacetime/hunt_results/hunt_results.h"

#include "made_recording.h"
#include "spacetime/hunt_results/line_rows.h"
#include "spacetime/hunt_results/load_hunt_results.h"

#include <gtest/gtest.h>

namespace kymo::spacetime {
namespace {

using kymo::testing::kMs;
using kymo::testing::MadeFile;
using kymo::testing::TemporaryFolder;

// A result at 2 ms, with words at 5 and 7 ms on how it stands.
void write_find(MadeFile& file) {
    file.own().append(recording::Run{.time = kMs});
    file.own().append(recording::Hunt{.time = kMs, .event = "page-faults", .cells = 4, .share = 0.05});
    file.own().append(recording::HuntResult{
        .time = 2 * kMs, .number = 1, .key = 9, .offset = 0x20, .tid = 5, .events = 40, .matches = 40, .seen = 40});
    for (const std::uint64_t words : {1, 2}) {
        file.own().append(recording::HuntResultEnd{
            .time = (3 + 2 * words) * kMs, .number = 1, .events = 100 * words, .matches = 50 * words});
        file.own().append(recording::HuntEnd{
            .time = (3 + 2 * words) * kMs, .engine = 1, .events = 40 + 100 * words, .captures = 3 * words});
    }
}

HuntResults load(const std::filesystem::path& folder) {
    const auto recording = recording::Recording::open(folder);
    return *load_hunt_results(recording->files());
}

TEST(HuntResults, OfAKilledProcessStandAsTheLatestWordsSay) {
    const TemporaryFolder folder;
    {
        MadeFile file(folder.path() / "process-7-0.krec", 7);
        write_find(file);
        file.own().append(recording::RunEnd{.time = 9 * kMs});
    }
    const HuntResults results = load(folder.path());
    ASSERT_EQ(results.heavy_hitters.size(), 1U);
    EXPECT_EQ(results.heavy_hitters[0].share.value, 0.5) << "not 150 of 300, nor the test's 40 of 40";
    EXPECT_LT(results.heavy_hitters[0].share.error, 0.04);
    ASSERT_EQ(results.heavy_hitters[0].when.size(), 1U);
    EXPECT_EQ(results.heavy_hitters[0].when[0].end_ns, static_cast<std::int64_t>(8 * kMs)) << "to the run's end";
    EXPECT_EQ(results.hunt.events, 240U);
    EXPECT_EQ(results.hunt.captures, 6U);
    EXPECT_EQ(results.hunt.unfinished, 1U);
}

TEST(HuntResults, ThatWentQuietEndThen) {
    const TemporaryFolder folder;
    {
        MadeFile file(folder.path() / "process-7-0.krec", 7);
        write_find(file);
        file.own().append(
            recording::HuntResultEnd{.time = 8 * kMs, .number = 1, .quiet = 1, .events = 1000, .matches = 100});
        file.own().append(recording::HuntEnd{.time = 9 * kMs, .engine = 1, .events = 2000, .captures = 7});
        file.own().append(recording::ProcessEnd{.time = 9 * kMs});
        file.close();
    }
    const HuntResults results = load(folder.path());
    ASSERT_EQ(results.heavy_hitters.size(), 1U);
    EXPECT_EQ(results.heavy_hitters[0].share.value, 0.1);
    EXPECT_TRUE(results.heavy_hitters[0].when[0].quiet);
    EXPECT_EQ(results.heavy_hitters[0].when[0].end_ns, static_cast<std::int64_t>(7 * kMs));
    EXPECT_EQ(results.hunt.events, 2000U);
    EXPECT_EQ(results.hunt.unfinished, 0U);
}

// (offset, line, share, from ms, to ms)
HeavyHitter hitter(std::uint64_t offset, std::uint32_t line, double share, std::int64_t begin, std::int64_t end) {
    HeavyHitter made;
    made.offset = offset;
    made.place = {"work", "work", "work.c", line};
    made.pid = 7;
    made.share = {share, 0.03};
    made.when.push_back({begin, end, false});
    return made;
}

std::vector<std::uint64_t> offsets(const std::vector<HeavyHitter>& hitters) {
    std::vector<std::uint64_t> all;
    for (const HeavyHitter& each : hitters) {
        all.push_back(each.offset);
    }
    return all;
}

TEST(HuntRows, InstructionsOfOneLineAreOneWhoseShareIsWhatTheyHadTogether) {
    std::vector<HeavyHitter> hitters = {hitter(0x10, 5, 0.3, 0, 9), hitter(0x20, 6, 0.2, 1, 9),
                                        hitter(0x30, 6, 0.25, 2, 9), hitter(0x40, 0, 0.1, 0, 9),
                                        hitter(0x50, 0, 0.1, 0, 9)};
    const std::vector<HuntRow> rows = gather_by_line(hitters, recording::HuntKey::kInstruction);
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(offsets(hitters), (std::vector<std::uint64_t>{0x30, 0x20, 0x10, 0x40, 0x50}));
    EXPECT_DOUBLE_EQ(rows[0].share.value, 0.45);
    EXPECT_DOUBLE_EQ(rows[0].share.error, std::hypot(0.03, 0.03));
    EXPECT_EQ(rows[0].hitters, 2U);
    EXPECT_EQ(hitters[1].row, 0U);
    EXPECT_EQ(hitters[2].row, 1U);
    EXPECT_DOUBLE_EQ(rows[1].share.value, 0.3);
}

TEST(HuntRows, SharesOfSourcesThatHeldAtOtherTimesDoNotAddUp) {
    std::vector<HeavyHitter> hitters = {hitter(0x10, 5, 0.6, 0, 4), hitter(0x20, 5, 0.7, 5, 9)};
    const std::vector<HuntRow> rows = gather_by_line(hitters, recording::HuntKey::kInstruction);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_DOUBLE_EQ(rows[0].share.value, 0.7);
    EXPECT_DOUBLE_EQ(rows[0].share.error, 0.03);
}

TEST(HuntRows, ProcessesFunctionsAndOtherKeysStayApart) {
    std::vector<HeavyHitter> hitters = {hitter(0x10, 5, 0.4, 0, 9), hitter(0x20, 5, 0.3, 0, 9),
                                        hitter(0x30, 5, 0.2, 0, 9)};
    hitters[1].pid = 8;
    hitters[2].place.function = "other";
    EXPECT_EQ(gather_by_line(hitters, recording::HuntKey::kInstruction).size(), 3U);
    std::vector<HeavyHitter> pages = {hitter(0x10, 5, 0.4, 0, 9), hitter(0x20, 5, 0.3, 0, 9)};
    EXPECT_EQ(gather_by_line(pages, recording::HuntKey::kDataPage).size(), 2U);
}

}  // namespace
}  // namespace kymo::spacetime
