// What makes two events one source, on code that exists: this program's own functions and lines.
#include "made_recording.h"
#include "spacetime/hunt_results/replay.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <random>
#include <unistd.h>

namespace kymo::spacetime {
namespace {

using kymo::testing::kMs;
using kymo::testing::MadeFile;
using kymo::testing::TemporaryFolder;
using recording::HuntKey;

// Two functions of several lines and blocks; what they compute does not matter.
__attribute__((noinline)) unsigned first_function(unsigned a) {
    unsigned sum = a;
    for (unsigned i = 0; i < a; ++i) {
        sum = sum * 31 + i;
        sum ^= sum >> 3U;
    }
    return sum;
}
__attribute__((noinline)) unsigned second_function(unsigned a) {
    return a * 17 + 4;
}

std::string own_path() {
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    return {path, static_cast<std::size_t>(length > 0 ? length : 0)};
}

std::uint64_t offset_of(unsigned (*function)(unsigned)) {
    Dl_info info{};
    dladdr(reinterpret_cast<void*>(function), &info);
    return reinterpret_cast<std::uint64_t>(function) - reinterpret_cast<std::uint64_t>(info.dli_fbase);
}

// 12 first addresses of first_function have 5 % each, the entry of second_function 40 %: by instruction nothing of
// 50 % is there, by function first_function is. Every event is called from main's place at 0x99 of image 2.
class Keys : public ::testing::Test {
  protected:
    void SetUp() override {
        ASSERT_NE(first_function(3) + second_function(3), 0U);
        MadeFile file(folder_.path() / "process-7-0.krec", 7);
        file.own().append(recording::Run{.time = 0});
        file.own().append(recording::Process{.time = 0, .pid = 7, .executable = "/nonexistent/app"});
        file.event(0, "faults", "", recording::EventMode::kPeriod, 1);
        file.event(1, "counted", "", recording::EventMode::kCount, 0);
        file.own().append(recording::Image{.image = 1, .path = own_path()});
        file.own().append(recording::Image{.image = 2, .path = "/nonexistent/app"});
        file.own().append(recording::Image{.image = 3, .path = "/usr/lib/libkymo-monitor.so"});
        file.begin_stream(1, 0, 70, "app");
        file.begin_stream(2, 0, 71, "other");
        std::mt19937_64 random(1);
        for (std::uint32_t stream = 1; stream <= 2; ++stream) {
            file.context(stream, 1, 0, 2, 0x99);
            for (std::uint64_t i = 0; i < 12; ++i) {
                file.context(stream, 2 + i, 1, 1, offset_of(first_function) + i);
            }
            file.context(stream, 20, 1, 1, offset_of(second_function));
            file.context(stream, 21, 1, 3, 0x10);
            for (std::uint64_t i = 0; i < 4000; ++i) {
                const std::uint64_t draw = random() % 20;
                file.sample(stream, i * 1000 + stream, draw < 12 ? 2 + draw : 20, {1});
                if (i % 3 == 0) {
                    file.sample(stream, i * 1000 + stream, 21, {1});  // the monitor's own
                }
                if (i % 100 == 0) {
                    file.sample(stream, i * 1000 + stream, 0, {1},
                                static_cast<std::uint64_t>(recording::PathEnd::kNotWalked));
                }
            }
        }
        file.close();
    }

    Result<HuntResults> hunt(HuntKey key, double share = 0.3, const std::string& event = "faults") const {
        Replay replay;
        replay.event = event;
        replay.key = key;
        replay.wish.share = share;
        replay.wish.refuse = 0.4 * share;
        const auto recording = recording::Recording::open(folder_.path());
        return replay_hunt(recording->files(), replay);
    }

