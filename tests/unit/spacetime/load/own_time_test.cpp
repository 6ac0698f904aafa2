// What code took in sum, where a thread polls again and again between pieces of it, all shorter than a sampling
// period or not much longer: known answers from made threads.
#include "made_recording.h"
#include "spacetime/profile/make_profile.h"
#include "spacetime/profile/profile.h"

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <vector>

namespace kymo::spacetime {
namespace {

using testing::kMs;
using testing::MadeFile;
using testing::TemporaryFolder;

constexpr std::uint64_t kMicrosecond = 1000;

// Code of a thread: contexts 1 and so on, below the root; or, where it is a call that waits, what it polls in.
struct Piece {
    std::uint64_t context = 0;
    std::uint64_t mean = 0;  // ns
    bool polls = false;      // in a wait of its own
};

// User time by context, of the truth and as told.
struct Times {
    std::map<std::uint64_t, double> known;
    std::map<std::uint64_t, double> told;
};

// `rounds` of the pieces, each of half to one and a half times its mean; sampled every millisecond.
Times recorded(const std::vector<Piece>& pieces, int rounds) {
    const TemporaryFolder folder;
    MadeFile file(folder.path() / "process-1-0.krec", 1);
    file.event(0, "task-clock", "ns", recording::EventMode::kPeriod, kMs);
    file.begin_stream(1, 0, 100, "t");
    for (const Piece& piece : pieces) {
        file.context(1, piece.context, 0, 0, 0x10 * piece.context);
    }
    Times times;
    std::mt19937_64 random(7);
    std::uint64_t now = 0;
    std::uint64_t due = kMs;
    for (int round = 0; round < rounds; ++round) {
        for (const Piece& piece : pieces) {
            const std::uint64_t begin = now;
            now += piece.mean / 2 + random() % piece.mean;
            for (; due <= now; due += kMs) {
                file.sample(1, due, piece.context, {kMs});
            }
            if (piece.polls) {
                file.stream(1).append(
                    recording::Wait{.time = begin,
                                    .duration = now - begin,
                                    .kind = static_cast<std::uint64_t>(recording::WaitKind::kOmpBarrier),
                                    .object = 1,
                                    .context = piece.context});
            }
            times.known[piece.context] += static_cast<double>(now - begin);
        }
    }
    file.end_stream(1, now, {now}, now);
    file.close();
    const auto recording = recording::Recording::open(folder.path());
    const auto profile = load_profile(*recording);
    for (std::size_t i = 0; i < profile->nodes.size(); ++i) {
        if (profile->nodes[i].kind == NodeKind::kFrame) {
            times.told[profile->nodes[i].offset / 0x10] += static_cast<double>(profile->self[i][kUser]);
        }
    }
    return times;
}

void expect_as_known(const Times& times) {
    for (const auto& [context, known] : times.known) {
        EXPECT_NEAR(times.told.at(context) / known, 1, 0.04) << "context " << context;
    }
}

TEST(OwnTime, OfCodeBeforeAndBehindWaits) {
    expect_as_known(
        recorded({{1, 300 * kMicrosecond}, {2, 100 * kMicrosecond}, {3, 200 * kMicrosecond, true}}, 100'000));
}

TEST(OwnTime, OfLongAndShortCodeBetweenWaits) {
    expect_as_known(recorded({{1, 3000 * kMicrosecond},
                              {2, 100 * kMicrosecond, true},
                              {3, 250 * kMicrosecond},
                              {4, 100 * kMicrosecond, true},
                              {5, 60 * kMicrosecond}},
                             100'000));
}

TEST(OwnTime, OfCodeBetweenLongWaits) {
    expect_as_known(recorded({{1, 50 * kMicrosecond},
                              {2, 5000 * kMicrosecond, true},
                              {3, 150 * kMicrosecond},
                              {4, 3000 * kMicrosecond, true}},
                             50'000));
}

}  // namespace
}  // namespace kymo::spacetime