    TemporaryFolder folder_;
};

TEST_F(Keys, ByInstructionOnlyTheOneIsLarge) {
    const auto results = hunt(HuntKey::kInstruction);
    ASSERT_EQ(results->heavy_hitters.size(), 1U);
    EXPECT_EQ(results->heavy_hitters[0].offset, offset_of(second_function));
    EXPECT_NEAR(results->heavy_hitters[0].share.value, 0.4, 0.03);
    EXPECT_EQ(results->hunt.events, 8080U) << "without the monitor's own";
    EXPECT_EQ(results->hunt.placeless, 80U);
}

TEST_F(Keys, ByFunctionTheOtherIsLarger) {
    const auto results = hunt(HuntKey::kFunction);
    ASSERT_EQ(results->heavy_hitters.size(), 2U);
    EXPECT_NEAR(results->heavy_hitters[0].share.value, 0.6, 0.03);
    EXPECT_NE(results->heavy_hitters[0].place.function.find("first_function"), std::string::npos);
    EXPECT_NEAR(results->heavy_hitters[1].share.value, 0.4, 0.03);
    EXPECT_NE(results->heavy_hitters[1].place.function.find("second_function"), std::string::npos);
    EXPECT_EQ(results->hunt.by_instruction, 0U);
}

TEST_F(Keys, ByLineAndBlockPlacesAreJoinedInTurn) {
    for (const HuntKey key : {HuntKey::kLine, HuntKey::kBlock}) {
        const auto results = hunt(key, 0.08);
        ASSERT_FALSE(results->heavy_hitters.empty());
        double sum = 0;
        for (const HeavyHitter& hitter : results->heavy_hitters) {
            sum += hitter.share.value;
        }
        EXPECT_LT(results->heavy_hitters.size(), 13U);
        EXPECT_GT(results->heavy_hitters.size(), 1U);
        EXPECT_LT(sum, 1.05);
        EXPECT_EQ(results->hunt.by_instruction, 0U);
        // Instructions alone have 5 %: too little for this share.
        EXPECT_EQ(hunt(HuntKey::kInstruction, 0.13)->heavy_hitters.size(), 1U);
    }
}

TEST_F(Keys, ByImageAndCallSiteAllIsOne) {
    const auto images = hunt(HuntKey::kImage);
    ASSERT_EQ(images->heavy_hitters.size(), 1U);
    EXPECT_EQ(images->heavy_hitters[0].image.path, own_path());
    EXPECT_GT(images->heavy_hitters[0].share.value, 0.97);
    const auto sites = hunt(HuntKey::kCallSite);
    ASSERT_EQ(sites->heavy_hitters.size(), 1U);
    EXPECT_EQ(sites->heavy_hitters[0].image.path, "/nonexistent/app");
    EXPECT_EQ(sites->heavy_hitters[0].offset, 0x99U);
}

TEST_F(Keys, WhatHasNoSymbolsIsTakenByInstructionAndSaysSo) {
    const TemporaryFolder folder;
    {
        MadeFile file(folder.path() / "process-7-0.krec", 7);
        file.event(0, "faults", "", recording::EventMode::kPeriod, 1);
        file.context(1, 1, 0, 0, 0x1234);
        for (std::uint64_t i = 0; i < 500; ++i) {
            file.sample(1, i, 1, {1});
        }
        file.close();
    }
    const auto recording = recording::Recording::open(folder.path());
    for (const HuntKey key : {HuntKey::kLine, HuntKey::kBlock, HuntKey::kFunction}) {
        Replay replay;
        replay.event = "faults";
        replay.key = key;
        const auto results = replay_hunt(recording->files(), replay);
        ASSERT_EQ(results->heavy_hitters.size(), 1U);
        EXPECT_EQ(results->heavy_hitters[0].offset, 0x1234U);
        EXPECT_EQ(results->hunt.by_instruction, 500U);
    }
}

TEST_F(Keys, WhatCannotBeHuntedIsSaidInALine) {
    const auto said = [&](HuntKey key, const std::string& event, double share = 0.3) {
        const auto results = hunt(key, share, event);
        return results ? std::string("no error") : results.error().what + " / " + results.error().next;
    };
    EXPECT_NE(said(HuntKey::kDataLine, "faults").find("no data addresses"), std::string::npos);
    EXPECT_NE(said(HuntKey::kDataPage, "faults").find("no data addresses"), std::string::npos);
    EXPECT_NE(said(HuntKey::kInstruction, "other").find("it has samples of faults"), std::string::npos);
    EXPECT_NE(said(HuntKey::kInstruction, "counted").find("was counted in this recording, not sampled"),
              std::string::npos);
    EXPECT_NE(said(HuntKey::kInstruction, "faults", 1.5).find("--share takes"), std::string::npos);
}

TEST_F(Keys, AReplayIsTheSameEachTime) {
    const auto once = hunt(HuntKey::kInstruction, 0.04);
    const auto again = hunt(HuntKey::kInstruction, 0.04);
    ASSERT_EQ(once->heavy_hitters.size(), again->heavy_hitters.size());
    ASSERT_GE(once->heavy_hitters.size(), 10U);
    for (std::size_t i = 0; i < once->heavy_hitters.size(); ++i) {
        EXPECT_EQ(once->heavy_hitters[i].offset, again->heavy_hitters[i].offset);
        EXPECT_EQ(once->heavy_hitters[i].found_after, again->heavy_hitters[i].found_after);
    }
}

}  // namespace
}  // namespace kymo::spacetime
